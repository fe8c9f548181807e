import type { ReactNode } from 'react'
import { useCountryNames } from '#client/country-names.ts'
import { useShell } from '#client/shell.ts'
import { Alert } from '#ui/alert.tsx'
import { Card } from '#ui/card.tsx'
import { Field } from '#ui/field.tsx'
import { Select } from '#ui/select.tsx'
import { formatEur, formatPercent } from '#i18n/format.ts'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { chooseBillingCountry, usePriceCountry } from './billing-country.ts'
import { GuessedCountry } from './guessed-country.tsx'
import type { ShownTax } from './tax.ts'

export const COUNTRY_ID = 'billing-country'

interface OrderSummaryProps {
  tax: ShownTax
  country: string | undefined
  /** The sum exceeds an order's limit and is not shown. */
  tooLarge: boolean
  children: ReactNode
}

/** Spec section 2, "Cart". */
export function OrderSummary({ tax, country, tooLarge, children }: OrderSummaryProps): ReactNode {
  const t = useTranslations('cart')
  return (
    <Card
      role="region"
      aria-label={t('summary')}
      className="grid grid-cols-1 gap-4 p-5 @4xl:[@media(min-height:56rem)]:sticky @4xl:top-20"
    >
      <h2 className="text-title">{t('summary')}</h2>
      <CountryField country={country} />
      <div aria-live="polite" className="empty:absolute">
        {tooLarge ? <Alert tone="warning">{t('tooLarge')}</Alert> : <TaxWarning tax={tax} />}
      </div>
      {!tooLarge && <Figures tax={tax} />}
      <hr className="border-line" />
      {children}
    </Card>
  )
}

function CountryField({ country }: { country: string | undefined }): ReactNode {
  const t = useTranslations('cart.country')
  const { countries } = useShell()
  return (
    <div className="grid gap-3">
      <Field id={COUNTRY_ID} label={t('label')} hint={t('why')}>
        {(control) => (
          <Select
            {...control}
            required
            className="scroll-mt-28"
            autoComplete="country"
            value={country ?? ''}
            onChange={(event) => chooseBillingCountry(event.target.value || undefined)}
          >
            <option value="">{t('choose')}</option>
            {countries.map(({ code, name }) => (
              <option key={code} value={code}>
                {name}
              </option>
            ))}
          </Select>
        )}
      </Field>
      {country === undefined && (
        <Alert tone="warning">
          {t('warning')}
          <GuessedCountry field={COUNTRY_ID} />
        </Alert>
      )}
    </div>
  )
}

/** Spec section 8, "Tax calculation". */
function TaxWarning({ tax }: { tax: ShownTax }): ReactNode {
  const t = useTranslations('cart')
  const rate = formatPercent(tax.percent, useLanguage())
  if (tax.basis === 'checkCountry') return <Alert tone="warning">{t('taxCheckCountry', { rate })}</Alert>
  if (tax.basis === 'defaultRate') return <Alert tone="warning">{t('taxDefault', { rate })}</Alert>
  return null
}

function Figures({ tax }: { tax: ShownTax }): ReactNode {
  const t = useTranslations('cart')
  const language = useLanguage()
  const isEstimate = tax.basis === 'estimate'
  const estimatedFor = useCountryNames()(usePriceCountry().code)
  return (
    <div className="grid grid-cols-1 gap-2">
      <dl aria-live="polite" className="grid gap-2">
        <Figure term={t('subtotal')} amount={formatEur(tax.subtotal, language)} />
        <Figure
          term={t('vat', { rate: formatPercent(tax.percent, language) })}
          amount={formatEur(tax.tax, language)}
        />
        <Figure
          strong
          term={t(isEstimate ? 'totalEstimate' : 'total')}
          amount={formatEur(tax.total, language)}
        />
      </dl>
      {isEstimate && <p className="text-sm text-muted">{t('estimate', { country: estimatedFor })}</p>}
    </div>
  )
}

interface FigureProps {
  term: string
  amount: string
  strong?: boolean
}

const Figure = ({ term, amount, strong = false }: FigureProps): ReactNode => (
  <div
    className={`flex flex-wrap items-baseline justify-between gap-x-4 ${strong ? 'mt-1 border-t border-line pt-3' : ''}`}
  >
    <dt className={strong ? 'text-lg font-semibold' : 'text-muted'}>{term}</dt>
    <dd className={strong ? 'font-wide text-title' : ''} translate="no">
      {amount}
    </dd>
  </div>
)
