/** Checks draws beside the page, which stays usable meanwhile. */
import '#client/older-browsers.ts'
import { sha256 } from '@noble/hashes/sha2.js'
import {
  type LeafQuestion,
  type PackAnswer,
  type PackQuestion,
  type StepAnswer,
  type TicketAnswer,
  checkLeaf,
  checkPack,
} from '#draw-protocol/check.ts'
import type { Progress } from '#draw-protocol/verify.ts'

export type WorkerQuestion = ({ type: 'pack' } & PackQuestion) | ({ type: 'leaf' } & LeafQuestion)

export type WorkerAnswer =
  | { type: 'progress'; progress: Progress }
  | { type: 'step'; step: StepAnswer }
  | { type: 'pack'; answer: PackAnswer }
  | { type: 'leaf'; answer: TicketAnswer }
  /** A fault of the program. */
  | { type: 'broken' }

/** How often progress is told at most. */
const EVERY_MS = 100

const tell = (answer: WorkerAnswer): void => self.postMessage(answer)

async function answer(question: WorkerQuestion): Promise<void> {
  if (question.type === 'leaf') return tell({ type: 'leaf', answer: checkLeaf(question, sha256) })
  let told = 0
  const onProgress = (progress: Progress): void => {
    const now = performance.now()
    if (now - told < EVERY_MS) return
    told = now
    tell({ type: 'progress', progress })
  }
  const onStep = (step: StepAnswer): void => tell({ type: 'step', step })
  tell({ type: 'pack', answer: await checkPack(question, sha256, { onProgress, onStep }) })
}

self.addEventListener('message', ({ data }: MessageEvent<WorkerQuestion>) => {
  answer(data).catch(() => tell({ type: 'broken' }))
})
