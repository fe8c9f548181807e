import * as z from 'zod'

export const StaffOfferParams = z.object({ slug: z.string().min(1).max(200) })

/** Progress of a cancelled offer's refunds, as numbers of orders. Times are ISO 8601 in UTC. */
export const Cancellation = z.object({
  slug: z.string(),
  reason: z.string(),
  cancelled_at: z.string(),
  returned_at: z.nullable(z.string()),
  /** The payment is open: it completes, or the order is closed. */
  payments_in_progress: z.int(),
  /** Completed, and the share is not requested yet. */
  waiting: z.int(),
  /** Requested, and not confirmed by the provider. */
  returning: z.int(),
  in_review: z.int(),
  returned: z.int(),
})
export type Cancellation = z.infer<typeof Cancellation>
