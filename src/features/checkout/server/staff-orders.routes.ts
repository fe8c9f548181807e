import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { callerOf } from '#platform/http/request.ts'
import { StaffOrder, StaffOrderParams, StaffReasonBody } from '../staff-orders.contract.ts'
import type { CheckoutDeps } from './checkout-deps.ts'
import { toStaffOrder } from './staff-order-wire.ts'
import { reconcileNow, refundWhole, staffOrder } from './staff-orders.ts'

/** What staff may do with an order: look at it, have the provider asked, send its money back. */
export const staffOrdersRoutes =
  (deps: CheckoutDeps) =>
  async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<ZodTypeProvider>()
    const schema = { tags: ['staff'], params: StaffOrderParams, response: { 200: StaffOrder } }

    app.get('/api/staff/orders/:id/', { schema }, async ({ params }) =>
      toStaffOrder(deps, await staffOrder(deps, params.id)),
    )

    app.post('/api/staff/orders/:id/reconcile/', { schema }, async (request) => {
      const order = await staffOrder(deps, request.params.id)
      await reconcileNow(deps, order)
      return toStaffOrder(deps, order)
    })

    app.post(
      '/api/staff/orders/:id/refund/',
      { config: { acceptsIdempotencyKey: true }, schema: { ...schema, body: StaffReasonBody } },
      async (request) => {
        const { userId: staffId } = callerOf(request)
        const order = await staffOrder(deps, request.params.id)
        await refundWhole(deps, order, { staffId, reason: request.body.reason })
        return toStaffOrder(deps, order)
      },
    )
  }
