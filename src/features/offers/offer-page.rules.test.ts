import { expect, test } from 'vitest'
import { oddsOf, offeredQuantities, relatedTo } from './offer-page.rules.ts'

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
