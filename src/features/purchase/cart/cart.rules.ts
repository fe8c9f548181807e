import { type TaxedAmount, findCountry, vatPercent, withTax } from '#shared/countries.ts'
import { type Cents, addCents, parseEur, timesCents } from '#shared/money.ts'
import type { CartItem } from './cart.contract.ts'

/** The number on the cart badge (spec section 9). */
export const itemCount = (items: readonly Pick<CartItem, 'quantity'>[]): number =>
  items.reduce((sum, item) => sum + item.quantity, 0)

export const itemsTotal = (items: readonly { quantity: number; unit: Cents }[]): Cents =>
  addCents(...items.map((item) => timesCents(item.unit, item.quantity)))

export const cartSubtotal = (items: readonly CartItem[]): Cents =>
  itemsTotal(items.map((item) => ({ quantity: item.quantity, unit: parseEur(item.offer.ticket_price) })))

/** The page removes items of ended contests (spec section 4, "Cart"). */
export const endedItems = (items: readonly CartItem[]): CartItem[] =>
  items.filter((item) => !item.offer.is_active)

/** @param amount sum of ticket prices in cents @returns undefined for a country that the shop does not bill */
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
