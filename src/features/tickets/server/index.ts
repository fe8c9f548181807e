export { issueTickets } from './issue-tickets.ts'
export { ticketsOfOrder } from './ticket-wire.ts'
export { ticketsRoutes } from './tickets.routes.ts'
