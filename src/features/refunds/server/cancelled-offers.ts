import { transact } from '#platform/transaction.ts'
import { cancelOffer } from '#features/offers/server/index.ts'
import {
  type OrdersDeps,
  deprioritize,
  enqueueRefundEmail,
  orderWrites,
} from '#features/orders/server/index.ts'
import { voidTicketsOfOffers, voidTicketsWithoutOrder } from '#features/tickets/server/index.ts'
import { cents } from '#shared/money.ts'
import { Refusal } from '#shared/refusal.ts'
import { planCancellation } from '../refund-plan.rules.ts'
import type { Cancellation } from '../refunds.contract.ts'
import {
  cancellationWrites,
  cancellationsRepository,
  refundableLines,
} from './cancelled-offers.repository.ts'
import { ledgerRepository } from './ledger.repository.ts'
import { applyPlan } from './refund-order.ts'
import { sendNow } from './send-refunds.ts'

/** Most orders of one offer in a run. */
const BATCH = 100

/**
 * Ends the sale of an offer; the worker then refunds every buyer (spec section 1: in full, within 14 days). Tickets
 * without an order are void at once.
 * @throws Refusal 404 when there is no such offer
 */
export async function cancelAndRefund(deps: OrdersDeps, slug: string, reason: string): Promise<Cancellation> {
  await transact(deps.db, async (trx) => {
    const offerId = await cancelOffer(trx, slug, reason)
    if (offerId !== undefined) await voidTicketsWithoutOrder(trx, offerId)
  })
  return cancellation(deps, slug)
}

/** @throws Refusal 404 when the offer was not cancelled */
export async function cancellation({ db }: Pick<OrdersDeps, 'db'>, slug: string): Promise<Cancellation> {
  const found = await cancellationsRepository(db).of(slug)
  if (!found) throw new Refusal('offer.notFound', 404, 'errors.offer.notFound')
  return found
}

/**
 * Background job: refunds orders of cancelled offers. Safe to kill and to run concurrently: one transaction marks a
 * line and requests its refund, which the sweep sends until it is done.
 */
export async function refundCancelledOffers(deps: OrdersDeps): Promise<void> {
  const cancellations = cancellationsRepository(deps.db)
  for (const { id: offerId, slug } of await cancellations.open()) {
    for (const orderId of await cancellations.waiting(offerId, BATCH)) {
      // One failing order must not block the others, in this run or the next.
      await refundShare(deps, orderId).catch(async (error: unknown) => {
        deps.log.error({ err: error, orderId }, 'an order of a cancelled offer could not be refunded')
        await deprioritize(deps, orderId)
      })
    }
    const isDone = await transact(deps.db, (trx) => cancellationWrites(trx).closeWhenDone(offerId))
    if (isDone) deps.log.info({ slug }, 'all money of a cancelled offer is back')
  }
}

async function refundShare(deps: OrdersDeps, orderId: string): Promise<void> {
  const isRequested = await transact(deps.db, async (trx) => {
    const order = await orderWrites(trx).lock(orderId)
    // The next run retries after the open refund.
    if (order.state !== 'completed' || (await ledgerRepository(trx).openRefund(orderId))) return false
    const balances = await ledgerRepository(trx).balances(orderId)
    const lines = await refundableLines(trx, orderId)
    const { due, isWhole, actions } = planCancellation(order, balances, lines)
    if (due.length === 0) return false
    const offerIds = due.map(({ offer_id }) => offer_id)
    await cancellationWrites(trx).markRequested(orderId, offerIds)
    await voidTicketsOfOffers(trx, orderId, offerIds)
    if (isWhole) await orderWrites(trx).move(orderId, 'refundCancelledOffer', 'offer_cancelled')
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
