import type { Trx } from '#platform/database.ts'
import {
  ProviderRefused,
  type ProviderOrder,
  type ProviderRefund,
  ProviderUnknown,
  type RefusalReason,
} from '#platform/payment/payment-provider.ts'
import { transact } from '#platform/transaction.ts'
import {
  type OrderRow,
  type OrdersDeps,
  alertOfRefusal,
  enqueueRefundEmail,
  orderWrites,
  ordersRepository,
  requireProviderOrder,
} from '#features/purchase/orders/server/index.ts'
import type { OrderTicket } from '#features/tickets/server/index.ts'
import type { Language } from '#shared/languages.ts'
import { cents } from '#shared/money.ts'
import { planDone, planRefusal, planRemainder } from '../refund-plan.rules.ts'
import { enqueueRepeatedRefundEmail, importRefunds } from './import-refunds.ts'
import { type OpenRefund, ledgerRepository, ledgerWrites, recordCaptures } from './ledger.repository.ts'
import { applyPlan } from './apply-plan.ts'

/**
 * Sends an order's open refund. Without one, in `refunding`, it imports the provider's refunds and requests the rest. A
 * repeated request has the same id, so that the provider refunds once.
 * @returns whether the order has anything to refund
 * @throws ProviderUnknown, ProviderRefused when the provider does not respond
 */
export async function sendRefunds(deps: OrdersDeps, order: OrderRow): Promise<boolean> {
  const open = await ledgerRepository(deps.db).openRefund(order.id)
  if (!open && order.state !== 'refunding') return false
  if (open && (await send(deps, order, open)) !== 'refunded before') return true
  const response = await requireProviderOrder(deps, order)
  await importRefunds(deps, order.id, response)
  // The import has requested the rest of a share; the next call sends it.
  if (order.state !== 'refunding') return true
  await transact(deps.db, async (trx) => {
    const now = await orderWrites(trx).lock(order.id)
    if (now.state !== order.state || (await ledgerRepository(trx).openRefund(order.id))) return
    await recordCaptures(deps, trx, now, response.captures)
    const balances = await ledgerRepository(trx).balances(order.id)
    const { voided } = await applyPlan(deps, trx, order, planRemainder(balances))
    if (voided > 0) await enqueueTakenBackEmail(deps, trx, order)
  })
  return true
}

/** Sends an order's refunds now; the sweep retries what the provider does not confirm. */
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

/** Tells the buyer that the tickets are void. A buyer without tickets got an email when the refund began. */
const enqueueTakenBackEmail = (
  deps: OrdersDeps,
  trx: Trx,
  order: OrderRow,
  note?: string | null,
): Promise<void> =>
  enqueueRefundEmail(deps, trx, { order, amount: cents(order.total_cents), why: 'takenBack', note })

/** Tells the buyer of a refund of a part by staff. An order that goes back whole has an email of its own. */
async function enqueuePartEmail(
  deps: OrdersDeps,
  trx: Trx,
  order: OrderRow,
  refund: OpenRefund,
  returned: readonly OrderTicket[],
): Promise<void> {
  if (order.state !== 'completed') return
  const lines = await ordersRepository(trx).lines(order.id)
  await enqueueRefundEmail(deps, trx, {
    order,
    amount: cents(refund.amount_cents),
    why: refund.part === 'lines' ? 'ticketsRefunded' : 'partRefunded',
    part: `part:${refund.id}`,
    note: refund.note,
    tickets: lines.flatMap(({ offer_id, title }) => {
      const numbers = returned.filter((one) => one.offer_id === offer_id).map(({ number }) => number)
      return numbers.length > 0 ? [{ title, numbers }] : []
    }),
  })
}

async function send(
  deps: OrdersDeps,
  order: OrderRow,
  refund: OpenRefund,
): Promise<ProviderRefund['status'] | 'refunded before'> {
  let made: ProviderRefund | undefined
  let wasRefundedBefore = false
  let why: 'refund_refused' | 'refund_outcome_unknown' = 'refund_refused'
  let refusal: ProviderRefused | undefined
  try {
    made = await readOrSend(deps, order, refund)
    if (!made) why = 'refund_outcome_unknown'
  } catch (error) {
    if (!(error instanceof ProviderRefused)) throw error
    // Our ledger may lack an earlier refund.
    wasRefundedBefore = error.reason === 'already_refunded' || error.reason === 'request_reused'
    if (error.isUnderWay && !wasRefundedBefore)
      throw new ProviderUnknown('refunded by another request', { cause: error })
    refusal = error
    deps.log.error({ orderId: order.id, reason: error.message }, 'refund refused')
  }
  const status = made?.status ?? 'failed'
  await transact(deps.db, async (trx) => {
    const now = await orderWrites(trx).lock(order.id)
    if (!(await ledgerWrites(trx).recordOutcome(refund, status, made?.id ?? null, refusal))) return
    if (refusal && STAFF_CAN_MEND.includes(refusal.reason)) await alertOfRefusal(deps, trx, now, refusal)
    if (status === 'completed') await finishRefund(deps, trx, now, refund)
    if (status === 'failed' && !wasRefundedBefore)
      await applyPlan(deps, trx, now, planRefusal(now, refund, why))
  })
  return wasRefundedBefore ? 'refunded before' : status
}

/** Refusals that concern all refunds until somebody changes something at the provider. */
const STAFF_CAN_MEND: readonly RefusalReason[] = ['no_funds', 'shop_fault', 'other']

async function finishRefund(deps: OrdersDeps, trx: Trx, order: OrderRow, refund: OpenRefund): Promise<void> {
  const failedLater = await ledgerRepository(trx).lastFailedLater(order.id, refund.capture_id)
  if (refund.reason === 'paid_twice' && failedLater === undefined)
    await enqueueRefundEmail(deps, trx, {
      order,
      amount: cents(refund.amount_cents),
      why: 'paidTwice',
      part: refund.capture_id,
    })
  const balances = await ledgerRepository(trx).balances(order.id)
  const lines = await ledgerRepository(trx).refundLines(refund.id)
  const { voided, returned } = await applyPlan(deps, trx, order, planDone(balances, refund.reason, lines))
  if (voided > 0) await enqueueTakenBackEmail(deps, trx, order, refund.note)
  else if (refund.part) await enqueuePartEmail(deps, trx, order, refund, returned)
  else if (failedLater !== undefined)
    await enqueueRepeatedRefundEmail(deps, trx, order, refund.amount_cents, failedLater)
}

/**
 * Reads a refund by its id, or sends it as long as a repeated request counts as the same one. Later it is only looked
 * up in the provider's list, since sending it could refund twice.
 * @returns undefined when the outcome cannot be found: staff must decide
 * @throws ProviderRefused when the refund was not made, ProviderUnknown when the outcome is open
 */
async function readOrSend(
  deps: OrdersDeps,
  order: OrderRow,
  refund: OpenRefund,
): Promise<ProviderRefund | undefined> {
  const isRecent = await ledgerRepository(deps.db).isRecent(refund.id, deps.provider.refundKeyLifetime)
  if (refund.refund_id) {
    const made = await readRefund(deps, refund.refund_id, isRecent)
    return made ? assertMatchesRequest(refund, made) : findListed(deps, order, refund)
  }
  if (!isRecent) return findListed(deps, order, refund)
  const money = { amount: cents(refund.amount_cents), currency: refund.currency }
  const note = deps.emails.refundNote(order.language as Language, refund.reason, refund.note)
  const requestId = `${refund.capture_id}:refund:${refund.attempt}`
  try {
    const made = await deps.provider.refund({ captureId: refund.capture_id, money, note }, requestId)
    return matchesRequest(refund, made) ? made : await ofEarlierRequest(deps, order, refund, made)
  } catch (error) {
    if (!(error instanceof ProviderRefused && error.reason === 'request_reused')) throw error
    return ofEarlierRequest(deps, order, refund)
  }
}

const matchesRequest = (refund: OpenRefund, { captureId, money }: ProviderRefund): boolean =>
  (captureId ?? refund.capture_id) === refund.capture_id &&
  money?.currency === refund.currency &&
  money.amount === refund.amount_cents

/** @throws ProviderUnknown when `made` is another refund: the request is safe to repeat */
function assertMatchesRequest(refund: OpenRefund, made: ProviderRefund): ProviderRefund {
  if (matchesRequest(refund, made)) return made
  throw new ProviderUnknown(`asked to refund ${refund.capture_id}, it answered with another refund`)
}

/**
 * A database restored from a backup may reuse the request id of an earlier refund. The provider then refuses the
 * request or responds with that refund. Ours was made only if it is listed.
 * @param made the refund of the response
 * @throws ProviderRefused `request_reused` when another attempt is needed, ProviderUnknown when `made` is not listed
 */
async function ofEarlierRequest(
  deps: OrdersDeps,
  order: OrderRow,
  refund: OpenRefund,
  made?: ProviderRefund,
): Promise<ProviderRefund> {
  const response = await requireProviderOrder(deps, order)
  const isMade = (one: ProviderRefund): boolean =>
    one.id === made?.id &&
    one.money?.amount === made.money?.amount &&
    one.money?.currency === made.money?.currency &&
    one.captureId === made.captureId
  if (made && !response.refunds.some(isMade)) assertMatchesRequest(refund, made)
  const found = await findListed(deps, order, refund, response)
  if (found) return found
  throw new ProviderRefused('request_reused')
}

/** @returns undefined when the provider does not know an old refund; a recent one may become readable later */
async function readRefund(
  { provider }: OrdersDeps,
  id: string,
  isRecent: boolean,
): Promise<ProviderRefund | undefined> {
  try {
    return await provider.readRefund(id)
  } catch (error) {
    if (!(error instanceof ProviderRefused)) throw error
    if (!isRecent) return undefined
    throw new ProviderUnknown('it does not know a refund that it has made', { cause: error })
  }
}

/** A listed refund with the request's capture and amount: that with its id, or else one that our ledger lacks. */
async function findListed(
  deps: OrdersDeps,
  order: OrderRow,
  refund: OpenRefund,
  response?: ProviderOrder,
): Promise<ProviderRefund | undefined> {
  const { captures, refunds } = response ?? (await requireProviderOrder(deps, order))
  const known = await ledgerRepository(deps.db).refundIds(order.id)
  const onlyCapture = captures.length === 1 ? captures[0]?.id : undefined
  return refunds.find(
    (one) =>
      (one.captureId ?? onlyCapture) === refund.capture_id &&
      one.money?.amount === refund.amount_cents &&
      one.money.currency === refund.currency &&
      (refund.refund_id ? one.id === refund.refund_id : !known.includes(one.id)),
  )
}
