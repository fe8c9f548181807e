import type { ApiFailure } from '#client/api-error.ts'
import type { CartItem, TaxResult } from '#features/purchase/cart/cart.contract.ts'
import { cartSubtotal, taxFor } from '#features/purchase/cart/cart.rules.ts'
import { FALLBACK_COUNTRY, TAX_FALLBACK_PERCENT, withTax } from '#shared/countries.ts'
import { type Cents, cents, parseEur, shareOf, timesCents } from '#shared/money.ts'

export interface ShownTax {
  subtotal: Cents
  tax: Cents
  total: Cents
  percent: number
  /**
   * `confirmed`: from the server. `computed`: ours until the server responds. `estimate`: no country chosen.
   * `checkCountry`, `defaultRate`: the call failed with 400, or otherwise (spec section 8).
   */
  basis: 'confirmed' | 'computed' | 'estimate' | 'checkCountry' | 'defaultRate'
}

/**
 * Until the server responds; without a country an estimate. @param amount sum of ticket prices in cents
 * @param estimateFor the country of the estimate
 */
export function computedTax(
  amount: Cents,
  country: string | undefined,
  on: Date,
  pricesIncludeVat: boolean,
  estimateFor: string = FALLBACK_COUNTRY,
): ShownTax {
  const known = taxFor(amount, country ?? estimateFor, on, pricesIncludeVat)
  if (!known) return fallbackTax(amount, pricesIncludeVat, 'checkCountry')
  const { subtotal, tax, total, percent } = known
  return { subtotal, tax, total, percent, basis: country === undefined ? 'estimate' : 'computed' }
}

/** Spec section 9, "Tax fallback rate". */
export const fallbackTax = (
  amount: Cents,
  pricesIncludeVat: boolean,
  basis: 'checkCountry' | 'defaultRate',
): ShownTax => ({
  ...withTax(amount, TAX_FALLBACK_PERCENT, pricesIncludeVat),
  percent: TAX_FALLBACK_PERCENT,
  basis,
})

export const failureBasis = (failure: Pick<ApiFailure, 'status'>): 'checkCountry' | 'defaultRate' =>
  failure.status === 400 ? 'checkCountry' : 'defaultRate'

/** From the tax call, or from a refused order. */
export type TaxFigures = Pick<TaxResult, 'subtotal' | 'tax_amount' | 'total' | 'tax_rate'>

export const confirmedTax = (result: TaxFigures): ShownTax => ({
  subtotal: parseEur(result.subtotal),
  tax: parseEur(result.tax_amount),
  total: parseEur(result.total),
  percent: result.tax_rate,
  basis: 'confirmed',
})

/** Highest sum of a cart in cents, to which any VAT can be added. */
const MAX_SUBTOTAL = 500_000_000

/** @returns undefined above the limit */
export const lineTotal = (unit: Cents, quantity: number): Cents | undefined =>
  unit * quantity <= MAX_SUBTOTAL ? timesCents(unit, quantity) : undefined

/** What each line is of the total: rounded so that the lines add up to what is charged. @param nets of the lines */
export function linesOfTotal(nets: readonly Cents[], total: Cents): Cents[] {
  const sum = nets.reduce((before, net) => before + net, 0)
  let net = 0
  let given = 0
  return nets.map((one) => {
    net += one
    const upTo = sum === 0 ? 0 : shareOf(total, net, sum)
    const part = cents(upTo - given)
    given = upTo
    return part
  })
}

export function boundedSubtotal(items: readonly CartItem[]): { subtotal: Cents; tooLarge: boolean } {
  let sum = 0
  for (const { offer, quantity } of items) sum += parseEur(offer.ticket_price) * quantity
  const tooLarge = sum > MAX_SUBTOTAL
  return { subtotal: tooLarge ? cents(0) : cartSubtotal(items), tooLarge }
}
