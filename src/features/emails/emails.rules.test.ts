import { expect, test } from 'vitest'
import { ATTEMPTS_MAX, SUBJECT_MAX, headerText, isMailAddress, pauseAfter } from './emails.rules.ts'

test('the pauses between attempts grow up to six hours, and add up to a day', () => {
  const pauses = Array.from({ length: ATTEMPTS_MAX - 1 }, (_, index) => pauseAfter(index + 1))
  expect(pauses.slice(0, 3)).toEqual([15, 60, 240])
  expect(pauses.toSorted((a, b) => a - b)).toEqual(pauses)
  expect(pauses.at(-1)).toBe(6 * 3600)
  expect(Math.round(pauses.reduce((sum, pause) => sum + pause, 0) / 3600)).toBe(24)
})

test.each([
  ['two\r\nlines', 'two lines'],
  ['a\u2028b\u0000c\td', 'a b c d'],
  ['  spaces  ', 'spaces'],
  ['\u202Eturned round', 'turned round'],
  ['déjà vu 🚗', 'déjà vu 🚗'],
  ['🚗'.repeat(SUBJECT_MAX + 1), '🚗'.repeat(SUBJECT_MAX)],
])('%j becomes the header %j', (text, header) => {
  expect(headerText(text)).toBe(header)
})

test.each([
  ['reader@example.test', true],
  ['reader@example.test\n', false],
  ['one@example.test,two@example.test', false],
  ['One <one@example.test>', false],
  ['', false],
  [`${'a'.repeat(250)}@example.test`, false],
])('%j is an address for an email: %s', (address, expected) => {
  expect(isMailAddress(address)).toBe(expected)
})
