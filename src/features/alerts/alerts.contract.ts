import * as z from 'zod'
import { key } from '#i18n/keys.ts'
import { ALERT_KINDS } from './alerts.rules.ts'

export const Alert = z.object({
  id: z.int(),
  kind: z.enum(ALERT_KINDS),
  /** An order or an invariant; empty for the whole shop. */
  subject: z.string(),
  /** The number of the order that the subject is, as its buyer knows it. */
  order_number: z.nullable(z.string()),
  /** In the caller's language. */
  title: z.string(),
  details: z.record(z.string(), z.unknown()),
  /** ISO 8601 in UTC, as all times here. */
  since: z.string(),
  last_seen: z.string(),
  times: z.int(),
  /** Null while the alert is open. */
  resolved_at: z.nullable(z.string()),
  /** Who looks after it, with a note for the others. */
  taken: z.nullable(
    z.object({ by: z.string(), by_id: z.int(), at: z.string(), note: z.nullable(z.string()) }),
  ),
  /** Who closed it; null for one that is open or that the shop resolved. */
  closed_by: z.nullable(z.string()),
})
export type Alert = z.infer<typeof Alert>

/** GET /api/staff/alerts/: open ones first, then the resolved ones, each the newest first. */
export const Alerts = z.object({ items: z.array(Alert), next: z.nullable(z.string()) })

export const AlertsQuery = z.object({
  /** `next` of the answer before. */
  after: z.optional(z.string().regex(/^(?:open|over):\d{1,15}$/, key('errors.field.invalid'))),
  limit: z.optional(z.coerce.number(key('errors.field.wholeNumber')).int().min(1).max(200)),
})

export const AlertParams = z.object({ id: z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER) })

/** POST /api/staff/alerts/{id}/take/ */
export const TakeAlertBody = z.object({
  /** Whom it is taken over from; nobody when left out. With somebody else 409. */
  taken_by: z.nullable(z.int()).default(null),
  note: z.optional(z.string().trim().max(500, key('errors.field.tooLong'))),
})

/**
 * POST /api/staff/alerts/{id}/close/: of kinds that the shop does not resolve itself. The reason becomes the note, which
 * is erased in time: it may tell of a customer.
 */
export const CloseAlertBody = z.object({
  reason: z
    .string(key('errors.field.required'))
    .trim()
    .min(1, key('errors.field.required'))
    .max(500, key('errors.field.tooLong')),
})
