import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { numberPermutation } from './number-permutation.ts'

const keyOf = (name: string): Buffer => createHash('sha256').update(name).digest()
const KEY = keyOf('a contest')

test('the order of a contest never changes', () => {
  const numberOf = numberPermutation(KEY, 250_000)
  expect([0, 1, 2, 3, 249_999].map(numberOf)).toEqual([128071, 139030, 91558, 132006, 127485])
  // A total that is no square.
  const numbers = Array.from({ length: 20 }, (_, count) => numberPermutation(KEY, 20)(count))
  expect(numbers.join(' ')).toBe('13 14 18 1 7 12 5 4 15 17 9 16 20 19 11 8 2 6 10 3')
})

const TOTALS = [1, 2, 3, 4, 5, 7, 24, 97, 1_000, 250_000, 1_000_000]
test.each(TOTALS)('of %i numbers each comes exactly once', (total) => {
  const numberOf = numberPermutation(KEY, total)
  const seen = new Uint8Array(total + 1)
  for (let count = 0; count < total; count++) {
    const number = numberOf(count)
    if (number < 1 || number > total || seen[number]) throw new Error(`count ${count} gave ${number}`)
    seen[number] = 1
  }
  expect(seen.reduce((sum, one) => sum + one, 0)).toBe(total)
})

test('another key gives another order', () => {
  const [first, second] = [numberPermutation(KEY, 10_000), numberPermutation(keyOf('another'), 10_000)]
  const same = Array.from({ length: 10_000 }, (_, count) => first(count) === second(count)).filter(Boolean)
  expect(same.length).toBeLessThan(15)
})

test('the running count cannot be read off a number', () => {
  const numberOf = numberPermutation(KEY, 10_000)
  const numbers = Array.from({ length: 10_000 }, (_, count) => numberOf(count))
  const rising = numbers.filter((number, index) => index > 0 && number > (numbers[index - 1] ?? 0)).length
  expect(Math.abs(rising - 5_000)).toBeLessThan(300)
  const firstHundred = numbers.slice(0, 100).reduce((sum, number) => sum + number, 0) / 100
  expect(Math.abs(firstHundred - 5_000)).toBeLessThan(1_200)
})

test.each([-1, 24, 1.5, Number.NaN])('count %d of 24 is refused', (count) => {
  expect(() => numberPermutation(KEY, 24)(count)).toThrow(new RangeError(`count ${count} is outside 0..23`))
})

test.each([0, -3, 2.5])('a contest of %d numbers is refused', (total) => {
  expect(() => numberPermutation(KEY, total)).toThrow(new RangeError(`not a number of tickets: ${total}`))
})
