import type { ApiFailure } from '#client/api-error.ts'
import type { CartItem, TaxResult } from '#features/cart/cart.contract.ts'
import { cartSubtotal, taxFor } from '#features/cart/cart.rules.ts'
import { FALLBACK_COUNTRY, TAX_FALLBACK_PERCENT, withTax } from '#shared/countries.ts'
import { type Cents, cents, parseEur, timesCents } from '#shared/money.ts'

/** The figures of the order summary in cents, and their basis. */
export interface ShownTax {
  subtotal: Cents
  tax: Cents
  total: Cents
  percent: number
  /**
   * `confirmed`: the server's figures. `computed`: ours, while the server has not answered yet. `estimate`: no country
   * is chosen. `checkCountry`, `defaultRate`: the call failed with 400, or in another way (spec section 8).
   */
  basis: 'confirmed' | 'computed' | 'estimate' | 'checkCountry' | 'defaultRate'
}

/**
 * What to show before the server has answered.
 * @param amount sum of the ticket prices in cents
 * @param country chosen billing country; without one the summary estimates for the fallback country
 */
export function computedTax(
  amount: Cents,
  country: string | undefined,
  on: Date,
  pricesIncludeVat: boolean,
): ShownTax {
  const known = taxFor(amount, country ?? FALLBACK_COUNTRY, on, pricesIncludeVat)
  if (!known) return fallbackTax(amount, pricesIncludeVat, 'checkCountry')
  const { subtotal, tax, total, percent } = known
  return { subtotal, tax, total, percent, basis: country === undefined ? 'estimate' : 'computed' }
}

/** The figures with the default rate, after a failed tax call (spec section 9, "Tax fallback rate"). */
export const fallbackTax = (
  amount: Cents,
  pricesIncludeVat: boolean,
  basis: 'checkCountry' | 'defaultRate',
): ShownTax => ({
  ...withTax(amount, TAX_FALLBACK_PERCENT, pricesIncludeVat),
  percent: TAX_FALLBACK_PERCENT,
  basis,
})

/** The warning of a failed tax call (spec section 8). */
export const failureBasis = (failure: Pick<ApiFailure, 'status'>): 'checkCountry' | 'defaultRate' =>
  failure.status === 400 ? 'checkCountry' : 'defaultRate'

/** The server's figures in the answer of the tax call or a refused order. */
export type TaxFigures = Pick<TaxResult, 'subtotal' | 'tax_amount' | 'total' | 'tax_rate'>

/** The server's figures as the summary shows them. */
export const confirmedTax = (result: TaxFigures): ShownTax => ({
  subtotal: parseEur(result.subtotal),
  tax: parseEur(result.tax_amount),
  total: parseEur(result.total),
  percent: result.tax_rate,
  basis: 'confirmed',
})

/** Highest sum of a cart in cents, to which any VAT can be added. */
const MAX_SUBTOTAL = 500_000_000

/** The price of a line in cents; undefined above the limit. */
export const lineTotal = (unit: Cents, quantity: number): Cents | undefined =>
  unit * quantity <= MAX_SUBTOTAL ? timesCents(unit, quantity) : undefined

/** The sum of the tickets; `tooLarge` above the limit. */
export function boundedSubtotal(items: readonly CartItem[]): { subtotal: Cents; tooLarge: boolean } {
  let sum = 0
  for (const { offer, quantity } of items) sum += parseEur(offer.ticket_price) * quantity
  const tooLarge = sum > MAX_SUBTOTAL
  return { subtotal: tooLarge ? cents(0) : cartSubtotal(items), tooLarge }
}
