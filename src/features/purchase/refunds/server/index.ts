export { refundCancelledOffers } from './cancelled-offers.ts'
export { importRefunds, unlistedReturns } from './import-refunds.ts'
export {
  eraseRefundWords,
  fillFees,
  ledgerRepository,
  ledgerWrites,
  noteReconciled,
  noteUnreconciled,
  recordCaptures,
} from './ledger.repository.ts'
export { refundsPersonalData } from './personal-data.ts'
export { sendNow, sendRefunds } from './send-refunds.ts'
export { requestStaffRefund } from './staff-refunds.ts'
export { previewVoidedTickets, refundVoidedTickets } from './voided-tickets.ts'
export { refundApprovals, staffRefundsRoutes } from './staff-refunds.routes.ts'
