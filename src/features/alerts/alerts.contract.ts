import * as z from 'zod'
import { key } from '#i18n/keys.ts'
import { ALERT_KINDS, WEBHOOK_FORMATS } from './alerts.rules.ts'

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

/** Where messages about alerts go. */
export const Channels = z.object({
  /** Whether ALERT_EMAIL is set. */
  email: z.boolean(),
  /** Null without ALERT_WEBHOOK_URL. */
  webhook: z.nullable(
    z.object({
      format: z.enum(WEBHOOK_FORMATS),
      /** When the last message arrived; null when none did yet. */
      sent_at: z.nullable(z.string()),
      /** Null while messages arrive. */
      failing_since: z.nullable(z.string()),
      /** What its receiver said, or why there is no connection. */
      error: z.nullable(z.string()),
    }),
  ),
})
export type Channels = z.infer<typeof Channels>

/** GET /api/staff/alerts/: open ones first, then the resolved ones, each the newest first. */
export const Alerts = z.object({
  items: z.array(Alert),
  next: z.nullable(z.string()),
  /** How many are open, by kind. */
  open: z.record(z.string(), z.int()),
  channels: Channels,
})
export type Alerts = z.infer<typeof Alerts>

export const AlertsQuery = z.object({
  /** `next` of the response before. */
  after: z.optional(z.string().regex(/^(?:open|over):\d{1,15}$/, key('errors.field.invalid'))),
  limit: z.optional(z.coerce.number(key('errors.field.wholeNumber')).int().min(1).max(200)),
  /** Of one kind alone. */
  kind: z.optional(z.enum(ALERT_KINDS)),
  /** At most so many open ones of a kind, the newest, and the one `with` this id. */
  each: z.optional(z.coerce.number(key('errors.field.wholeNumber')).int().min(1).max(200)),
  with: z.optional(z.coerce.number(key('errors.field.wholeNumber')).int().min(1)),
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
