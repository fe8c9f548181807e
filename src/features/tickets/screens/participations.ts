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

/** Running contests first, the next to end on top; then expired ones, the latest on top. */
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
  return participations.sort((a, b) => {
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
