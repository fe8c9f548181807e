export { TICKETS_PER_FILE, orderTicketsFile } from './ticket-files.ts'
export { assignNumbers, issueTickets } from './issue-tickets.ts'
export { withNumberReplay } from './number-replay.ts'
export { pdfBytes, taggedPdf } from './pdf-document.ts'
export { type Face, textSetter } from './pdf-text.ts'
export { ticketsRoutes } from './tickets.routes.ts'
export {
  giveTicketsTo,
  ticketsOfOrders,
  validTicketsOf,
  voidTickets,
  voidTicketsOfOffers,
  voidTicketsWithoutOrder,
} from './tickets.repository.ts'
