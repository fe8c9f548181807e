import { ProviderRefused, ProviderUnknown } from '#platform/paypal/faults.ts'
import type { TaxedAmount } from '#shared/countries.ts'
import { formatEur } from '#i18n/format.ts'
import { toDecimal } from '#shared/money.ts'
import { Refusal } from '#shared/refusal.ts'
import type { CheckoutBase } from './checkout-base.ts'
import type { CheckoutLanes } from './lanes.ts'

/** The same with what all its parts share. */
export interface CheckoutDeps extends CheckoutBase {
  lanes: CheckoutLanes
}

/** "The total is now …": the buyer must confirm the new figures (decisions, "Tax call fails"). */
export const priceChanged = (tax: TaxedAmount & { percent: number; country: string }): Refusal =>
  new Refusal('checkout.priceChanged', 409, 'errors.checkout.priceChanged', {
    values: (language) => ({ total: formatEur(tax.total, language) }),
    body: {
      subtotal: toDecimal(tax.subtotal),
      tax_rate: tax.percent,
      tax_amount: toDecimal(tax.tax),
      total: toDecimal(tax.total),
      country: tax.country,
    },
  })

/** Turns a fault of the provider into an answer that carries `message`, `details` and `debug_id`; others pass through. */
export function providerFailure(error: unknown): unknown {
  if (error instanceof ProviderRefused) {
    const { message, details, debug_id } = error.fault
    return new Refusal('checkout.providerRefused', 502, 'errors.checkout.providerRefused', {
      asMessage: true,
      body: { ...(message !== undefined && { message }), details: details ?? [], debug_id },
    })
  }
  if (error instanceof ProviderUnknown) {
    return new Refusal('checkout.providerDown', 503, 'errors.checkout.providerDown', {
      retryAfter: 5,
      asMessage: true,
      body: { details: [], debug_id: error.debugId },
    })
  }
  return error
}
