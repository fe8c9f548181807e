import { expect, test } from 'vitest'
import type { ListedOffer } from './offers.contract.ts'
import { arrange, readListQuery, writeListQuery } from './offer-list.rules.ts'

const HOUR_MS = 3_600_000
const NOW = Date.parse('2026-03-10T12:00:00Z')
const at = (hours: number): string => new Date(NOW + hours * HOUR_MS).toISOString()

const offer = (slug: string, change: object = {}): ListedOffer =>
  ({
    slug,
    ticket_price: '4.90',
    total_tickets: 10,
    tickets_sold: 3,
    is_active: true,
    end_date: at(100),
    published_at: at(-100),
    prize: { value: null },
    ...change,
  }) as ListedOffer

/** As the server sends them: running ones first, the next to end on top. */
const OFFERS = [
  offer('first', { end_date: at(1), prize: { value: '300.00' } }),
  offer('full', { end_date: at(2), tickets_sold: 10, ticket_price: '1.00' }),
  offer('cheap', { end_date: at(20), ticket_price: '0.99', published_at: at(-1) }),
  offer('worthy', { end_date: at(30), ticket_price: '24.00', prize: { value: '89000.00' } }),
  offer('unheard', { end_date: at(40), ticket_price: '2.00', published_at: null }),
  offer('ended', { end_date: at(-1), is_active: false }),
]
const slugs = (offers: readonly ListedOffer[]) => offers.map(({ slug }) => slug)
const arranged = (search: string) => arrange(OFFERS, readListQuery(search))

test.for([
  ['', ['first', 'cheap', 'worthy', 'unheard']],
  ['?sort=ends', ['first', 'cheap', 'worthy', 'unheard']],
  ['?sort=price', ['cheap', 'unheard', 'first', 'worthy']],
  // One without a value comes last.
  ['?sort=value', ['worthy', 'first', 'cheap', 'unheard']],
  ['?sort=new', ['cheap', 'first', 'worthy', 'unheard']],
  ['?price=low', ['cheap', 'unheard']],
  ['?price=middle', ['first']],
  ['?price=high&sort=value', ['worthy']],
  // Nobody offers these.
  ['?sort=colour&price=free', ['first', 'cheap', 'worthy', 'unheard']],
] as const)('"%s" shows open contests as %j', ([search, expected]) => {
  expect(slugs(arranged(search).open)).toEqual(expected)
})

test('what is sold out or over stands apart, in the order of the server, and is filtered, too', () => {
  expect(slugs(arranged('?sort=price').over)).toEqual(['full', 'ended'])
  expect(slugs(arranged('?price=low').over)).toEqual(['full'])
  expect(arranged('?price=low').total).toBe(4)
})

test('bands of prices say how many open contests they have, and are left out where there is nothing to choose', () => {
  expect(arranged('?price=high').bands).toEqual([
    { name: 'low', least: 0, most: 200, count: 2 },
    { name: 'middle', least: 200, most: 500, count: 1 },
    { name: 'high', least: 500, most: undefined, count: 1 },
  ])
  expect(arrange([OFFERS[0]!, OFFERS[1]!], readListQuery('')).bands).toEqual([])
})

test.for([
  ['', {}],
  ['?sort=ends', {}],
  ['?sort=new&price=low', { sort: 'new', price: 'low' }],
] as const)('the address of "%s" has the parameters %j', ([search, expected]) => {
  expect(writeListQuery(readListQuery(search))).toEqual(expected)
})
