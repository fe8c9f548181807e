/** Checks draws beside the page, which stays usable meanwhile. */
import '#client/older-browsers.ts'
import {
  type LeafQuestion,
  type PackOutcome,
  type PackQuestion,
  type StepOutcome,
  type TicketOutcome,
  checkLeaf,
  checkPack,
} from '#draw-protocol/check.ts'
import { sha256 } from '#draw-protocol/sha256.ts'
import type { Progress } from '#draw-protocol/verify.ts'
import { type WatchOutcome, type WatchQuestion, checkWatch } from './watch.ts'

export type WorkerQuestion =
  | ({ type: 'pack' } & PackQuestion)
  | ({ type: 'leaf' } & LeafQuestion)
  | ({ type: 'watch' } & WatchQuestion)

export type WorkerMessage =
  | { type: 'progress'; progress: Progress }
  | { type: 'step'; step: StepOutcome }
  | { type: 'pack'; outcome: PackOutcome }
  | { type: 'leaf'; outcome: TicketOutcome }
  | { type: 'watch'; outcome: WatchOutcome }
  /** A fault of the program. */
  | { type: 'broken' }

/** How often progress is told at most. */
const EVERY_MS = 100

const tell = (outcome: WorkerMessage): void => self.postMessage(outcome)

async function outcome(question: WorkerQuestion): Promise<void> {
  if (question.type === 'leaf') return tell({ type: 'leaf', outcome: checkLeaf(question, sha256) })
  if (question.type === 'watch') return tell({ type: 'watch', outcome: checkWatch(question, sha256) })
  let told = 0
  const onProgress = (progress: Progress): void => {
    const now = performance.now()
    if (now - told < EVERY_MS) return
    told = now
    tell({ type: 'progress', progress })
  }
  const onStep = (step: StepOutcome): void => tell({ type: 'step', step })
  tell({ type: 'pack', outcome: await checkPack(question, sha256, { onProgress, onStep }) })
}

self.addEventListener('message', ({ data }: MessageEvent<WorkerQuestion>) => {
  outcome(data).catch(() => tell({ type: 'broken' }))
})
