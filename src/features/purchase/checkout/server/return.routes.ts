import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import * as z from 'zod'
import type { Limit } from '#platform/limits/limiter.ts'
import { type OrderRow, ordersRepository } from '#features/purchase/orders/server/index.ts'
import type { PaymentsDeps } from '#features/purchase/payments/server/index.ts'
import { Refusal } from '#shared/refusal.ts'
import { PAYMENT_REFUSALS } from '../checkout.contract.ts'
import {
  type CaptureOutcome,
  cancelOrder,
  capturePayment,
  isTakenBack,
  refusalOf,
} from './capture-payment.ts'

const Query = z.object({
  token: z
    .string()
    .regex(/^[\w.-]{1,64}$/)
    .optional()
    .catch(undefined),
  /** Signature of our id of the order. */
  ref: z.string().max(64).optional().catch(undefined),
})

const PARTICIPATIONS = '/profile/participations'
const CART = '/cart'
const UNKNOWN = `${CART}?payment=unknown`

/**
 * The provider's redirect addresses. They need no access token, but change an order only with the signature that the
 * provider got with it, so that a link made by somebody else changes nothing. Above the limit the redirect leaves the
 * order as it is, too; the page that it leads to captures the order for its buyer.
 */
export const returnRoutes =
  (deps: PaymentsDeps, limits: Readonly<Record<'return' | 'cancel', Limit>>) =>
  async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<ZodTypeProvider>()
    const found = (token: string): Promise<OrderRow | undefined> =>
      ordersRepository(deps.db).byProviderId(token)
    const isSigned = (order: OrderRow, ref = ''): boolean => deps.signatures.isOf(order.id, ref)

    async function afterReturn(request: FastifyRequest, token: string, ref?: string): Promise<string> {
      const order = await found(token)
      if (!order) return UNKNOWN
      if (!isSigned(order, ref) || isTooOften(limits.return, request, order)) return confirming(token)
      // The same return again: a refused payment is asked for again once its buyer went to pay again.
      const refusal = await refusalOf(deps.db, order)
      if (refusal) return `${CART}?payment=${refusal}`
      return afterCapture(token, await capturePayment(deps, order))
    }

    app.get('/checkout/return', { schema: { querystring: Query, hide: true } }, async (request, reply) => {
      const { token, ref } = request.query
      if (!token) return to(reply, UNKNOWN)
      try {
        return to(reply, await afterReturn(request, token, ref))
      } catch (error) {
        const reason = error instanceof Refusal ? reasonOf(error) : undefined
        if (reason !== undefined) return to(reply, `${CART}?payment=${reason}`)
        request.log[error instanceof Refusal ? 'warn' : 'error'](
          { err: error },
          'return from the provider failed',
        )
        // Money may have moved: never report a failure.
        return to(reply, confirming(token))
      }
    })

    app.get('/checkout/cancel', { schema: { querystring: Query, hide: true } }, async (request, reply) => {
      const { token, ref } = request.query
      try {
        const order = token ? await found(token) : undefined
        if (!order) return to(reply, UNKNOWN)
        if (!isSigned(order, ref)) return to(reply, CART)
        if (isTooOften(limits.cancel, request, order)) return to(reply, `${CART}?payment=wait`)
        return to(reply, await afterCancel(deps, await cancelOrder(deps, order)))
      } catch (error) {
        request.log.error({ err: error }, 'cancel at the provider failed')
        return to(reply, CART)
      }
    })
  }

const to = (reply: FastifyReply, address: string): FastifyReply => reply.redirect(address, 303)

function afterCapture(token: string, { order, declined }: CaptureOutcome): string {
  if (declined) return `${CART}?payment=declined`
  if (order.state === 'completed') return `${PARTICIPATIONS}?success=true`
  return confirming(token)
}

/** The order may have been paid meanwhile, in another tab for example. */
async function afterCancel({ db }: PaymentsDeps, order: OrderRow): Promise<string> {
  switch (order.state) {
    case 'expired':
    case 'cancelled':
    case 'superseded':
      return `${CART}?canceled=true`
    case 'completed':
      return `${PARTICIPATIONS}?success=true`
    case 'refunding':
    case 'refunded':
      return `${CART}?payment=${(await isTakenBack(db, order)) ? 'takenBack' : 'refunded'}`
    case 'held':
      return CART
    case 'capturing':
    case 'pending':
    case 'review':
      return confirming(order.provider_order_id ?? '')
  }
}

/** This page polls the order, and captures it when nobody has. */
const confirming = (token: string): string => `${PARTICIPATIONS}?confirming=${encodeURIComponent(token)}`

/** @returns whether the limit is exceeded */
function isTooOften(limit: Limit, { ip }: FastifyRequest, order: OrderRow): boolean {
  try {
    limit.hit({ account: order.id, address: ip })
    return false
  } catch (error) {
    if (error instanceof Refusal) return true
    throw error
  }
}

/** Definite refusals. */
const CERTAIN: readonly string[] = [
  ...PAYMENT_REFUSALS,
  'ended',
  'holdExpired',
  'orderClosed',
  'refunded',
  'takenBack',
  'staff',
  'excluded',
  'payerExcluded',
]

/** @returns undefined when the payment may still succeed */
function reasonOf(refusal: Refusal): string | undefined {
  const [, reason = ''] = refusal.code.split('.')
  return CERTAIN.includes(reason) ? reason : undefined
}
