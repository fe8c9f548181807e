import { describe, expect, test } from 'vitest'
import {
  MAX_CENTS,
  addCents,
  cents,
  parseEur,
  percentOf,
  percentWithin,
  timesCents,
  toDecimal,
  withinRange,
} from './money.ts'

describe('decimal texts', () => {
  test.each([
    ['4.90', 490],
    ['5', 500],
    ['5.1', 510],
    ['0.01', 1],
    [' 12.34 ', 1234],
    ['9999999.99', MAX_CENTS],
  ])('%s is %i cents', (text, amount) => expect(parseEur(text)).toBe(amount))

  test.each(['', '-1', '1.005', '1,50', '1e3', 'NaN', '10000000', '1.', '.5', '1 000'])(
    '%j is no amount',
    (text) => {
      expect(() => parseEur(text)).toThrow(RangeError)
    },
  )

  test.each([0, 1, 9, 10, 99, 100, 490, 123_456, MAX_CENTS])(
    '%i cents are the same after writing and reading',
    (amount) => {
      expect(parseEur(toDecimal(cents(amount)))).toBe(amount)
    },
  )

  test('amounts have two decimals', () => {
    expect([0, 5, 490, 100_000].map((amount) => toDecimal(cents(amount)))).toEqual([
      '0.00',
      '0.05',
      '4.90',
      '1000.00',
    ])
  })
})

test.each([-1, 1.5, Number.NaN, Infinity, MAX_CENTS + 1])('%d is no number of cents', (value) => {
  expect(() => cents(value)).toThrow(RangeError)
})

test('sums and products are whole, and fail outside of the range', () => {
  expect(addCents(cents(10), cents(20), cents(30))).toBe(60)
  expect(addCents()).toBe(0)
  expect(timesCents(cents(33), 3)).toBe(99)
  expect(() => timesCents(cents(MAX_CENTS), 2)).toThrow(RangeError)
})

describe('half a cent goes up', () => {
  test.each([
    [980, 21, 206],
    [50, 21, 11],
    [10, 25.5, 3],
    [1000, 8.1, 81],
    [0, 21, 0],
    [1, 50, 1],
  ])('%i cents at %d percent', (amount, percent, tax) => expect(percentOf(cents(amount), percent)).toBe(tax))

  test('a gross amount is split so that its parts add up, for every cent and rate', () => {
    for (const percent of [8.1, 17, 19, 20, 21, 24, 25, 25.5, 27]) {
      for (let gross = 0; gross < 2_000; gross++) {
        const net = gross - percentWithin(cents(gross), percent)
        expect(net).toBeGreaterThanOrEqual(0)
        expect(Math.abs(net * (1 + percent / 100) - gross)).toBeLessThan(1)
      }
    }
  })
})

test('a range error becomes a refusal, another error does not', () => {
  const refuse = () => new Error('too much')
  expect(withinRange(() => 1, refuse)).toBe(1)
  expect(() => withinRange(() => cents(-1), refuse)).toThrow('too much')
  const other = (): never => {
    throw new TypeError('other')
  }
  expect(() => withinRange(other, refuse)).toThrow(TypeError)
})
