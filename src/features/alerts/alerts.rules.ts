/** The kinds of alerts. Apart from the contract, whose schemas no screen of the console loads. */
export const ALERT_KINDS = [
  'invariant',
  'invariantsUnchecked',
  'ledgerDiffers',
  'orderUnreconciled',
  'reconciliationLate',
  'wrongAmount',
  'unknownPayment',
  'statementPayment',
  'vatCountryDiffers',
  'orderInReview',
  'paymentUnclear',
  'providerRefuses',
  'dispute',
  'manyHolds',
  'refundLate',
  'refundRefused',
  'notificationsWaiting',
  'emailsWaiting',
  'emailsFailed',
  'messageLate',
  'approvalUndone',
  'cardMissedDraw',
  'postNotCounted',
  'drawWithoutTerms',
  'beaconSilent',
  'jobMissing',
] as const
export type AlertKind = (typeof ALERT_KINDS)[number]

/** What the shop does not always see the end of. It resolves the others itself, and would raise them again at once. */
const CLOSED_BY_HAND: readonly AlertKind[] = [
  'ledgerDiffers',
  'wrongAmount',
  'unknownPayment',
  'statementPayment',
  'providerRefuses',
  'cardMissedDraw',
]
export const mayBeClosed = (kind: AlertKind): boolean => CLOSED_BY_HAND.includes(kind)

/** What details may be named: each has words in all languages. Names that end in `cents` are sums in euro cents. */
export const ALERT_DETAILS = [
  'ordered_cents',
  'taken_cents',
  'taken',
  'capture_id',
  'captured_cents',
  'returned_cents',
  'surplus_cents',
  'unlisted_capture',
  'said',
  'answer',
  'due',
  'dispute_reason',
  'page',
  'cents',
  'left_cents',
  'ours_cents',
  'theirs_cents',
  'payments',
  'captures',
  'order',
  'after_order',
  'part',
  'reason',
  'country',
  'payer_country',
  'funding_country',
  'since',
  'wanted',
  'begun',
  'last_try',
  'oldest',
  'due_since',
  'oldest_minutes',
  'seconds',
  'waiting',
  'cards',
  'messages',
  'last_week',
  'held',
  'total',
  'title',
  'count',
  'more',
  'rows',
] as const
/** Why an order is in review, as details name it (`orders/order-machine.rules.ts`); each has words in all languages. */
export const ALERT_REASONS = [
  'refund_refused',
  'refund_outcome_unknown',
  'refund_refused_repeatedly',
  'nothing_was_taken',
  'money_came_back',
] as const

export const isAlertReason = (name: string, value: unknown): value is (typeof ALERT_REASONS)[number] =>
  name === 'reason' && ALERT_REASONS.some((one) => one === value)

export type AlertDetail = (typeof ALERT_DETAILS)[number]
export type AlertDetails = Partial<Record<AlertDetail, unknown>>

export const isAlertDetail = (name: string): name is AlertDetail =>
  (ALERT_DETAILS as readonly string[]).includes(name)

/** Whether a detail is a sum, which may be below zero or exceed an amount. */
export const isCents = (name: string, value: unknown): value is number =>
  /(?:^|_)cents$/.test(name) && Number.isSafeInteger(value)
