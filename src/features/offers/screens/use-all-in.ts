import { useSettings } from '#client/shell.ts'
import { useBillingCountry } from '#features/cart/screens/billing-country.ts'
import { formatEur, formatPercent } from '#i18n/format.ts'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { systemClock } from '#shared/clock.ts'
import { FALLBACK_COUNTRY, findCountry, vatPercent, withTax } from '#shared/countries.ts'
import { type Cents, parseEur, timesCents } from '#shared/money.ts'

/** The VAT beside a price: "5,93 € TVA incl. (BE, 21 %)", or that it is included. */
export function useAllIn(ticketPrice: string, quantity = 1): string {
  const t = useTranslations('offers.price')
  const language = useLanguage()
  const { pricesIncludeVat } = useSettings()
  const country = useBillingCountry()
  const allIn = allInPrice(ticketPrice, quantity, country, systemClock(), pricesIncludeVat)
  if (!allIn) return t('included')
  const price = formatEur(allIn.total, language)
  return t('allIn', { price, country: allIn.country, rate: formatPercent(allIn.percent, language) })
}

/** Undefined when ticket prices include the VAT. */
export function allInPrice(
  ticketPrice: string,
  quantity: number,
  country: string | undefined,
  on: Date,
  pricesIncludeVat: boolean,
): { total: Cents; percent: number; country: string } | undefined {
  const billed = findCountry(country ?? FALLBACK_COUNTRY)
  if (pricesIncludeVat || !billed) return undefined
  const percent = vatPercent(billed, on)
  return {
    total: withTax(timesCents(parseEur(ticketPrice), quantity), percent, false).total,
    percent,
    country: billed.code,
  }
}
