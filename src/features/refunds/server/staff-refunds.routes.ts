import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { ProviderRefused, ProviderUnknown } from '#platform/payment/payment-provider.ts'
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
import { cancelAndRefund, cancellation, sendNow } from './cancelled-offers.ts'
import { ledgerRepository, recordCaptures } from './ledger.repository.ts'

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
      ({ params, body }) => cancelAndRefund(deps, params.slug, body.reason),
    )
    app.get('/api/staff/offers/:slug/cancellation/', { schema: offer }, ({ params }) =>
      cancellation(deps, params.slug),
    )
  }

/** Throws the provider's errors as a 503 for staff, others as they are. */
export const throwForStaff = (error: unknown): never => {
  if (!(error instanceof ProviderUnknown || error instanceof ProviderRefused)) throw error
  throw new Refusal('checkout.providerSilent', 503, 'errors.checkout.providerSilent', { retryAfter: 5 })
}

/**
 * Refunds an order that is completed, in review, or released and paid late. The request is stored before the provider
 * is called, so that the sweep completes it after a crash.
 * @param note from staff to the buyer
 * @throws Refusal 409 when there is no money to refund, 503 when the provider does not answer about a released order
 */
export async function refundOrder(
  deps: OrdersDeps,
  order: OrderRow,
  { staffId, note }: { staffId: number; note: string },
): Promise<void> {
  const { id } = order
  const isReleased = (state: OrderRow['state']): boolean => RELEASED.some((one) => one === state)
  const mayBePaid = order.provider_order_id !== null && isReleased(order.state)
  const answer = mayBePaid ? await readProviderOrder(deps, order).catch(throwForStaff) : undefined
  await transact(deps.db, async (trx) => {
    const now = await orderWrites(trx).lock(id)
    if (answer) await recordCaptures(deps, trx, now, answer.captures).catch(throwForStaff)
    const plan = planWholeRefund(await ledgerRepository(trx).balances(id), 'staff_request')
    const who = { note: `staff ${staffId}: ${note}` }
    const moved =
      (await orderWrites(trx).move(id, 'refundByStaff', 'staff_request', who)) ??
      (plan.length > 0 ? await orderWrites(trx).move(id, 'refuseLate', 'staff_request', who) : undefined)
    if (!moved) throw new Refusal('checkout.notRefundable', 409, 'errors.checkout.notRefundable')
    const { requested } = await applyPlan(deps, trx, now, plan, note)
    // A released order has no tickets: its email is due now. Others get theirs when the tickets are void.
    if (isReleased(now.state))
      await enqueueRefundEmail(deps, trx, { order: now, amount: cents(requested), why: 'paidLate' })
  })
  await sendNow(deps, id)
}
