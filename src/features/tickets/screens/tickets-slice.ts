import { createSlice } from '@reduxjs/toolkit'
import type { Ticket } from '#features/tickets/tickets.contract.ts'
import type { TicketsState } from '#client/state.ts'
import { apiThunk } from '#client/thunk.ts'

export const fetchTickets = apiThunk<Ticket[]>('tickets/fetch', (_, { extra }) => extra.api().tickets())

/** A ticket's file. The store does not keep it: the caller of `unwrap()` does (spec section 4, "Tickets store"). */
export const downloadTicket = apiThunk<{ ticketId: string; data: Blob }, string>(
  'tickets/download',
  async (ticketId, { extra }) => ({ ticketId, data: await extra.api().downloadTicket(ticketId) }),
)

const initialState: TicketsState = { items: [], loading: false, error: null }

const tickets = createSlice({
  name: 'tickets',
  initialState,
  reducers: {
    /** Empties tickets and error. */
    ticketsCleared: () => initialState,
  },
  extraReducers: (builder) => {
    builder
      .addCase(fetchTickets.fulfilled, (state, { payload }) => {
        state.loading = false
        state.items = payload
      })
      .addCase(downloadTicket.fulfilled, (state) => {
        state.loading = false
      })
    for (const action of [fetchTickets, downloadTicket]) {
      builder
        .addCase(action.pending, (state) => {
          state.loading = true
          state.error = null
        })
        .addCase(action.rejected, (state, { payload }) => {
          state.loading = false
          state.error = payload?.message ?? null
        })
    }
  },
})

export const { ticketsCleared } = tickets.actions
export const ticketsReducer = tickets.reducer
