import * as z from 'zod/mini'

/** GET /api/last-check/: how the last check of the shop's books ended; null before the first one. */
export const LastCheck = z.object({
  last: z.nullable(
    z.object({
      /** ISO 8601 in UTC. */
      checked_at: z.string(),
      /** Statements that must always hold (db/invariants.sql). */
      checks: z.int(),
      failed: z.int(),
      /** Could not be made, because the payment provider did not respond. */
      unknown: z.int(),
    }),
  ),
})
export type LastCheck = z.infer<typeof LastCheck>
