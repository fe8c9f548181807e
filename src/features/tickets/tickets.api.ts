import type { ApiCall } from '#client/api-call.ts'
import type { Ticket } from './tickets.contract.ts'

export const ticketsApi = (call: ApiCall) => ({
  tickets: () => call<Ticket[]>('GET', '/api/tickets/user/'),
  downloadTicket: (id: string) => call<Blob>('GET', `/api/tickets/${encodeURIComponent(id)}/download/`),
  downloadTickets: (slug: string) =>
    call<Blob>('GET', `/api/tickets/offers/${encodeURIComponent(slug)}/download/`),
})
