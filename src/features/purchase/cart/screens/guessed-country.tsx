import type { ReactNode } from 'react'
import { useCountryNames } from '#client/country-names.ts'
import { useTranslations } from '#i18n/translations.tsx'
import { Button } from '#ui/button.tsx'
import { chooseBillingCountry, usePriceCountry } from './billing-country.ts'

/** Offers the guessed country: the bill has it once its buyer says so, by one tap (ADR 0126). @param field id of the choice */
export function GuessedCountry({ field }: { field: string }): ReactNode {
  const t = useTranslations('cart.country')
  const nameOf = useCountryNames()
  const { code, isGuess } = usePriceCountry()
  if (!isGuess) return null

  function take(): void {
    chooseBillingCountry(code)
    // The button goes with the warning.
    document.getElementById(field)?.focus()
  }

  return (
    <p className="mt-3 grid justify-items-start gap-1.5">
      <Button variant="secondary" size="small" onClick={take}>
        {t('take', { country: nameOf(code) })}
      </Button>
      <span>{t('guess')}</span>
    </p>
  )
}
