import { expect, test } from 'vitest'
import type { Ticket } from '#features/tickets/tickets.contract.ts'
import { newestPaid, participationStatus, participationsOf, phaseOf, withStatus } from './participations.ts'

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

const EARLIER = '2026-11-01'
const LATER = '2026-12-20'
const valid = { status: 'valid', source: 'paid' } as const

test.each([
  ['runs', LATER, [valid], 'running'],
  ['waits for its draw after the end', EARLIER, [valid], 'waiting'],
  ['is won with one number', EARLIER, [{ outcome: 'notWon' }, { outcome: 'won', prize: 'toClaim' }], 'won'],
  ['is not won', EARLIER, [{ outcome: 'notWon' }], 'notWon'],
  ['lost its prize', EARLIER, [{ prize: 'forfeited', outcome: 'notWon' }], 'forfeited'],
  ['lost its prize, and waits for the alternate', EARLIER, [{ prize: 'forfeited' }], 'forfeited'],
  ['was refunded', EARLIER, [{ status: 'void', source: 'paid' }], 'refunded'],
  ['was cancelled', LATER, [{ status: 'void', source: 'postal' }], 'cancelled'],
] as const)('a participation that %s', (_, day, tickets, phase) => {
  const all = tickets.map((more, at) => ({ ...ticket(1, String(at), day), ...valid, ...more }) as Ticket)
  expect(participationsOf(all, now).map(phaseOf)).toEqual([phase])
})

test('what was won stands first', () => {
  const won = { ...ticket(3, '1', EARLIER), outcome: 'won' } as Ticket
  const ids = participationsOf([...TICKETS.filter((one) => one.offer_id !== 3), won], now)
  expect(ids.map((one) => one.offerId)).toEqual([3, 4, 2, 1])
})

test('the newest numbers are those of the last payment that count', () => {
  const at = (number: string, issued_at: string, more = {}) =>
    ({ ...ticket(1, number, LATER), ...valid, issued_at, ...more }) as Ticket
  const list = [
    at('1', '2026-11-01T10:00:00.000Z'),
    at('2', '2026-11-02T10:00:00.000Z'),
    at('3', '2026-11-02T10:00:00.000Z'),
    at('4', '2026-11-03T10:00:00.000Z', { source: 'postal' }),
    at('5', '2026-11-04T10:00:00.000Z', { status: 'void' }),
  ]
  expect(newestPaid(list).map((one) => one.ticket_number)).toEqual(['2', '3'])
  expect(newestPaid([])).toEqual([])
})
