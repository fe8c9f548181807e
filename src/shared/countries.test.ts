import { describe, expect, test } from 'vitest'
import {
  COUNTRIES,
  type Country,
  DEFAULT_PAYMENT_COUNTRY,
  FALLBACK_COUNTRY,
  TAX_FALLBACK_PERCENT,
  countriesIn,
  countryName,
  findCountry,
  vatPercent,
  withTax,
} from './countries.ts'
import { LANGUAGES, type Language } from './languages.ts'
import { cents } from './money.ts'

const TODAY = new Date('2026-11-21T12:00:00Z')

/** The standard VAT rates. */
const RATES =
  'AT 20, BE 21, BG 20, HR 25, CY 19, CZ 21, DK 25, EE 24, FI 25.5, FR 20, DE 19, GR 24, HU 27, IE 23, IT 22, LV 21, LT 21, LU 17, MT 18, NL 21, PL 23, PT 23, RO 21, SK 23, SI 22, ES 21, SE 25, GB 20, CH 8.1, NO 25'

test('the countries and their rates are those decided, each once [spec 1.4, 3.27]', () => {
  const ours = COUNTRIES.map((country) => `${country.code} ${vatPercent(country, TODAY)}`)
  expect(ours.toSorted()).toEqual(RATES.split(', ').toSorted())
})

test('every country has a name in each language [spec 3.28]', () => {
  for (const language of LANGUAGES)
    for (const { code, name } of countriesIn(language)) expect(name, `${code} in ${language}`).not.toBe(code)
  expect(['fr', 'nl', 'en'].map((language) => countryName('be', language as Language))).toEqual([
    'Belgique',
    'België',
    'Belgium',
  ])
})

test('countries are in the order of their names, which differs by language', () => {
  const at = (language: Language, ...codes: string[]) =>
    codes.map((code) => countriesIn(language).findIndex((one) => one.code === code))
  // Allemagne, Autriche, Belgique; Austria, Belgium, Bulgaria; België, Bulgarije, Cyprus.
  expect(at('fr', 'DE', 'AT', 'BE')).toEqual([0, 1, 2])
  expect(at('en', 'AT', 'BE', 'BG')).toEqual([0, 1, 2])
  expect(at('nl', 'BE', 'BG', 'CY')).toEqual([0, 1, 2])
})

test('the constants of the specification [spec 3.30, 9.8, 9.10, 9.11]', () => {
  expect([DEFAULT_PAYMENT_COUNTRY, FALLBACK_COUNTRY, TAX_FALLBACK_PERCENT]).toEqual(['BE', 'NL', 21])
})

test.each([
  ['be', 'BE'],
  [' NL ', 'NL'],
  ['US', undefined],
  ['', undefined],
])('%j is %s', (code, found) => expect(findCountry(code)?.code).toBe(found))

test('a rate holds from its day on', () => {
  const changed: Country = {
    code: 'XX',
    rates: [
      { from: '2000-01-01', percent: 19 },
      { from: '2026-12-01', percent: 21 },
    ],
  }
  expect(vatPercent(changed, new Date('1999-12-31T00:00:00Z'))).toBe(19)
  expect(vatPercent(changed, TODAY)).toBe(19)
  expect(vatPercent(changed, new Date('2026-12-01T00:00:00Z'))).toBe(21)
})

describe('subtotal, VAT and total always add up', () => {
  test.each([true, false])('prices that include VAT: %s', (inclusive) => {
    for (let amount = 0; amount < 3_000; amount += 7) {
      const { subtotal, tax, total } = withTax(cents(amount), 21, inclusive)
      expect(subtotal + tax).toBe(total)
      expect(inclusive ? total : subtotal).toBe(amount)
    }
  })
})
