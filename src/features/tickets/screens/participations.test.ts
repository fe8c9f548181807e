import { describe, expect, it } from 'vitest'
import type { Ticket } from '#features/tickets/tickets.contract.ts'
import { participationStatus, participationsOf, withStatus } from './participations.ts'

const now = new Date('2026-11-15T12:00:00Z')

const ticket = (offer: number, number: string, end: string, title = `Contest ${offer}`): Ticket => ({
  id: `${offer}-${number}`,
  ticket_number: number,
  title,
  title_nl: '',
  title_en: '',
  end_date: end,
  offer_id: offer,
  offer_slug: `contest-${offer}`,
  status: 'valid',
  source: 'paid',
  issued_at: '2026-11-01T00:00:00Z',
})

describe('participationStatus', () => {
  it('expires at the end date itself [spec 4.18]', () => {
    expect(participationStatus('2026-11-15T12:00:00Z', now)).toBe('expired')
    expect(participationStatus('2026-11-15T12:00:01Z', now)).toBe('inProgress')
  })
})

describe('participationsOf', () => {
  it('groups by contest and orders the numbers', () => {
    const [only] = participationsOf(
      [ticket(1, '12', '2026-12-01T00:00:00Z'), ticket(1, '03', '2026-12-01T00:00:00Z')],
      now,
    )
    expect(only?.tickets.map((one) => one.ticket_number)).toEqual(['03', '12'])
    expect(only).toMatchObject({ slug: 'contest-1', status: 'inProgress' })
  })

  it('puts running contests first, the next to end on top, and the latest expired one before older ones', () => {
    const list = participationsOf(
      [
        ticket(1, '1', '2026-10-01T00:00:00Z'),
        ticket(2, '1', '2026-12-20T00:00:00Z'),
        ticket(3, '1', '2026-11-10T00:00:00Z'),
        ticket(4, '1', '2026-11-16T00:00:00Z'),
      ],
      now,
    )
    expect(list.map((one) => one.offerId)).toEqual([4, 2, 3, 1])
  })

  it('keeps two contests with one title apart', () => {
    const list = participationsOf(
      [ticket(1, '1', '2026-12-01T00:00:00Z', 'Coupé'), ticket(2, '1', '2026-12-02T00:00:00Z', 'Coupé')],
      now,
    )
    expect(list).toHaveLength(2)
  })

  it('gives nothing for nobody', () => {
    expect(participationsOf([], now)).toEqual([])
  })
})

describe('withStatus', () => {
  const list = participationsOf(
    [ticket(1, '1', '2026-10-01T00:00:00Z'), ticket(2, '1', '2026-12-20T00:00:00Z')],
    now,
  )

  it('filters by status', () => {
    expect(withStatus(list, 'all')).toHaveLength(2)
    expect(withStatus(list, 'inProgress').map((one) => one.offerId)).toEqual([2])
    expect(withStatus(list, 'expired').map((one) => one.offerId)).toEqual([1])
  })
})
