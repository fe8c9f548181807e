import type { Language } from './languages.ts'
import { type Cents, addCents, cents, percentOf, percentWithin } from './money.ts'

interface VatRate {
  readonly from: string
  readonly percent: number
}

export interface Country {
  readonly code: string
  /** Newest last; `from` is the first day (UTC) on which the percent rate holds. */
  readonly rates: readonly [VatRate, ...VatRate[]]
}

const country = (code: string, percent: number): Country => ({
  code,
  rates: [{ from: '2000-01-01', percent }],
})

/** Billing countries with standard VAT rates (spec section 3). */
export const COUNTRIES: readonly Country[] = [
  country('AT', 20),
  country('BE', 21),
  country('BG', 20),
  country('CH', 8.1),
  country('CY', 19),
  country('CZ', 21),
  country('DE', 19),
  country('DK', 25),
  country('EE', 24),
  country('ES', 21),
  country('FI', 25.5),
  country('FR', 20),
  country('GB', 20),
  country('GR', 24),
  country('HR', 25),
  country('HU', 27),
  country('IE', 23),
  country('IT', 22),
  country('LT', 21),
  country('LU', 17),
  country('LV', 21),
  country('MT', 18),
  country('NL', 21),
  country('NO', 25),
  country('PL', 23),
  country('PT', 23),
  country('RO', 21),
  country('SE', 25),
  country('SI', 22),
  country('SK', 23),
]

/** For the estimate without a country (spec section 9, "country fallback NL"). */
export const FALLBACK_COUNTRY = 'NL'

/** For payment calls without a country (spec section 9, "default payment country code"). */
export const DEFAULT_PAYMENT_COUNTRY = 'BE'

// @NOTE spec section 9: used only when the tax call fails, never as a default for a known country.
export const TAX_FALLBACK_PERCENT = 21

/** By language, since the names take long to make. */
const namesIn = new Map<Language, Intl.DisplayNames>()
const listIn = new Map<Language, readonly NamedCountry[]>()

export interface NamedCountry {
  code: string
  name: string
}

/** The name of a country, such as "Pays-Bas". @param code two letters, in any case */
export function countryName(code: string, language: Language): string {
  try {
    const names = namesIn.get(language) ?? new Intl.DisplayNames(language, { type: 'region' })
    namesIn.set(language, names)
    return names.of(code.toUpperCase()) ?? code
  } catch {
    // A browser without the names, or no code of a country.
    return code
  }
}

/** Sorted by name. */
export function countriesIn(language: Language): readonly NamedCountry[] {
  const list =
    listIn.get(language) ??
    COUNTRIES.map(({ code }) => ({ code, name: countryName(code, language) })).toSorted((a, b) =>
      a.name.localeCompare(b.name, language),
    )
  listIn.set(language, list)
  return list
}

/** By two-letter code, in any case. */
export const findCountry = (code: string): Country | undefined =>
  COUNTRIES.find((entry) => entry.code === code.trim().toUpperCase())

/** The VAT rate of a country in percent on a day; the first one holds before it, too. */
export function vatPercent({ rates }: Country, on: Date): number {
  const day = on.toISOString()
  return (rates.findLast(({ from }) => from <= day) ?? rates[0]).percent
}

/** In cents; `subtotal + tax = total`. */
export interface TaxedAmount {
  subtotal: Cents
  tax: Cents
  total: Cents
}

/** Splits a sum of ticket prices. @param percent VAT rate */
export function withTax(amount: Cents, percent: number, pricesIncludeVat: boolean): TaxedAmount {
  if (!pricesIncludeVat) {
    const tax = percentOf(amount, percent)
    return { subtotal: amount, tax, total: addCents(amount, tax) }
  }
  const tax = percentWithin(amount, percent)
  return { subtotal: cents(amount - tax), tax, total: amount }
}
