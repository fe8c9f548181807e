import type { Ticket } from '#features/tickets/tickets.contract.ts'
import type { TextFields } from '#shared/localized-text.ts'

/** Spec section 2, "My participations". */
export const PARTICIPATION_FILTERS = ['all', 'inProgress', 'expired'] as const
export type ParticipationFilter = (typeof PARTICIPATION_FILTERS)[number]
export type ParticipationStatus = Exclude<ParticipationFilter, 'all'>

export interface Participation {
  offerId: number
  slug: string
  titles: TextFields<'title'>
  endDate: string
  status: ParticipationStatus
  tickets: readonly Ticket[]
  /** Every ticket is void; paid ones were refunded. The filter goes by the end alone (spec section 4). */
  voided: 'refunded' | 'cancelled' | undefined
}

/** Spec section 4. */
export const participationStatus = (endDate: string, now: Date): ParticipationStatus =>
  Date.parse(endDate) <= now.getTime() ? 'expired' : 'inProgress'

function voidedAs(tickets: readonly Ticket[]): Participation['voided'] {
  if (tickets.some(({ status }) => status !== 'void')) return undefined
  return tickets.some(({ source }) => source === 'paid') ? 'refunded' : 'cancelled'
}

/** What has become of a participation, beyond its status (spec section 4). */
export type Phase = 'running' | 'waiting' | 'won' | 'notWon' | 'forfeited' | 'refunded' | 'cancelled'

export function phaseOf({ status, tickets, voided }: Participation): Phase {
  const has = (test: (ticket: Ticket) => boolean): boolean => tickets.some(test)
  if (has(({ outcome }) => outcome === 'won')) return 'won'
  if (has(({ prize }) => prize === 'forfeited')) return 'forfeited'
  if (voided) return voided
  if (has(({ outcome }) => outcome === 'notWon')) return 'notWon'
  return status === 'inProgress' ? 'running' : 'waiting'
}

/** The numbers that were issued last, with the payment that the buyer returns from. */
export function newestPaid(tickets: readonly Ticket[]): readonly Ticket[] {
  const paid = tickets.filter(({ source, status }) => source === 'paid' && status === 'valid')
  const newest = paid
    .map(({ issued_at }) => issued_at)
    .toSorted()
    .at(-1)
  return paid.filter(({ issued_at }) => issued_at === newest)
}

/** What was won first, then running contests, the next to end on top, then expired ones, the latest on top. */
export function participationsOf(tickets: readonly Ticket[], now: Date): Participation[] {
  const groups = Map.groupBy(tickets, (ticket) => ticket.offer_id)
  const participations = [...groups.values()].flatMap((group) => {
    const [first] = group
    if (!first) return []
    return {
      offerId: first.offer_id,
      slug: first.offer_slug,
      titles: first,
      endDate: first.end_date,
      status: participationStatus(first.end_date, now),
      voided: voidedAs(group),
      tickets: group.toSorted((a, b) =>
        a.ticket_number.localeCompare(b.ticket_number, 'en', { numeric: true }),
      ),
    }
  })
  const isWon = (one: Participation): number => Number(phaseOf(one) === 'won')
  return participations.sort((a, b) => {
    if (isWon(a) !== isWon(b)) return isWon(b) - isWon(a)
    if (a.status !== b.status) return a.status === 'inProgress' ? -1 : 1
    const soonest = Date.parse(a.endDate) - Date.parse(b.endDate)
    return a.status === 'inProgress' ? soonest : -soonest
  })
}

/** The ticket that has won, or else one that has not; undefined before the draw, and without a valid ticket. */
export const decisiveTicket = ({ tickets }: Pick<Participation, 'tickets'>): Ticket | undefined =>
  tickets.find(({ outcome }) => outcome === 'won') ?? tickets.find(({ outcome }) => outcome !== undefined)

export const withStatus = (
  list: readonly Participation[],
  filter: ParticipationFilter,
): readonly Participation[] =>
  filter === 'all' ? list : list.filter((participation) => participation.status === filter)
