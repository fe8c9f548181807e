import { expect, test } from 'vitest'
import { allInPrice } from './price-pair.tsx'

const day = new Date('2026-11-15T00:00:00Z')

test.each([
  ['the VAT of the country', '4.90', 1, 'FR', { total: 588, percent: 20, country: 'FR' }],
  ['that of the Netherlands without one', '10.00', 1, undefined, { total: 1210, percent: 21, country: 'NL' }],
  ['that of the sum, not of each ticket', '0.99', 3, 'NL', { total: 359, percent: 21, country: 'NL' }],
])('the price with VAT adds %s', (_, price, quantity, country, expected) => {
  expect(allInPrice(price, quantity, country, day, false)).toEqual(expected)
})

test('prices that include the VAT get no second price', () => {
  expect(allInPrice('4.90', 1, 'FR', day, true)).toBeUndefined()
})
