import { expect, test } from 'vitest'
import type { Attempt } from './public-draws.contract.ts'
import { drawInstant, durationParts, winnerOf } from './public-draws.rules.ts'

const attempt = (number: number | null) =>
  ({ drawn: number === null ? null : { number } }) as unknown as Attempt

test.each([
  ['nobody while the draw is waited for', 'sealed', [null], undefined],
  ['that of the draw', 'drawn', [7], 7],
  ['nobody while an alternate is waited for', 'drawn', [7, null], undefined],
  ['that of the alternate', 'awarded', [7, 8], 8],
  ['nobody in a cancelled contest', 'cancelled', [7], undefined],
  ['nobody without an attempt', 'open', [], undefined],
] as const)('the winner is %s', (_, state, numbers, winner) => {
  expect(winnerOf({ state, attempts: numbers.map(attempt) })).toBe(winner)
})

test('the instant of a draw is that of its round, once it is fixed', () => {
  const [draw_at, round_at] = ['2026-12-01T12:00:00.000Z', '2026-12-01T12:00:02.000Z']
  expect(drawInstant({ draw_at, attempts: [] })).toBe(draw_at)
  expect(drawInstant({ draw_at, attempts: [{ ...attempt(null), round_at }] })).toBe(round_at)
})

test.each([
  [0, [0, 0, 0, 0]],
  [59, [0, 0, 0, 59]],
  [3_600, [0, 1, 0, 0]],
  [90_061, [1, 1, 1, 1]],
  [604_800, [7, 0, 0, 0]],
])('%i seconds as days, hours, minutes and seconds', (seconds, [days, hours, minutes, rest]) => {
  expect(durationParts(seconds)).toEqual({ days, hours, minutes, seconds: rest })
})
