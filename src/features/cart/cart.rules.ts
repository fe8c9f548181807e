import { type TaxedAmount, findCountry, vatPercent, withTax } from '#shared/countries.ts'
import { type Cents, addCents, parseEur, timesCents } from '#shared/money.ts'
import type { CartItem } from './cart.contract.ts'

/** Sum of the item quantities: the number on the cart badge (spec section 9). */
export const itemCount = (items: readonly Pick<CartItem, 'quantity'>[]): number =>
  items.reduce((sum, item) => sum + item.quantity, 0)

/** Sum of price by quantity over the items, in cents. */
export const itemsTotal = (items: readonly { quantity: number; unit: Cents }[]): Cents =>
  addCents(...items.map((item) => timesCents(item.unit, item.quantity)))

/** The same over cart items as they come from the API. */
export const cartSubtotal = (items: readonly CartItem[]): Cents =>
  itemsTotal(items.map((item) => ({ quantity: item.quantity, unit: parseEur(item.offer.ticket_price) })))

/** Items whose contest has ended, which the page removes (spec section 4, "Cart"). */
export const endedItems = (items: readonly CartItem[]): CartItem[] =>
  items.filter((item) => !item.offer.is_active)

/**
 * Subtotal, VAT and total for a billing country on a day; undefined for a country the shop does not bill.
 * @param amount sum of the ticket prices in cents
 */
export function taxFor(
  amount: Cents,
  countryCode: string,
  on: Date,
  pricesIncludeVat: boolean,
): (TaxedAmount & { percent: number; country: string }) | undefined {
  const country = findCountry(countryCode)
  if (!country) return undefined
  const percent = vatPercent(country, on)
  return { ...withTax(amount, percent, pricesIncludeVat), percent, country: country.code }
}
