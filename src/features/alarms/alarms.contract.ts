import * as z from 'zod'

/** What staff must look at. */
export const ALARM_KINDS = [
  'invariant',
  'promisesUnchecked',
  'booksDiffer',
  'orderUncompared',
  'comparisonLate',
  'wrongAmount',
  'unknownPayment',
  'orderInReview',
  'paymentUnclear',
  'refundLate',
  'notificationsWaiting',
  'mailsWaiting',
  'mailsFailed',
] as const
export type AlarmKind = (typeof ALARM_KINDS)[number]

export const Alarm = z.object({
  id: z.int(),
  kind: z.enum(ALARM_KINDS),
  /** What it is about: an order, an invariant; empty for the whole shop. */
  subject: z.string(),
  /** The kind in words, in the caller's language. */
  title: z.string(),
  details: z.record(z.string(), z.unknown()),
  /** ISO 8601 in UTC, as all times here. */
  since: z.string(),
  last_seen: z.string(),
  times: z.int(),
  /** Null while it lasts. */
  resolved_at: z.nullable(z.string()),
})
export type Alarm = z.infer<typeof Alarm>

/** GET /api/staff/alarms/: open ones first, then those that are over, the newest in front. */
export const Alarms = z.array(Alarm)
