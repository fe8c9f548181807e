import type { Database } from '#platform/database.ts'
import { type BatchBounds, batchCalls } from '#platform/batcher.ts'
import type { Metrics } from '#platform/metrics.ts'
import { transact, withCommit } from '#platform/transaction.ts'
import { ticketsOfOrders } from '#features/tickets/server/index.ts'
import type { Ticket } from '#features/tickets/tickets.contract.ts'
import { type CaptureRequest, orderWrites } from './order-moves.repository.ts'
import { type OrderRow, ordersRepository } from './orders.repository.ts'

/** Steps of simultaneous buyers that run as one transaction: while one batch is under way the next one gathers. */
export interface OrderBatches {
  /**
   * Brings an order into `capturing`.
   * @returns undefined when it is not simply held by an active buyer while its offers run; why is asked elsewhere
   */
  beginCapture(request: CaptureRequest): Promise<OrderRow | undefined>
  order(id: string): Promise<OrderRow | undefined>
  tickets(orderId: string): Promise<Ticket[]>
}

/** An order as it stands now. */
export const reread = async (
  { batches }: { batches: Pick<OrderBatches, 'order'> },
  order: OrderRow,
): Promise<OrderRow> => (await batches.order(order.id)) ?? order

/** The batches of one process. */
export function orderBatches({
  db,
  metrics,
  batchBounds,
}: {
  db: Database
  metrics: Metrics
  batchBounds: BatchBounds
}): OrderBatches {
  const bounds = (name: string) => ({ ...batchBounds, meter: metrics.batch(name) })
  return {
    beginCapture: batchCalls<CaptureRequest, OrderRow | undefined>(async (requests, options) => {
      const begun = await transact(
        db,
        async (trx) => withCommit(orderWrites(trx).beginCaptures(requests)),
        options,
      )
      const free = new Map(begun.map((order) => [order.provider_order_id, order]))
      return requests.map(({ userId, providerId }) => {
        const order = free.get(providerId)
        if (order?.user_id !== userId) return { value: undefined }
        // Of two requests for one order the first one goes through.
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
  }
}
