import * as z from 'zod'

/** `/api/staff/offers/{slug}/…` */
export const StaffContestParams = z.object({ slug: z.string().min(1).max(200) })

/** How far the refunds of a cancelled contest are: numbers of orders. */
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
