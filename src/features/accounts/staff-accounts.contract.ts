import * as z from 'zod'
import { key } from '#i18n/keys.ts'
import { Email } from './accounts.contract.ts'

/** `id` is that of the account, as in an order of GET /api/staff/orders/{id}/. */
export const StaffAccountParams = z.object({
  id: z.coerce.number(key('errors.field.wholeNumber')).int().positive().max(Number.MAX_SAFE_INTEGER),
})

/** `after` is `next` of the response before. */
export const SecurityEventsQuery = z.object({
  after: z.optional(StaffAccountParams.shape.id),
  limit: z.optional(z.coerce.number(key('errors.field.wholeNumber')).int().min(1).max(200)),
})

/** GET /api/staff/accounts/{id}/security/: the newest first. */
export const SecurityEvents = z.object({
  items: z.array(
    z.object({
      id: z.int(),
      event: z.string(),
      /** Keyed hash of the network: equal for equal networks; null without one. */
      network: z.nullable(z.string()),
      /** A code, or the call of staff. */
      detail: z.nullable(z.string()),
      /** Equal events of one second. */
      times: z.int(),
      at: z.string(),
    }),
  ),
  next: z.nullable(z.string()),
})

export type SecurityEvents = z.infer<typeof SecurityEvents>

/** POST /api/staff/accounts/{id}/end-sessions/ */
export const EndedSessions = z.object({ ended: z.int() })

/** POST /api/staff/accounts/{id}/correct-email/: the address waits for the link that is sent there. */
export const CorrectEmailBody = z.object({
  email: Email,
  /** For staff: how they know that it is the customer who asks. */
  note: z
    .string(key('errors.field.required'))
    .trim()
    .min(1, key('errors.field.required'))
    .max(1_000, key('errors.field.tooLong')),
})
export type CorrectEmailBody = z.infer<typeof CorrectEmailBody>
