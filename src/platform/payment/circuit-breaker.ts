import { nowMs } from '#shared/clock.ts'
import type { Metrics } from '../metrics.ts'
import {
  type PaymentProvider,
  ProviderRefused,
  ProviderUnavailable,
  ProviderUnknown,
} from './payment-provider.ts'

export interface BreakerSettings {
  /** Consecutive calls without an answer after which the provider counts as unavailable. */
  failures: number
  pauseMs: number
  now?: () => number
}

const SETTINGS: BreakerSettings = { failures: 8, pauseMs: 10_000 }

type Call = <Result>(name: string, send: () => Promise<Result>) => Promise<Result>

const wrapped = (provider: PaymentProvider, call: Call): PaymentProvider => ({
  captureKeyLifetime: provider.captureKeyLifetime,
  refundKeyLifetime: provider.refundKeyLifetime,
  createOrder: (request, requestId) => call('create order', () => provider.createOrder(request, requestId)),
  readOrder: (id) => call('get order', () => provider.readOrder(id)),
  captureOrder: (id, requestId) => call('capture', () => provider.captureOrder(id, requestId)),
  refund: (request, requestId) => call('refund', () => provider.refund(request, requestId)),
  readRefund: (id) => call('get refund', () => provider.readRefund(id)),
})

/** Pauses calls to a provider that has stopped answering (failure mode 36). After the pause a single call probes it. */
export function withCircuitBreaker(
  provider: PaymentProvider,
  { failures, pauseMs, now = nowMs }: BreakerSettings = SETTINGS,
): PaymentProvider {
  let inARow = 0
  let pausedUntil = 0
  let trying = false

  return wrapped(provider, async (_name, send) => {
    const isOpen = inARow >= failures
    if (isOpen && (trying || now() < pausedUntil)) throw new ProviderUnavailable()
    if (isOpen) trying = true
    try {
      const result = await send()
      inARow = 0
      return result
    } catch (error) {
      // A refusal is an answer.
      inARow = error instanceof ProviderUnknown ? inARow + 1 : 0
      if (inARow >= failures) pausedUntil = now() + pauseMs
      throw error
    } finally {
      if (isOpen) trying = false
    }
  })
}

/** Measures duration and outcome of each call. */
export const withMetrics = (provider: PaymentProvider, metrics: Pick<Metrics, 'provider'>): PaymentProvider =>
  wrapped(provider, async (name, send) => {
    const begun = nowMs()
    const took = (): number => (nowMs() - begun) / 1000
    try {
      const result = await send()
      metrics.provider(name, 'ok', took())
      return result
    } catch (error) {
      metrics.provider(name, error instanceof ProviderRefused ? 'refused' : 'unknown', took())
      throw error
    }
  })
