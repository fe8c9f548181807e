import { expect, test } from 'vitest'
import { announcedMark, timeLeft, untilNextChange } from './countdown.tsx'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

test.each([
  [3 * DAY + 4 * HOUR + 59 * MINUTE, { kind: 'days', days: 3, hours: 4 }],
  [DAY, { kind: 'days', days: 1, hours: 0 }],
  [23 * HOUR + 59 * MINUTE + 59_999, { kind: 'hours', hours: 23, minutes: 59 }],
  [HOUR, { kind: 'hours', hours: 1, minutes: 0 }],
  [59 * MINUTE, { kind: 'minutes', minutes: 59 }],
  // Never zero minutes while the contest runs.
  [59_999, { kind: 'lastMinute' }],
  [1, { kind: 'lastMinute' }],
  [0, { kind: 'over' }],
  [-DAY, { kind: 'over' }],
])('%i ms before the end the two largest units are shown', (left, expected) => {
  expect(timeLeft(left)).toEqual(expected)
})

test.each([
  ['a mark that was passed', 10 * MINUTE + 1, 10 * MINUTE, 10],
  ['no mark twice', 10 * MINUTE, 9 * MINUTE, undefined],
  ['the next mark', 6 * MINUTE, 4 * MINUTE, 5],
  ['the nearest mark after a pause', HOUR, 30_000, 1],
  ['nothing far from the end', DAY, HOUR, undefined],
  ['nothing at the end', MINUTE, 0, undefined],
])('%s is announced', (_, before, now, mark) => {
  expect(announcedMark(before, now)).toBe(mark)
})

test('the next change comes when the running minute has passed', () => {
  const left = 2 * MINUTE + 500
  expect(untilNextChange(left)).toBe(501)
  expect(timeLeft(left - untilNextChange(left))).toEqual({ kind: 'minutes', minutes: 1 })
})
