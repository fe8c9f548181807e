import { ProviderRefused, ProviderUnknown } from '#platform/payment/payment-provider.ts'
import { transact } from '#platform/transaction.ts'
import { cancelOffer } from '#features/offers/server/index.ts'
import {
  type OrdersDeps,
  enqueueRefundEmail,
  orderWrites,
  ordersRepository,
} from '#features/orders/server/index.ts'
import { voidTicketsOfOffers, voidTicketsWithoutOrder } from '#features/tickets/server/index.ts'
import { cents } from '#shared/money.ts'
import { Refusal } from '#shared/refusal.ts'
import { planCancellation } from '../refund-plan.rules.ts'
import type { Cancellation } from '../refunds.contract.ts'
import { applyPlan } from './apply-plan.ts'
import {
  cancellationWrites,
  cancellationsRepository,
  refundableLines,
} from './cancelled-offers.repository.ts'
import { ledgerRepository } from './ledger.repository.ts'
import { sendRefunds } from './send-refunds.ts'

/** Orders refunded in one run, for each offer. */
const BATCH = 100

/**
 * Cancels an offer, once: it sells nothing more, and the worker refunds every buyer (spec section 1: in full, within 14
 * days). Tickets without an order are void at once.
 * @param reason for the records, not for buyers
 * @throws Refusal 404 when there is no such offer
 */
export async function cancelAndRefund(deps: OrdersDeps, slug: string, reason: string): Promise<Cancellation> {
  await transact(deps.db, async (trx) => {
    const offerId = await cancelOffer(trx, slug, reason)
    if (offerId !== undefined) await voidTicketsWithoutOrder(trx, offerId)
  })
  return cancellation(deps, slug)
}

/** How far the refunds of a cancelled offer are. @throws Refusal 404 when it was not cancelled */
export async function cancellation({ db }: Pick<OrdersDeps, 'db'>, slug: string): Promise<Cancellation> {
  const found = await cancellationsRepository(db).of(slug)
  if (!found) throw new Refusal('offer.notFound', 404, 'errors.offer.notFound')
  return found
}

/**
 * Background job: refunds what buyers paid for cancelled offers. It may be killed anywhere and run on any process: a line
 * is marked in one transaction with its refund request, which the sweep sends until it is done.
 */
export async function refundCancelledOffers(deps: OrdersDeps): Promise<void> {
  const cancellations = cancellationsRepository(deps.db)
  for (const { id: offerId, slug } of await cancellations.open()) {
    for (const orderId of await cancellations.waiting(offerId, BATCH)) {
      // One order that cannot be refunded must not block the others, now or in the next runs.
      await refundShare(deps, orderId).catch(async (error: unknown) => {
        deps.log.error({ err: error, orderId }, 'an order of a cancelled offer could not be refunded')
        await deprioritize(deps, orderId)
      })
    }
    const isDone = await transact(deps.db, (trx) => cancellationWrites(trx).closeWhenDone(offerId))
    if (isDone) deps.log.info({ slug }, 'all money of a cancelled offer is back')
  }
}

/** Requests the share of an order's cancelled offers (all that is left, when it bought nothing else), then sends it. */
async function refundShare(deps: OrdersDeps, orderId: string): Promise<void> {
  const isRequested = await transact(deps.db, async (trx) => {
    const order = await orderWrites(trx).lock(orderId)
    // Another refund of the order ends first; the next run looks again.
    if (order.state !== 'completed' || (await ledgerRepository(trx).openRefund(orderId))) return false
    const balances = await ledgerRepository(trx).balances(orderId)
    const lines = await refundableLines(trx, orderId)
    const { due, isWhole, actions } = planCancellation(order, balances, lines)
    if (due.length === 0) return false
    const offerIds = due.map(({ offer_id }) => offer_id)
    await cancellationWrites(trx).markRequested(orderId, offerIds)
    await voidTicketsOfOffers(trx, orderId, offerIds)
    if (isWhole) await orderWrites(trx).move(orderId, 'refundPaid', 'offer_cancelled')
    const { requested } = await applyPlan(deps, trx, order, actions)
    if (requested > 0)
      await enqueueRefundEmail(deps, trx, {
        order,
        amount: cents(requested),
        why: 'contestCancelled',
        contests: due.map(({ title }) => title),
        part: `cancelled-${offerIds.join('-')}`,
      })
    return isWhole || requested > 0
  })
  if (isRequested) await sendNow(deps, orderId)
}

/** Sends the refunds of an order as far as the provider answers; the sweep does the rest. */
export async function sendNow(deps: OrdersDeps, orderId: string): Promise<void> {
  const order = await ordersRepository(deps.db).byId(orderId)
  if (!order) return
  try {
    await sendRefunds(deps, order)
  } catch (error) {
    if (!(error instanceof ProviderUnknown || error instanceof ProviderRefused)) throw error
    deps.log.warn({ orderId, reason: error.message }, 'the provider has not made a refund yet')
  }
}

/** Has background jobs look at the other orders first. */
export async function deprioritize({ db, log }: OrdersDeps, orderId: string): Promise<void> {
  await orderWrites(db)
    .postponeCheck(orderId)
    .catch((error: unknown) =>
      log.error({ err: error, orderId }, 'an order could not be put behind the others'),
    )
}
