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
  /** The total that the buyer saw; another one answers 409. */
  expected_total: z.optional(z.string()),
})
export type CreateOrderBody = z.infer<typeof CreateOrderBody>
