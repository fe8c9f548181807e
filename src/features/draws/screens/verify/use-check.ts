import { useEffect, useRef, useState } from 'react'
import type { PackOutcome, PackQuestion, StepOutcome } from '#draw-protocol/check.ts'
import type { Progress } from '#draw-protocol/verify.ts'
import type { WorkerMessage, WorkerQuestion } from './verify.worker.ts'

/** Starts a worker that checks draws; pages of the shop and the saved file have it in different ways. */
export type OpenWorker = () => Worker | Promise<Worker>

export type CheckState =
  | { phase: 'idle' | 'loading' | 'loadFailed' | 'broken' }
  | { phase: 'checking'; steps: readonly StepOutcome[]; progress: Progress | null }
  | { phase: 'done'; outcome: PackOutcome }

export interface Check {
  state: CheckState
  /** Files, or what loads them. A check under way is given up. */
  start: (
    files: PackQuestion['files'] | (() => Promise<PackQuestion['files']>),
    rest: Omit<PackQuestion, 'files'>,
  ) => void
}

/** Runs one check at a time in a worker. */
export function useCheck(openWorker: OpenWorker): Check {
  const [state, setState] = useState<CheckState>({ phase: 'idle' })
  const worker = useRef<Worker | null>(null)
  const turn = useRef(0)

  const stop = (): void => {
    turn.current += 1
    worker.current?.terminate()
    worker.current = null
  }
  useEffect(() => stop, [])

  const ask = async (question: WorkerQuestion): Promise<void> => {
    const asked = turn.current
    setState({ phase: 'checking', steps: [], progress: null })
    try {
      const own = await openWorker()
      if (asked !== turn.current) return own.terminate()
      worker.current = own
      own.addEventListener('message', ({ data }: MessageEvent<WorkerMessage>) => setState(after(data)))
      own.addEventListener('error', () => setState({ phase: 'broken' }))
      own.postMessage(question)
    } catch {
      // The browser has no workers, or forbids them.
      if (asked === turn.current) setState({ phase: 'broken' })
    }
  }

  return {
    state,
    start: (files, rest) => {
      stop()
      const own = turn.current
      if (typeof files !== 'function') return void ask({ type: 'pack', files, ...rest })
      setState({ phase: 'loading' })
      files().then(
        (loaded) => own === turn.current && void ask({ type: 'pack', files: loaded, ...rest }),
        () => own === turn.current && setState({ phase: 'loadFailed' }),
      )
    },
  }
}

/** The state after a message of the worker. */
const after =
  (message: WorkerMessage) =>
  (state: CheckState): CheckState => {
    if (message.type === 'pack') return { phase: 'done', outcome: message.outcome }
    if (message.type === 'broken') return { phase: 'broken' }
    if (state.phase !== 'checking') return state
    if (message.type === 'progress') return { ...state, progress: message.progress }
    return message.type === 'step'
      ? { ...state, steps: [...state.steps, message.step], progress: null }
      : state
  }
