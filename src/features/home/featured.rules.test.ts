import { describe, expect, test } from 'vitest'
import type { ListedOffer } from '#features/offers/offers.contract.ts'
import { featuredOf, firstOpen } from './featured.rules.ts'

const NO_FIGURES = { power_kw: null, zero_to_100: null, year: null, range_km: null }

const contest = (slug: string, more: Partial<ListedOffer> = {}): ListedOffer => ({
  id: 1,
  slug,
  title: slug,
  ticket_price: '5.00',
  total_tickets: 100,
  tickets_sold: 10,
  is_active: true,
  end_date: '2026-12-01T10:00:00.000Z',
  stopped_as: null,
  pictures: [],
  prize: { value: null, ...NO_FIGURES },
  draw_at: null,
  published_at: null,
  ...more,
})
const prize = (value: string | null) => ({ prize: { value, ...NO_FIGURES } })
const slugs = (offers: readonly ListedOffer[]): string[] => offers.map(({ slug }) => slug)

test('shows the next five contests that can be bought', () => {
  const offers = [
    contest('ended', { is_active: false }),
    contest('sold-out', { tickets_sold: 100 }),
    ...['a', 'b', 'c', 'd', 'e', 'f'].map((slug) => contest(slug)),
  ]
  expect(slugs(firstOpen(offers))).toEqual(['a', 'b', 'c', 'd', 'e'])
})

describe('in front stands', () => {
  test('nothing without an open contest', () => expect(featuredOf([])).toBeUndefined())

  test.each<[name: string, offers: ListedOffer[], expected: string]>([
    ['the most valuable prize', [contest('a', prize('900.00')), contest('b', prize('45900.00'))], 'b'],
    [
      'of equal prizes the one that ends first',
      [contest('a', prize('10.00')), contest('b', prize('10.00'))],
      'a',
    ],
    ['a known value before an unknown one', [contest('a', prize(null)), contest('b', prize('0.01'))], 'b'],
    ['without any value the one that ends first', [contest('a'), contest('b', prize(null))], 'a'],
  ])('%s', (_, offers, expected) => expect(featuredOf(offers)?.slug).toBe(expected))
})
