import { expect } from 'vitest'
import type { ProviderLedger } from '#platform/invariants.ts'
import type { PayPalCapture, PayPalOrder } from '#platform/payment/paypal/paypal-client.ts'
import type { TestShop } from './shop.ts'

/** Actions at the provider of a test's shop, and its ledger. */
export const providerSide = ({ paypal, capturesOf }: TestShop) => {
  /** Runs something under a fault of the emulator, as a share of all responses or notifications. */
  const under = async <Result>(fault: 'http5xx' | 'missingWebhooks', act: () => Promise<Result>) => {
    paypal.faults.change({ [fault]: 1 })
    try {
      return await act()
    } finally {
      paypal.faults.change({ [fault]: 0 })
    }
  }

  /** Acts on a capture, all of it or `value` euros. */
  const act = async (captureId: string | undefined, how: string, value?: string): Promise<void> => {
    const response = await fetch(`${paypal.url}/_emulator/captures/${captureId}/${how}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(value === undefined ? {} : { amount: { currency_code: 'EUR', value } }),
    })
    expect(response.status).toBe(200)
  }

  return {
    act,
    /** Runs something while every call to the provider fails. */
    silently: <Result>(act: () => Promise<Result>) => under('http5xx', act),
    /** Runs something while no notification leaves the provider. */
    unnotified: <Result>(act: () => Promise<Result>) => under('missingWebhooks', act),

    /** The capture of an order, by the provider's ids; empty when nothing was captured. */
    captureIdOf: (orderId: string): string => capturesOf(orderId)[0]?.id ?? '',

    /** Has the provider refund or reverse a capture. */
    giveBack: act,

    /** Has the provider decide the pending capture that was begun last. */
    decideLast: (verdict: 'release' | 'deny'): Promise<void> =>
      act([...paypal.book.captures.keys()].at(-1), verdict),

    /** The whole ledger, as `npm run invariants` reads it. */
    book: (): ProviderLedger => ({
      orders: null,
      captures: [...paypal.book.captures.values()].map((one) => ({
        capture_id: one.id,
        provider_order_id: one.orderId,
        status: one.status.toLowerCase(),
        cents: one.cents,
        currency: one.currency,
        refunded_cents: one.refunded,
      })),
    }),
  }
}

/** The captures of an order in PayPal's own words. */
export const capturesOf = (order: PayPalOrder): PayPalCapture[] =>
  (order.purchase_units ?? []).flatMap((unit) => unit.payments?.captures ?? [])
