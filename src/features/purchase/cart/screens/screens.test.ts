import { expect, test } from 'vitest'
import type { CartItem } from '#features/purchase/cart/cart.contract.ts'
import { cents } from '#shared/money.ts'
import { blocksPayment, lineProblem } from './line-problems.ts'
import { computedTax, confirmedTax, failureBasis, fallbackTax, linesOfTotal } from './tax.ts'

test.each([
  ['what can be had', 24, {}, undefined, false],
  ['an ended contest, also sold out', 1, { is_active: false, tickets_sold: 24 }, { kind: 'ended' }, true],
  ['a sold-out contest', 1, { tickets_sold: 24 }, { kind: 'soldOut' }, true],
  ['too few tickets left', 5, { tickets_sold: 20 }, { kind: 'fewLeft', remaining: 4 }, true],
  // Only the server can tell whether the buyer's own order holds them.
  ['too few free tickets', 4, { tickets_sold: 20, tickets_held: 3 }, { kind: 'fewFree', free: 1 }, false],
])('%s: the problem of the line, and whether it blocks payment', (_, quantity, change, problem, blocks) => {
  const offer = { total_tickets: 24, tickets_sold: 0, tickets_held: 0, is_active: true, ...change }
  const line = { id: 1, quantity, offer } as CartItem
  expect([lineProblem(line), blocksPayment(line)]).toEqual([problem, blocks])
})

test('a line over the limit of the last attempt to pay names it, and does not block the next attempt', () => {
  const offer = { id: 7, total_tickets: 900, tickets_sold: 0, tickets_held: 0, is_active: true }
  const line = (quantity: number) => ({ id: 1, quantity, offer }) as CartItem
  const limit = { offerId: 7, available: 45 }
  expect(lineProblem(line(46), limit)).toEqual({ kind: 'capped', available: 45 })
  expect(lineProblem(line(45), limit)).toBeUndefined()
  expect(lineProblem(line(46), { ...limit, offerId: 8 })).toBeUndefined()
})

const day = new Date('2026-11-15T00:00:00Z')

test.each([
  ['no country: an estimate for the Netherlands', 1000, undefined, false, [1000, 210, 1210, 21, 'estimate']],
  ['the rate of the country', 1000, 'FR', false, [1000, 200, 1200, 20, 'computed']],
  ['prices with VAT in them', 1200, 'FR', true, [1000, 200, 1200, 20, 'computed']],
  ['a country the shop does not bill: 21 percent', 1000, 'US', false, [1000, 210, 1210, 21, 'checkCountry']],
] as const)('computed tax: %s', (_, amount, country, inclusive, [subtotal, tax, total, percent, basis]) => {
  const expected = { subtotal, tax, total, percent, basis }
  expect(computedTax(cents(amount), country, day, inclusive)).toEqual(expected)
})

test('a failed tax call asks to check the country only when the server refused it [spec 8.25, 8.26]', () => {
  expect(failureBasis({ status: 400 })).toBe('checkCountry')
  for (const status of [0, 500, 503]) expect(failureBasis({ status })).toBe('defaultRate')
})

test('a failed tax call shows 21 percent, and the lines add up in both price modes [spec 8.27]', () => {
  const added = { subtotal: 999, tax: 210, total: 1209 }
  expect(fallbackTax(cents(999), false, 'defaultRate')).toMatchObject(added)
  const { subtotal, tax, total } = fallbackTax(cents(999), true, 'defaultRate')
  expect([subtotal + tax, total]).toEqual([999, 999])
})

test('confirmed tax reads the texts of the wire', () => {
  const figures = { subtotal: '10.00', tax_amount: '2.55', total: '12.55', tax_rate: 25.5 }
  const expected = { subtotal: 1000, tax: 255, total: 1255, percent: 25.5, basis: 'confirmed' }
  expect(confirmedTax(figures)).toEqual(expected)
})

test.each([
  ['a cent less than the lines rounded one by one', [198, 1750], 2357, [240, 2117]],
  ['prices with VAT in them', [198, 1750], 1948, [198, 1750]],
  ['one line', [499], 604, [604]],
  ['amounts near the limit', [499_999_999, 1], 605_000_000, [604_999_999, 1]],
  ['nothing', [0], 0, [0]],
])('the lines of the total add up to it: %s', (_, nets, total, expected) => {
  const lines = linesOfTotal(nets.map(cents), cents(total))
  expect(lines).toEqual(expected)
  expect(lines.reduce((sum, line) => sum + line, 0)).toBe(total)
})
