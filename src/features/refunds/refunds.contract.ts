import * as z from 'zod'
import { key } from '#i18n/keys.ts'

/** `/api/staff/offers/{slug}/…` */
export const StaffOfferParams = z.object({ slug: z.string().min(1).max(200) })

/** How far the refunds of a cancelled offer are: numbers of orders. */
export const Cancellation = z.object({
  slug: z.string(),
  reason: z.string(),
  /** ISO 8601 in UTC, as all times here. */
  cancelled_at: z.string(),
  /** When all money was back; null until then. */
  returned_at: z.nullable(z.string()),
  unsettled: z.int(),
  waiting: z.int(),
  returning: z.int(),
  in_review: z.int(),
  returned: z.int(),
})
export type Cancellation = z.infer<typeof Cancellation>

/**
 * POST /api/staff/orders/{id}/refund/, where the provider shows the reason to the buyer, and
 * POST /api/staff/offers/{slug}/cancel/, where it stays in the records.
 */
export const StaffReasonBody = z.object({
  reason: z
    .string(key('errors.field.required'))
    .trim()
    .min(1, key('errors.field.required'))
    .max(200, key('errors.field.tooLong')),
})
