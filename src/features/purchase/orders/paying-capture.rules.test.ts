import { expect, test } from 'vitest'
import { isPaidInFull, payingCapture } from './paying-capture.rules.ts'

const BILL = { total_cents: 1_186, currency: 'EUR' }
const taken = (captured: number, refunded = 0, currency = 'EUR') => ({ captured, refunded, currency })

test.each<[{ amount: number; currency: string } | undefined, boolean]>([
  [{ amount: 1_186, currency: 'EUR' }, true],
  [{ amount: 1_185, currency: 'EUR' }, false],
  [{ amount: 1_187, currency: 'EUR' }, false],
  [{ amount: 1_186, currency: 'USD' }, false],
  [{ amount: 0, currency: 'EUR' }, false],
  [undefined, false],
])('%j pays the order: %s', (money, isPaid) => {
  expect(isPaidInFull(BILL, money)).toBe(isPaid)
})

test.each<[string, ReturnType<typeof taken>[], number | undefined]>([
  ['no payment', [], undefined],
  ['the only one', [taken(1_186)], 0],
  ['the first of two', [taken(1_186), taken(1_186)], 0],
  ['the one of which more went back', [taken(1_186), taken(1_186, 100), taken(1_186, 50)], 1],
  ['none of which nothing is left', [taken(1_186, 1_186)], undefined],
  ['the one with money left', [taken(1_186, 1_186), taken(1_186)], 1],
  ['none of another amount', [taken(1_185), taken(2_372)], undefined],
  ['the one of the exact amount', [taken(2_372, 10), taken(1_186)], 1],
  ['none of the same number in another currency', [taken(1_186, 0, 'USD')], undefined],
  ['the one in the order’s currency', [taken(1_186, 500, 'USD'), taken(1_186)], 1],
])('%s pays the order', (_what, captures, index) => {
  expect(payingCapture(BILL, captures)).toBe(index === undefined ? undefined : captures[index])
})
