import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import * as z from 'zod'
import { callerOf } from '#platform/http/request.ts'
import type { Limit } from '#platform/limits/limiter.ts'
import { HOLDING } from '#features/purchase/orders/order-machine.rules.ts'
import { CreateOrderBody } from '#features/purchase/orders/orders.contract.ts'
import {
  type OrderRow,
  extendHold,
  orderWrites,
  ordersRepository,
} from '#features/purchase/orders/server/index.ts'
import { type PaymentsDeps, reconcile } from '#features/purchase/payments/server/index.ts'
import type { WaitingRooms } from '#features/waiting-room/server/index.ts'
import { Refusal } from '#shared/refusal.ts'
import {
  CaptureResponse,
  CreateOrderResponse,
  OpenOrderResponse,
  OrderIdBody,
  OrderStatus,
} from '../checkout.contract.ts'
import { cancelOrder, capturePayment, finishCapture, orderClosed } from './capture-payment.ts'
import { orderCreation } from './create-order.ts'
import { toCaptured, toCreated, toOpen, toStatus, endsWithContest } from './checkout-presenter.ts'

/** Polling pages make one call to the provider in this time, all callers together. */
const ASK_AGAIN_SECONDS = 3

/** Reads an order that waits for its buyer or the provider there, at most every few seconds. */
export async function lookUp(deps: PaymentsDeps, order: OrderRow): Promise<OrderRow> {
  const waits = HOLDING.some((state) => state === order.state) && order.provider_order_id !== null
  const mayLook = waits && (await orderWrites(deps.db).claimProviderCheck(order.id, ASK_AGAIN_SECONDS))
  return mayLook ? await reconcile(deps, order.id) : order
}

/** Spec section 7. */
export const checkoutRoutes =
  (
    deps: PaymentsDeps,
    limits: Readonly<Record<'createOrder' | 'capture', Limit>>,
    networkHash: (ip: string) => string,
    rooms: Pick<WaitingRooms, 'enterWithCart'>,
  ) =>
  async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<ZodTypeProvider>()
    const createOrder = orderCreation(deps)

    async function own(userId: number, providerId: string): Promise<OrderRow> {
      const order = await ordersRepository(deps.db).byProviderId(providerId)
      if (order?.user_id === userId) return order
      throw new Refusal('checkout.orderNotFound', 404, 'errors.checkout.orderNotFound')
    }

    app.post(
      '/api/paypal/create-order/',
      {
        config: { errors: 'payment', acceptsIdempotencyKey: true },
        schema: { body: CreateOrderBody, response: { 200: CreateOrderResponse } },
      },
      async (request) => {
        const { userId } = callerOf(request)
        limits.createOrder.hit({ account: userId, address: request.ip })
        await rooms.enterWithCart(userId)
        const { body, ip, language } = request
        return toCreated(await createOrder({ userId, language, body, network: networkHash(ip) }))
      },
    )

    app.get(
      '/api/paypal/open-order/',
      { schema: { response: { 200: OpenOrderResponse } } },
      async (request) => {
        const { userId } = callerOf(request)
        const orders = ordersRepository(deps.db)
        const order = await orders.waitingOf(userId)
        if (!order || order.approved_at !== null) return order ? toOpen(order) : null
        // The buyer may have approved it in a window that this page has lost.
        await lookUp(deps, order)
        const now = await orders.waitingOf(userId)
        return now ? toOpen(now) : null
      },
    )

    app.post(
      '/api/paypal/capture-payment/',
      {
        config: { acceptsIdempotencyKey: true },
        schema: {
          body: OrderIdBody,
          response: { 200: CaptureResponse, 202: CaptureResponse, 422: CaptureResponse },
        },
      },
      async (request, reply) => {
        const { userId } = callerOf(request)
        const providerId = request.body.order_id
        // By buyer and order, so that a stranger cannot use up an order's limit.
        limits.capture.hit({ account: `${userId} ${providerId}`, address: request.ip })
        const begun = await deps.batches.beginCapture({ userId, providerId })
        const outcome = begun
          ? await finishCapture(deps, begun)
          : await capturePayment(deps, await own(userId, providerId))
        const { status, body } = await toCaptured(deps, outcome)
        return reply.code(status).send(body)
      },
    )

    for (const [call, change] of [
      ['cancel-order', cancelOrder],
      ['extend-hold', extended],
    ] as const)
      app.post(
        `/api/paypal/${call}/`,
        { schema: { body: OrderIdBody, response: { 200: OrderStatus } } },
        async (request) => {
          const order = await own(callerOf(request).userId, request.body.order_id)
          return toStatus(deps, await change(deps, order))
        },
      )

    app.get(
      '/api/paypal/orders/:orderId/',
      { schema: { params: z.object({ orderId: z.string().max(64) }), response: { 200: OrderStatus } } },
      async (request) => {
        const order = await own(callerOf(request).userId, request.params.orderId)
        return toStatus(deps, await lookUp(deps, order))
      },
    )
  }

/** @throws Refusal when the hold was extended before or has expired */
async function extended(deps: PaymentsDeps, order: OrderRow): Promise<OrderRow> {
  const moved = await extendHold(deps.db, order.id, deps.holdMinutes)
  if (moved) return moved
  const now = (await ordersRepository(deps.db).byId(order.id)) ?? order
  const { state, hold_extended: wasExtended } = now
  if (state === 'held' && wasExtended)
    throw new Refusal('checkout.alreadyExtended', 409, 'errors.checkout.alreadyExtended')
  if (state === 'held' && endsWithContest(now))
    throw new Refusal('checkout.endsWithContest', 409, 'errors.checkout.endsWithContest')
  if (state === 'held' || state === 'expired')
    throw new Refusal('checkout.holdExpired', 409, 'errors.checkout.holdExpired')
  throw orderClosed()
}
