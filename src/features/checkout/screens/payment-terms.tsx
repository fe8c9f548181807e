import type { ReactNode } from 'react'
import { AppLink } from '#client/app-link.tsx'
import { paths } from '#client/paths.ts'
import { useSettings } from '#client/shell.ts'
import { useTranslations } from '#i18n/translations.tsx'

/** What a buyer must read beside the pay buttons: the duty to pay, the rules, the reservation (storefront U7). */
export function PaymentTerms(): ReactNode {
  const t = useTranslations('checkout')
  const { holdMinutes } = useSettings()
  return (
    <div className="grid gap-1.5 text-sm">
      <p className="text-base font-semibold">{t('obligation')}</p>
      <p className="text-muted">
        {t.rich('acceptRules', {
          rules: (text) => (
            <AppLink to={paths.terms()} className="prose-link">
              {text}
            </AppLink>
          ),
        })}
      </p>
      <p className="text-muted">{t('holdNotice', { minutes: holdMinutes })}</p>
    </div>
  )
}
