import { useSettings } from '#client/shell.ts'
import { useBillingCountry } from '#features/cart/screens/billing-country.ts'
import { formatEur, formatPercent, keptText } from '#i18n/format.ts'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { systemClock } from '#shared/clock.ts'
import { allInPrice } from './prices.ts'

const DAY_MS = 86_400_000

/**
 * The sentence that names the price with VAT: "5,93 € TVA incl. (BE, 21 %)", or only that the VAT is in it.
 * @param ticketPrice decimal text of the wire
 */
export function useAllIn(ticketPrice: string, quantity = 1): string {
  const t = useTranslations('offers.price')
  const language = useLanguage()
  const { pricesIncludeVat } = useSettings()
  const country = useBillingCountry()
  const now = systemClock()
  if (pricesIncludeVat) return t('included')
  // Rates change from one day to the next, never within one.
  const day = Math.floor(now.getTime() / DAY_MS)
  return keptText(language, `${ticketPrice} ${quantity} ${country} ${day}`, () => {
    const allIn = allInPrice(ticketPrice, quantity, country, now, pricesIncludeVat)
    if (!allIn) return t('included')
    const price = formatEur(allIn.total, language)
    return t('allIn', { price, country: allIn.country, rate: formatPercent(allIn.percent, language) })
  })
}
