import { expect, test } from 'vitest'
import { timeText } from './shown-number.ts'

test.each([
  ['fr', '4 décembre 2026 à 19:00:07 UTC'],
  ['nl', '4 december 2026 om 19:00:07 UTC'],
  ['en', '4 December 2026 at 19:00:07 UTC'],
] as const)('an instant is said in words, to the second, in UTC: %s', (language, text) => {
  expect(timeText('2026-12-04T19:00:07Z', language)).toBe(text)
  expect(timeText(Date.UTC(2026, 11, 4, 19, 0, 7) / 1000, language)).toBe(text)
})
