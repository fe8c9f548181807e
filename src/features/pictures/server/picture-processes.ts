import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { RenditionFailure } from '../pictures.contract.ts'
import { Refusal } from '#shared/refusal.ts'
import type { CleanPicture, EncodeTask, PictureFault, PictureWorks, ShareTask } from './picture-process.ts'
import { OWN_FLAGS } from '#platform/own-flags.ts'

/** A picture needs up to 300 MB while it is decoded. */
const PROCESSES_MAX = 2
const WAITING_MAX = 6
const RETRY_SECONDS = 5
/** Then the process is killed. */
const LIMIT_MS = 60_000
/** A process without work ends after this time. */
const IDLE_MS = 60_000

/** Why a work has no result. */
export class PictureProcessError extends Error {
  override readonly name = 'PictureProcessError'
  readonly reason: RenditionFailure
  constructor(reason: RenditionFailure, detail: string) {
    super(`${reason}: ${detail}`)
    this.reason = reason
  }
}

interface Task {
  message: { work: keyof PictureWorks; input: unknown }
  resolve: (result: unknown) => void
  reject: (error: unknown) => void
}

interface Options {
  file?: string
  /** The Node.js that runs it. */
  execPath?: string
  limitMs?: number
  waitingMax?: number
}

const PROGRAM = fileURLToPath(new URL('./picture-process.ts', import.meta.url))

/** Runs the works of picture-process.ts in at most two processes (ADR 0045). */
export function pictureProcesses({
  file = PROGRAM,
  execPath = process.execPath,
  limitMs = LIMIT_MS,
  waitingMax = WAITING_MAX,
}: Options = {}) {
  const idle = new Map<ChildProcess, NodeJS.Timeout>()
  /** Uploads, for whose response somebody waits, come before the sizes that a job makes. */
  const uploads: Task[] = []
  const sizes: Task[] = []
  let processes = 0

  /** @throws Error when the system has no memory for another process */
  function start(): ChildProcess {
    // Without the environment, so that no secret of the shop is in reach of a decoder.
    const child = fork(file, [], {
      execPath,
      serialization: 'advanced',
      execArgv: OWN_FLAGS,
      env: {},
      stdio: 'ignore',
    })
    processes += 1
    let isCounted = true
    const leave = (): void => {
      if (!isCounted) return
      isCounted = false
      processes -= 1
      clearTimeout(idle.get(child))
      idle.delete(child)
      serveNext()
    }
    // A process that could not be started has no exit. An error that nobody hears would end the shop.
    child.once('exit', leave).on('error', () => child.pid === undefined && leave())
    return child
  }

  function rested(): ChildProcess | undefined {
    const [found] = idle
    if (!found) return undefined
    const [child, timer] = found
    clearTimeout(timer)
    idle.delete(child)
    return child
  }

  function serveNext(): void {
    const queue = uploads.length > 0 ? uploads : sizes
    if (queue.length === 0) return
    let child = rested()
    try {
      if (!child && processes < PROCESSES_MAX) child = start()
    } catch (error) {
      queue.shift()?.reject(new PictureProcessError('crashed', String(error)))
      serveNext()
      return
    }
    if (child) serve(child, queue.shift() as Task)
  }

  function rest(child: ChildProcess): void {
    // An idle process keeps nobody from ending.
    child.unref()
    child.channel?.unref()
    const stop = (): void => {
      idle.delete(child)
      child.kill()
    }
    idle.set(child, setTimeout(stop, IDLE_MS).unref())
    serveNext()
  }

  function serve(child: ChildProcess, { message, resolve, reject }: Task): void {
    child.ref()
    child.channel?.ref()
    const end = (): void => {
      clearTimeout(timer)
      child.off('exit', onExit).off('error', onError).removeAllListeners('message')
    }
    const fail = (reason: RenditionFailure, detail: string): void => {
      end()
      child.kill('SIGKILL')
      reject(new PictureProcessError(reason, detail))
    }
    const onExit = (code: number | null, signal: string | null): void =>
      fail('crashed', signal ?? String(code))
    const onError = (error: Error): void => fail('crashed', error.message)
    const timer = setTimeout(() => fail('timeout', `${limitMs} ms`), limitMs)
    child.on('exit', onExit).on('error', onError)
    child.on('message', ({ result, error }: { result?: unknown; error?: string }) => {
      end()
      rest(child)
      if (error === undefined) resolve(result)
      else reject(new PictureProcessError('unreadable', error))
    })
    child.send(message, (error) => error && onError(error))
  }

  const run = (queue: Task[], work: keyof PictureWorks, input: unknown): Promise<unknown> =>
    new Promise((resolve, reject) => {
      queue.push({ message: { work, input }, resolve, reject })
      serveNext()
    })

  return {
    /** @throws Refusal 503 when too many pictures wait */
    clean: async (bytes: Uint8Array): Promise<CleanPicture | PictureFault> => {
      if (uploads.length >= waitingMax) throw tooManyPictures()
      return (await run(uploads, 'clean', bytes)) as CleanPicture | PictureFault
    },
    encode: async (task: EncodeTask): Promise<Uint8Array[]> =>
      (await run(sizes, 'encode', task)) as Uint8Array[],
    share: async (task: ShareTask): Promise<Uint8Array> => (await run(sizes, 'share', task)) as Uint8Array,
  }
}
export type PictureProcesses = ReturnType<typeof pictureProcesses>

export const tooManyPictures = (): Refusal =>
  new Refusal('pictures.busy', 503, 'consolePictures.refusals.busy', { retryAfter: RETRY_SECONDS })
