import type { Trx } from '#platform/database.ts'
import {
  ProviderRefused,
  type ProviderOrder,
  type ProviderRefund,
  ProviderUnknown,
} from '#platform/payment/payment-provider.ts'
import { transact } from '#platform/transaction.ts'
import {
  type OrderRow,
  type OrdersDeps,
  enqueueRefundEmail,
  orderWrites,
  requireProviderOrder,
} from '#features/orders/server/index.ts'
import type { Language } from '#shared/languages.ts'
import { cents } from '#shared/money.ts'
import { planDone, planRefusal, planRemainder } from '../refund-plan.rules.ts'
import { applyPlan } from './apply-plan.ts'
import { enqueueRepeatedRefundEmail, importRefunds } from './import-refunds.ts'
import { type OpenRefund, ledgerRepository, ledgerWrites, recordCaptures } from './ledger.repository.ts'

/**
 * PayPal keeps a refund's request id for 45 days; after that a repeated request would be a new one. A day is left as a
 * margin.
 */
const SAME_REQUEST_DAYS = 44

/**
 * Sends money of an order back: the refund that is requested, or, once the provider's own refunds are imported, what is
 * left of it. An order in `refunding` goes back whole, of a completed one the part that is requested: its share of a
 * cancelled offer. The request id makes a repeated refund the same refund.
 * @returns whether anything is to go back
 * @throws ProviderUnknown, ProviderRefused when the provider does not tell
 */
export async function sendRefunds(deps: OrdersDeps, order: OrderRow): Promise<boolean> {
  const open = await ledgerRepository(deps.db).openRefund(order.id)
  if (!open && order.state !== 'refunding') return false
  if (open && (await send(deps, order, open)) !== 'refunded before') return true
  const answer = await requireProviderOrder(deps, order)
  await importRefunds(deps, order.id, answer)
  // What is left of a part was requested by the import, so that the next look sends it.
  if (order.state !== 'refunding') return true
  await transact(deps.db, async (trx) => {
    const now = await orderWrites(trx).lock(order.id)
    if (now.state !== order.state || (await ledgerRepository(trx).openRefund(order.id))) return
    // An earlier message about what was taken may have been wrong; what goes back is counted by the latest one.
    await recordCaptures(deps, trx, now, answer.captures)
    const balances = await ledgerRepository(trx).balances(order.id)
    const { voided } = await applyPlan(deps, trx, order, planRemainder(balances))
    if (voided > 0) await enqueueTakenBackEmail(deps, trx, order)
  })
  return true
}

/** Tells the holder of tickets that they are void. Who had none was told when the refund began. */
const enqueueTakenBackEmail = (deps: OrdersDeps, trx: Trx, order: OrderRow): Promise<void> =>
  enqueueRefundEmail(deps, trx, { order, amount: cents(order.total_cents), why: 'takenBack' })

/** Asks the provider for one refund and stores its outcome. */
async function send(
  deps: OrdersDeps,
  order: OrderRow,
  refund: OpenRefund,
): Promise<ProviderRefund['status'] | 'refunded before'> {
  let made: ProviderRefund | undefined
  let wasRefundedBefore = false
  let why: 'refund_refused' | 'refund_outcome_unknown' = 'refund_refused'
  try {
    made = await askForRefund(deps, order, refund)
    // Nobody knows whether it was made, so staff look before anything is sent again.
    if (!made) why = 'refund_outcome_unknown'
  } catch (error) {
    if (!(error instanceof ProviderRefused)) throw error
    // Some of it was sent back already, which our ledger may not know.
    wasRefundedBefore = error.reason === 'already_refunded' || error.reason === 'request_reused'
    if (error.isUnderWay && !wasRefundedBefore)
      throw new ProviderUnknown('refunded by another request', { cause: error })
    deps.log.error({ orderId: order.id, reason: error.message }, 'refund refused')
  }
  const status = made?.status ?? 'failed'
  await transact(deps.db, async (trx) => {
    const now = await orderWrites(trx).lock(order.id)
    if (!(await ledgerWrites(trx).recordOutcome(refund, status, made?.id ?? null))) return
    if (status === 'completed') await finishRefund(deps, trx, now, refund)
    if (status === 'failed' && !wasRefundedBefore)
      await applyPlan(deps, trx, now, planRefusal(now, refund, why))
  })
  return wasRefundedBefore ? 'refunded before' : status
}

/** A refund of ours is done: the order may be closed with it, and its buyer is told once. */
async function finishRefund(deps: OrdersDeps, trx: Trx, order: OrderRow, refund: OpenRefund): Promise<void> {
  const undone = await ledgerRepository(trx).lastUndone(order.id, refund.capture_id)
  if (refund.reason === 'paid_twice' && undone === undefined)
    await enqueueRefundEmail(deps, trx, {
      order,
      amount: cents(refund.amount_cents),
      why: 'paidTwice',
      part: refund.capture_id,
    })
  const balances = await ledgerRepository(trx).balances(order.id)
  const { voided } = await applyPlan(deps, trx, order, planDone(balances, refund.reason))
  if (voided > 0) await enqueueTakenBackEmail(deps, trx, order)
  else if (undone !== undefined)
    await enqueueRepeatedRefundEmail(deps, trx, order, refund.amount_cents, undone)
}

/**
 * Asks the provider for a refund: by its id once that is known, else by the same request while it counts as the same;
 * later the refund is looked for among those that the provider lists, and nothing is sent. So is one whose id the
 * provider still does not know by then.
 * @returns undefined when it is too late and no such refund is listed: staff must look
 * @throws ProviderRefused after a definite no, ProviderUnknown when the outcome is open
 */
async function askForRefund(
  deps: OrdersDeps,
  order: OrderRow,
  refund: OpenRefund,
): Promise<ProviderRefund | undefined> {
  const isRecent = await ledgerRepository(deps.db).isRecent(refund.id, SAME_REQUEST_DAYS)
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

/** Whether the provider's refund is the requested one: of its sum, and of its capture where one is named. */
const matchesRequest = (refund: OpenRefund, { captureId, money }: ProviderRefund): boolean =>
  (captureId ?? refund.capture_id) === refund.capture_id &&
  money?.currency === refund.currency &&
  money.amount === refund.amount_cents

/** @throws ProviderUnknown when the provider answers with another refund: the same request is safe to repeat */
function assertMatchesRequest(refund: OpenRefund, made: ProviderRefund): ProviderRefund {
  if (matchesRequest(refund, made)) return made
  throw new ProviderUnknown(`asked to refund ${refund.capture_id}, it answered with another refund`)
}

/**
 * A database that was restored from a backup may count its attempts from one that served another refund already: the
 * provider then refuses the request, or answers with that refund. Ours was not made by it, unless it is listed.
 * @param made the refund that the provider answered with, which counts when it is listed just so
 * @throws ProviderRefused `request_reused` when another attempt is needed, ProviderUnknown when it contradicts itself
 */
async function ofEarlierRequest(
  deps: OrdersDeps,
  order: OrderRow,
  refund: OpenRefund,
  made?: ProviderRefund,
): Promise<ProviderRefund> {
  const answer = await requireProviderOrder(deps, order)
  const isMade = (one: ProviderRefund): boolean =>
    one.id === made?.id &&
    one.money?.amount === made.money?.amount &&
    one.money?.currency === made.money?.currency &&
    one.captureId === made.captureId
  if (made && !answer.refunds.some(isMade)) assertMatchesRequest(refund, made)
  const found = await listedIn(deps, order, refund, answer)
  if (found) return found
  throw new ProviderRefused('request_reused')
}

/**
 * That the provider does not tell of a refund does not mean that there is none.
 * @returns undefined when it has not told for so long that the refund is looked for elsewhere
 */
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
    throw new ProviderUnknown('it does not tell of a refund that it has made', { cause: error })
  }
}

/**
 * A refund of the request's capture and sum, by its id once that is known, else one that our ledger does not have: it is
 * the one that was asked for, or as good.
 */
const findListed = async (
  deps: OrdersDeps,
  order: OrderRow,
  refund: OpenRefund,
): Promise<ProviderRefund | undefined> =>
  listedIn(deps, order, refund, await requireProviderOrder(deps, order))

async function listedIn(
  deps: OrdersDeps,
  order: OrderRow,
  refund: OpenRefund,
  { captures, refunds }: ProviderOrder,
): Promise<ProviderRefund | undefined> {
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
