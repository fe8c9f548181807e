import { validTicketsOf } from '#features/tickets/server/index.ts'
import type { OwnTickets } from '#features/purchase/cart/server/index.ts'
import { ordersRepository } from './orders.repository.ts'

export { orderEmails, ordersEmailMakers } from './emails.ts'
export { extendHold, renewHold, holdExpiry, releaseOrder } from './holds.ts'
export { ordersJobs } from './jobs.ts'
export {
  type HeldOrder,
  HoldRefused,
  type OrderRequest,
  areRequestsLocked,
  endedBeforePayment,
  openOrders,
} from './open-orders.ts'
export { type CreatedAtProvider, deprioritize, orderWrites } from './order-moves.repository.ts'
export { type OrdersBase, type OrdersDeps, orderBatches, reread } from './order-batches.ts'
export {
  type CaptureFailure,
  type OrderLineRow,
  type OrderRow,
  type WaitingOrderRow,
  countOrders,
  lockOrdersOf,
  offersOnHold,
  awaitsLog,
  ordersRepository,
  stateIn,
  sumByOffer,
  wantedOf,
} from './orders.repository.ts'
export {
  alertOfRefusal,
  assertCreatedFor,
  assertMatchesOrder,
  paymentRequest,
  providerFailure,
  readProviderOrder,
  requireProviderOrder,
  throwForStaff,
} from './provider-orders.ts'
export { orderSignatures } from './order-signatures.ts'
export { enqueueOrderEmails, loadAndRenderReceipt, receiptEnvelope } from './receipt-email.ts'
export { type RefundNotice, enqueueRefundEmail, refundEmails, requireBuyer } from './refund-email.ts'
export { tellUnfinished } from './unfinished-email.ts'
export { isSurplus, tookMoney } from './paying-capture.repository.ts'
export { ordersPersonalData } from './personal-data.ts'
export { buyerOrdersRoutes } from './buyer-orders.routes.ts'
export { requireStaffOrder, toStaffOrder } from './staff-order.ts'
export { sendReceiptsAgain } from './staff-receipts.ts'
export { staffOrdersRoutes } from './staff-orders.routes.ts'

/** Tickets that the buyer's own order holds count as free for that buyer's cart. */
export const ownTickets: OwnTickets = {
  held: (trx, userId, offerId) => ordersRepository(trx).heldByUser(userId, offerId),
  valid: async (trx, userId, offerId) => (await validTicketsOf(trx, userId, [offerId]))[0]?.tickets ?? 0,
}
