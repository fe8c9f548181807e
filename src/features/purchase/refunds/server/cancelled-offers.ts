import type { Sql } from '#platform/database.ts'
import { transact } from '#platform/transaction.ts'
import { cancelOffer, cancellationTooLate } from '#features/offers/server/index.ts'
import {
  type OrdersDeps,
  deprioritize,
  enqueueRefundEmail,
  orderWrites,
} from '#features/purchase/orders/server/index.ts'
import { voidTicketsOfOffers, voidTicketsWithoutOrder } from '#features/tickets/server/index.ts'
import { formatSum } from '#i18n/format.ts'
import { cents, sumToDecimal } from '#shared/money.ts'
import { nowMs } from '#shared/clock.ts'
import { Refusal } from '#shared/refusal.ts'
import { type ApprovalKind, askApproval } from '#features/staff/server/index.ts'
import type { Approval } from '#features/staff/staff.contract.ts'
import { type AuditActor, audit } from '#platform/audit-log.ts'
import type { StaffCaller } from '#platform/http/request.ts'
import { type RefundAction, planCancellation, ticketsLeft } from '../refund-plan.rules.ts'
import type { Cancellation, CancellationPreview } from '../refunds.contract.ts'
import { cancellationsRepository, closeWhenDone, refundableLines } from './cancelled-offers.repository.ts'
import { ledgerRepository } from './ledger.repository.ts'
import { applyPlan } from './apply-plan.ts'
import { sendNow } from './send-refunds.ts'
import { DEFAULT_LANGUAGE } from '#shared/languages.ts'

/** Orders of one offer that are looked up together. */
const BATCH = 1_000
/** A run ends after so long, so that the sweep gets to its other work. */
const RUN_MS = 10_000

/**
 * Ends the sale of an offer; the worker then refunds every buyer (spec section 1: in full, within 14 days). Tickets
 * without an order are void at once.
 * @param by `isAlone`: only if nobody has a ticket
 * @throws Refusal 404 when there is no such offer, 409 when it is too late; SoldMeanwhile
 */
export async function cancelAndRefund(
  deps: OrdersDeps,
  slug: string,
  reason: string,
  by: { actor: AuditActor; approval?: { id: number; requestedBy: number }; isAlone?: boolean } = {
    actor: 'system',
  },
): Promise<void> {
  await transact(deps.db, async (trx) => {
    const offerId = await cancelOffer(trx, slug, reason, by.actor)
    if (offerId === undefined) {
      const offer = await cancellationsRepository(trx).offer(slug)
      if (offer?.isTooLate) throw cancellationTooLate()
      // A second time it does nothing.
      if (!offer?.isCancelled) throw notFound()
      return
    }
    // From now on nothing of it is sold.
    if (by.isAlone && (await planFor({ db: trx }, slug)).needs_approval) throw new SoldMeanwhile()
    await deps.noteCancellation(trx, offerId)
    await voidTicketsWithoutOrder(trx, offerId)
    const { actor, approval } = by
    await audit(trx, {
      actor,
      action: 'offers.cancel',
      subject: { kind: 'offer', id: offerId },
      ...(approval && { after: { approval: approval.id, requested_by: approval.requestedBy } }),
      reason,
    })
  })
}

const notFound = () => new Refusal('offer.notFound', 404, 'errors.offer.notFound')

/** An offer that one person would cancel has been sold since they were asked for. */
class SoldMeanwhile extends Error {}

/**
 * Cancels an offer, or asks a second person when somebody has a ticket, bought or by post.
 * @throws Refusal 404 when there is no such offer, 409 when it is too late
 */
export async function cancelByStaff(
  deps: OrdersDeps,
  slug: string,
  reason: string,
  actor: StaffCaller,
): Promise<Approval | undefined> {
  const { offerId, isCancelled, needs_approval, ...preview } = await planFor(deps, slug)
  if (isCancelled) return undefined
  if (!needs_approval)
    try {
      await cancelAndRefund(deps, slug, reason, { actor, isAlone: true })
      return undefined
    } catch (error) {
      if (error instanceof SoldMeanwhile) return cancelByStaff(deps, slug, reason, actor)
      throw error
    }
  return transact(deps.db, (trx) =>
    askApproval(trx, {
      actor,
      shop: deps.shop,
      permission: 'offers.cancel',
      subject: { kind: 'offer', id: offerId },
      input: { slug, reason } satisfies CancelInput,
      preview,
      reason,
    }),
  )
}

interface CancelInput {
  slug: string
  reason: string
}

/** How an approved cancellation is carried out; a second time it does nothing. */
export const cancelApproval = (deps: OrdersDeps): ApprovalKind => ({
  permission: 'offers.cancel',
  async check(input, seen) {
    const { amount } = await planFor(deps, (input as CancelInput).slug)
    if (Number(amount) > Number(seen))
      throw new Refusal('offer.moreToRefund', 409, 'consoleOrders.refusals.moreToRefund', {
        values: (language) => ({ amount: formatSum(amount, language) }),
        body: { amount },
      })
  },
  async run(input, { actor, approvalId }) {
    const { slug, reason } = input as CancelInput
    const approval = { id: approvalId, requestedBy: actor.userId }
    await cancelAndRefund(deps, slug, reason, { actor: 'system', approval })
  },
})

/** Orders in a statement of the preview, which must not take longer than a statement may. */
const PLANNED_AT_ONCE = 10_000
const FIRST_ID = '00000000-0000-0000-0000-000000000000'

/**
 * What cancelling an offer would do now: for each kind of order what the worker does with one.
 * @throws Refusal 404 when there is no such offer, 409 when it is too late
 */
export async function cancellationPreview(deps: OrdersDeps, slug: string): Promise<CancellationPreview> {
  const { offerId: _, isCancelled: __, ...preview } = await planFor(deps, slug)
  return preview
}

async function planFor(
  { db }: { db: Sql },
  slug: string,
): Promise<CancellationPreview & { offerId: number; isCancelled: boolean }> {
  const cancellations = cancellationsRepository(db)
  const offer = await cancellations.offer(slug)
  if (!offer) throw notFound()
  const { id, titles, isCancelled, isTooLate, posters_by_email, ...counts } = offer
  if (isTooLate) throw cancellationTooLate()
  let [orders, sum, tickets] = [0, 0, 0]
  let after: string | undefined = FIRST_ID
  while (after !== undefined) {
    const upTo: string | undefined = await cancellations.orderFrom(id, after, PLANNED_AT_ONCE)
    for (const alike of await cancellations.sold(id, after, upTo)) {
      const then = alike.lines.map((line) => (line.offer_id === id ? { ...line, is_cancelled: true } : line))
      const plan = planCancellation(alike, alike.captures, then)
      const amount = requestedIn(plan.actions)
      orders += amount > 0 ? alike.orders : 0
      sum += amount * alike.orders
      tickets += plan.due.reduce((all, line) => all + ticketsLeft(line), 0) * alike.orders
    }
    after = upTo
  }
  return {
    slug,
    title: titles[DEFAULT_LANGUAGE],
    orders,
    amount: sumToDecimal(sum),
    // One for each refund, in the transaction that requests it, and one for each entry by post with an address.
    emails: orders + posters_by_email,
    tickets,
    ...counts,
    needs_approval:
      tickets + counts.tickets_without_order + counts.payments_in_progress + counts.in_review > 0,
    offerId: id,
    isCancelled,
  }
}

const requestedIn = (actions: readonly RefundAction[]): number =>
  actions.reduce((sum, action) => sum + (action.do === 'request' ? action.amount : 0), 0)

/** @throws Refusal 404 when the offer was not cancelled */
export async function cancellation({ db }: Pick<OrdersDeps, 'db'>, slug: string): Promise<Cancellation> {
  const found = await cancellationsRepository(db).of(slug)
  if (!found) throw notFound()
  return found
}

/**
 * Background job: refunds orders of cancelled offers. Safe to kill and to run concurrently: one transaction marks a
 * line and requests its refund, which the sweep sends until it is done.
 * @param batch orders of a contest in one run
 */
export async function refundCancelledOffers(deps: OrdersDeps, batch = BATCH): Promise<void> {
  const cancellations = cancellationsRepository(deps.db)
  const end = nowMs() + RUN_MS
  for (const { id: offerId, slug } of await cancellations.open()) {
    for (const orderId of await cancellations.waiting(offerId, batch)) {
      // One failing order must not block the others, in this run or the next.
      await refundShare(deps, orderId).catch(async (error: unknown) => {
        deps.log.error({ err: error, orderId }, 'an order of a cancelled offer could not be refunded')
        await deprioritize(deps, orderId)
      })
      if (nowMs() > end) break
    }
    const isDone = await transact(deps.db, (trx) => closeWhenDone(trx, offerId))
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
    await orderWrites(trx).returnWholeLines(orderId, offerIds)
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
