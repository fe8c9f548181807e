import { expect, test } from 'vitest'
import type { Ticket } from '#features/tickets/tickets.contract.ts'
import { participationStatus, participationsOf, withStatus } from './participations.ts'

const now = new Date('2026-11-15T12:00:00Z')

const ticket = (offer_id: number, ticket_number: string, day: string) =>
  ({ offer_id, ticket_number, end_date: `${day}T00:00:00Z`, title: 'Coupé', offer_slug: 'coupe' }) as Ticket

test('a participation expires at the end date itself [spec 4.18]', () => {
  expect(participationStatus('2026-11-15T12:00:00Z', now)).toBe('expired')
  expect(participationStatus('2026-11-15T12:00:01Z', now)).toBe('inProgress')
})

test('tickets are grouped by contest, with their numbers in order', () => {
  expect(participationsOf([], now)).toEqual([])
  const [only] = participationsOf([ticket(1, '12', '2026-12-01'), ticket(1, '03', '2026-12-01')], now)
  expect(only?.tickets.map((one) => one.ticket_number)).toEqual(['03', '12'])
  expect(only).toMatchObject({ slug: 'coupe', status: 'inProgress' })
})

test.each([
  ['paid', ['void', 'void'], 'refunded'],
  ['postal', ['void'], 'cancelled'],
  ['paid', ['void', 'valid'], undefined],
  ['paid', ['valid'], undefined],
] as const)(
  'a participation of %s tickets that are %j counts as %s, and stays in its filter',
  (source, states, voided) => {
    const tickets = states.map((status, at) => ({ ...ticket(1, String(at), '2026-12-01'), source, status }))
    const [only] = participationsOf(tickets, now)
    expect(only).toMatchObject({ voided, status: 'inProgress' })
  },
)

// The contests have one title and stay apart.
const ENDS = ['2026-10-01', '2026-12-20', '2026-11-10', '2026-11-16']
const TICKETS = ENDS.map((day, index) => ticket(index + 1, '1', day))
const list = participationsOf(TICKETS, now)

test.each([
  ['all', [4, 2, 3, 1]],
  ['inProgress', [4, 2]],
  ['expired', [3, 1]],
] as const)('filter %s: the next contest to end first, then the latest one that ended', (filter, ids) => {
  expect(withStatus(list, filter).map((one) => one.offerId)).toEqual(ids)
})
