import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { sized } from '../../../../test/support/tier.ts'
import { TestDraw, sealedDraw, wholeDraw } from './draw.test-pack.ts'
import { type DrawFiles, type Verification, verifyDraw } from './verify.ts'

const outcomes = ({ steps }: Verification): string[] =>
  steps.map((one) =>
    one.outcome === 'failed'
      ? `${one.step}: ${one.code} in ${one.file}:${one.line}`
      : one.outcome === 'skipped'
        ? `${one.step}: skipped, ${one.why}`
        : one.step,
  )

const failures = (verification: Verification): string[] =>
  outcomes(verification).filter((line) => line.includes(' in '))

const PASSED = [
  'pack',
  'terms',
  'log',
  'checkpoints',
  'list',
  'seal',
  'beacon',
  'winner',
  'forfeitures',
  'end',
]

test('a whole draw passes every step and says who won', async () => {
  const draw = wholeDraw()
  const verification = await verifyDraw(draw.pack())
  expect(outcomes(verification)).toEqual(PASSED)
  expect(verification.remarks.map(({ code }) => code)).toEqual(['chain-unknown', 'entries-after-list'])
  expect(verification.winners.map(({ number, isForfeited }) => [number, isForfeited])).toEqual([
    [draw.results[0]!.number, true],
    [draw.results[1]!.number, false],
  ])
})
