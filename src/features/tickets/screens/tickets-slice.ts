import type { UnknownAction } from 'redux'
import { apiThunk, createAction, isAnyOf } from '#client/actions.ts'
import type { Ticket } from '#features/tickets/tickets.contract.ts'
import type { Loading } from '#client/state.ts'
import { ticketsApi } from '../tickets.api.ts'

export interface TicketsState extends Loading {
  items: Ticket[]
}

declare module '#client/state.ts' {
  interface RootState {
    tickets: TicketsState
  }
}

export const fetchTickets = apiThunk<Ticket[]>('tickets/fetch', (_, { extra }) =>
  ticketsApi(extra.call()).tickets(),
)

/** The store does not keep the file (spec section 4, "Tickets store"). */
export const downloadTicket = apiThunk<{ ticketId: string; data: Blob }, string>(
  'tickets/download',
  async (ticketId, { extra }) => ({
    ticketId,
    data: await ticketsApi(extra.call()).downloadTicket(ticketId),
  }),
)

/** All valid tickets of a contest, by its slug. */
export const downloadTickets = apiThunk<Blob, string>('tickets/downloadAll', (slug, { extra }) =>
  ticketsApi(extra.call()).downloadTickets(slug),
)

export const ticketsCleared = createAction('tickets/cleared')

const NONE: TicketsState = { items: [], loading: false, error: null }

const isPending = isAnyOf(fetchTickets.pending, downloadTicket.pending, downloadTickets.pending)
const isRejected = isAnyOf(fetchTickets.rejected, downloadTicket.rejected, downloadTickets.rejected)

export function ticketsReducer(state: TicketsState = NONE, action: UnknownAction): TicketsState {
  if (isPending(action)) return { ...state, loading: true, error: null }
  if (isRejected(action)) return { ...state, loading: false, error: action.payload.message }
  if (fetchTickets.fulfilled.match(action)) return { ...state, loading: false, items: action.payload }
  if (downloadTicket.fulfilled.match(action) || downloadTickets.fulfilled.match(action))
    return { ...state, loading: false }
  if (ticketsCleared.match(action)) return NONE
  return state
}
