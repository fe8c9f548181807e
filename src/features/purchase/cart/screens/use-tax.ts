import { useCallback, useEffect, useState } from 'react'
import { failureOf } from '#client/api-error.ts'
import { failureTexts } from '#client/browser.ts'
import { calculateTax } from '../tax.api.ts'
import { serverNow } from '#client/server-clock.ts'
import { type Cents, toDecimal } from '#shared/money.ts'
import { usePriceCountry } from './billing-country.ts'
import {
  type ShownTax,
  type TaxFigures,
  computedTax,
  confirmedTax,
  failureBasis,
  fallbackTax,
} from './tax.ts'

const SETTLE_MS = 250

export interface SummaryTax extends ShownTax {
  /** Uses the figures of a 409 of create-order until cart or country change. */
  adopt: (figures: TaxFigures) => void
}

/** Until the server responds, and without a country, the figures come from the shop's rates. @param amount cents */
export function useTax(amount: Cents, country: string | undefined, pricesIncludeVat: boolean): SummaryTax {
  const estimateFor = usePriceCountry().code
  const [response, setResponse] = useState<{ amount: Cents; country: string; shown: ShownTax }>()

  useEffect(() => {
    if (country === undefined || amount === 0) return
    const leaving = new AbortController()
    const timer = setTimeout(() => void ask(country), SETTLE_MS)

    async function ask(code: string): Promise<void> {
      let shown: ShownTax
      try {
        const body = { subtotal: toDecimal(amount), country_code: code }
        shown = confirmedTax(await calculateTax(body, leaving.signal))
      } catch (error) {
        shown = fallbackTax(amount, pricesIncludeVat, failureBasis(failureOf(error, failureTexts())))
      }
      if (!leaving.signal.aborted) setResponse({ amount, country: code, shown })
    }

    return () => {
      clearTimeout(timer)
      leaving.abort()
    }
  }, [amount, country, pricesIncludeVat])

  const adopt = useCallback(
    (figures: TaxFigures) => {
      if (country !== undefined) setResponse({ amount, country, shown: confirmedTax(figures) })
    },
    [amount, country],
  )

  const current = response?.amount === amount && response.country === country ? response.shown : undefined
  const computed = computedTax(amount, country, new Date(serverNow()), pricesIncludeVat, estimateFor)
  return { ...(current ?? computed), adopt }
}
