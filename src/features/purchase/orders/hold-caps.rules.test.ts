import { expect, test } from 'vitest'
import {
  type HoldCaps,
  accountCap,
  isOverBudget,
  mayHold,
  networkCap,
  newcomersCap,
} from './hold-caps.rules.ts'

const caps: HoldCaps = {
  maxTickets: 100,
  maxPercent: 5,
  networkPercent: 20,
  newcomersPercent: 50,
  unpaidMinutes: 120,
  unconfirmedTickets: 20,
}

test.each([
  // total, sold: account, network, newcomers
  [1, 0, 10, 50, 10],
  [100, 0, 10, 50, 50],
  [219, 0, 10, 50, 109],
  [1_000, 0, 50, 200, 500],
  [1_000, 900, 50, 200, 50],
  [1_000, 999, 50, 200, 10],
  [2_000, 0, 100, 400, 1_000],
  [30_000, 10_000, 100, 6_000, 10_000],
])('caps of a contest with %i tickets, %i of them sold', (total_tickets, tickets_sold, ...expected) => {
  const contest = { total_tickets, tickets_sold }
  expect([accountCap(caps, contest), networkCap(caps, contest), newcomersCap(caps, contest)]).toEqual(
    expected,
  )
})

const none = { account: 0, network: 0, newcomers: 0 }

test.each([
  ['nothing is held', {}, {}, true, 50],
  ['the account holds some', { tickets_held: 20 }, { account: 20, network: 20, newcomers: 20 }, true, 30],
  ['the account holds its share', { tickets_held: 50 }, { account: 50 }, true, 0],
  ['its network holds almost its share', { tickets_held: 195 }, { network: 195 }, false, 5],
  ['newcomers hold almost their share', { tickets_held: 497 }, { newcomers: 497 }, true, 3],
  ['they hold it, and the buyer is none', { tickets_held: 500 }, { newcomers: 500 }, false, 50],
  ['fewer tickets are free than each cap', { tickets_sold: 960, tickets_held: 37 }, {}, false, 3],
  ['a cap was lowered meanwhile', { tickets_held: 300 }, { network: 300 }, false, 0],
] as const)('when %s, a buyer may hold the rest', (_, contest, held, isNewcomer, expected) => {
  const offer = { total_tickets: 1_000, tickets_sold: 0, tickets_held: 0, ...contest }
  expect(mayHold(caps, offer, { ...none, ...held }, isNewcomer)).toBe(expected)
})

test.each([
  [0, false],
  [119.9, false],
  [120, true],
])('after %f unpaid minutes the budget is used up: %s', (minutes, expected) => {
  expect(isOverBudget(caps, minutes)).toBe(expected)
})
