import type { OrderState, ReasonFor, RefundReason } from '#features/orders/order-machine.rules.ts'
import { type Cents, cents, shareOf } from '#shared/money.ts'

/** The refund plan: pure functions from an order and its ledger to actions. The server part carries them out. */

/** After this number of failed refunds of a capture staff decide. */
export const MAX_FAILED_REFUNDS = 5

/** A capture that took money. Amounts are cents. Unless stated, refunds include those made at the provider. */
export interface CaptureBalance {
  captureId: string
  currency: string
  captured: number
  /** Completed refunds; more than `captured` after a refund and a chargeback. */
  returned: number
  /** Requested, pending and completed refunds, at most `captured`. */
  refunded: number
  /** Requested, pending and completed refunds from our first refund of this capture on; all when we made none. */
  refundedSince: number
  /** Number of failed refunds that have an id at the provider. */
  failedLater: number
  /** Number of our failed refunds, with or without an id at the provider. */
  failed: number
  /** Number of failed refunds that were made at the provider, such as a chargeback that the shop won. */
  failedAtProvider: number
}

export interface OrderToRefund {
  state: OrderState
  total_cents: number
}

export interface RefundableLine {
  offer_id: number
  title: string
  /** Price of the line in cents, without added tax. */
  cents: number
  is_cancelled: boolean
  is_requested: boolean
}

type Planned = 'closeRefund' | 'resolveReview' | 'sendToReview' | 'reopenRefund' | 'reopenForReview'
type Move = { [Event in Planned]: { do: 'move'; event: Event; reason: ReasonFor<Event> } }[Planned]

export type RefundAction =
  | { do: 'request'; captureId: string; amount: Cents; reason: RefundReason }
  | Move
  /** Raises an alert that our ledger and the provider's differ. */
  | { do: 'alert'; details: Record<string, unknown> }

const left = ({ captured, refunded }: CaptureBalance): Cents => cents(captured - refunded)
const hasLeft = (one: CaptureBalance): boolean => one.refunded < one.captured
const request = (one: CaptureBalance, amount: Cents, reason: RefundReason): RefundAction => ({
  do: 'request',
  captureId: one.captureId,
  amount,
  reason,
})
const review = (reason: ReasonFor<'sendToReview'>): RefundAction => ({
  do: 'move',
  event: 'sendToReview',
  reason,
})

/** Whether refunds of all captures are completed in full; false when no money was captured. */
export const isAllReturned = (balances: readonly CaptureBalance[]): boolean =>
  balances.some(({ captured }) => captured > 0) &&
  balances.every(({ captured, returned }) => returned >= captured)

export const isOverReturned = ({ captured, returned }: CaptureBalance): boolean => returned > captured

/** Whether the shop has more money of a completed order than its total. */
export const isPaidTwice = (order: OrderToRefund, balances: readonly CaptureBalance[]): boolean =>
  order.state === 'completed' &&
  balances.reduce((sum, { captured, returned }) => sum + captured - returned, 0) > order.total_cents

/** The capture that pays an order: of those of the exact total with money left, the one with the largest refunds. */
export const payingCapture = (
  order: OrderToRefund,
  balances: readonly CaptureBalance[],
): CaptureBalance | undefined =>
  balances
    .filter((one) => one.captured === order.total_cents && hasLeft(one))
    .toSorted((a, b) => b.refunded - a.refunded)[0]

export const planWholeRefund = (balances: readonly CaptureBalance[], reason: RefundReason): RefundAction[] =>
  balances.filter(hasLeft).map((one) => request(one, left(one), reason))

/** For an order in `refunding`, after the import: requests the rest, closes the order or hands it to staff. */
export function planRemainder(balances: readonly CaptureBalance[]): RefundAction[] {
  const unsent = balances.filter(hasLeft)
  if (unsent.some(({ failed }) => failed >= MAX_FAILED_REFUNDS)) return [review('refund_refused_repeatedly')]
  if (unsent.length > 0) return planWholeRefund(balances, 'remainder')
  if (isAllReturned(balances)) return [{ do: 'move', event: 'closeRefund', reason: 'refunded_at_provider' }]
  return balances.length > 0 && balances.every(({ captured }) => captured <= 0)
    ? [review('nothing_was_taken')]
    : []
}

/** For a failed refund of ours. After a refused refund of a second payment the order stays completed. */
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

/** For a completed refund of ours: closes the order once all its money is returned. */
export const planDone = (balances: readonly CaptureBalance[], reason: RefundReason): RefundAction[] =>
  isAllReturned(balances) ? [{ do: 'move', event: 'closeRefund', reason }] : []

/**
 * After an import. A full refund closes the order, a partial one leaves it completed (ADR 0017).
 * @param unlisted captures whose refunds the provider does not list completely: no share is requested of them
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
      actions.push({ do: 'move', event: 'resolveReview', reason: 'refunded_at_provider' })
  }
  return actions
}

/** Refunds every capture but the paying one, which shares of cancelled offers are counted from. */
function planSurplus(order: OrderToRefund, balances: readonly CaptureBalance[]): RefundAction[] {
  const payment = payingCapture(order, balances)
  return balances
    .filter((one) => payment && one !== payment && hasLeft(one))
    .map((one) =>
      one.failed >= MAX_FAILED_REFUNDS ? surplusStays(one.captureId) : request(one, left(one), 'paid_twice'),
    )
}

/**
 * For a refunded order of which a refund failed later or a second payment arrived: refunds it again. After a failed
 * refund of the provider's, such as a chargeback that the shop won, staff decide.
 */
function planReopening(balances: readonly CaptureBalance[]): RefundAction[] {
  const here = balances.filter(hasLeft)
  const [first] = here
  if (!first) return []
  if (here.some(({ failedAtProvider }) => failedAtProvider > 0))
    return [{ do: 'move', event: 'reopenForReview', reason: 'money_came_back' }]
  const reasonFor = (one: CaptureBalance): ReasonFor<'reopenRefund'> => {
    if (one.failedLater > 0) return 'refund_failed_later'
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
 * Requests again the share of cancelled offers whose refund failed. The amount is what was not refunded since the first
 * request, not what failed: the money may have been sent all the same. So nothing is sent while refunds are unlisted.
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
  if (balances.length === 1 && payment.failedLater === 0 && payment.failed === 0) return []
  const amount = Math.min(requestedShare(order, lines) - payment.refundedSince, left(payment))
  if (amount <= 0) return []
  return [
    ...(payment.failedLater > 0 ? [{ do: 'alert' as const, details: { left_cents: amount } }] : []),
    payment.failed >= MAX_FAILED_REFUNDS
      ? review('refund_refused_repeatedly')
      : request(payment, cents(amount), 'offer_cancelled'),
  ]
}

/**
 * For cancelled offers of a completed order: refunds all that is left when the order has no other lines, else the
 * cancelled lines' price with tax, at most what is left.
 * @returns `due`: the lines whose share is requested now
 */
export function planCancellation(
  order: OrderToRefund,
  balances: readonly CaptureBalance[],
  lines: readonly RefundableLine[],
): { due: RefundableLine[]; isWhole: boolean; actions: RefundAction[] } {
  const due = lines.filter((line) => line.is_cancelled && !line.is_requested)
  const isWhole = lines.every((line) => line.is_cancelled || line.is_requested)
  if (due.length === 0) return { due, isWhole, actions: [] }
  // A difference of shares: rounding each line would not add up to the rounded sum.
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

/** Cents of the total, with tax, of the lines marked as requested. */
export const requestedShare = (order: OrderToRefund, lines: readonly RefundableLine[]): Cents =>
  shareOf(cents(order.total_cents), sumOf(lines.filter((line) => line.is_requested)), sumOf(lines))

const sumOf = (lines: readonly RefundableLine[]): Cents =>
  cents(lines.reduce((sum, line) => sum + line.cents, 0))
