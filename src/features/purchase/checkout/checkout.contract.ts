import * as z from 'zod/mini'
import { key } from '#i18n/keys.ts'
import { Ticket } from '#features/tickets/tickets.contract.ts'

const Link = z.object({ href: z.string(), rel: z.string(), method: z.optional(z.string()) })

export const CreateOrderResponse = z.object({
  order_id: z.string(),
  id: z.string(),
  status: z.string(),
  /** Where the buyer approves without the provider's script; null when the provider gave no address. */
  payment_url: z.nullable(z.string()),
  links: z.array(Link),
  /** End of the hold, ISO 8601 in UTC. */
  expires_at: z.string(),
  /** A hold can be extended once. */
  can_extend: z.boolean(),
  total: z.string(),
})
export type CreateOrderResponse = z.infer<typeof CreateOrderResponse>

/** GET /api/paypal/open-order/: the unpaid order of the current cart; null without one. */
export const OpenOrderResponse = z.nullable(
  z.object({
    order_id: z.string(),
    cart_version: z.int(),
    tickets: z.int(),
    total: z.string(),
    held_until: z.string(),
    /** Whole seconds by the database's clock, since a browser's may be wrong. */
    seconds_left: z.int(),
    can_extend: z.boolean(),
    /** The buyer has approved it, and nobody has asked for the capture. */
    approved: z.boolean(),
    /** The first of its contests ends at `held_until`. */
    ends_with_contest: z.boolean(),
  }),
)
export type OpenOrder = NonNullable<z.infer<typeof OpenOrderResponse>>

export const OrderIdBody = z.object({
  order_id: z
    .string(key('errors.field.required'))
    .check(z.minLength(1, key('errors.field.required')), z.maxLength(64, key('errors.field.tooLong'))),
})
export type OrderIdBody = z.infer<typeof OrderIdBody>

const ProviderDetail = z.object({ issue: z.optional(z.string()), description: z.optional(z.string()) })

/**
 * The provider's body plus `tickets`: 200 COMPLETED with tickets, 202 PENDING while the outcome is unknown or the provider
 * checks, 422 DECLINED once nothing is taken for certain: declined, or refused in another way.
 */
export const CaptureResponse = z.object({
  id: z.string(),
  status: z.string(),
  /** Of a refusal: `checkout.<name>` of PAYMENT_REFUSALS. */
  code: z.optional(z.string()),
  details: z.optional(z.array(ProviderDetail)),
  debug_id: z.optional(z.string()),
  purchase_units: z.optional(
    z.array(
      z.object({
        payments: z.optional(
          z.object({ captures: z.optional(z.array(z.object({ id: z.string(), status: z.string() }))) }),
        ),
      }),
    ),
  ),
  tickets: z.array(Ticket),
})
export type CaptureResponse = z.infer<typeof CaptureResponse>

/**
 * Why the provider did not take a payment; each has a text `errors.checkout.<name>`. After `declined` another means of
 * payment may pay the order, at `payerAction` and `notApproved` the buyer acts at the provider first, at `providerRefused`
 * nobody knows; the others end the order.
 */
export const PAYMENT_REFUSALS = [
  'declined',
  'payerAction',
  'notApproved',
  'providerRefused',
  'refused',
  'shopFault',
] as const
export type PaymentRefusal = (typeof PAYMENT_REFUSALS)[number]

/** `approved`: by the buyer, and nobody has asked for the capture. `refused`: by the provider, see `refusal`. `refunded` never had tickets; `takenBack` had them until its refund. */
export const ORDER_PROGRESS = [
  'open',
  'approved',
  'confirming',
  'completed',
  'refused',
  'refunded',
  'takenBack',
  'closed',
  'review',
] as const

/** GET /api/paypal/orders/{order_id}/, which the page polls. */
export const OrderStatus = z.object({
  order_id: z.string(),
  progress: z.enum(ORDER_PROGRESS),
  refusal: z.nullable(z.enum(PAYMENT_REFUSALS)),
  expires_at: z.nullable(z.string()),
  total: z.string(),
  tickets: z.array(Ticket),
})
export type OrderStatus = z.infer<typeof OrderStatus>
