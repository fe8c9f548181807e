import { Refusal } from '#shared/refusal.ts'
import { orderClosed } from './back-with-buyer.ts'
import type { CheckoutDeps } from './checkout-deps.ts'
import { extendHoldOnce } from './hold-extension.repository.ts'
import { type OrderRow, ordersRepository } from './orders.repository.ts'

/**
 * Gives the buyer of a standing order more time to pay, once.
 * @throws Refusal when the time was given before, or when there is nothing left to extend
 */
export async function extendHold(deps: CheckoutDeps, order: OrderRow): Promise<OrderRow> {
  const extended = await extendHoldOnce(deps.db, order.id, deps.holdMinutes)
  if (extended) return extended
  const { state, hold_extended: wasExtended } = (await ordersRepository(deps.db).byId(order.id)) ?? order
  if (state === 'held' && wasExtended) {
    throw new Refusal('checkout.alreadyExtended', 409, 'errors.checkout.alreadyExtended')
  }
  if (state === 'held' || state === 'expired') {
    throw new Refusal('checkout.holdLapsed', 409, 'errors.checkout.holdLapsed')
  }
  throw orderClosed()
}
