import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { audit } from '#platform/audit-log.ts'
import { staffOf } from '#platform/http/request.ts'
import { transact } from '#platform/transaction.ts'
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
        config: { acceptsIdempotencyKey: true, permits: 'orders.refund' },
        schema: { tags, params: StaffOrderParams, body: StaffReasonBody, response: { 200: StaffOrder } },
      },
      async (request) => {
        const actor = staffOf(request)
        const order = await requireStaffOrder(deps, request.params.id)
        await requestWholeRefund(deps, order, { staffId: actor.userId, note: request.body.reason })
        await transact(deps.db, (trx) =>
          audit(trx, {
            actor,
            action: 'orders.refund',
            subject: { kind: 'order', id: order.id },
            reason: request.body.reason,
          }),
        )
        await sendNow(deps, order.id)
        return toStaffOrder(deps, order)
      },
    )

    const offer = { tags, params: StaffOfferParams, response: { 200: Cancellation } }
    app.post(
      '/api/staff/offers/:slug/cancel/',
      { config: { permits: 'offers.cancel' }, schema: { ...offer, body: StaffReasonBody } },
      async (request) => {
        const { params, body } = request
        const cancelled = await cancelAndRefund(deps, params.slug, body.reason)
        await transact(deps.db, (trx) =>
          audit(trx, {
            actor: staffOf(request),
            action: 'offers.cancel',
            subject: { kind: 'offer', id: params.slug },
            after: cancelled,
            reason: body.reason,
          }),
        )
        return cancelled
      },
    )
    app.get(
      '/api/staff/offers/:slug/cancellation/',
      { config: { permits: 'offers.read' }, schema: offer },
      ({ params }) => cancellation(deps, params.slug),
    )
  }
