import { expect, test } from 'vitest'
import { decidedCapture } from './messages.ts'

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
