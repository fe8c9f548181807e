import { useSettings } from '#client/shell.ts'
import { useBillingCountry } from '#features/cart/screens/billing-country.ts'
import { formatEur, formatPercent } from '#i18n/format.ts'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { systemClock } from '#shared/clock.ts'
import { allInPrice } from './prices.ts'

/**
 * The sentence that names the price with VAT: "5,93 € TVA comprise (BE, 21 %)", or only that the VAT is in it.
 * @param ticketPrice decimal text of the wire
 */
export function useAllIn(ticketPrice: string, quantity = 1): string {
  const t = useTranslations('offers.price')
  const language = useLanguage()
  const { pricesIncludeVat } = useSettings()
  const allIn = allInPrice(ticketPrice, quantity, useBillingCountry(), systemClock(), pricesIncludeVat)
  if (!allIn) return t('included')
  const { total, country, percent } = allIn
  return t('allIn', { price: formatEur(total, language), country, rate: formatPercent(percent, language) })
}
