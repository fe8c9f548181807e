import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { Cancellation, StaffContestParams } from '../staff-contests.contract.ts'
import { StaffReasonBody } from '../staff-orders.contract.ts'
import type { CancellationRow } from './cancelled-contests.repository.ts'
import { cancelContest, cancellation } from './cancelled-contests.ts'
import type { CheckoutDeps } from './checkout-deps.ts'

/** Staff cancel a contest, and see how far its refunds are. */
export const staffContestsRoutes =
  (deps: CheckoutDeps) =>
  async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<ZodTypeProvider>()
    const schema = { tags: ['staff'], params: StaffContestParams, response: { 200: Cancellation } }

    app.post(
      '/api/staff/offers/:slug/cancel/',
      { schema: { ...schema, body: StaffReasonBody } },
      async ({ params, body }) => toCancellation(await cancelContest(deps, params.slug, body.reason)),
    )

    app.get('/api/staff/offers/:slug/cancellation/', { schema }, async ({ params }) =>
      toCancellation(await cancellation(deps, params.slug)),
    )
  }

const toCancellation = (row: CancellationRow): Cancellation => ({
  slug: row.slug,
  reason: row.cancelled_why,
  cancelled_at: row.cancelled_at.toISOString(),
  returned_at: row.returned_at?.toISOString() ?? null,
  unsettled: row.unsettled,
  waiting: row.waiting,
  returning: row.returning,
  in_review: row.in_review,
  returned: row.returned,
})
