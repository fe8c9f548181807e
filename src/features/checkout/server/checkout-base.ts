import type { FastifyBaseLogger } from 'fastify'
import type { AlarmBell } from '#features/alarms/server/index.ts'
import type { Database } from '#platform/database.ts'
import type { BatchBounds as LaneBounds } from '#platform/batcher.ts'
import type { Metrics } from '#platform/metrics.ts'
import type { PayPalClient } from '#platform/paypal/client.ts'
import type { Clock } from '#shared/clock.ts'
import type { OrderLetters } from './order-letters.ts'

/** What the checkout needs of the world. */
export interface CheckoutBase {
  db: Database
  paypal: PayPalClient
  clock: Clock
  log: FastifyBaseLogger
  metrics: Metrics
  /** Rings for staff. */
  bell: AlarmBell
  brand: string
  publicUrl: string
  pricesIncludeVat: boolean
  holdMinutes: number
  /** Of what buyers of the same moment do together. */
  laneBounds: LaneBounds
  letters: OrderLetters
}
