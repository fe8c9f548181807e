import { expect, test } from 'vitest'
import { shownValues, timeText } from './shown-number.ts'

test.each([
  ['fr', '4 décembre 2026 à 19:00:07 UTC'],
  ['nl', '4 december 2026 om 19:00:07 UTC'],
  ['en', '4 December 2026 at 19:00:07 UTC'],
] as const)('an instant is said in words, to the second, in UTC: %s', (language, text) => {
  expect(timeText('2026-12-04T19:00:07Z', language)).toBe(text)
  expect(timeText(Date.UTC(2026, 11, 4, 19, 0, 7) / 1000, language)).toBe(text)
})

test.each([
  [{}, {}],
  [
    { attempt: 0, seconds: 95 },
    { attempt: 1, seconds: 95 },
  ],
  [
    { attempt: 1, time: '2026-12-04T19:00:07Z' },
    { attempt: 2, time: '4 December 2026 at 19:00:07 UTC' },
  ],
])('the first winner of a remark is number 1, its instant in words: %j', (values, shown) => {
  expect(shownValues(values, 'en')).toEqual(shown)
})
