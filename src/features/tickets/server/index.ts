export { issueTickets } from './issue-tickets.ts'
export { type Face, textSetter } from './pdf-text.ts'
export { ticketsOfOrder } from './ticket-wire.ts'
export { ticketsRoutes } from './tickets.routes.ts'
