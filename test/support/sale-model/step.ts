import type fc from 'fast-check'
import { expect } from 'vitest'
import type { Model, Refused } from './model.ts'
import { type Stage, compare } from './stage.ts'

export type SaleCommand = fc.AsyncCommand<Model, Stage>

interface Step {
  name: string
  /** Whether the step makes sense now; one that does not is left out. */
  when?: (model: Model) => boolean
  /** Does it to both, and compares what was answered. */
  run: (model: Model, real: Stage) => Promise<void>
}

/** A step whose tables are compared with the model afterwards. */
export const command = ({ name, when, run }: Step): SaleCommand => ({
  check: (model) => when?.(model) ?? true,
  run: async (model, real) => {
    await run(model, real)
    await compare(model, real)
    real.taken()
  },
  toString: () => name,
})

/** Checks an answer against a refusal, or against success. */
export function expectAnswer(
  answer: { status: number; body: Record<string, unknown> },
  refusal: Refused | undefined,
): void {
  const { status, code } = refusal ?? { status: 200, code: undefined }
  expect({ status: answer.status, code: answer.body['code'] }).toEqual({ status, code })
}
