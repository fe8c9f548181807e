import type { Language } from './languages.ts'
import { type Cents, addCents, cents, percentOf, percentWithin } from './money.ts'

interface VatRate {
  readonly from: string
  readonly percent: number
}

export interface Country {
  readonly code: string
  readonly name: Record<Language, string>
  /** Newest last; `from` is the first day (UTC) on which the percent rate holds. */
  readonly rates: readonly [VatRate, ...VatRate[]]
}

const country = (code: string, fr: string, nl: string, en: string, percent: number): Country => ({
  code,
  name: { fr, nl, en },
  rates: [{ from: '2000-01-01', percent }],
})

/** Billing countries with standard VAT rates (spec section 3). */
export const COUNTRIES: readonly Country[] = [
  country('AT', 'Autriche', 'Oostenrijk', 'Austria', 20),
  country('BE', 'Belgique', 'België', 'Belgium', 21),
  country('BG', 'Bulgarie', 'Bulgarije', 'Bulgaria', 20),
  country('CH', 'Suisse', 'Zwitserland', 'Switzerland', 8.1),
  country('CY', 'Chypre', 'Cyprus', 'Cyprus', 19),
  country('CZ', 'Tchéquie', 'Tsjechië', 'Czechia', 21),
  country('DE', 'Allemagne', 'Duitsland', 'Germany', 19),
  country('DK', 'Danemark', 'Denemarken', 'Denmark', 25),
  country('EE', 'Estonie', 'Estland', 'Estonia', 24),
  country('ES', 'Espagne', 'Spanje', 'Spain', 21),
  country('FI', 'Finlande', 'Finland', 'Finland', 25.5),
  country('FR', 'France', 'Frankrijk', 'France', 20),
  country('GB', 'Royaume-Uni', 'Verenigd Koninkrijk', 'United Kingdom', 20),
  country('GR', 'Grèce', 'Griekenland', 'Greece', 24),
  country('HR', 'Croatie', 'Kroatië', 'Croatia', 25),
  country('HU', 'Hongrie', 'Hongarije', 'Hungary', 27),
  country('IE', 'Irlande', 'Ierland', 'Ireland', 23),
  country('IT', 'Italie', 'Italië', 'Italy', 22),
  country('LT', 'Lituanie', 'Litouwen', 'Lithuania', 21),
  country('LU', 'Luxembourg', 'Luxemburg', 'Luxembourg', 17),
  country('LV', 'Lettonie', 'Letland', 'Latvia', 21),
  country('MT', 'Malte', 'Malta', 'Malta', 18),
  country('NL', 'Pays-Bas', 'Nederland', 'Netherlands', 21),
  country('NO', 'Norvège', 'Noorwegen', 'Norway', 25),
  country('PL', 'Pologne', 'Polen', 'Poland', 23),
  country('PT', 'Portugal', 'Portugal', 'Portugal', 23),
  country('RO', 'Roumanie', 'Roemenië', 'Romania', 21),
  country('SE', 'Suède', 'Zweden', 'Sweden', 25),
  country('SI', 'Slovénie', 'Slovenië', 'Slovenia', 22),
  country('SK', 'Slovaquie', 'Slowakije', 'Slovakia', 23),
]

/** For the estimate without a country (spec section 9, "country fallback NL"). */
export const FALLBACK_COUNTRY = 'NL'

/** For payment calls without a country (spec section 9, "default payment country code"). */
export const DEFAULT_PAYMENT_COUNTRY = 'BE'

// @NOTE spec section 9: used only when the tax call fails, never as a default for a known country.
export const TAX_FALLBACK_PERCENT = 21

/** Sorted by name. */
export const countriesIn = (language: Language): readonly Country[] =>
  COUNTRIES.toSorted((a, b) => a.name[language].localeCompare(b.name[language], language))

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
