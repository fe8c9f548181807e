/**
 * The states of an order and its moves. An event moves it in one conditional UPDATE with a row in `order_events`
 * (`server/order-moves.repository.ts`). Invariant I10 and the drawing in ARCHITECTURE.md (`npm run order-machine`) are
 * generated from this table.
 */

export const ORDER_STATES = {
  held: 'Tickets are held for the buyer; the provider was not asked for money.',
  capturing:
    'The provider was asked for the money and its answer is not known yet; the hold does not expire.',
  pending: 'The provider took the payment and has not confirmed it; the hold does not expire.',
  completed: 'Paid, numbers issued.',
  expired: 'The hold ran out; a returning buyer may get it again.',
  cancelled: 'Given up by the buyer, by the shop or by the provider.',
  superseded: 'The buyer ordered something else.',
  refunding: 'Money is going back.',
  refunded: 'All money is back; tickets it had are void.',
  review: 'Staff must decide.',
} as const

export type OrderState = keyof typeof ORDER_STATES

export const HOLDING = ['held', 'capturing', 'pending'] as const satisfies readonly OrderState[]

/** States in which a payment was requested and is not confirmed. */
export const CAPTURING = ['capturing', 'pending'] as const satisfies readonly OrderState[]

/** States in which the provider must be asked about the money. */
export const AWAITING_PROVIDER: readonly OrderState[] = [...CAPTURING, 'refunding']

/** States of an order whose tickets were released; money can still arrive. */
export const RELEASED = ['expired', 'cancelled', 'superseded'] as const satisfies readonly OrderState[]

/** States of a paid order whose money the provider can still return by itself. */
export const PAID: readonly OrderState[] = ['completed', 'refunded', 'review']

/** States in which nothing is open: neither a payment, nor a refund, nor a decision of staff. */
export const CLOSED: readonly OrderState[] = ['completed', ...RELEASED, 'refunded']

/** Conditions besides the state, checked by the UPDATE or its transaction. */
export const ORDER_GUARDS = {
  ticketsFree: 'every offer has that many tickets free (condition of the UPDATE on offers)',
  holdRunsUnextended: 'the hold has not run out, was not extended before and does not end with a contest',
  holdRanOut: 'the hold has run out, by the clock of the database',
  unknownToProvider: 'the provider has no order of it',
  offersRun: 'every offer still runs, and the account is active and can take part',
  payerMayBuy: 'the payer, if the provider names one, is not excluded',
} as const

export type OrderGuard = keyof typeof ORDER_GUARDS

/** Reason codes of refunds and of the moves that begin them. */
export const REFUND_REASONS = [
  'refunded_at_provider',
  'wrong_amount',
  'tickets_gone',
  'paid_after_end',
  'payer_excluded',
  'offer_cancelled',
  'staff_request',
  'paid_twice',
  'refund_failed_later',
  'remainder',
] as const
export type RefundReason = (typeof REFUND_REASONS)[number]

/** Why staff refund; `reason` of such a refund is `staff_request`. */
export const STAFF_REFUND_REASONS = [
  'customer_request',
  'duplicate',
  'prize_changed',
  'goodwill',
  'error',
  'fraud',
  'other',
] as const
export type StaffRefundReason = (typeof STAFF_REFUND_REASONS)[number]

interface Transition {
  /** `new`: not stored yet. */
  from: readonly (OrderState | 'new')[]
  to: OrderState
  guard?: OrderGuard
  reasons: readonly string[]
}

export const ORDER_EVENTS = {
  place: { from: ['new'], to: 'held', guard: 'ticketsFree', reasons: ['created'] },
  extendHold: { from: ['held'], to: 'held', guard: 'holdRunsUnextended', reasons: ['buyer_needs_time'] },
  expireHold: { from: ['held'], to: 'expired', guard: 'holdRanOut', reasons: ['hold_expired'] },
  renewHold: { from: ['expired'], to: 'held', guard: 'ticketsFree', reasons: ['buyer_returned'] },
  supersede: { from: ['held'], to: 'superseded', reasons: ['hold_replaced', 'order_changed'] },
  cancel: {
    from: ['held'],
    to: 'cancelled',
    reasons: ['buyer_cancelled', 'offer_ended', 'staff_released', 'buyer_excluded'],
  },
  cancelUncreated: {
    from: ['held'],
    to: 'cancelled',
    guard: 'unknownToProvider',
    reasons: ['provider_refused_order'],
  },

  beginCapture: { from: ['held'], to: 'capturing', guard: 'offersRun', reasons: ['capture_requested'] },
  returnToBuyer: {
    from: ['capturing'],
    to: 'held',
    reasons: [
      'capture_declined',
      'payer_action',
      'not_approved',
      'capture_refused',
      'not_captured',
      'provider_unavailable',
    ],
  },
  failCapture: {
    from: ['capturing'],
    to: 'cancelled',
    reasons: [
      'payment_denied',
      'payment_refused',
      'shop_fault',
      'voided_at_provider',
      'unknown_to_provider',
      'payer_excluded',
    ],
  },
  awaitConfirmation: { from: ['held', 'capturing'], to: 'pending', reasons: ['capture_pending'] },
  failPending: { from: ['pending'], to: 'cancelled', reasons: ['capture_declined'] },
  complete: { from: HOLDING, to: 'completed', guard: 'payerMayBuy', reasons: ['captured'] },
  completeLate: { from: RELEASED, to: 'completed', guard: 'ticketsFree', reasons: ['captured_late'] },

  refuseHeld: {
    from: HOLDING,
    to: 'refunding',
    reasons: ['refunded_at_provider', 'wrong_amount', 'paid_after_end', 'payer_excluded'],
  },
  refuseLate: {
    from: RELEASED,
    to: 'refunding',
    reasons: [
      'refunded_at_provider',
      'wrong_amount',
      'tickets_gone',
      'paid_after_end',
      'payer_excluded',
      'staff_request',
    ],
  },
  refundCancelledOffer: { from: ['completed'], to: 'refunding', reasons: ['offer_cancelled'] },
  refundByStaff: { from: ['completed', 'review'], to: 'refunding', reasons: ['staff_request'] },
  closeRefund: { from: ['refunding', 'completed'], to: 'refunded', reasons: REFUND_REASONS },
  resolveReview: { from: ['review'], to: 'refunded', reasons: ['refunded_at_provider'] },
  sendToReview: {
    from: ['refunding', 'completed'],
    to: 'review',
    reasons: ['refund_refused', 'refund_outcome_unknown', 'refund_refused_repeatedly', 'nothing_was_taken'],
  },
  // A refund failed after its completion, or a chargeback was reversed.
  reopenRefund: {
    from: ['refunded'],
    to: 'refunding',
    reasons: ['refund_failed_later', 'paid_twice', 'remainder'],
  },
  reopenForReview: { from: ['refunded'], to: 'review', reasons: ['money_came_back'] },
} as const satisfies Record<string, Transition>

export type OrderEvent = keyof typeof ORDER_EVENTS
export type ReasonFor<Event extends OrderEvent> = (typeof ORDER_EVENTS)[Event]['reasons'][number]

/** Why orders moved: the codes of their events. */
export const EVENT_REASONS: readonly EventReason[] = [
  ...new Set(Object.values(ORDER_EVENTS).flatMap<EventReason>(({ reasons }) => reasons)),
]
export type EventReason = ReasonFor<OrderEvent>

export function allowedMoves(): [from: OrderState | 'new', to: OrderState][] {
  const pairs = Object.values(ORDER_EVENTS).flatMap(({ from, to }) => from.map((one) => `${one} ${to}`))
  return [...new Set(pairs)].map((pair) => pair.split(' ') as [OrderState | 'new', OrderState])
}

export const movesAsSql = (): string =>
  allowedMoves()
    .map(([from, to]) => `('${from}', '${to}')`)
    .join(',\n         ')

export function machineAsTable(): string {
  const rows = Object.entries<Transition>(ORDER_EVENTS).map(([event, { from, to, guard, reasons }]) => [
    event,
    from.join(', '),
    to,
    guard ?? '',
    reasons.join(', '),
  ])
  const head = ['Event', 'From', 'To', 'Guard', 'Reason codes']
  const widths = head.map((title, at) => Math.max(title.length, ...rows.map((row) => row[at]?.length ?? 0)))
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n')
}
