import { useCallback, useEffect, useState } from 'react'
import { failureOf } from '#client/api-error.ts'
import { browserApi, failureTexts } from '#client/browser.ts'
import { systemClock } from '#shared/clock.ts'
import { type Cents, toDecimal } from '#shared/money.ts'
import {
  type ShownTax,
  type TaxFigures,
  computedTax,
  confirmedTax,
  failureBasis,
  fallbackTax,
} from './tax.ts'

/** Delay of the call while the buyer types. */
const SETTLE_MS = 250

/** The figures of the summary for the current cart and country. */
export interface SummaryTax extends ShownTax {
  /** Sets the figures of a 409 of create-order, until cart or country change. */
  adopt: (figures: TaxFigures) => void
}

/**
 * Asks the server for the tax of an amount; until it answers, the figures come from the shop's rates.
 * @param amount sum of the ticket prices in cents
 * @param country chosen billing country; without one the server is not asked
 */
export function useTax(amount: Cents, country: string | undefined, pricesIncludeVat: boolean): SummaryTax {
  const [answer, setAnswer] = useState<{ amount: Cents; country: string; shown: ShownTax }>()

  useEffect(() => {
    if (country === undefined || amount === 0) return
    const leaving = new AbortController()
    const timer = setTimeout(() => void ask(country), SETTLE_MS)

    async function ask(code: string): Promise<void> {
      let shown: ShownTax
      try {
        const body = { subtotal: toDecimal(amount), country_code: code }
        shown = confirmedTax(await browserApi().calculateTax(body, leaving.signal))
      } catch (error) {
        shown = fallbackTax(amount, pricesIncludeVat, failureBasis(failureOf(error, failureTexts())))
      }
      if (!leaving.signal.aborted) setAnswer({ amount, country: code, shown })
    }

    return () => {
      clearTimeout(timer)
      leaving.abort()
    }
  }, [amount, country, pricesIncludeVat])

  const adopt = useCallback(
    (figures: TaxFigures) => {
      if (country !== undefined) setAnswer({ amount, country, shown: confirmedTax(figures) })
    },
    [amount, country],
  )

  const current = answer?.amount === amount && answer.country === country ? answer.shown : undefined
  return { ...(current ?? computedTax(amount, country, systemClock(), pricesIncludeVat)), adopt }
}
