import { describe, expect, test } from 'vitest'
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

test('a client that sends nothing is charged the shop’s figures', () => {
  expect(shownIsCharged({}, LINES, TOTAL)).toBe(true)
  expect(shownIsCharged({ cart: null }, LINES, TOTAL)).toBe(true)
  expect(shownIsCharged({ cart: {} }, LINES, TOTAL)).toBe(true)
  expect(shownIsCharged({ cart: [{ id: 70 }, { id: 71 }] }, LINES, TOTAL)).toBe(true)
})

test('the shown total is what will be charged', () => {
  expect(shownIsCharged({ expected_total: '23.96' }, LINES, TOTAL)).toBe(true)
})

test('the cart, its items and {items} are read alike [spec 3.23]', () => {
  const items = [item(70, 1, '4.90'), item(71, 2, '10.00', 1)]
  expect(shownIsCharged({ cart: items }, LINES, TOTAL)).toBe(true)
  expect(shownIsCharged({ cart: { items } }, LINES, TOTAL)).toBe(true)
  expect(shownIsCharged({ cart: [{ items }] }, LINES, TOTAL)).toBe(true)
})

describe('line items of the payment helpers', () => {
  const lineItems = (first: string) => [
    { id: 1, quantity: '2', name: 'A', unit_amount: first, currency_code: 'EUR' },
    { id: '2', quantity: 1, name: 'B', unit_amount: { value: '10.00' } },
  ]
  test('with the right prices', () =>
    expect(shownIsCharged({ cart: lineItems('4.90') }, LINES, TOTAL)).toBe(true))
  test('with another price', () =>
    expect(shownIsCharged({ cart: lineItems('0.01') }, LINES, TOTAL)).toBe(false))

  const priced = (first: number, second: number) => [
    { id: first, quantity: 2, unit_amount: '4.90' },
    { id: second, quantity: 1, unit_amount: '10.00' },
  ]
  test.each([
    ['cart items', 70, 71, true],
    ['offers', 1, 2, true],
    ['neither: prices and quantities decide', 8, 9, true],
    ['cart items in the wrong order', 71, 70, false],
    ['offers in the wrong order', 2, 1, false],
  ])('whose ids are those of %s', (_what, first, second, expected) =>
    expect(shownIsCharged({ cart: priced(first, second) }, LINES, TOTAL)).toBe(expected),
  )
})

describe('differences that stop the order', () => {
  test('the shown total', () => expect(shownIsCharged({ expected_total: '23.95' }, LINES, TOTAL)).toBe(false))
  test('a total that is no amount', () =>
    expect(shownIsCharged({ expected_total: 'free' }, LINES, TOTAL)).toBe(false))
  test('a quantity', () =>
    expect(shownIsCharged({ cart: [item(70, 1, '4.90', 1), item(71, 2, '10.00', 1)] }, LINES, TOTAL)).toBe(
      false,
    ))
  test('a line too few', () =>
    expect(shownIsCharged({ cart: [item(70, 1, '4.90')] }, LINES, TOTAL)).toBe(false))
  test('a line too many', () => {
    const [first, second] = [item(70, 1, '4.90'), item(71, 2, '10.00', 1)]
    expect(shownIsCharged({ cart: [first, second, second] }, LINES, TOTAL)).toBe(false)
  })
  test('a line that is none of two alike', () => {
    const alike = LINES.map((line) => ({ ...line, quantity: 2, unit: cents(490) }))
    expect(shownIsCharged({ cart: [{ quantity: 2 }, { quantity: 3 }] }, alike, TOTAL)).toBe(false)
  })
  test.each([[[]], [{ items: [] }], [[{ items: [] }]]])('an empty cart, sent as %j', (cart) =>
    expect(shownIsCharged({ cart }, LINES, TOTAL)).toBe(false),
  )
  test('one line twice in the place of another', () =>
    expect(shownIsCharged({ cart: [item(70, 1, '4.90'), item(70, 1, '4.90')] }, LINES, TOTAL)).toBe(false))
  test('an offer that is not in the cart', () =>
    expect(shownIsCharged({ cart: [item(70, 1, '4.90'), item(71, 9, '10.00', 1)] }, LINES, TOTAL)).toBe(
      false,
    ))
})
