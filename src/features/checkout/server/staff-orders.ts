import { ProviderRefused, ProviderUnknown } from '#platform/paypal/faults.ts'
import { type ProviderOrder, capturesOf } from '#platform/paypal/messages.ts'
import { transact } from '#platform/transaction.ts'
import { addresseeOf } from '#features/accounts/server/index.ts'
import { cents } from '#shared/money.ts'
import { Refusal } from '#shared/refusal.ts'
import { GIVEN_UP, type OrderState } from '../order-states.rules.ts'
import type { CheckoutDeps } from './checkout-deps.ts'
import { orderWrites } from './order-moves.repository.ts'
import type { OrderRow } from './orders.repository.ts'
import { known, queueLetters } from './queue-letters.ts'
import { applyTruth, providerTruth, reconcile } from './reconcile.ts'
import { recordSaid } from './record-captures.ts'
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
    throw silent(error)
  }
}

/** What staff get to read when the provider does not tell, or refuses to. */
const silent = (error: unknown): unknown =>
  error instanceof ProviderUnknown || error instanceof ProviderRefused
    ? new Refusal('checkout.providerSilent', 503, 'errors.checkout.providerSilent', { retryAfter: 5 })
    : error

/** What the provider says of an order now; undefined when it knows none. @throws Refusal 503 when it does not tell */
async function toldNow(deps: CheckoutDeps, order: OrderRow): Promise<ProviderOrder | undefined> {
  if (!order.provider_order_id) return undefined
  try {
    return await providerTruth(deps, order)
  } catch (error) {
    throw silent(error)
  }
}

/** Who wants money to go back, and what the buyer is told. */
interface RefundWish {
  staffId: number
  reason: string
}

/**
 * Sends back what is left of a paid order, of one that staff must decide about, or of one that was given up and has
 * money after all. Its tickets are void once the money is back, their numbers stay given (ADR 0017). The wish is written
 * down before the provider is asked, so that a crash loses nothing and the sweep goes on.
 * @throws Refusal 409 for an order that has no money to send back, 503 when the provider does not say whether one that
 *   was given up has any
 */
export async function refundWhole(
  deps: CheckoutDeps,
  order: OrderRow,
  { staffId, reason }: RefundWish,
): Promise<void> {
  const { id } = order
  const truth = GIVEN_UP.includes(order.state) ? await toldNow(deps, order) : undefined
  await transact(deps.db, async (trx) => {
    const now = await refundWrites(trx).lockOrder(id)
    if (truth)
      await recordSaid(deps, trx, now, capturesOf(truth)).catch((error: unknown) => {
        throw silent(error)
      })
    const left = (await refundsRepository(trx).returns(id)).filter(({ taken, claimed }) => taken > claimed)
    const why = `asked for by staff ${staffId}: ${reason}`
    const from: readonly OrderState[] =
      left.length > 0 ? ['completed', 'review', ...GIVEN_UP] : ['completed', 'review']
    const moved = await orderWrites(trx).move(id, from, 'refunding', why)
    if (!moved) throw new Refusal('checkout.notRefundable', 409, 'errors.checkout.notRefundable')
    for (const { captureId, taken, claimed } of left)
      await refundWrites(trx).request(captureId, id, taken - claimed, reason)
    // Whoever had tickets is told once they are void; nobody has told this buyer anything yet.
    if (!GIVEN_UP.includes(now.state)) return
    const to = known(await addresseeOf(trx, now.user_id))
    const amount = cents(left.reduce((sum, { taken, claimed }) => sum + taken - claimed, 0))
    await queueLetters(deps, trx, [() => deps.letters.refund({ order: now, to, amount, why: 'paidLate' })])
  })
  await reconcile(deps, id)
}
