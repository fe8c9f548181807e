import type { HeldByUser } from '#features/cart/server/index.ts'
import { ordersRepository } from './orders.repository.ts'

export type { CheckoutBase } from './checkout-base.ts'
export type { CheckoutDeps } from './checkout-deps.ts'
export { checkoutFigures } from './checkout-figures.repository.ts'
export { checkoutRoutes } from './checkout.routes.ts'
export { providerBook } from './provider-book.ts'
export { orderLetters } from './order-letters.ts'
export { writtenReceipt } from './receipt.ts'
export { eraseOldNotifications, forgetOldBuyers } from './retention.repository.ts'
export { watchPayments } from './payment-troubles.ts'
export { returnRoutes } from './return.routes.ts'
export { compareBooks } from './compare-books.ts'
export { checkoutLanes } from './lanes.ts'
export { lapsing } from './lapses.ts'
export { hasRealOrders } from './real-orders.repository.ts'
export { reconcile } from './reconcile.ts'
export { staffContestsRoutes } from './staff-contests.routes.ts'
export { staffOrdersRoutes } from './staff-orders.routes.ts'
export { sweepOrders } from './sweep.ts'
export { webhookRoutes } from './webhook.routes.ts'

/** Answers the cart how many tickets the buyer's own order holds, so that they count as free for that buyer. */
export const heldByUser: HeldByUser = (trx, userId, offerId) =>
  ordersRepository(trx).heldByUser(userId, offerId)
