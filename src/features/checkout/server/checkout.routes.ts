import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import * as z from 'zod'
import { callerOf } from '#platform/http/request.ts'
import { Refusal } from '#shared/refusal.ts'
import {
  CaptureAnswer,
  CreateOrderAnswer,
  CreateOrderBody,
  OrderIdBody,
  OrderStatus,
} from '../checkout.contract.ts'
import { cancelOrder, capture } from './capture.ts'
import type { CheckoutDeps } from './checkout-deps.ts'
import { createOrder } from './create-order.ts'
import { toCaptured, toCreated, toStatus } from './order-wire.ts'
import { type OrderRow, ordersRepository } from './orders.repository.ts'
import { reconcile } from './reconcile.ts'

/** A page that waits may have the provider asked again once the last look is this old. */
const ASK_AGAIN_MS = 3_000

/** The payment calls of the buyer's page (spec section 7). */
export const checkoutRoutes =
  (deps: CheckoutDeps) =>
  async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<ZodTypeProvider>()

    /** The caller's own order by the provider's id; somebody else's does not exist. */
    async function own(userId: number, providerId: string): Promise<OrderRow> {
      const order = await ordersRepository(deps.db).byProviderId(providerId)
      if (order?.user_id === userId) return order
      throw new Refusal('checkout.orderNotFound', 404, 'errors.checkout.orderNotFound')
    }

    app.post(
      '/api/paypal/create-order/',
      { schema: { body: CreateOrderBody, response: { 200: CreateOrderAnswer } } },
      async (request) => {
        const buyer = { userId: callerOf(request).userId, language: request.language }
        return toCreated(await createOrder(deps, buyer, request.body))
      },
    )

    app.post(
      '/api/paypal/capture-payment/',
      { schema: { body: OrderIdBody, response: { 200: CaptureAnswer } } },
      async (request, reply) => {
        const order = await own(callerOf(request).userId, request.body.order_id)
        const { status, body } = await toCaptured(deps.db, await capture(deps, order))
        return reply.code(status as 200).send(body)
      },
    )

    app.post(
      '/api/paypal/cancel-order/',
      { schema: { body: OrderIdBody, response: { 200: OrderStatus } } },
      async (request) => {
        const order = await own(callerOf(request).userId, request.body.order_id)
        return toStatus(deps.db, await cancelOrder(deps, order))
      },
    )

    app.get(
      '/api/paypal/orders/:orderId/',
      { schema: { params: z.object({ orderId: z.string().max(64) }), response: { 200: OrderStatus } } },
      async (request) => {
        const order = await own(callerOf(request).userId, request.params.orderId)
        const waits = order.state === 'capturing' || order.state === 'pending'
        const looked = deps.clock().getTime() - order.changed_at.getTime()
        return toStatus(deps.db, waits && looked > ASK_AGAIN_MS ? await reconcile(deps, order.id) : order)
      },
    )
  }
