import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import * as z from 'zod'
import type { Limit } from '#platform/limits/limiter.ts'
import { Refusal } from '#shared/refusal.ts'
import { type CaptureOutcome, cancelOrder, capture } from './capture.ts'
import type { CheckoutDeps } from './checkout-deps.ts'
import { type OrderRow, ordersRepository } from './orders.repository.ts'

const Query = z.object({
  token: z
    .string()
    .regex(/^[\w.-]{1,64}$/)
    .optional()
    .catch(undefined),
})

const PARTICIPATIONS = '/profile/participations'
const CART = '/cart'

/**
 * The addresses the provider sends a buyer back to when no script of it runs in our page (decisions, "Return from the
 * provider"). The browser carries no access token here; the provider's order id alone can only finish or give up what
 * its buyer approved, and shows nothing of the order.
 *
 * A person follows these addresses in a browser, so one who comes too often is led to a page, too, and the order stays
 * as it is: after a return the participations go on with it (`?confirming=`), after a cancel the cart says to wait.
 * @param limits of the returns, and of the cancels, to one order
 */
export const returnRoutes =
  (deps: CheckoutDeps, limits: Readonly<Record<'return' | 'cancel', Limit>>) =>
  async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<ZodTypeProvider>()
    const found = (token: string | undefined): Promise<OrderRow | undefined> =>
      token ? ordersRepository(deps.db).byProviderId(token) : Promise.resolve(undefined)

    app.get('/checkout/return', { schema: { querystring: Query, hide: true } }, async (request, reply) => {
      const order = await found(request.query.token)
      if (!order) return to(reply, `${CART}?payment=unknown`)
      if (isTooOften(limits.return, request, order)) return to(reply, confirming(order))
      try {
        return to(reply, afterCapture(await capture(deps, order)))
      } catch (error) {
        if (!(error instanceof Refusal)) request.log.error({ err: error }, 'return from the provider failed')
        return to(reply, `${CART}?payment=${error instanceof Refusal ? reasonOf(error) : 'failed'}`)
      }
    })

    app.get('/checkout/cancel', { schema: { querystring: Query, hide: true } }, async (request, reply) => {
      const order = await found(request.query.token)
      if (order && isTooOften(limits.cancel, request, order)) return to(reply, `${CART}?payment=wait`)
      if (order) await cancelOrder(deps, order)
      return to(reply, `${CART}?canceled=true`)
    })
  }

const to = (reply: FastifyReply, address: string): FastifyReply =>
  reply.header('cache-control', 'no-store').redirect(address, 303)

function afterCapture({ order, declined }: CaptureOutcome): string {
  if (declined) return `${CART}?payment=declined`
  if (order.state === 'completed') return `${PARTICIPATIONS}?success=true`
  return confirming(order)
}

/** The page that asks about an order until its end is known, and captures it when nobody has. */
const confirming = (order: OrderRow): string =>
  `${PARTICIPATIONS}?confirming=${encodeURIComponent(order.provider_order_id ?? '')}`

/** Counts somebody who was sent back. @returns whether that is more than the limit allows */
function isTooOften(limit: Limit, { ip }: FastifyRequest, order: OrderRow): boolean {
  try {
    limit.hit({ account: order.id, address: ip })
    return false
  } catch (error) {
    if (error instanceof Refusal) return true
    throw error
  }
}

/** The refusals a returning buyer is told about, as the cart page knows them. */
function reasonOf(refusal: Refusal): string {
  const [, reason = 'failed'] = refusal.code.split('.')
  return ['ended', 'holdLapsed', 'orderClosed', 'notApproved', 'refunded', 'takenBack', 'declined'].includes(
    reason,
  )
    ? reason
    : 'failed'
}
