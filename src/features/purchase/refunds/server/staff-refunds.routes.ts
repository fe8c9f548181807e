import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import type * as z from 'zod'
import { staffOf } from '#platform/http/request.ts'
import { type OrdersDeps, requireStaffOrder, toStaffOrder } from '#features/purchase/orders/server/index.ts'
import {
  StaffOrder,
  StaffOrderParams,
  StaffReasonBody,
} from '#features/purchase/orders/staff-orders.contract.ts'
import type { ApprovalKind } from '#features/staff/server/index.ts'
import { AwaitingApproval } from '#features/staff/staff.contract.ts'
import type { LinePart, StaffRefundRequest } from '../refund-plan.rules.ts'
import {
  Cancellation,
  Cancelled,
  CancellationPreview,
  RefundBody,
  RefundPreview,
  RefundPreviewBody,
  StaffOfferParams,
} from '../refunds.contract.ts'
import { cancelApproval, cancelByStaff, cancellation, cancellationPreview } from './cancelled-offers.ts'
import { refundableLines } from './cancelled-offers.repository.ts'
import { sendNow } from './send-refunds.ts'
import { previewStaffRefund, refundApproval, requestStaffRefund } from './staff-refunds.ts'

type PartBody = z.infer<typeof RefundPreviewBody>

export const staffRefundsRoutes =
  (deps: OrdersDeps) =>
  async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<ZodTypeProvider>()
    const tags = ['staff']
    const refunds = { permits: 'orders.refund' } as const

    /** A line without a number of tickets is all that is left of it. */
    async function wantedOf(orderId: string, { lines, amount }: PartBody): Promise<StaffRefundRequest> {
      if (amount !== undefined) return { kind: 'amount', amount }
      if (!lines) return { kind: 'whole' }
      const bought = await refundableLines(deps.db, orderId)
      const parts = lines.map(({ offer_id, quantity }): LinePart => {
        const line = bought.find((one) => one.offer_id === offer_id)
        return { offer_id, quantity: quantity ?? Math.max(1, (line?.quantity ?? 0) - (line?.returned ?? 0)) }
      })
      return { kind: 'lines', lines: parts }
    }

    app.post(
      '/api/staff/orders/:id/refund/preview/',
      {
        config: { ...refunds, stepUp: false },
        schema: { tags, params: StaffOrderParams, body: RefundPreviewBody, response: { 200: RefundPreview } },
      },
      async (request) => {
        const { params, body } = request
        const order = await requireStaffOrder(deps, params.id)
        const { userId } = staffOf(request)
        return previewStaffRefund(deps, order, await wantedOf(order.id, body), userId)
      },
    )

    app.post(
      '/api/staff/orders/:id/refund/',
      {
        config: { ...refunds, acceptsIdempotencyKey: true },
        schema: {
          tags,
          params: StaffOrderParams,
          body: RefundBody,
          response: { 200: StaffOrder, 202: AwaitingApproval },
        },
      },
      async (request, reply) => {
        const { params, body } = request
        const order = await requireStaffOrder(deps, params.id)
        const { reason: note, reason_code: reason, expected_left: seenLeft } = body
        const refund = { wanted: await wantedOf(order.id, body), reason, note, seenLeft }
        const approval = await requestStaffRefund(deps, order, refund, { actor: staffOf(request) })
        if (approval) return reply.code(202).send({ approval })
        await sendNow(deps, order.id)
        return toStaffOrder(deps, order, request.language)
      },
    )

    const offer = { tags, params: StaffOfferParams }
    app.get(
      '/api/staff/offers/:id/cancellation/preview/',
      {
        config: { permits: 'offers.cancel', stepUp: false },
        schema: { ...offer, response: { 200: CancellationPreview } },
      },
      ({ params }) => cancellationPreview(deps, params.id),
    )
    app.post(
      '/api/staff/offers/:id/cancel/',
      {
        config: { permits: 'offers.cancel' },
        schema: { ...offer, body: StaffReasonBody, response: { 200: Cancelled, 202: AwaitingApproval } },
      },
      async (request, reply) => {
        const { id: slug } = request.params
        const approval = await cancelByStaff(deps, slug, request.body.reason, staffOf(request))
        return approval ? reply.code(202).send({ approval }) : { slug }
      },
    )
    app.get(
      '/api/staff/offers/:id/cancellation/',
      { config: { permits: 'offers.read' }, schema: { ...offer, response: { 200: Cancellation } } },
      ({ params }) => cancellation(deps, params.id),
    )
  }

/** What two people decide about money: refunds above the limit, and contests with sales that are cancelled. */
export const refundApprovals = (deps: OrdersDeps): ApprovalKind[] => [
  refundApproval(deps, (id) => requireStaffOrder(deps, id)),
  cancelApproval(deps),
]
