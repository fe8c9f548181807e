import { expect, test } from 'vitest'
import {
  QUANTITY_MIN,
  clampQuantity,
  freeTickets,
  isRightAnswer,
  padTicketNumber,
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
