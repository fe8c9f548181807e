import { setTimeout as sleep } from 'node:timers/promises'
import { CircuitState, CountBreaker, circuitBreaker, handleType, isBrokenCircuitError } from 'cockatiel'
import { nowMs } from '#shared/clock.ts'
import type { Metrics } from '../metrics.ts'
import {
  type PaymentProvider,
  ProviderRefused,
  ProviderUnavailable,
  ProviderUnknown,
} from './payment-provider.ts'

export interface BreakerSettings {
  /** The share of the last calls without a response, above which the provider counts as unavailable. */
  share: number
  /** So many of the last calls count. */
  calls: number
  /** Fewer calls prove nothing. */
  atLeast: number
  pauseMs: number
}

const SETTINGS: BreakerSettings = { share: 0.5, calls: 20, atLeast: 8, pauseMs: 10_000 }

type Call = <Result>(name: string, send: () => Promise<Result>) => Promise<Result>

const wrapped = (provider: PaymentProvider, call: Call): PaymentProvider => ({
  captureKeyLifetime: provider.captureKeyLifetime,
  refundKeyLifetime: provider.refundKeyLifetime,
  createOrder: (request, requestId) => call('create order', () => provider.createOrder(request, requestId)),
  readOrder: (id) => call('get order', () => provider.readOrder(id)),
  captureOrder: (id, requestId) => call('capture', () => provider.captureOrder(id, requestId)),
  refund: (request, requestId) => call('refund', () => provider.refund(request, requestId)),
  readRefund: (id) => call('get refund', () => provider.readRefund(id)),
  notificationKind: (type) => provider.notificationKind(type),
})

/**
 * Pauses calls to a provider that has stopped responding (failure mode 36). After the pause a single call probes it.
 */
export function withCircuitBreaker(
  provider: PaymentProvider,
  { share, calls, atLeast, pauseMs }: BreakerSettings = SETTINGS,
): PaymentProvider {
  const policy = circuitBreaker(handleType(ProviderUnknown), {
    halfOpenAfter: pauseMs,
    breaker: new CountBreaker({ threshold: share, size: calls, minimumNumberOfCalls: atLeast }),
  })

  return wrapped(provider, async (_name, send) => {
    // The library has callers wait for the probe; buyers are told at once.
    if (policy.state === CircuitState.HalfOpen) throw new ProviderUnavailable()
    const response = await policy
      .execute(() => send().then((result) => ({ result }), asResponse))
      .catch((error: unknown) => {
        throw isBrokenCircuitError(error) ? new ProviderUnavailable() : error
      })
    if ('refusal' in response) throw response.refusal
    return response.result
  })
}

/** A refusal is a response. */
function asResponse(error: unknown): { refusal: unknown } {
  if (error instanceof ProviderUnknown) throw error
  return { refusal: error }
}

/** A slower failure has kept the buyer waiting long enough. */
const REPEATED_WITHIN_MS = 5_000

/** Repeats the creation of an order once when its outcome is unknown: by its request id it is the same order. */
export const withRepeatedCreation = (provider: PaymentProvider, pauseMs = 300): PaymentProvider => ({
  ...provider,
  async createOrder(request, requestId) {
    const begun = nowMs()
    const create = () => provider.createOrder(request, requestId)
    return create().catch(async (error: unknown) => {
      const isWorth = error instanceof ProviderUnknown && !(error instanceof ProviderUnavailable)
      if (!isWorth || nowMs() - begun > REPEATED_WITHIN_MS) throw error
      await sleep(pauseMs)
      return create()
    })
  },
})

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
