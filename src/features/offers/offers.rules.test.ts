import { expect, test } from 'vitest'
import {
  QUANTITY_MIN,
  clampQuantity,
  freeTickets,
  isRightAnswer,
  oddsOf,
  offeredQuantities,
  padTicketNumber,
  relatedTo,
  remainingTickets,
  whyNotBuyable,
} from './offers.rules.ts'

test.each([
  ['none sold', 0, 0, true, 10, 10, undefined],
  ['sold and held ones', 3, 2, true, 7, 5, undefined],
  ['all but the last sold', 9, 0, true, 1, 1, undefined],
  ['the last one held', 9, 1, true, 1, 0, undefined],
  ['all sold', 10, 0, true, 0, 0, 'soldOut'],
  ['figures of different moments', 11, 1, true, 0, 0, 'soldOut'],
  ['ended', 0, 0, false, 10, 10, 'ended'],
  ['all sold, and ended', 10, 0, false, 0, 0, 'ended'],
])('tickets of an offer of ten: %s', (_, tickets_sold, tickets_held, is_active, ...shown) => {
  const offer = { is_active, total_tickets: 10, tickets_sold, tickets_held }
  expect([remainingTickets(offer), freeTickets(offer), whyNotBuyable(offer)]).toEqual(shown)
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
  // Only a draft lacks the question that stands in for its translations.
  ['', null, undefined, true],
])(
  'question %j with the right choice %j and the answer %j: %s',
  (question, correct_choice, answer, right) => {
    const questions = question === null ? null : { fr: question, nl: 'Welke kleur?' }
    expect(isRightAnswer({ questions, correct_choice }, answer)).toBe(right)
  },
)

test('ticket numbers have the width of the highest one', () => {
  expect([padTicketNumber(7, 250_000), padTicketNumber(10, 10)]).toEqual(['000007', '10'])
})

test.each([
  [100, [1, 5, 10, 25]],
  [25, [1, 5, 10, 25]],
  [24, [1, 5, 10, 24]],
  [7, [1, 5, 7]],
  [5, [1, 5]],
  [1, [1]],
  [0, [1]],
])('of at most %i tickets these quantities are offered: %j', (max, quantities) => {
  expect(offeredQuantities(max)).toEqual(quantities)
})

test.each([
  [1, 24_000, 24_000],
  [25, 24_000, 960],
  // 1 in 99.9 is said as 1 in 100, and never as 1 in 99.
  [10, 999, 100],
  [7, 7, 1],
  [25, 7, 1],
])('%i of %i tickets are a chance of 1 in %i at the least', (quantity, total, one) => {
  expect(oddsOf(quantity, total)).toBe(one)
})

test('related contests sell tickets, are others, and the next end is first', () => {
  const contest = (id: number, end: string, more = {}) => ({
    id,
    end_date: `2026-12-${end}T19:00:00.000Z`,
    is_active: true,
    tickets_sold: 3,
    total_tickets: 10,
    ...more,
  })
  const all = [
    contest(1, '09'),
    contest(2, '04'),
    contest(3, '01', { is_active: false }),
    contest(4, '02', { tickets_sold: 10 }),
    contest(5, '01'),
    contest(6, '30'),
    contest(7, '05'),
  ]
  expect(relatedTo(5, all).map(({ id }) => id)).toEqual([2, 7, 1])
})
