import { describe, expect, test } from 'vitest'
import {
  QUANTITY_MIN,
  clampQuantity,
  freeTickets,
  isRightAnswer,
  padTicketNumber,
  remainingTickets,
  whyNotBuyable,
} from './offers.rules.ts'

const offer = (sold: number, held = 0, is_active = true) => ({
  is_active,
  total_tickets: 10,
  tickets_sold: sold,
  tickets_held: held,
})

describe('tickets of an offer of ten', () => {
  test.each([
    ['none sold', offer(0), 10, 10, undefined],
    ['sold and held ones', offer(3, 2), 7, 5, undefined],
    ['all but the last sold', offer(9), 1, 1, undefined],
    ['the last one held', offer(9, 1), 1, 0, undefined],
    ['all sold', offer(10), 0, 0, 'soldOut'],
    ['figures of different moments', offer(11, 1), 0, 0, 'soldOut'],
    ['ended', offer(0, 0, false), 10, 10, 'ended'],
    ['all sold, and ended', offer(10, 0, false), 0, 0, 'ended'],
  ])('%s', (_what, given, remaining, free, why) => {
    expect([remainingTickets(given), freeTickets(given), whyNotBuyable(given)]).toEqual([
      remaining,
      free,
      why,
    ])
  })
})

test.each([
  [3, 7, 3],
  [7, 7, 7],
  [8, 7, 7],
  [2.9, 7, 2],
  [0, 7, QUANTITY_MIN],
  [-4, 7, QUANTITY_MIN],
  [Number.NaN, 7, QUANTITY_MIN],
  [Infinity, 7, QUANTITY_MIN],
  [5, 0, QUANTITY_MIN],
])('of the typed quantity %d and %i remaining tickets the line has %i', (typed, remaining, quantity) => {
  expect(clampQuantity(typed, remaining)).toBe(quantity)
})

test.each([
  [null, null, undefined, true],
  [null, null, 'red', true],
  ['Which colour?', 'red', 'red', true],
  ['Which colour?', 'red', 'Red', false],
  ['Which colour?', 'red', undefined, false],
  ['Which colour?', null, null, false],
  ['Which colour?', null, undefined, false],
])(
  'question %j with the right choice %j and the answer %j: %s',
  (question, correct_choice, answer, right) => {
    expect(isRightAnswer({ question, correct_choice }, answer)).toBe(right)
  },
)

test('ticket numbers have the width of the highest one', () => {
  expect([padTicketNumber(7, 250_000), padTicketNumber(10, 10)]).toEqual(['000007', '10'])
})
