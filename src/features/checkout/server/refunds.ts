import type { Trx } from '#platform/database.ts'
import { ProviderRefused, ProviderUnknown } from '#platform/paypal/faults.ts'
import { type ProviderOrder, captureIdOf, capturesOf, refundsOf } from '#platform/paypal/messages.ts'
import { transact } from '#platform/transaction.ts'
import { addresseeOf } from '#features/accounts/server/index.ts'
import { voidTickets } from '#features/tickets/server/index.ts'
import { cents, toDecimal } from '#shared/money.ts'
import type { CheckoutDeps } from './checkout-deps.ts'
import { orderWrites } from './order-moves.repository.ts'
import type { OrderRow } from './orders.repository.ts'
import { paymentsRepository } from './payments.repository.ts'
import { amountOf, madeAsWished, toldOf } from './provider-answers.ts'
import { known, queueLetters } from './queue-letters.ts'
import { recordSaid } from './record-captures.ts'
import {
  type CaptureReturns,
  type RefundStatus,
  type SaidRefund,
  type WishedRefund,
  refundWrites,
  refundsRepository,
} from './refunds.repository.ts'

/** Refund states of the provider in our words; one that we do not know is not yet decided. */
const STATUS: Record<string, RefundStatus> = {
  COMPLETED: 'completed',
  PENDING: 'pending',
  CANCELLED: 'failed',
  FAILED: 'failed',
}

const MADE_THERE = 'refunded at the provider'

/** Answers of the provider to a refund that say: somebody has sent some of it back already. */
const ALREADY_BACK = ['CAPTURE_FULLY_REFUNDED', 'REFUND_AMOUNT_EXCEEDED']

/** Refusals of one payment's refund after which staff decide: each looked as if the rest could still be sent. */
const MOST_REFUSALS = 5

const hasTaken = (returns: readonly CaptureReturns[]): boolean => returns.some(({ taken }) => taken > 0)

/** Whether all of it is back; nothing is back of nothing. */
const isWhole = (returns: readonly CaptureReturns[]): boolean =>
  hasTaken(returns) && returns.every(({ taken, returned }) => returned >= taken)

/** Whether more went back of a capture than was taken: money of the shop, for staff to claim from the provider. */
export const isTooMuch = ({ taken, returned }: CaptureReturns): boolean => returned > taken

/**
 * Takes over what the provider says has gone back of an order: refunds made on its own site, disputes, chargebacks
 * (reliability, rows 24 and 25). Tickets follow the money: once all of it is back they are void, their numbers stay
 * given; a part leaves them valid (ADR 0017). While a refund of our own is open nothing is taken over, since it may be
 * among those that the provider names; it has its own answer first.
 */
export async function takeOverRefunds(
  deps: CheckoutDeps,
  orderId: string,
  truth: ProviderOrder,
): Promise<void> {
  const refunds = saidRefunds(truth)
  if (refunds.length === 0 && (await isInBook(deps, orderId, truth))) return
  await transact(deps.db, async (trx) => {
    const order = await refundWrites(trx).lockOrder(orderId)
    if (await refundsRepository(trx).open(orderId)) return
    await recordSaid(deps, trx, order, capturesOf(truth))
    const fresh = await refundWrites(trx).takeOver(orderId, refunds, MADE_THERE)
    const returns = await refundsRepository(trx).returns(orderId)
    if (order.state === 'completed') await sendSurplusBack(deps, trx, order, returns)
    for (const excess of returns.filter(isTooMuch))
      await deps.bell.raise(trx, { kind: 'booksDiffer', subject: orderId, details: { ...excess } })
    const isBack = isWhole(returns)
    const moved =
      isBack &&
      (await orderWrites(trx).move(orderId, ['completed', 'refunding', 'review'], 'refunded', MADE_THERE))
    const hadTickets = moved ? (await voidTickets(trx, [orderId])) > 0 : order.state === 'completed'
    const parts = fresh.filter((one) => one.status !== 'failed')
    if (!hadTickets || (!moved && parts.length === 0)) return
    deps.log.warn({ orderId, whole: isBack }, 'money of a completed order went back at the provider')
    const to = known(await addresseeOf(trx, order.user_id))
    const sum = moved ? order.total_cents : parts.reduce((all, one) => all + one.amount, 0)
    const told = moved
      ? ({ why: 'takenBack' } as const)
      : ({ why: 'partTakenBack', part: parts[0]?.id } as const)
    await queueLetters(deps, trx, [() => deps.letters.refund({ order, to, amount: cents(sum), ...told })])
  })
}

/** Whether our book says of an order's captures what the provider says of them. */
async function isInBook(deps: CheckoutDeps, orderId: string, truth: ProviderOrder): Promise<boolean> {
  const ours = await paymentsRepository(deps.db).capturesOf(orderId)
  return capturesOf(truth).every(({ id, status }) =>
    ours.some((one) => one.capture_id === id && one.status === status),
  )
}

/**
 * An order is paid once. A second capture of it that took money, such as one that was a decline when we paid no more
 * heed to it, goes back at once. The one stays of which most is back already: shares are counted from it.
 */
async function sendSurplusBack(
  deps: CheckoutDeps,
  trx: Trx,
  order: OrderRow,
  returns: readonly CaptureReturns[],
): Promise<void> {
  const here = returns
    .filter(({ taken, claimed }) => claimed < taken)
    .toSorted((a, b) => b.claimed - a.claimed)
  const payment = here.find(({ taken }) => taken === order.total_cents)
  for (const one of here) {
    if (!payment || one === payment) continue
    const amount = cents(one.taken - one.claimed)
    await refundWrites(trx).request(one.captureId, order.id, amount, 'paid twice')
    deps.log.warn({ orderId: order.id, captureId: one.captureId }, 'an order was paid twice: refunding')
    const to = known(await addresseeOf(trx, order.user_id))
    await queueLetters(deps, trx, [
      () => deps.letters.refund({ order, to, amount, why: 'partTakenBack', part: one.captureId }),
    ])
  }
}

function saidRefunds(truth: ProviderOrder): SaidRefund[] {
  const captures = capturesOf(truth)
  return refundsOf(truth).flatMap((refund) => {
    const captureId = captureIdOf(refund) ?? (captures.length === 1 ? captures[0]?.id : undefined)
    const amount = amountOf(refund)
    if (!captureId || !amount || !captures.some((one) => one.id === captureId)) return []
    return [{ id: refund.id, captureId, amount, status: STATUS[refund.status] ?? 'pending' }]
  })
}

/**
 * Sends money of an order back: the wish that is open, or, once the provider's own refunds are taken over, what is left
 * of it. An order in `refunding` goes back whole, of a completed one the part that is wished for: its share of a
 * cancelled contest. The request id makes a repeated refund the same refund.
 * @returns whether anything is to go back
 */
export async function finishRefund(deps: CheckoutDeps, order: OrderRow): Promise<boolean> {
  const wish = await refundsRepository(deps.db).open(order.id)
  if (!wish && order.state !== 'refunding') return false
  const part = order.state === 'refunding' ? undefined : wish
  if (wish && (await send(deps, order, wish)) !== 'gone already') return true
  const truth = toldOf(order, await deps.paypal.getOrder(order.provider_order_id ?? ''))
  await takeOverRefunds(deps, order.id, truth)
  await transact(deps.db, async (trx) => {
    const now = await refundWrites(trx).lockOrder(order.id)
    if (now.state !== order.state || (await refundsRepository(trx).open(order.id))) return
    // What was taken may have been told wrong before; what goes back is counted by the latest word.
    await recordSaid(deps, trx, now, capturesOf(truth))
    const returns = await refundsRepository(trx).returns(order.id)
    const unsent = returns.filter(
      (one) => one.claimed < one.taken && (part?.capture_id ?? one.captureId) === one.captureId,
    )
    if (unsent.some(({ failed }) => failed >= MOST_REFUSALS))
      return toReview(trx, order, `refund refused ${MOST_REFUSALS} times`)
    for (const { captureId, taken, claimed } of unsent) {
      const left = Math.min(part?.amount_cents ?? Infinity, taken - claimed)
      await refundWrites(trx).request(captureId, order.id, left, part?.reason ?? 'what is left of it')
    }
    if (isWhole(returns)) await close(deps, trx, order, MADE_THERE)
    else if (returns.length > 0 && !hasTaken(returns))
      await toReview(trx, order, 'nothing was taken, so nothing goes back')
  })
  return true
}

/** Leaves an order whose money does not go back to staff, for whom it rings. */
async function toReview(trx: Trx, order: OrderRow, reason: string): Promise<void> {
  await orderWrites(trx).move(order.id, ['refunding', 'completed'], 'review', reason)
}

/** The money is back: tickets that the order may have had are void, which their holder is told. */
async function close(deps: CheckoutDeps, trx: Trx, order: OrderRow, reason: string): Promise<void> {
  if (!(await orderWrites(trx).move(order.id, ['refunding', 'completed'], 'refunded', reason))) return
  // Who had none was told when the money set out.
  if ((await voidTickets(trx, [order.id])) === 0) return
  const to = known(await addresseeOf(trx, order.user_id))
  const amount = cents(order.total_cents)
  await queueLetters(deps, trx, [() => deps.letters.refund({ order, to, amount, why: 'takenBack' })])
}

/** Asks the provider for one refund and notes its answer. */
async function send(
  deps: CheckoutDeps,
  order: OrderRow,
  wish: WishedRefund,
): Promise<RefundStatus | 'gone already'> {
  let status: RefundStatus
  let refundId: string | null = null
  let goneAlready = false
  try {
    const body = {
      amount: { currency_code: wish.currency, value: toDecimal(cents(wish.amount_cents)) },
      note_to_payer: wish.reason.slice(0, 255),
    }
    const made = await deps.paypal.refundCapture(
      wish.capture_id,
      body,
      `${wish.capture_id}:refund:${wish.attempt}`,
    )
    const told = madeAsWished(wish, made)
    status = STATUS[told.status] ?? 'pending'
    refundId = told.id
  } catch (error) {
    if (!(error instanceof ProviderRefused)) throw error
    if (error.isUnderWay) throw new ProviderUnknown('refunded by another request', { cause: error })
    status = 'failed'
    goneAlready = ALREADY_BACK.some((issue) => error.has(issue))
    deps.log.error({ orderId: order.id, reason: error.message }, 'refund refused')
  }
  await transact(deps.db, async (trx) => {
    await refundWrites(trx).lockOrder(order.id)
    if (!(await refundWrites(trx).answer(wish, status, refundId))) return
    if (status === 'completed' && isWhole(await refundsRepository(trx).returns(order.id))) {
      await close(deps, trx, order, wish.reason)
    }
    if (status === 'failed' && !goneAlready) {
      await toReview(trx, order, 'refund failed')
    }
  })
  return goneAlready ? 'gone already' : status
}
