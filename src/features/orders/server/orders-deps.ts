import type { FastifyBaseLogger } from 'fastify'
import type { Alerts } from '#features/alerts/server/index.ts'
import type { Database } from '#platform/database.ts'
import type { BatchBounds } from '#platform/batcher.ts'
import type { Metrics } from '#platform/metrics.ts'
import { type PaymentProvider, ProviderRefused, ProviderUnknown } from '#platform/payment/payment-provider.ts'
import type { Clock } from '#shared/clock.ts'
import { Refusal } from '#shared/refusal.ts'
import type { OrderBatches } from './order-batches.ts'
import type { OrderEmails } from './order-emails.ts'

/** What orders need of the world. */
export interface OrdersBase {
  db: Database
  provider: PaymentProvider
  clock: Clock
  log: FastifyBaseLogger
  metrics: Metrics
  /** Raises alerts for staff. */
  alerts: Alerts
  brand: string
  publicUrl: string
  pricesIncludeVat: boolean
  holdMinutes: number
  /** Of the batches that serve simultaneous buyers. */
  batchBounds: BatchBounds
  emails: OrderEmails
}

/** The same with the batches that all its parts share. */
export interface OrdersDeps extends OrdersBase {
  batches: OrderBatches
}

/**
 * A provider's fault as an answer that carries `message`, `details` and `debug_id` (decisions, "create-order output");
 * other errors pass through.
 */
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
