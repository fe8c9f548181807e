import * as z from 'zod'
import { key } from '#i18n/keys.ts'

/** `/api/staff/offers/{slug}/…` */
export const StaffOfferParams = z.object({ slug: z.string().min(1).max(200) })

/** How far the refunds of a cancelled offer are, as numbers of orders. Times are ISO 8601 in UTC. */
export const Cancellation = z.object({
  slug: z.string(),
  reason: z.string(),
  cancelled_at: z.string(),
  /** When all money was back; null until then. */
  returned_at: z.nullable(z.string()),
  /** Their payment is open: they complete or are given up first. */
  payments_in_progress: z.int(),
  /** Paid, and the share is not requested yet. */
  waiting: z.int(),
  /** The provider has not confirmed the refund. */
  returning: z.int(),
  /** Staff must decide. */
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
