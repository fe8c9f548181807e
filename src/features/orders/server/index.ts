import type { HeldByUser } from '#features/cart/server/index.ts'
import { ordersRepository } from './orders.repository.ts'

export { extendHold, holdAgain, holdExpiry, releaseOrder } from './holds.ts'
export { type HeldOrder, HoldRefused, type OrderRequest, openOrders } from './open-orders.ts'
export { orderBatches, reread } from './order-batches.ts'
export {
  type RefundNotice,
  enqueueOrderEmails,
  enqueueRefundEmail,
  orderEmails,
  requireBuyer,
  writtenReceipt,
} from './order-emails.ts'
export { type CreatedAtProvider, orderWrites } from './order-moves.repository.ts'
export { type OrdersBase, type OrdersDeps, providerFailure } from './orders-deps.ts'
export {
  type OrderLineRow,
  type OrderRow,
  type WaitingOrderRow,
  countOrders,
  hasRealOrders,
  ordersRepository,
  sumByOffer,
  wantedOf,
} from './orders.repository.ts'
export {
  assertCreatedFor,
  assertMatchesOrder,
  isOrderTotal,
  paymentRequest,
  readProviderOrder,
  requireProviderOrder,
} from './provider-orders.ts'
export { anonymizeOldOrders } from './orders.repository.ts'
export { requireStaffOrder, staffOrdersRoutes, toStaffOrder } from './staff-orders.routes.ts'

/** Answers the cart how many tickets the buyer's own order holds, so that they count as free for that buyer. */
export const heldByUser: HeldByUser = (trx, userId, offerId) =>
  ordersRepository(trx).heldByUser(userId, offerId)
