import {
  type OrderState,
  type ReasonFor,
  type RefundReason,
  RELEASED,
} from '#features/purchase/orders/order-machine.rules.ts'
import { type Bill, hasLeft, payingCapture } from '#features/purchase/orders/paying-capture.rules.ts'
import { type Cents, cents, shareOf } from '#shared/money.ts'

/** The refund plan: pure functions from an order and its ledger to actions. The server part carries them out. */

/** After this number of failed refunds of a capture staff decide. */
export const MAX_FAILED_REFUNDS = 5

/**
 * A capture that took money. Amounts are cents. Unless stated, refunds include those made at the provider. Amounts that
 * staff refunded for no tickets are in `returned` and `refunded` only: they say nothing of a share, and staff repeat them.
 */
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

export interface OrderToRefund extends Bill {
  state: OrderState
}

/** What a share is a part of. */
type Total = Pick<Bill, 'total_cents'>

export interface RefundableLine {
  offer_id: number
  title: string
  quantity: number
  /** Price of a ticket in cents, without added tax. */
  unit_cents: number
  /** Number of its tickets that are void, with their refund requested. */
  returned: number
  is_cancelled: boolean
}

/** Tickets of a line. */
export interface LinePart {
  offer_id: number
  quantity: number
}

type Planned = 'closeRefund' | 'resolveReview' | 'sendToReview' | 'reopenRefund' | 'reopenForReview'
type Move = { [Event in Planned]: { do: 'move'; event: Event; reason: ReasonFor<Event> } }[Planned]

/** A refund of a capture. */
export interface RefundRequest {
  captureId: string
  amount: Cents
  reason: RefundReason
  /** Of staff, for a part of the order. */
  part?: 'lines' | 'amount' | undefined
  /** Tickets that become void once it is done. */
  lines?: readonly LinePart[]
  /** Tickets that the amount belongs to, when they are void already. */
  shares?: readonly LinePart[]
}

export type RefundAction =
  | (RefundRequest & { do: 'request' })
  | Move
  /** Voids the tickets that were issued last, and counts them as returned. */
  | { do: 'return'; lines: readonly LinePart[] }
  /** Raises an alert that our ledger and the provider's differ. */
  | {
      do: 'alert'
      details: {
        capture_id?: string
        captured_cents?: number
        returned_cents?: number
        surplus_cents?: number
        left_cents?: number
      }
    }

/** What decides how much of a capture goes back with a cancelled offer. */
export type CaptureRest = Pick<CaptureBalance, 'captureId' | 'captured' | 'refunded'>

const left = ({ captured, refunded }: CaptureRest): Cents => cents(captured - refunded)
const request = (
  one: CaptureRest,
  amount: Cents,
  reason: RefundReason,
): RefundRequest & { do: 'request' } => ({
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

/**
 * For a failed refund of ours. After a refused refund of a second payment the order stays completed, and after that of a
 * part, of which no ticket is void yet: staff choose again (alert `refundRefused`).
 */
export function planRefusal(
  order: OrderToRefund,
  refund: { capture_id: string; amount_cents: number; reason: string; part?: string | null },
  reason: 'refund_refused' | 'refund_outcome_unknown',
): RefundAction[] {
  if (order.state === 'completed' && refund.part) return []
  return order.state === 'completed' && refund.reason === 'paid_twice'
    ? [surplusStays(refund.capture_id, refund.amount_cents)]
    : [review(reason)]
}

/** A second payment whose refund is refused. */
const surplusStays = (capture_id: string, surplus_cents: number): RefundAction => ({
  do: 'alert',
  details: { capture_id, surplus_cents },
})

/** For a completed refund of ours: closes the order once all its money is returned, or returns the tickets it was for. */
export function planDone(
  balances: readonly CaptureBalance[],
  reason: RefundReason,
  lines: readonly LinePart[] = [],
): RefundAction[] {
  if (isAllReturned(balances)) return [{ do: 'move', event: 'closeRefund', reason }]
  return lines.length > 0 ? [{ do: 'return', lines }] : []
}

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
  for (const { captureId: capture_id, captured, returned } of balances.filter(isOverReturned))
    actions.push({
      do: 'alert',
      details: { capture_id, captured_cents: captured, returned_cents: returned },
    })
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
      one.failed >= MAX_FAILED_REFUNDS
        ? surplusStays(one.captureId, left(one))
        : request(one, left(one), 'paid_twice'),
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
 * Requests again the share of returned tickets (of cancelled offers, or by staff) whose refund failed. The amount is what was not refunded since the first
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
  const kept = lines.some((line) => ticketsLeft(line) > 0) ? KEPT_FOR_TICKETS : 0
  const amount = Math.min(requestedShare(order, lines) - payment.refundedSince, left(payment) - kept)
  if (amount <= 0) return []
  const isOfCancelled = lines.some((line) => line.is_cancelled && line.returned > 0)
  return [
    ...(payment.failedLater > 0 ? [{ do: 'alert' as const, details: { left_cents: amount } }] : []),
    payment.failed >= MAX_FAILED_REFUNDS
      ? review('refund_refused_repeatedly')
      : request(payment, cents(amount), isOfCancelled ? 'offer_cancelled' : 'refund_failed_later'),
  ]
}

/**
 * Cents that stay of an order with valid tickets: once all its money is back it closes, and its tickets are void. So
 * much may be missing when staff have refunded an amount besides.
 */
const KEPT_FOR_TICKETS = 1

/**
 * For cancelled offers of a completed order: refunds all that is left when the order has no other lines, else the
 * cancelled lines' price with tax, at most what is left but for the cent that keeps the other tickets valid.
 * @returns `due`: the lines whose share is requested now
 */
export function planCancellation(
  order: Total,
  balances: readonly CaptureRest[],
  lines: readonly RefundableLine[],
): { due: RefundableLine[]; isWhole: boolean; actions: RefundAction[] } {
  const due = lines.filter((line) => line.is_cancelled && ticketsLeft(line) > 0)
  const isWhole = lines.every((line) => line.is_cancelled || ticketsLeft(line) === 0)
  if (due.length === 0) return { due, isWhole, actions: [] }
  const parts = due.map(restOf)
  const actions = requestParts({ order, balances, lines, parts, isWhole }, 'offer_cancelled')
  return { due, isWhole, actions }
}

interface Parts {
  order: Total
  balances: readonly CaptureRest[]
  lines: readonly RefundableLine[]
  /** Tickets that are void already. */
  parts: readonly LinePart[]
  /** Whether they are all that is left of the order. */
  isWhole: boolean
}

/** The price of tickets with tax, or all that is left, at most so much that the other tickets stay valid. */
function requestParts({ order, balances, lines, parts, isWhole }: Parts, reason: RefundReason) {
  const most = leftOf(balances) - KEPT_FOR_TICKETS
  let wanted = isWhole ? Infinity : Math.min(shareOfParts(order, lines, parts), most)
  return balances.flatMap((one) => {
    const amount = Math.min(wanted, left(one))
    if (amount <= 0) return []
    wanted -= amount
    return [{ ...request(one, cents(amount), reason), shares: parts }]
  })
}

/** For tickets of a completed order that two people void: refunds their price, or all that is left with the last ones. */
export function planVoidedTickets(
  order: Total,
  balances: readonly CaptureRest[],
  lines: readonly RefundableLine[],
  parts: readonly LinePart[],
): { isWhole: boolean; amount: Cents; actions: (RefundRequest & { do: 'request' })[] } {
  const isWhole = isRest(lines, parts)
  const actions = requestParts({ order, balances, lines, parts, isWhole }, 'staff_request')
  return { isWhole, amount: cents(actions.reduce((sum, { amount }) => sum + amount, 0)), actions }
}

export const ticketsLeft = ({ quantity, returned }: RefundableLine): number => quantity - returned
const restOf = (line: RefundableLine): LinePart => ({ offer_id: line.offer_id, quantity: ticketsLeft(line) })

/** Cents of the total, with tax, of the tickets that are returned. */
export const requestedShare = (order: Total, lines: readonly RefundableLine[]): Cents =>
  shareOf(
    cents(order.total_cents),
    sumOf(lines, ({ returned }) => returned),
    sumOf(lines, ({ quantity }) => quantity),
  )

/** The same of parts that are still to be returned: a difference, since rounded parts would not add up to the whole. */
export function shareOfParts(
  order: Total,
  lines: readonly RefundableLine[],
  parts: readonly LinePart[],
): Cents {
  const then = lines.map((line) => ({
    ...line,
    returned: line.returned + (parts.find(({ offer_id }) => offer_id === line.offer_id)?.quantity ?? 0),
  }))
  return cents(requestedShare(order, then) - requestedShare(order, lines))
}

const sumOf = (lines: readonly RefundableLine[], count: (line: RefundableLine) => number): Cents =>
  cents(lines.reduce((sum, line) => sum + count(line) * line.unit_cents, 0))

/** What staff ask for: all that is left, the tickets of lines, or an amount for no tickets. */
export type StaffRefundRequest =
  | { kind: 'whole' }
  | { kind: 'lines'; lines: readonly LinePart[] }
  | { kind: 'amount'; amount: Cents }

export type StaffRefundRefusal =
  /** Nothing to refund in this state. */
  | 'notRefundable'
  /** A part, and the order is not a paid one whose tickets count. */
  | 'onlyWhole'
  /** Another refund is on its way. */
  | 'inProgress'
  /** The part is more than what is left. */
  | 'notEnoughLeft'
  /** The part is all that is left: a whole refund, which voids the tickets. */
  | 'takesAll'
  /** The order has no such line, or fewer tickets of it are left. */
  | 'noSuchTickets'

export interface StaffRefundPlan {
  kind: StaffRefundRequest['kind']
  actions: RefundAction[]
  /** Sum of the requests. */
  amount: Cents
  /** Left of the order before and after. */
  left: Cents
  leftAfter: Cents
  /** Tickets that become void once the refund is done; of a line those that were issued last. */
  voided: readonly LinePart[] | 'all'
  /** How the order moves now, and its state once the provider has made the refund. */
  move: 'refundByStaff' | 'refuseLate' | undefined
  stateAfter: OrderState
  /** What the buyer is told, once. */
  email: 'takenBack' | 'paidLate' | 'sentAgain' | 'ticketsRefunded' | 'partRefunded' | undefined
}

export const isReleased = (state: OrderState): boolean => RELEASED.some((one) => one === state)

/** What can still be refunded of an order. */
export const leftOf = (balances: readonly CaptureRest[]): Cents =>
  cents(balances.reduce((sum, one) => sum + left(one), 0))

/** What a refund by staff is decided from. */
export interface RefundableOrder {
  order: OrderToRefund
  balances: readonly CaptureBalance[]
  lines: readonly RefundableLine[]
  validTickets: number
  /** Whether a refund of ours has no outcome yet. */
  hasOpenRefund: boolean
}

/** A refund by staff: what it does, or why it is refused. Preview and action both ask here. */
export function planStaffRefund(
  { order, balances, lines, validTickets, hasOpenRefund }: RefundableOrder,
  wanted: StaffRefundRequest,
): StaffRefundPlan | { refused: StaffRefundRefusal; left: Cents } {
  const here = leftOf(balances)
  const refuse = (refused: StaffRefundRefusal, most = here) => ({ refused, left: most })
  const isPaid = order.state === 'completed' || order.state === 'review'
  const isPaidLate = isReleased(order.state) && here > 0
  if (!isPaid && !isPaidLate) return refuse('notRefundable')
  if (wanted.kind === 'lines' && !areThere(lines, wanted.lines)) return refuse('noSuchTickets')
  // Beside an open refund the rest could not be requested, nor by whom and why.
  if (hasOpenRefund && (wanted.kind !== 'whole' || order.state === 'completed')) return refuse('inProgress')
  if (wanted.kind === 'whole' || (wanted.kind === 'lines' && isRest(lines, wanted.lines)))
    return {
      kind: 'whole',
      actions: planWholeRefund(balances, 'staff_request'),
      amount: here,
      left: here,
      leftAfter: cents(0),
      voided: 'all',
      move: isPaid ? 'refundByStaff' : 'refuseLate',
      stateAfter: 'refunded',
      email: isPaid ? wholeEmail(balances, validTickets) : 'paidLate',
    }
  if (order.state !== 'completed') return refuse('onlyWhole')
  const payment = payingCapture(order, balances)
  const most = payment ? left(payment) : cents(0)
  const amount = wanted.kind === 'amount' ? wanted.amount : shareOfParts(order, lines, wanted.lines)
  if (!payment || amount > most) return refuse('notEnoughLeft', most)
  if (amount === most) return refuse('takesAll', most)
  const isOfLines = wanted.kind === 'lines'
  return {
    kind: wanted.kind,
    actions: [
      {
        ...request(payment, amount, 'staff_request'),
        part: wanted.kind,
        ...(isOfLines && { lines: wanted.lines }),
      },
    ],
    amount,
    left: here,
    leftAfter: cents(here - amount),
    voided: isOfLines ? wanted.lines : [],
    move: undefined,
    stateAfter: 'completed',
    email: isOfLines ? 'ticketsRefunded' : 'partRefunded',
  }
}

function wholeEmail(balances: readonly CaptureBalance[], validTickets: number): StaffRefundPlan['email'] {
  if (validTickets > 0) return 'takenBack'
  return balances.some(({ failedLater }) => failedLater > 0) ? 'sentAgain' : undefined
}

const areThere = (lines: readonly RefundableLine[], parts: readonly LinePart[]): boolean =>
  parts.every(({ offer_id, quantity }) =>
    lines.some((line) => line.offer_id === offer_id && quantity <= ticketsLeft(line)),
  )

/** Whether the parts are all tickets that are left. */
const isRest = (lines: readonly RefundableLine[], parts: readonly LinePart[]): boolean =>
  lines.every(
    (line) => ticketsLeft(line) === (parts.find(({ offer_id }) => offer_id === line.offer_id)?.quantity ?? 0),
  )
