import { expect, test } from 'vitest'
import { capturesOf, decidedCapture, refundsOf } from './messages.ts'

const decided = (...states: string[]): string | undefined =>
  decidedCapture({
    id: 'ORDER',
    status: 'COMPLETED',
    purchase_units: [{ payments: { captures: states.map((status, at) => ({ id: `C${at}`, status })) } }],
  })?.id

test.each([
  [['DECLINED', 'PENDING'], 'C1'],
  [['PENDING', 'DECLINED'], 'C0'],
  [['PENDING', 'FAILED', 'DECLINED'], 'C0'],
  [['PENDING', 'COMPLETED', 'DECLINED'], 'C1'],
  [['REFUNDED', 'COMPLETED'], 'C1'],
  [['PENDING', 'REFUNDED'], 'C1'],
  [['DECLINED', 'FAILED'], 'C1'],
  [[], undefined],
])('of captures that are %j, the one that says how the order stands is %s', (states, id) => {
  expect(decided(...states)).toBe(id)
})

test('a capture or a refund that is listed twice counts once, as it is told last', () => {
  const units = ['PENDING', 'COMPLETED'].map((status) => ({
    payments: { captures: [{ id: 'C', status }], refunds: [{ id: 'R', status }] },
  }))
  const order = { id: 'ORDER', status: 'COMPLETED', purchase_units: units }
  expect(capturesOf(order)).toEqual([{ id: 'C', status: 'COMPLETED' }])
  expect(refundsOf(order)).toEqual([{ id: 'R', status: 'COMPLETED' }])
})
