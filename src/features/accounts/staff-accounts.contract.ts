import * as z from 'zod'
import { key } from '#i18n/keys.ts'

/** `id` is that of the account, as in an order of GET /api/staff/orders/{id}/. */
export const StaffAccountParams = z.object({
  id: z.coerce.number(key('errors.field.wholeNumber')).int().positive().max(Number.MAX_SAFE_INTEGER),
})

/** GET /api/staff/accounts/{id}/security/: the newest first. */
export const SecurityEvents = z.array(
  z.object({
    event: z.string(),
    /** Keyed hash of the network: equal for equal networks; null without one. */
    network: z.nullable(z.string()),
    /** A code, or the call of staff. */
    detail: z.nullable(z.string()),
    /** Equal events of one second. */
    times: z.int(),
    at: z.string(),
  }),
)

export type SecurityEvents = z.infer<typeof SecurityEvents>

/** POST /api/staff/accounts/{id}/end-sessions/ */
export const EndedSessions = z.object({ ended: z.int() })
