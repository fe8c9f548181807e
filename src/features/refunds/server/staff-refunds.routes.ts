import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { callerOf } from '#platform/http/request.ts'
import { type OrdersDeps, requireStaffOrder, toStaffOrder } from '#features/orders/server/index.ts'
import { StaffOrder, StaffOrderParams, StaffReasonBody } from '#features/orders/staff-orders.contract.ts'
import { Cancellation, StaffOfferParams } from '../refunds.contract.ts'
import { cancelAndRefund, cancellation } from './cancelled-offers.ts'
import { requestWholeRefund } from './refund-order.ts'
import { sendNow } from './send-refunds.ts'

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
        await requestWholeRefund(deps, order, { staffId, note: request.body.reason })
        await sendNow(deps, order.id)
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
