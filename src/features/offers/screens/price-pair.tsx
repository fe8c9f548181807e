import { type ReactNode, useId } from 'react'
import { useShell } from '#client/shell.ts'
import { chooseBillingCountry, usePriceCountry } from '#features/purchase/cart/screens/billing-country.ts'
import { classes } from '#ui/classes.ts'
import { Select } from '#ui/select.tsx'
import { formatEur, formatPercent } from '#i18n/format.ts'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { FALLBACK_COUNTRY, findCountry, vatPercent, withTax } from '#shared/countries.ts'
import { type Cents, parseEur, timesCents } from '#shared/money.ts'

interface PricePairProps {
  ticketPrice: string
  className?: string
}

/** The ticket price and the price with VAT, with the same weight (decisions, "Inclusive or exclusive prices"). */
export function PricePair({ ticketPrice, className }: PricePairProps): ReactNode {
  const t = useTranslations('offers.price')
  const language = useLanguage()
  const allIn = useAllIn(ticketPrice)
  const figure = (amount: string, text: string): ReactNode => (
    <>
      <span className="font-wide text-lg leading-tight text-ink tabular-nums" translate="no">
        {amount}
      </span>
      <span>{text}</span>
    </>
  )
  const net = formatEur(ticketPrice, language)
  return (
    <p
      className={classes(
        'grid grid-cols-[auto_minmax(0,1fr)] @max-[14rem]:grid-cols-1 content-start items-baseline gap-x-2 gap-y-0.5 text-sm text-muted',
        className,
      )}
    >
      {figure(net, t(allIn ? 'net' : 'included'))}
      {allIn &&
        figure(
          formatEur(allIn.total, language),
          t('gross', { country: allIn.country, rate: formatPercent(allIn.percent, language) }),
        )}
    </p>
  )
}

/** The same pair in one line, for a button: "9,80 € (11,86 € TVA incl.)". */
export function usePriceLine(ticketPrice: string, quantity: number): string {
  const t = useTranslations('offers.price')
  const language = useLanguage()
  const allIn = useAllIn(ticketPrice, quantity)
  const net = formatEur(timesCents(parseEur(ticketPrice), quantity), language)
  return allIn ? t('line', { net, gross: formatEur(allIn.total, language) }) : net
}

/** What so many tickets cost, with the VAT. */
export function useTotal(ticketPrice: string): (quantity: number) => string {
  const { renderedAt, settings } = useShell()
  const language = useLanguage()
  const { code: country } = usePriceCountry()
  return (quantity) => {
    const allIn = allInPrice(ticketPrice, quantity, country, new Date(renderedAt), settings.pricesIncludeVat)
    return formatEur(allIn?.total ?? timesCents(parseEur(ticketPrice), quantity), language)
  }
}

/**
 * Says for which country prices show the VAT, and whether that is a guess, and changes it.
 * @param hangs the guess stands in the space below
 */
export function PriceCountry({ hangs = false }: { hangs?: boolean }): ReactNode {
  const t = useTranslations('offers.price')
  const { countries, settings } = useShell()
  const { code: country, isGuess } = usePriceCountry()
  const id = useId()
  if (settings.pricesIncludeVat) return null
  return (
    <p
      className={classes(
        'flex flex-wrap items-center gap-x-2 gap-y-1 text-sm sm:gap-x-3 print:hidden',
        hangs && 'relative',
      )}
    >
      <label htmlFor={id} className="text-muted">
        {t('country')}
      </label>
      <Select
        id={id}
        autoComplete="country"
        aria-describedby={`${id}-guess`}
        value={country}
        onChange={(event) => chooseBillingCountry(event.target.value)}
      >
        {countries.map(({ code, name }) => (
          <option key={code} value={code}>
            {name}
          </option>
        ))}
      </Select>
      {/* One line in each state: a guess, made in the browser, moves nothing. */}
      <span
        id={`${id}-guess`}
        className={classes('h-5 w-full text-xs text-muted', hangs && 'absolute top-full')}
      >
        {isGuess && t('guessed')}
      </span>
    </p>
  )
}

function useAllIn(ticketPrice: string, quantity = 1): ReturnType<typeof allInPrice> {
  const { renderedAt, settings } = useShell()
  const { code } = usePriceCountry()
  return allInPrice(ticketPrice, quantity, code, new Date(renderedAt), settings.pricesIncludeVat)
}

/** Undefined when ticket prices include the VAT (decisions, "Inclusive or exclusive prices"). */
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
