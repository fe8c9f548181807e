import type { OrderState, ReasonFor, RefundReason } from '#features/orders/order-machine.rules.ts'
import { type Cents, cents, shareOf } from '#shared/money.ts'

/**
 * What becomes of an order's money, as pure functions from the order and its ledger to actions. They decide; the server
 * part reads the ledger, carries the actions out in one transaction, and speaks to the provider.
 */

/** Refusals of one capture's refunds after which staff decide: each looked as if the rest could still be sent. */
export const MOST_REFUSALS = 5

/** What of a capture is where, in cents. Only captures that took money have a balance. */
export interface CaptureBalance {
  captureId: string
  currency: string
  taken: number
  /** Refunds that are done. */
  returned: number
  /** The same with those under way, ours and the provider's. */
  claimed: number
  /** What of `claimed` was requested or made since our first refund; all of it when there is none. */
  claimedSince: number
  /** Refunds that were made at the provider, ours and theirs, and failed there. */
  undone: number
  /** Refunds of ours that failed. */
  failed: number
  /** The same of the provider's: a chargeback that the shop has won. */
  failedThere: number
}

export interface OrderToRefund {
  state: OrderState
  total_cents: number
}

/** A line of an order with what became of its offer. */
export interface RefundableLine {
  offer_id: number
  title: string
  /** What it cost before any tax that is added. */
  cents: number
  is_cancelled: boolean
  /** Whether a refund of it was requested before. */
  is_requested: boolean
}

type Move<Event extends 'closeRefund' | 'closeReview' | 'requireReview' | 'reopenRefund' | 'reopenReview'> = {
  do: 'move'
  event: Event
  reason: ReasonFor<Event>
}

export type RefundAction =
  | { do: 'request'; captureId: string; amount: Cents; reason: RefundReason }
  | Move<'closeRefund'>
  | Move<'closeReview'>
  | Move<'requireReview'>
  | Move<'reopenRefund'>
  | Move<'reopenReview'>
  /** An alert that our ledger and the provider's differ, with details for staff. */
  | { do: 'alert'; details: Record<string, unknown> }

const left = ({ taken, claimed }: CaptureBalance): Cents => cents(taken - claimed)
const hasLeft = (one: CaptureBalance): boolean => one.claimed < one.taken
const request = (one: CaptureBalance, amount: Cents, reason: RefundReason): RefundAction => ({
  do: 'request',
  captureId: one.captureId,
  amount,
  reason,
})
const review = (reason: ReasonFor<'requireReview'>): RefundAction => ({
  do: 'move',
  event: 'requireReview',
  reason,
})

/** Whether all money is back; of an order that took none, nothing is. */
export const isAllReturned = (balances: readonly CaptureBalance[]): boolean =>
  balances.some(({ taken }) => taken > 0) && balances.every(({ taken, returned }) => returned >= taken)

/** Whether more went back of a capture than was taken: money of the shop, for staff to claim from the provider. */
export const isOverReturned = ({ taken, returned }: CaptureBalance): boolean => returned > taken

/** Whether more of a paid order's money is here than it cost: it was paid twice, and the surplus is not back. */
export const isPaidTwice = (order: OrderToRefund, balances: readonly CaptureBalance[]): boolean =>
  order.state === 'completed' &&
  balances.reduce((sum, { taken, returned }) => sum + taken - returned, 0) > order.total_cents

/** The capture that pays an order: of those whose money is not all on its way back, the one of which most is. */
export const payingCapture = (
  order: OrderToRefund,
  balances: readonly CaptureBalance[],
): CaptureBalance | undefined =>
  balances
    .filter((one) => one.taken === order.total_cents && hasLeft(one))
    .toSorted((a, b) => b.claimed - a.claimed)[0]

/** Requests all that is left of every capture. */
export const planWholeRefund = (balances: readonly CaptureBalance[], reason: RefundReason): RefundAction[] =>
  balances.filter(hasLeft).map((one) => request(one, left(one), reason))

/**
 * What follows for an order in `refunding` once the provider's own refunds are imported: the rest is requested, or the
 * order is closed, or staff decide.
 */
export function planRemainder(balances: readonly CaptureBalance[]): RefundAction[] {
  const unsent = balances.filter(hasLeft)
  if (unsent.some(({ failed }) => failed >= MOST_REFUSALS)) return [review('refund_refused_repeatedly')]
  if (unsent.length > 0) return planWholeRefund(balances, 'remainder')
  if (isAllReturned(balances)) return [{ do: 'move', event: 'closeRefund', reason: 'refunded_at_provider' }]
  return balances.length > 0 && balances.every(({ taken }) => taken <= 0) ? [review('nothing_was_taken')] : []
}

/** What follows when the provider has refused a refund. A second payment concerns no tickets: the order stays paid. */
export const planRefusal = (
  order: OrderToRefund,
  refund: { capture_id: string; reason: string },
  reason: 'refund_refused' | 'refund_outcome_unknown',
): RefundAction[] =>
  order.state === 'completed' && refund.reason === 'paid_twice'
    ? [surplusStays(refund.capture_id)]
    : [review(reason)]

const surplusStays = (captureId: string): RefundAction => ({
  do: 'alert',
  details: { capture_id: captureId, surplus: 'refund refused' },
})

/** What follows once a refund of ours is done. */
export const planDone = (balances: readonly CaptureBalance[], reason: RefundReason): RefundAction[] =>
  isAllReturned(balances) ? [{ do: 'move', event: 'closeRefund', reason }] : []

/**
 * What follows when the provider's refunds of an order were imported. Tickets follow the money: once all of it is back
 * the order is closed, a part leaves it paid (ADR 0017).
 * @param lines of the order
 * @param unlisted captures of which more went back than the provider lists: nothing of them is sent
 */
export function planAfterImport(
  order: OrderToRefund,
  balances: readonly CaptureBalance[],
  lines: readonly RefundableLine[],
  unlisted: readonly string[],
): RefundAction[] {
  const actions: RefundAction[] = []
  if (order.state === 'refunded') actions.push(...planReopening(balances))
  if (order.state === 'completed') {
    actions.push(...planSurplus(order, balances))
    actions.push(...planFailedShare(order, balances, lines, unlisted))
  }
  for (const excess of balances.filter(isOverReturned)) actions.push({ do: 'alert', details: { ...excess } })
  if (isAllReturned(balances)) {
    if (order.state === 'completed' || order.state === 'refunding')
      actions.push({ do: 'move', event: 'closeRefund', reason: 'refunded_at_provider' })
    if (order.state === 'review')
      actions.push({ do: 'move', event: 'closeReview', reason: 'refunded_at_provider' })
  }
  return actions
}

/**
 * An order is paid once. A second capture that took money, such as one that was declined when we last heard of it, goes
 * back as soon as it is seen. The one stays of which most is back already: shares are counted from it.
 */
function planSurplus(order: OrderToRefund, balances: readonly CaptureBalance[]): RefundAction[] {
  const payment = payingCapture(order, balances)
  return balances
    .filter((one) => payment && one !== payment && hasLeft(one))
    .map((one) =>
      one.failed >= MOST_REFUSALS ? surplusStays(one.captureId) : request(one, left(one), 'paid_twice'),
    )
}

/**
 * Money of a refunded order that is here again. A refund of ours that failed after it was done is made anew, and a second
 * payment goes back like the first; where the provider has undone one of its own refunds (a chargeback that the shop has
 * won) the tickets are void and the money is here: staff decide.
 */
function planReopening(balances: readonly CaptureBalance[]): RefundAction[] {
  const here = balances.filter(hasLeft)
  const [first] = here
  if (!first) return []
  if (here.some(({ failedThere }) => failedThere > 0))
    return [{ do: 'move', event: 'reopenReview', reason: 'money_came_back' }]
  const reasonFor = (one: CaptureBalance): ReasonFor<'reopenRefund'> => {
    if (one.undone > 0) return 'refund_failed_later'
    return balances.length > 1 ? 'paid_twice' : 'remainder'
  }
  const actions: RefundAction[] = [
    { do: 'move', event: 'reopenRefund', reason: reasonFor(first) },
    { do: 'alert', details: { left_cents: here.reduce((sum, one) => sum + left(one), 0) } },
  ]
  for (const one of here) {
    if (one.failed >= MOST_REFUSALS) return [...actions, review('refund_refused_repeatedly')]
    actions.push(request(one, left(one), reasonFor(one)))
  }
  return actions
}

/**
 * The share of cancelled offers of a paid order, when a refund of its payment has failed after it was done, or was
 * refused because some of it was back. What is requested is counted by what has gone back since the first share and not
 * by what has failed: somebody may have sent the same sum at the provider, or the refused request itself may have done
 * so before, and no message about a failure sends anything twice. So nothing is sent while more has gone back than is
 * listed.
 */
function planFailedShare(
  order: OrderToRefund,
  balances: readonly CaptureBalance[],
  lines: readonly RefundableLine[],
  unlisted: readonly string[],
): RefundAction[] {
  const payment = payingCapture(order, balances)
  if (!payment || unlisted.includes(payment.captureId)) return []
  // Where another payment has taken the place of the one that the share was sent from, it is due of that one.
  if (balances.length === 1 && payment.undone === 0 && payment.failed === 0) return []
  const amount = Math.min(requestedShare(order, lines) - payment.claimedSince, left(payment))
  if (amount <= 0) return []
  return [
    ...(payment.undone > 0 ? [{ do: 'alert' as const, details: { left_cents: amount } }] : []),
    payment.failed >= MOST_REFUSALS
      ? review('refund_refused_repeatedly')
      : request(payment, cents(amount), 'offer_cancelled'),
  ]
}

/**
 * What goes back of a paid order whose offers were cancelled: the whole rest when it bought nothing else, otherwise what
 * the cancelled lines cost, tax and all, and never more than is left.
 * @returns the lines concerned, none when there is nothing to do
 */
export function planCancellation(
  order: OrderToRefund,
  balances: readonly CaptureBalance[],
  lines: readonly RefundableLine[],
): { due: RefundableLine[]; isWhole: boolean; actions: RefundAction[] } {
  const due = lines.filter((line) => line.is_cancelled && !line.is_requested)
  const isWhole = lines.every((line) => line.is_cancelled || line.is_requested)
  if (due.length === 0) return { due, isWhole, actions: [] }
  // What these lines add to the share that went back before, so that the rounded shares add up to the rounded sum.
  const then = lines.map((line) => (due.includes(line) ? { ...line, is_requested: true } : line))
  let wanted = isWhole ? Infinity : requestedShare(order, then) - requestedShare(order, lines)
  const actions = balances.flatMap((one) => {
    const amount = Math.min(wanted, left(one))
    if (amount <= 0) return []
    wanted -= amount
    return [request(one, cents(amount), 'offer_cancelled')]
  })
  return { due, isWhole, actions }
}

/** Cents of an order's total that were requested back for its cancelled offers, tax and all. */
export const requestedShare = (order: OrderToRefund, lines: readonly RefundableLine[]): Cents =>
  shareOf(cents(order.total_cents), sumOf(lines.filter((line) => line.is_requested)), sumOf(lines))

const sumOf = (lines: readonly RefundableLine[]): Cents =>
  cents(lines.reduce((sum, line) => sum + line.cents, 0))
