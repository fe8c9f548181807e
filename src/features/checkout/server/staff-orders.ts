import { ProviderRefused, ProviderUnknown } from '#platform/paypal/faults.ts'
import { transact } from '#platform/transaction.ts'
import { Refusal } from '#shared/refusal.ts'
import type { CheckoutDeps } from './checkout-deps.ts'
import { orderWrites } from './order-moves.repository.ts'
import type { OrderRow } from './orders.repository.ts'
import { applyTruth, reconcile } from './reconcile.ts'
import { refundWrites, refundsRepository } from './refunds.repository.ts'
import { staffOrdersRepository } from './staff-orders.repository.ts'

/** @throws Refusal 404 when there is no such order */
export async function staffOrder({ db }: CheckoutDeps, id: string): Promise<OrderRow> {
  const order = await staffOrdersRepository(db).find(id)
  if (!order) throw new Refusal('checkout.orderNotFound', 404, 'errors.checkout.orderNotFound')
  return order
}

/**
 * Asks the provider about an order now and applies its truth, whatever state the order is in (reliability, "reconcile").
 * @throws Refusal 503 when the provider does not answer; then nothing has changed
 */
export async function reconcileNow(deps: CheckoutDeps, order: OrderRow): Promise<void> {
  try {
    await applyTruth(deps, order, true)
  } catch (error) {
    // A definite no was applied already; staff see it among the events.
    if (error instanceof ProviderRefused) return
    if (!(error instanceof ProviderUnknown)) throw error
    throw new Refusal('checkout.providerSilent', 503, 'errors.checkout.providerSilent', { retryAfter: 5 })
  }
}

/** Who wants money to go back, and what the buyer is told. */
interface RefundWish {
  staffId: number
  reason: string
}

/**
 * Sends back what is left of a paid order, or of one that staff must decide about. Its tickets are void once the money
 * is back, their numbers stay given (ADR 0017). The wish is written down before the provider is asked, so that a crash
 * loses nothing and the sweep goes on.
 * @throws Refusal 409 for an order that has no money to send back
 */
export async function refundWhole(
  deps: CheckoutDeps,
  { id }: OrderRow,
  { staffId, reason }: RefundWish,
): Promise<void> {
  await transact(deps.db, async (trx) => {
    // The move locks the order, too.
    const why = `asked for by staff ${staffId}: ${reason}`
    const moved = await orderWrites(trx).move(id, ['completed', 'review'], 'refunding', why)
    // One that is being paid is refundable soon.
    if (!moved)
      throw new Refusal('checkout.notRefundable', 409, 'errors.checkout.notRefundable', { passes: true })
    for (const { captureId, taken, claimed } of await refundsRepository(trx).returns(id)) {
      if (taken > claimed) await refundWrites(trx).request(captureId, id, taken - claimed, reason)
    }
  })
  await reconcile(deps, id)
}
