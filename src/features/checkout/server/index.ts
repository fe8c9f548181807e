import type { HeldByUser } from '#features/cart/server/index.ts'
import { ordersRepository } from './orders.repository.ts'

export type { CheckoutDeps } from './checkout-deps.ts'
export { checkoutRoutes } from './checkout.routes.ts'
export { returnRoutes } from './return.routes.ts'
export { sweepOrders } from './sweep.ts'
export { webhookRoutes } from './webhook.routes.ts'

/** Answers the cart how many tickets the buyer's own order holds, so that they count as free for that buyer. */
export const heldByUser: HeldByUser = (trx, userId, offerId) =>
  ordersRepository(trx).heldByUser(userId, offerId)
