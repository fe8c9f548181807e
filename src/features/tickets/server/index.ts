export { issueTickets } from './issue-tickets.ts'
export { ticketsOfOrder, toWire } from './ticket-wire.ts'
