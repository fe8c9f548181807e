import * as z from 'zod'

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
  'jobMissing',
] as const
export type AlertKind = (typeof ALERT_KINDS)[number]

export const Alert = z.object({
  id: z.int(),
  kind: z.enum(ALERT_KINDS),
  /** An order or an invariant; empty for the whole shop. */
  subject: z.string(),
  /** In the caller's language. */
  title: z.string(),
  details: z.record(z.string(), z.unknown()),
  /** ISO 8601 in UTC, as all times here. */
  since: z.string(),
  last_seen: z.string(),
  times: z.int(),
  /** Null while the alert is open. */
  resolved_at: z.nullable(z.string()),
})
export type Alert = z.infer<typeof Alert>

/** GET /api/staff/alerts/: open ones first, then the resolved ones, each the newest first. */
export const Alerts = z.array(Alert)
