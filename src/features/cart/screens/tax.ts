import type { ApiFailure } from '#client/api-error.ts'
import type { TaxResult } from '#features/cart/cart.contract.ts'
import { taxFor } from '#features/cart/cart.rules.ts'
import { FALLBACK_COUNTRY, TAX_FALLBACK_PERCENT, withTax } from '#shared/countries.ts'
import { type Cents, parseEur } from '#shared/money.ts'

/** The figures of the order summary, in cents, and how sure they are. */
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
export function computedTax(amount: Cents, country: string | undefined, on: Date, pricesIncludeVat: boolean): ShownTax {
  const known = taxFor(amount, country ?? FALLBACK_COUNTRY, on, pricesIncludeVat)
  if (!known) return fallbackTax(amount, pricesIncludeVat, 'checkCountry')
  const { subtotal, tax, total, percent } = known
  return { subtotal, tax, total, percent, basis: country === undefined ? 'estimate' : 'computed' }
}

/** The figures with the default rate, when the tax call has failed (spec section 9, "Tax fallback rate"). */
export const fallbackTax = (
  amount: Cents,
  pricesIncludeVat: boolean,
  basis: 'checkCountry' | 'defaultRate',
): ShownTax => ({ ...withTax(amount, TAX_FALLBACK_PERCENT, pricesIncludeVat), percent: TAX_FALLBACK_PERCENT, basis })

/** Which of the two warnings of spec section 8 a failed tax call gets. */
export const failureBasis = (failure: Pick<ApiFailure, 'status'>): 'checkCountry' | 'defaultRate' =>
  failure.status === 400 ? 'checkCountry' : 'defaultRate'

/** The server's figures, as the tax call and a refused order carry them. */
export type TaxFigures = Pick<TaxResult, 'subtotal' | 'tax_amount' | 'total' | 'tax_rate'>

/** The server's figures as the summary shows them. */
export const confirmedTax = (result: TaxFigures): ShownTax => ({
  subtotal: parseEur(result.subtotal),
  tax: parseEur(result.tax_amount),
  total: parseEur(result.total),
  percent: result.tax_rate,
  basis: 'confirmed',
})
