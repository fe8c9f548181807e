export { ticketsEmailMakers } from './emails.ts'
export { TICKETS_PER_FILE } from './ticket-files.ts'
export { assignNumbers, issueTickets } from './issue-tickets.ts'
export { numberPermutation } from './number-permutation.ts'
export { withNumberReplay } from './number-replay.ts'
export { drawQr } from './ticket-page.ts'
export { ticketsRoutes } from './tickets.routes.ts'
export {
  type OrderTicket,
  entryTicket,
  giveNumbersTo,
  giveTicketsTo,
  giveUpTickets,
  ticketsAtStake,
  ticketsOfOrders,
  ticketsToVoid,
  voidLastTickets,
  validNumbersOf,
  voidPostalTicket,
  validTicketsOf,
  voidEntries,
  voidTickets,
  voidTicketsOfOffers,
  voidTicketsWithoutOrder,
} from './tickets.repository.ts'
export { ticketsPersonalData } from './personal-data.ts'
