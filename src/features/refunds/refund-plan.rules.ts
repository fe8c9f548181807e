import type { OrderState, ReasonFor, RefundReason } from '#features/orders/order-machine.rules.ts'
import { type Cents, cents, shareOf } from '#shared/money.ts'

/** The refund plan: pure functions from an order and its ledger to actions, which the server part carries out. */

/** Failed refunds of one capture after which staff decide. */
export const MAX_FAILED_REFUNDS = 5

/** The balance of a capture that took money, in cents. */
export interface CaptureBalance {
  captureId: string
  currency: string
  taken: number
  /** Completed refunds. */
  returned: number
  /** The same with requested and pending ones, ours and the provider's. */
  claimed: number
  /** The part of `claimed` since our first refund; all of it when there is none. */
  claimedSince: number
  /** Number of refunds made at the provider, ours and theirs, that failed there. */
  undone: number
  /** Number of failed refunds of ours. */
  failed: number
  /** The same of the provider's: a chargeback that the shop won. */
  failedAtProvider: number
}

export interface OrderToRefund {
  state: OrderState
  total_cents: number
}

/** A line of an order and the state of its offer. */
export interface RefundableLine {
  offer_id: number
  title: string
  /** Price without added tax. */
  cents: number
  is_cancelled: boolean
  /** Whether a refund of it was requested before. */
  is_requested: boolean
}

type Planned = 'closeRefund' | 'closeReview' | 'requireReview' | 'reopenRefund' | 'reopenReview'
type Move = { [Event in Planned]: { do: 'move'; event: Event; reason: ReasonFor<Event> } }[Planned]

export type RefundAction =
  | { do: 'request'; captureId: string; amount: Cents; reason: RefundReason }
  | Move
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

/** Whether all money is back, and there was some. */
export const isAllReturned = (balances: readonly CaptureBalance[]): boolean =>
  balances.some(({ taken }) => taken > 0) && balances.every(({ taken, returned }) => returned >= taken)

/** Whether more went back of a capture than it took. */
export const isOverReturned = ({ taken, returned }: CaptureBalance): boolean => returned > taken

/** Whether the shop has more money of a paid order than it cost. */
export const isPaidTwice = (order: OrderToRefund, balances: readonly CaptureBalance[]): boolean =>
  order.state === 'completed' &&
  balances.reduce((sum, { taken, returned }) => sum + taken - returned, 0) > order.total_cents

/** The capture that pays an order: of those with money left, the one of which most goes back. */
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

/** For an order in `refunding`, after the import: requests the rest, closes the order, or leaves it to staff. */
export function planRemainder(balances: readonly CaptureBalance[]): RefundAction[] {
  const unsent = balances.filter(hasLeft)
  if (unsent.some(({ failed }) => failed >= MAX_FAILED_REFUNDS)) return [review('refund_refused_repeatedly')]
  if (unsent.length > 0) return planWholeRefund(balances, 'remainder')
  if (isAllReturned(balances)) return [{ do: 'move', event: 'closeRefund', reason: 'refunded_at_provider' }]
  return balances.length > 0 && balances.every(({ taken }) => taken <= 0) ? [review('nothing_was_taken')] : []
}

/** For a refused refund. One of a second payment leaves the order paid. */
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

/** For a completed refund of ours. */
export const planDone = (balances: readonly CaptureBalance[], reason: RefundReason): RefundAction[] =>
  isAllReturned(balances) ? [{ do: 'move', event: 'closeRefund', reason }] : []

/**
 * For imported refunds. Once all money is back the order is closed, a part leaves it paid (ADR 0017).
 * @param lines of the order
 * @param unlisted captures with refunds that the provider does not list: nothing of them is sent
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

/** Refunds a second payment; the capture stays of which most went back, since shares are counted from it. */
function planSurplus(order: OrderToRefund, balances: readonly CaptureBalance[]): RefundAction[] {
  const payment = payingCapture(order, balances)
  return balances
    .filter((one) => payment && one !== payment && hasLeft(one))
    .map((one) =>
      one.failed >= MAX_FAILED_REFUNDS ? surplusStays(one.captureId) : request(one, left(one), 'paid_twice'),
    )
}

/**
 * Money of a refunded order that has returned. A refund of ours that failed later is sent again, a second payment is
 * refunded; after a failed refund of the provider's (a chargeback that the shop won) staff decide.
 */
function planReopening(balances: readonly CaptureBalance[]): RefundAction[] {
  const here = balances.filter(hasLeft)
  const [first] = here
  if (!first) return []
  if (here.some(({ failedAtProvider }) => failedAtProvider > 0))
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
    if (one.failed >= MAX_FAILED_REFUNDS) return [...actions, review('refund_refused_repeatedly')]
    actions.push(request(one, left(one), reasonFor(one)))
  }
  return actions
}

/**
 * The share of cancelled offers of a paid order whose refund failed later or was refused. The amount is what has not
 * gone back since the first share, not what has failed: the refused request, or somebody at the provider, may have sent
 * it. So nothing is sent while refunds are unlisted.
 */
function planFailedShare(
  order: OrderToRefund,
  balances: readonly CaptureBalance[],
  lines: readonly RefundableLine[],
  unlisted: readonly string[],
): RefundAction[] {
  const payment = payingCapture(order, balances)
  if (!payment || unlisted.includes(payment.captureId)) return []
  // With several payments the share may have been sent from another one.
  if (balances.length === 1 && payment.undone === 0 && payment.failed === 0) return []
  const amount = Math.min(requestedShare(order, lines) - payment.claimedSince, left(payment))
  if (amount <= 0) return []
  return [
    ...(payment.undone > 0 ? [{ do: 'alert' as const, details: { left_cents: amount } }] : []),
    payment.failed >= MAX_FAILED_REFUNDS
      ? review('refund_refused_repeatedly')
      : request(payment, cents(amount), 'offer_cancelled'),
  ]
}

/**
 * For cancelled offers of a paid order: refunds all that is left when it bought nothing else, otherwise what the cancelled
 * lines cost with tax, at most what is left.
 * @returns the lines concerned
 */
export function planCancellation(
  order: OrderToRefund,
  balances: readonly CaptureBalance[],
  lines: readonly RefundableLine[],
): { due: RefundableLine[]; isWhole: boolean; actions: RefundAction[] } {
  const due = lines.filter((line) => line.is_cancelled && !line.is_requested)
  const isWhole = lines.every((line) => line.is_cancelled || line.is_requested)
  if (due.length === 0) return { due, isWhole, actions: [] }
  // What these lines add to the earlier share: rounded shares add up to the rounded sum.
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

/** Cents of an order's total, with tax, that were requested for its cancelled offers. */
export const requestedShare = (order: OrderToRefund, lines: readonly RefundableLine[]): Cents =>
  shareOf(cents(order.total_cents), sumOf(lines.filter((line) => line.is_requested)), sumOf(lines))

const sumOf = (lines: readonly RefundableLine[]): Cents =>
  cents(lines.reduce((sum, line) => sum + line.cents, 0))
