import { FALLBACK_COUNTRY, findCountry, vatPercent, withTax } from '#shared/countries.ts'
import { type Cents, timesCents, parseEur } from '#shared/money.ts'

/** What tickets cost with the VAT in it. */
export interface AllIn {
  total: Cents
  percent: number
  /** Two-letter code of the country whose rate it is. */
  country: string
}

/**
 * The price with VAT, for the chosen billing country or the fallback one (decisions, "Inclusive or exclusive prices").
 * @param ticketPrice decimal text of the wire
 * @returns undefined when the ticket price contains the VAT already
 */
export function allInPrice(
  ticketPrice: string,
  quantity: number,
  country: string | undefined,
  on: Date,
  pricesIncludeVat: boolean,
): AllIn | undefined {
  const billed = findCountry(country ?? FALLBACK_COUNTRY)
  if (pricesIncludeVat || !billed) return undefined
  const percent = vatPercent(billed, on)
  return {
    total: withTax(timesCents(parseEur(ticketPrice), quantity), percent, false).total,
    percent,
    country: billed.code,
  }
}
