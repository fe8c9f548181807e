import type { FastifyBaseLogger } from 'fastify'
import { exclusionsRepository } from '#features/accounts/server/index.ts'
import type { Alerts } from '#features/alerts/server/index.ts'
import type { EmailShop } from '#features/emails/server/index.ts'
import { ticketsOfOrders } from '#features/tickets/server/index.ts'
import type { Ticket } from '#features/tickets/tickets.contract.ts'
import { type BatchBounds, batchCalls } from '#platform/batcher.ts'
import type { Database, Trx } from '#platform/database.ts'
import type { Metrics } from '#platform/metrics.ts'
import type { PaymentProvider } from '#platform/payment/payment-provider.ts'
import { transact, withCommit } from '#platform/transaction.ts'
import type { Clock } from '#shared/clock.ts'
import type { HoldCaps } from '../hold-caps.rules.ts'
import { type CaptureRequest, orderWrites } from './order-moves.repository.ts'
import type { OrderSignatures } from './order-signatures.ts'
import { type OrderRow, ordersRepository } from './orders.repository.ts'
import type { ReceiptEmails } from './receipt-email.ts'
import type { RefundEmails } from './refund-email.ts'

export interface OrdersBase {
  db: Database
  provider: PaymentProvider
  clock: Clock
  log: FastifyBaseLogger
  metrics: Metrics
  alerts: Alerts
  brand: string
  publicUrl: string
  signatures: OrderSignatures
  /** Appends the cancellation of a contest to its public log. */
  noteCancellation: (trx: Trx, offerId: number) => Promise<void>
  pricesIncludeVat: boolean
  /** For emails to staff. */
  shop: EmailShop & { alertEmail: string | undefined }
  /** Cents that one person of staff may refund without a second one. */
  refundsAlone: {
    /** Of an order. */
    order: number
    /** Within a day, all orders together. */
    day: number
    /** Of an order while its tickets stay valid. */
    amount: number
  }
  holdMinutes: number
  holdCaps: HoldCaps
  batchBounds: BatchBounds
  emails: ReceiptEmails & RefundEmails
}

export interface OrdersDeps extends OrdersBase {
  batches: OrderBatches
}

/** Calls that are batched into one transaction. */
export interface OrderBatches {
  /** For the first capture of an order. @returns undefined when state or guard do not allow the move */
  beginCapture(request: CaptureRequest): Promise<OrderRow | undefined>
  order(id: string): Promise<OrderRow | undefined>
  tickets(orderId: string): Promise<Ticket[]>
  /** Whether anybody is excluded: else nobody has to be looked for. @param orderId of the caller */
  anyExcluded(orderId: string): Promise<boolean>
}

export const reread = async (
  { batches }: { batches: Pick<OrderBatches, 'order'> },
  order: OrderRow,
): Promise<OrderRow> => (await batches.order(order.id)) ?? order

export function orderBatches({
  db,
  metrics,
  batchBounds,
}: Pick<OrdersBase, 'db' | 'metrics' | 'batchBounds'>): OrderBatches {
  const bounds = (name: string) => ({ ...batchBounds, meter: metrics.batch(name) })
  return {
    beginCapture: batchCalls<CaptureRequest, OrderRow | undefined>(async (requests, options) => {
      const begun = await transact(
        db,
        async (trx) => withCommit(orderWrites(trx).beginCaptures(requests, true)),
        options,
      )
      const free = new Map(begun.map((order) => [order.provider_order_id, order]))
      return requests.map(({ userId, providerId }) => {
        const order = free.get(providerId)
        if (order?.user_id !== userId) return { value: undefined }
        // Of two requests for one order only the first moves it.
        free.delete(providerId)
        return { value: order }
      })
    }, bounds('begin capture')),

    order: batchCalls<string, OrderRow | undefined>(async (ids) => {
      const rows = new Map((await ordersRepository(db).byIds(ids)).map((row) => [row.id, row]))
      return ids.map((id) => ({ value: rows.get(id) }))
    }, bounds('read order')),

    tickets: batchCalls<string, Ticket[]>(
      async (ids) => (await ticketsOfOrders(db, ids)).map((value) => ({ value })),
      bounds('read tickets'),
    ),

    anyExcluded: batchCalls<string, boolean>(async (ids) => {
      const value = await exclusionsRepository(db).any()
      return ids.map(() => ({ value }))
    }, bounds('read exclusions')),
  }
}
