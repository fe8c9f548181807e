import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { type ProviderOrder, ProviderRefused, ProviderUnknown } from '#platform/payment/payment-provider.ts'
import { callerOf } from '#platform/http/request.ts'
import { transact } from '#platform/transaction.ts'
import { RELEASED } from '#features/orders/order-machine.rules.ts'
import {
  type OrderRow,
  type OrdersDeps,
  enqueueRefundEmail,
  orderWrites,
  readProviderOrder,
  requireStaffOrder,
  toStaffOrder,
} from '#features/orders/server/index.ts'
import { StaffOrder, StaffOrderParams } from '#features/orders/staff-orders.contract.ts'
import { cents } from '#shared/money.ts'
import { Refusal } from '#shared/refusal.ts'
import { planWholeRefund } from '../refund-plan.rules.ts'
import { Cancellation, StaffOfferParams, StaffReasonBody } from '../refunds.contract.ts'
import { applyPlan } from './apply-plan.ts'
import type { CancellationRow } from './cancelled-offers.repository.ts'
import { cancelContest, cancellation, sendNow } from './cancelled-offers.ts'
import { ledgerRepository, recordCaptures } from './ledger.repository.ts'

/** Staff refund an order, cancel an offer, and see how far the refunds of a cancelled one are. */
export const staffRefundsRoutes =
  (deps: OrdersDeps) =>
  async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<ZodTypeProvider>()
    const tags = ['staff']

    app.post(
      '/api/staff/orders/:id/refund/',
      {
        config: { acceptsIdempotencyKey: true },
        schema: { tags, params: StaffOrderParams, body: StaffReasonBody, response: { 200: StaffOrder } },
      },
      async (request) => {
        const { userId: staffId } = callerOf(request)
        const order = await requireStaffOrder(deps, request.params.id)
        await refundOrder(deps, order, { staffId, note: request.body.reason })
        return toStaffOrder(deps, order)
      },
    )

    const offer = { tags, params: StaffOfferParams, response: { 200: Cancellation } }
    app.post(
      '/api/staff/offers/:slug/cancel/',
      { schema: { ...offer, body: StaffReasonBody } },
      async ({ params, body }) => toCancellation(await cancelContest(deps, params.slug, body.reason)),
    )
    app.get('/api/staff/offers/:slug/cancellation/', { schema: offer }, async ({ params }) =>
      toCancellation(await cancellation(deps, params.slug)),
    )
  }

/** What staff get to read when the provider does not tell, or refuses to. */
export const providerSilent = (error: unknown): unknown =>
  error instanceof ProviderUnknown || error instanceof ProviderRefused
    ? new Refusal('checkout.providerSilent', 503, 'errors.checkout.providerSilent', { retryAfter: 5 })
    : error

/** What the provider says of an order now; undefined when it knows none. @throws Refusal 503 when it does not tell */
async function askNow(deps: OrdersDeps, order: OrderRow): Promise<ProviderOrder | undefined> {
  if (!order.provider_order_id) return undefined
  try {
    return await readProviderOrder(deps, order)
  } catch (error) {
    throw providerSilent(error)
  }
}

/**
 * Refunds what is left of a paid order, of one that staff must decide about, or of one that was given up and has money
 * after all. Its tickets are void once the money is back, their numbers stay given (ADR 0017). The refund is requested
 * before the provider is asked, so that a crash loses nothing and the sweep goes on.
 * @param note what staff wrote; the buyer reads it
 * @throws Refusal 409 for an order that has no money to refund, 503 when the provider does not say whether one that was
 *   given up has any
 */
export async function refundOrder(
  deps: OrdersDeps,
  order: OrderRow,
  { staffId, note }: { staffId: number; note: string },
): Promise<void> {
  const { id } = order
  const isReleased = (state: OrderRow['state']): boolean => RELEASED.some((one) => one === state)
  const answer = isReleased(order.state) ? await askNow(deps, order) : undefined
  await transact(deps.db, async (trx) => {
    const now = await orderWrites(trx).lock(id)
    if (answer)
      await recordCaptures(deps, trx, now, answer.captures).catch((error: unknown) => {
        throw providerSilent(error)
      })
    const plan = planWholeRefund(await ledgerRepository(trx).balances(id), 'staff_request')
    const who = { note: `staff ${staffId}: ${note}` }
    const moved =
      (await orderWrites(trx).move(id, 'refundPaid', 'staff_request', who)) ??
      (plan.length > 0 ? await orderWrites(trx).move(id, 'refuseLate', 'staff_request', who) : undefined)
    if (!moved) throw new Refusal('checkout.notRefundable', 409, 'errors.checkout.notRefundable')
    const { requested } = await applyPlan(deps, trx, now, plan, note)
    // Who had tickets is told once they are void; nobody has told this buyer anything yet.
    if (isReleased(now.state))
      await enqueueRefundEmail(deps, trx, { order: now, amount: cents(requested), why: 'paidLate' })
  })
  await sendNow(deps, id)
}

const toCancellation = (row: CancellationRow): Cancellation => ({
  slug: row.slug,
  reason: row.cancelled_why,
  cancelled_at: row.cancelled_at.toISOString(),
  returned_at: row.refunds_completed_at?.toISOString() ?? null,
  unsettled: row.unsettled,
  waiting: row.waiting,
  returning: row.returning,
  in_review: row.in_review,
  returned: row.returned,
})
