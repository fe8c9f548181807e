import { expect, test } from 'vitest'
import { cents } from '#shared/money.ts'
import { shownIsCharged } from './shown-prices.rules.ts'

const LINES = [
  { itemId: 70, offerId: 1, quantity: 2, unit: cents(490) },
  { itemId: 71, offerId: 2, quantity: 1, unit: cents(1000) },
]
const TOTAL = cents(2396)
const item = (id: number, offer: number, price: string, quantity = 2) => ({
  id,
  quantity,
  offer: { id: offer, ticket_price: price },
})

const FIRST = item(70, 1, '4.90')
const SECOND = item(71, 2, '10.00', 1)
const ITEMS = [FIRST, SECOND]
const lineItems = (first: string) => [
  { id: 1, quantity: '2', name: 'A', unit_amount: first, currency_code: 'EUR' },
  { id: '2', quantity: 1, name: 'B', unit_amount: { value: '10.00' } },
]
const priced = (first: number, second: number) => [
  { id: first, quantity: 2, unit_amount: '4.90' },
  { id: second, quantity: 1, unit_amount: '10.00' },
]

test.each<[string, Parameters<typeof shownIsCharged>[0]]>([
  ['nothing', {}],
  ['no cart', { cart: null }],
  ['a cart without items', { cart: {} }],
  ['items without prices', { cart: [{ id: 70 }, { id: 71 }] }],
  ['the total', { expected_total: '23.96' }],
  ['the items', { cart: ITEMS }],
  ['a cart', { cart: { items: ITEMS } }],
  ['a list of carts', { cart: [{ items: ITEMS }] }],
  ['line items of the payment helpers', { cart: lineItems('4.90') }],
  ['line items with the ids of cart items', { cart: priced(70, 71) }],
  ['line items with the ids of offers', { cart: priced(1, 2) }],
  ['line items with other ids, whose prices and quantities decide', { cart: priced(8, 9) }],
])('a client that sends %s is charged the shop’s figures [spec 3.23]', (_, body) => {
  expect(shownIsCharged(body, LINES, TOTAL)).toBe(true)
})

test.each<[string, Parameters<typeof shownIsCharged>[0]]>([
  ['another total', { expected_total: '23.95' }],
  ['a total that is no amount', { expected_total: 'free' }],
  ['another quantity', { cart: [item(70, 1, '4.90', 1), SECOND] }],
  ['a line too few', { cart: [FIRST] }],
  ['a line too many', { cart: [FIRST, SECOND, SECOND] }],
  ['an empty list', { cart: [] }],
  ['a cart with an empty list', { cart: { items: [] } }],
  ['an empty cart', { cart: [{ items: [] }] }],
  ['one line twice in the place of another', { cart: [FIRST, FIRST] }],
  ['an offer that is not in the cart', { cart: [FIRST, item(71, 9, '10.00', 1)] }],
  ['line items with another price', { cart: lineItems('0.01') }],
  ['line items with the ids of cart items in the wrong order', { cart: priced(71, 70) }],
  ['line items with the ids of offers in the wrong order', { cart: priced(2, 1) }],
])('a client that sends %s is charged nothing', (_, body) => {
  expect(shownIsCharged(body, LINES, TOTAL)).toBe(false)
})

test('a line that is none of two alike is another line', () => {
  const alike = LINES.map((line) => ({ ...line, quantity: 2, unit: cents(490) }))
  expect(shownIsCharged({ cart: [{ quantity: 2 }, { quantity: 3 }] }, alike, TOTAL)).toBe(false)
})
