import type { Trx } from '#platform/database.ts'
import {
  type Capture,
  type ProviderOrder,
  captureIdOf,
  capturesOf,
  refundsOf,
} from '#platform/paypal/messages.ts'
import { transact } from '#platform/transaction.ts'
import { addresseeOf } from '#features/accounts/server/index.ts'
import { voidTickets } from '#features/tickets/server/index.ts'
import { cents } from '#shared/money.ts'
import { comparisonRepository } from './book-comparison.repository.ts'
import { cancellationsRepository } from './cancelled-contests.repository.ts'
import type { CheckoutDeps } from './checkout-deps.ts'
import { CONTEST_CANCELLED, returnedShare } from './contest-shares.ts'
import { orderWrites } from './order-moves.repository.ts'
import { type OrderRow, ordersRepository } from './orders.repository.ts'
import { paymentsRepository } from './payments.repository.ts'
import { amountOf } from './provider-answers.ts'
import { known, queueLetters } from './queue-letters.ts'
import { recordSaid } from './record-captures.ts'
import {
  MADE_THERE,
  MOST_REFUSALS,
  PAID_TWICE,
  STATUS,
  isPaidTwice,
  isTooMuch,
  isWhole,
  surplusStays,
} from './refund-sums.ts'
import {
  type CaptureReturns,
  type SaidRefund,
  refundWrites,
  refundsRepository,
} from './refunds.repository.ts'

/** A refund that the provider had done and that has come to nothing there. */
const FAILED_LATER = 'refund failed after it was done'

/**
 * Takes over what the provider says has gone back of an order: refunds made on its own site, disputes, chargebacks
 * (reliability, rows 24 and 25). Tickets follow the money: once all of it is back they are void, their numbers stay
 * given; a part leaves them valid (ADR 0017). A refund that was done and fails later is wished for again. While a refund
 * of our own is open nothing is taken over, since it may be among those that the provider names; it has its own answer
 * first.
 */
export async function takeOverRefunds(
  deps: CheckoutDeps,
  orderId: string,
  truth: ProviderOrder,
): Promise<void> {
  const refunds = saidRefunds(truth)
  if (refunds.length === 0 && (await isInBook(deps, orderId, truth)) && !(await isOwed(deps, orderId))) return
  await transact(deps.db, async (trx) => {
    const order = await refundWrites(trx).lockOrder(orderId)
    if (await refundsRepository(trx).open(orderId)) return
    // What cannot be true need not stay so: only what its refunds bear out is written down.
    const untold = untoldOf(truth)
    await recordSaid(
      deps,
      trx,
      order,
      capturesOf(truth).filter((one) => !untold.includes(one)),
    )
    // Asked about again soon, it may be told.
    if (untold.length > 0) await comparisonRepository(trx).noteUntold(orderId)
    for (const { id: capture_id, status } of untold)
      await deps.bell.raise(trx, {
        kind: 'booksDiffer',
        subject: orderId,
        details: { capture_id, said: status, refunds: 'not listed' },
      })
    const parts = await refundWrites(trx).takeOver(orderId, refunds, MADE_THERE)
    const returns = await refundsRepository(trx).returns(orderId)
    if (order.state === 'refunded') await reopen(deps, trx, order, returns)
    if (order.state === 'completed') {
      await sendSurplusBack(deps, trx, order, returns)
      await sendUndoneAgain(deps, trx, order, returns, untold)
    }
    for (const excess of returns.filter(isTooMuch))
      await deps.bell.raise(trx, { kind: 'booksDiffer', subject: orderId, details: { ...excess } })
    const isBack = isWhole(returns)
    const moved =
      isBack &&
      (await orderWrites(trx).move(orderId, ['completed', 'refunding', 'review'], 'refunded', MADE_THERE))
    const hadTickets = moved ? (await voidTickets(trx, [orderId])) > 0 : order.state === 'completed'
    if (!hadTickets && isBack) await tellMadeThere(deps, trx, order, parts)
    if (!hadTickets || (!moved && parts.length === 0)) return
    deps.log.warn({ orderId, whole: isBack }, 'money of a completed order went back at the provider')
    const to = known(await addresseeOf(trx, order.user_id))
    const sum = moved ? order.total_cents : parts.reduce((all, one) => all + one.amount, 0)
    const told = moved
      ? ({ why: 'takenBack' } as const)
      : ({
          why: isOfSurplus(order, returns, parts) ? 'paidTwice' : 'partTakenBack',
          part: parts[0]?.id,
        } as const)
    await queueLetters(deps, trx, [() => deps.letters.refund({ order, to, amount: cents(sum), ...told })])
  })
}

/** Somebody has sent on the provider's site what had come to nothing of ours. */
async function tellMadeThere(
  deps: CheckoutDeps,
  trx: Trx,
  order: OrderRow,
  parts: readonly SaidRefund[],
): Promise<void> {
  const undone = await refundsRepository(trx).lastUndone(order.id)
  const amount = parts.reduce((all, one) => all + one.amount, 0)
  if (undone !== undefined && amount > 0) await tellSentAgain(deps, trx, order, amount, undone)
}

/**
 * Tells the buyer that a refund which came to nothing at the provider was made anew, once that one is done there: who was
 * told of the first one waits for its money. One letter for each that came to nothing.
 * @param amount cents
 * @param undone id of the refund that came to nothing
 */
export async function tellSentAgain(
  deps: CheckoutDeps,
  trx: Trx,
  order: OrderRow,
  amount: number,
  undone: number,
): Promise<void> {
  const to = known(await addresseeOf(trx, order.user_id))
  const about = { order, to, amount: cents(amount), why: 'sentAgain', part: `again:${undone}` } as const
  await queueLetters(deps, trx, [() => deps.letters.refund(about)])
}

/**
 * Captures that are said to have gone back, wholly or in part, while the refunds that are listed do not come to that:
 * how much of the money is here is not told.
 */
export function untoldOf(truth: ProviderOrder): Capture[] {
  const refunds = saidRefunds(truth).filter(({ status }) => status !== 'failed')
  return capturesOf(truth).filter((capture) => {
    const listed = refunds.filter(({ captureId }) => captureId === capture.id)
    const back = listed.reduce((sum, { amount }) => sum + amount, 0)
    if (capture.status === 'PARTIALLY_REFUNDED') return back === 0
    return capture.status === 'REFUNDED' && back < (amountOf(capture) ?? Infinity)
  })
}

/** Whether our book says of an order's captures what the provider says of them. */
async function isInBook(deps: CheckoutDeps, orderId: string, truth: ProviderOrder): Promise<boolean> {
  const ours = await paymentsRepository(deps.db).capturesOf(orderId)
  return capturesOf(truth).every(({ id, status }) =>
    ours.some((one) => one.capture_id === id && one.status === status),
  )
}

/** Whether a refund of a paid order may have been refused that is to be wished for again. */
async function isOwed({ db }: CheckoutDeps, orderId: string): Promise<boolean> {
  const order = await ordersRepository(db).byId(orderId)
  if (order?.state !== 'completed') return false
  const returns = await refundsRepository(db).returns(orderId)
  return isPaidTwice(order, returns) || returns.some(({ failed }) => failed > 0)
}

/**
 * An order is paid once. A second capture of it that took money, such as one that was a decline when we paid no more
 * heed to it, goes back as soon as it is seen, and its buyer is told when it is back. The one stays of which most is
 * back already: shares are counted from it.
 */
async function sendSurplusBack(
  deps: CheckoutDeps,
  trx: Trx,
  order: OrderRow,
  returns: readonly CaptureReturns[],
): Promise<void> {
  const payment = paymentOf(order, returns)
  for (const one of returns) {
    if (!payment || one === payment || one.claimed >= one.taken) continue
    if (one.failed >= MOST_REFUSALS) {
      await deps.bell.raise(trx, surplusStays(order, one.captureId))
      continue
    }
    deps.log.warn({ orderId: order.id, captureId: one.captureId }, 'an order was paid twice: refunding')
    await refundWrites(trx).request(one.captureId, order.id, one.taken - one.claimed, PAID_TWICE)
  }
}

/** The capture that pays an order: of those whose money is not all on its way back, the one of which most is. */
const paymentOf = (order: OrderRow, returns: readonly CaptureReturns[]): CaptureReturns | undefined =>
  returns
    .filter(({ taken, claimed }) => taken === order.total_cents && claimed < taken)
    .toSorted((a, b) => b.claimed - a.claimed)[0]

/** Whether refunds give back a second payment, and nothing of the one that pays the order. */
function isOfSurplus(
  order: OrderRow,
  returns: readonly CaptureReturns[],
  refunds: readonly SaidRefund[],
): boolean {
  const payment = paymentOf(order, returns)
  return payment !== undefined && refunds.every(({ captureId }) => captureId !== payment.captureId)
}

/**
 * Money of a refunded order that is here again. A refund of ours that has failed after it was done is made anew, and a
 * second payment goes back like the first; where the provider has taken back one of its own (a chargeback that the shop
 * has won) the tickets are void and the money is here: people decide, for whom an order in review rings.
 */
async function reopen(
  deps: CheckoutDeps,
  trx: Trx,
  order: OrderRow,
  returns: readonly CaptureReturns[],
): Promise<void> {
  const left = returns.filter(({ taken, claimed }) => claimed < taken)
  if (left.length === 0) return
  if (left.some(({ failedThere }) => failedThere > 0)) {
    await orderWrites(trx).move(order.id, ['refunded'], 'review', 'money came back from the provider')
    return
  }
  const reasonOf = (one: CaptureReturns): string => {
    if (one.undone > 0) return FAILED_LATER
    return returns.length > 1 ? PAID_TWICE : 'what is left of it'
  }
  await orderWrites(trx).move(order.id, ['refunded'], 'refunding', left.map(reasonOf)[0] ?? FAILED_LATER)
  const details = { left_cents: left.reduce((sum, { taken, claimed }) => sum + taken - claimed, 0) }
  await deps.bell.raise(trx, { kind: 'booksDiffer', subject: order.id, details })
  for (const one of left)
    if (!(await wishAgain(trx, order, one, one.taken - one.claimed, reasonOf(one)))) return
}

/**
 * The share of cancelled contests of a paid order, when a refund of its payment has failed after it was done, or was
 * refused because some of it was back. What is wished for is counted by what has gone back since the first share and not
 * by what has failed: somebody may have sent the same sum on the provider's site, or the refused request itself may have
 * done so before, and no word about a failure sends anything twice. So nothing is sent while more has gone back than is
 * listed.
 */
async function sendUndoneAgain(
  deps: CheckoutDeps,
  trx: Trx,
  order: OrderRow,
  returns: readonly CaptureReturns[],
  untold: readonly Capture[],
): Promise<void> {
  const payment = paymentOf(order, returns)
  if (untold.some(({ id }) => id === payment?.captureId)) return
  // Where another payment has taken the place of the one that the share was sent from, it is due of that one.
  if (!payment || (returns.length === 1 && payment.undone === 0 && payment.failed === 0)) return
  const share = returnedShare(order, await cancellationsRepository(trx).lines(order.id))
  const amount = Math.min(share - payment.claimedSince, payment.taken - payment.claimed)
  if (amount <= 0) return
  const details = { left_cents: amount }
  if (payment.undone > 0) await deps.bell.raise(trx, { kind: 'booksDiffer', subject: order.id, details })
  await wishAgain(trx, order, payment, amount, CONTEST_CANCELLED)
}

/** Wishes for a refund, unless so many of the capture have failed that staff decide. @returns false when they do */
async function wishAgain(
  trx: Trx,
  order: OrderRow,
  { captureId, failed }: CaptureReturns,
  amount: number,
  reason: string,
): Promise<boolean> {
  const isEnough = failed >= MOST_REFUSALS
  if (isEnough)
    await orderWrites(trx).move(
      order.id,
      ['completed', 'refunding'],
      'review',
      `refund failed ${MOST_REFUSALS} times`,
    )
  else await refundWrites(trx).request(captureId, order.id, amount, reason)
  return !isEnough
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
