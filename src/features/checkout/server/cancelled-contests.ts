import type { Trx } from '#platform/database.ts'
import { transact } from '#platform/transaction.ts'
import { addresseeOf } from '#features/accounts/server/index.ts'
import { cancelOffer } from '#features/offers/server/index.ts'
import { voidTicketsOfOffers, voidTicketsWithoutOrder } from '#features/tickets/server/index.ts'
import { type Cents, cents } from '#shared/money.ts'
import { Refusal } from '#shared/refusal.ts'
import {
  type CancellationRow,
  type ReturnableLine,
  cancellationWrites,
  cancellationsRepository,
} from './cancelled-contests.repository.ts'
import type { CheckoutDeps } from './checkout-deps.ts'
import { CONTEST_CANCELLED, shareOfLines } from './contest-shares.ts'
import { orderWrites } from './order-moves.repository.ts'
import type { OrderRow } from './orders.repository.ts'
import { putOff } from './put-off.ts'
import { known, queueLetters } from './queue-letters.ts'
import { reconcile } from './reconcile.ts'
import { refundWrites, refundsRepository } from './refunds.repository.ts'

/** Orders whose share is sent back in one turn, for each contest. */
const BATCH = 100

/**
 * Cancels a contest: nothing is sold any more, tickets without an order are void at once, and the worker sends every
 * buyer's money back (spec section 1: all of it, within 14 days at most). Again it changes nothing.
 * @param reason for the books; buyers are told that the contest is cancelled
 * @throws Refusal 404 when there is no such contest
 */
export async function cancelContest(
  deps: CheckoutDeps,
  slug: string,
  reason: string,
): Promise<CancellationRow> {
  await transact(deps.db, async (trx) => {
    const offerId = await cancelOffer(trx, slug, reason)
    if (offerId !== undefined) await voidTicketsWithoutOrder(trx, offerId)
  })
  return cancellation(deps, slug)
}

/** How far the refunds of a cancelled contest are. @throws Refusal 404 when it was not cancelled */
export async function cancellation({ db }: CheckoutDeps, slug: string): Promise<CancellationRow> {
  const found = await cancellationsRepository(db).of(slug)
  if (!found) throw new Refusal('offer.notFound', 404, 'errors.offer.notFound')
  return found
}

/**
 * Background work: sends back what buyers paid for cancelled contests. It may be killed anywhere and run any number of
 * times, on any process: a line is returned in one transaction with its refund, which the sweep asks for again as long as
 * it is not done.
 */
export async function returnCancelled(deps: CheckoutDeps): Promise<void> {
  const asked = cancellationsRepository(deps.db)
  for (const { id: offerId, slug } of await asked.open()) {
    for (const orderId of await asked.waiting(offerId, BATCH)) {
      // One order that cannot be sent back must not keep the others waiting, in this turn or in the next ones.
      await returnShare(deps, orderId).catch(async (error: unknown) => {
        deps.log.error({ err: error, orderId }, 'an order of a cancelled contest is still here')
        await putOff(deps, orderId)
      })
    }
    const isDone = await transact(deps.db, (trx) => cancellationWrites(trx).closeWhenDone(offerId))
    if (isDone) deps.log.info({ slug }, 'all money of a cancelled contest is back')
  }
}

/**
 * Writes down that the share of an order's cancelled contests goes back, before the provider is asked: the whole rest
 * when the order bought nothing else. Then the provider is asked for it.
 */
async function returnShare(deps: CheckoutDeps, orderId: string): Promise<void> {
  const isOnItsWay = await transact(deps.db, async (trx) => {
    const order = await refundWrites(trx).lockOrder(orderId)
    // Another refund of the order has its own end first; the next turn looks again.
    if (order.state !== 'completed' || (await refundsRepository(trx).open(orderId))) return false
    const lines = await cancellationsRepository(trx).lines(orderId)
    const due = lines.filter((line) => line.is_cancelled && !line.is_returned)
    if (due.length === 0) return false
    const offerIds = due.map(({ offer_id }) => offer_id)
    await cancellationWrites(trx).markReturned(orderId, offerIds)
    await voidTicketsOfOffers(trx, orderId, offerIds)

    const isAll = lines.every((line) => line.is_cancelled || line.is_returned)
    if (isAll) await orderWrites(trx).move(orderId, ['completed'], 'refunding', CONTEST_CANCELLED)
    const amount = await wish(trx, order, isAll ? undefined : shareOfLines(order, lines, due))
    if (amount > 0) await tell(deps, trx, order, due, cents(amount))
    return isAll || amount > 0
  })
  if (isOnItsWay) await reconcile(deps, orderId, { closedToo: true })
}

/**
 * Wishes for a refund, never of more than is left of the capture: some of it may have gone back before.
 * @param share left out, all that is left
 * @returns cents
 */
async function wish(trx: Trx, order: OrderRow, share?: Cents): Promise<number> {
  let wanted: number = share ?? Infinity
  let wished = 0
  for (const { captureId, taken, claimed } of await refundsRepository(trx).returns(order.id)) {
    const amount = Math.min(wanted, taken - claimed)
    if (amount <= 0) continue
    await refundWrites(trx).request(captureId, order.id, amount, CONTEST_CANCELLED)
    wanted -= amount
    wished += amount
  }
  return wished
}

async function tell(
  deps: CheckoutDeps,
  trx: Trx,
  order: OrderRow,
  due: readonly ReturnableLine[],
  amount: Cents,
): Promise<void> {
  const to = known(await addresseeOf(trx, order.user_id))
  const contests = due.map(({ title }) => title)
  const part = `cancelled-${due.map(({ offer_id }) => offer_id).join('-')}`
  await queueLetters(deps, trx, [
    () => deps.letters.refund({ order, to, amount, why: 'contestCancelled', contests, part }),
  ])
}
