import { Check } from 'lucide-react'
import type { ReactNode } from 'react'
import { AppLink } from '#client/app-link.tsx'
import { paths } from '#client/paths.ts'
import { useSettings } from '#client/shell.ts'
import { useTranslations } from '#i18n/translations.tsx'

/**
 * What a buyer must read beside the pay buttons: the duty to pay, the rules, and what is promised for it (storefront U7).
 * @param props.held whether tickets are held already: the payment then goes on with their deadline, and gets no new one
 */
export function PaymentTerms({ held }: { held: boolean }): ReactNode {
  const t = useTranslations('checkout')
  const { holdMinutes } = useSettings()
  const promises = [
    ...(held ? [] : [t('holdNotice', { minutes: holdMinutes })]),
    t('numbersNotice'),
    t('refundNotice'),
  ]
  return (
    <div className="grid grid-cols-1 gap-1.5 text-sm">
      <p className="text-base font-semibold wrap-anywhere">{t('obligation')}</p>
      <p className="text-muted">
        {t.rich('acceptRules', {
          rules: (text) => (
            <AppLink to={paths.terms()} className="prose-link">
              {text}
            </AppLink>
          ),
        })}
      </p>
      <ul className="grid grid-cols-1 gap-1.5 text-muted">
        {promises.map((text) => (
          <li key={text} className="flex gap-2">
            <Check aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-success" />
            <span className="text-pretty">{text}</span>
          </li>
        ))}
      </ul>
    </div>
  )
}
