import * as z from 'zod/mini'
import { key } from '#i18n/keys.ts'

/** A cart or line item (spec section 7, "Payment flow, second reading"). Its prices are compared, never trusted. */
const SentLine = z.object({
  id: z.optional(z.union([z.int(), z.string().check(z.maxLength(64))])),
  quantity: z.optional(z.union([z.int(), z.string().check(z.maxLength(16))])),
  offer: z.optional(z.object({ id: z.int(), ticket_price: z.optional(z.string()) })),
  name: z.optional(z.string()),
  unit_amount: z.optional(z.union([z.string(), z.number(), z.object({ value: z.string() })])),
  currency_code: z.optional(z.string()),
})
export type SentLine = z.infer<typeof SentLine>

const SentLines = z.array(SentLine).check(z.maxLength(100, key('errors.field.tooLarge')))

/** POST /api/paypal/create-order/: `cart` in any of the accepted forms (ADR 0011). */
export const CreateOrderBody = z.object({
  cart: z.optional(
    z.nullable(
      z.union([
        z.array(z.object({ items: SentLines })),
        SentLines,
        z.object({ items: z.optional(SentLines) }),
      ]),
    ),
  ),
  country_code: z.optional(z.nullable(z.string(key('errors.field.country')))),
  /** The total that the buyer saw; another one responds with 409. */
  expected_total: z.optional(z.string()),
})
export type CreateOrderBody = z.infer<typeof CreateOrderBody>

/** A buyer's order in words of the buyer; `checking`: staff look after it. */
export const ORDER_PHASES = [
  'confirming',
  'paid',
  'partlyRefunded',
  'refunding',
  'refunded',
  'checking',
] as const
export type OrderPhase = (typeof ORDER_PHASES)[number]

/** GET /api/orders/: an order of the caller for which money moved or is moving. Amounts are decimal euro text. */
export const BuyerOrder = z.object({
  /** "K7QM-2F9P" */
  number: z.string(),
  /** The provider's id, as in `OrderStatus`; null before the provider has created the order. */
  order_id: z.nullable(z.string()),
  phase: z.enum(ORDER_PHASES),
  placed_at: z.string(),
  /** null until the payment is confirmed. */
  paid_at: z.nullable(z.string()),
  lines: z.array(
    z.object({ offer_slug: z.string(), title: z.string(), quantity: z.int(), unit_price: z.string() }),
  ),
  tickets: z.object({ valid: z.int(), void: z.int() }),
  subtotal: z.string(),
  tax_rate: z.number(),
  tax_amount: z.string(),
  total: z.string(),
  /** Billing country. */
  country: z.string(),
  refunds: z.array(z.object({ amount: z.string(), done: z.boolean(), at: z.string() })),
  has_receipt: z.boolean(),
})
export type BuyerOrder = z.infer<typeof BuyerOrder>

/** An order that its buyer approved at the provider and whose payment nobody has finished: nothing was taken. */
export const UnfinishedOrder = z.object({
  number: z.string(),
  /** The provider's id. */
  order_id: z.string(),
  total: z.string(),
  lines: z.array(z.object({ title: z.string(), quantity: z.int() })),
  /** ISO 8601 */
  held_until: z.string(),
})
export type UnfinishedOrder = z.infer<typeof UnfinishedOrder>

export const BuyerOrders = z.object({
  /** The newest first. */
  orders: z.array(BuyerOrder),
  /** With `confirming`: what the caller has to finish or to give back. */
  unfinished: z.optional(z.array(UnfinishedOrder)),
  /** `after` of the next page; null on the last. */
  next: z.nullable(z.string()),
})
export type BuyerOrders = z.infer<typeof BuyerOrders>

/** `after`: the number of the last order that the caller has. `confirming`: only payments that wait to be confirmed. */
export const BuyerOrdersQuery = z.object({
  after: z.optional(z.string().check(z.maxLength(20))),
  confirming: z.optional(z.literal('true')),
})
