import * as z from 'zod/mini'
import { key } from '#i18n/keys.ts'
import { Offer } from '#features/offers/offers.contract.ts'
import { QUANTITY_MIN } from '#features/offers/offers.rules.ts'

/** Above every contest's size, far below an overflow of sums. */
export const QUANTITY_MAX = 1_000_000

export const CART_ITEMS_MAX = 50

const Quantity = z
  .int(key('errors.field.wholeNumber'))
  .check(
    z.gte(QUANTITY_MIN, key('errors.field.quantityMin')),
    z.lte(QUANTITY_MAX, key('errors.field.quantityMax')),
  )

const Id = z
  .int(key('errors.field.wholeNumber'))
  .check(z.gte(1, key('errors.field.invalid')), z.lte(2_147_483_647, key('errors.field.invalid')))

export const AddItemBody = z.object({
  offer_id: Id,
  quantity: Quantity,
  /** Required when the offer has a question. */
  answer: z.optional(
    z.nullable(z.string(key('errors.field.text')).check(z.maxLength(500, key('errors.field.tooLong')))),
  ),
})
export type AddItemBody = z.infer<typeof AddItemBody>

export const UpdateItemBody = z.object({ item_id: Id, quantity: Quantity })
export type UpdateItemBody = z.infer<typeof UpdateItemBody>

export const RemoveItemBody = z.object({ item_id: Id })
export type RemoveItemBody = z.infer<typeof RemoveItemBody>

export const CartItem = z.object({ id: z.int(), quantity: z.int(), offer: Offer })
export type CartItem = z.infer<typeof CartItem>

/** The response of every cart call. */
export const Cart = z.object({
  id: z.int(),
  items: z.array(CartItem),
  is_empty: z.boolean(),
  /** Rises with every change; an order belongs to one version. */
  version: z.int(),
})
export type Cart = z.infer<typeof Cart>

export const CalculateTaxBody = z.object({
  /** Decimal euro text, or a number of whole cents up to rounding of floats. */
  subtotal: z.union(
    [z.string(key('errors.field.amount')), z.number(key('errors.field.amount'))],
    key('errors.field.amount'),
  ),
  country_code: z.optional(z.string(key('errors.field.country'))),
})
export type CalculateTaxBody = z.infer<typeof CalculateTaxBody>

/** Amounts are decimal texts, the rate is in percent (spec section 3). */
export const TaxResult = z.object({
  subtotal: z.string(),
  tax_rate: z.number(),
  tax_amount: z.string(),
  total: z.string(),
  country: z.string(),
  prices_include_tax: z.boolean(),
})
export type TaxResult = z.infer<typeof TaxResult>
