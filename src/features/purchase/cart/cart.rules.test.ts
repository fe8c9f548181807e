import { expect, test } from 'vitest'
import { cents } from '#shared/money.ts'
import type { CartItem } from './cart.contract.ts'
import { cartSubtotal, endedItems, itemCount, itemsTotal, taxFor } from './cart.rules.ts'

const item = (quantity: number, ticket_price: string, is_active = true) =>
  ({ quantity, offer: { ticket_price, is_active } }) as CartItem
const ITEMS = [item(2, '4.90'), item(3, '10.00', false)]

test('quantities and prices of a cart', () => {
  expect([itemCount([]), cartSubtotal([])]).toEqual([0, 0])
  expect([itemCount(ITEMS), cartSubtotal(ITEMS)]).toEqual([5, 3_980])
  expect(itemsTotal([{ quantity: 3, unit: cents(33) }])).toBe(99)
})

test('items whose contest has ended', () => {
  expect(endedItems(ITEMS)).toEqual([ITEMS[1]])
})

test.each([
  ['be', false, { subtotal: 1_000, tax: 210, total: 1_210, percent: 21, country: 'BE' }],
  ['FI', true, { subtotal: 797, tax: 203, total: 1_000, percent: 25.5, country: 'FI' }],
  ['US', false, undefined],
])('VAT on ten euro for %s, with prices that include it: %s', (code, inclusive, expected) => {
  expect(taxFor(cents(1_000), code, new Date('2026-11-21T12:00:00Z'), inclusive)).toEqual(expected)
})
