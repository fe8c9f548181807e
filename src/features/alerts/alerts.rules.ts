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
  'manyHolds',
  'refundLate',
  'refundRefused',
  'notificationsWaiting',
  'emailsWaiting',
  'emailsFailed',
  'messageLate',
  'cardMissedDraw',
  'jobMissing',
] as const
export type AlertKind = (typeof ALERT_KINDS)[number]

/** What the shop does not always see the end of. It resolves the others itself, and would raise them again at once. */
const CLOSED_BY_HAND: readonly AlertKind[] = [
  'ledgerDiffers',
  'wrongAmount',
  'unknownPayment',
  'statementPayment',
  'cardMissedDraw',
]
export const mayBeClosed = (kind: AlertKind): boolean => CLOSED_BY_HAND.includes(kind)
