import { batchCalls as mergeCalls } from '#platform/batcher.ts'
import { transact, withCommit } from '#platform/transaction.ts'
import { ticketsOfOrders } from '#features/tickets/server/index.ts'
import type { Ticket } from '#features/tickets/tickets.contract.ts'
import type { CheckoutBase } from './checkout-base.ts'
import { type CaptureWish, orderWrites } from './order-moves.repository.ts'
import { type OrderRow, ordersRepository } from './orders.repository.ts'
import { type Paid, type Settled, settleAll } from './settlement.ts'

/** What the purchases of one moment do together: each lane has one batch under way while the next one gathers. */
export interface CheckoutLanes {
  /**
   * Brings an order into `capturing`.
   * @returns undefined when it is not simply held by an active buyer while its contests run; why is asked elsewhere
   */
  begin(wish: CaptureWish): Promise<OrderRow | undefined>
  /** Turns a paid order's hold into tickets. @returns undefined when it held none any more, or somebody else was first */
  settle(paid: Paid): Promise<Settled | undefined>
  /** Reads an order. */
  order(id: string): Promise<OrderRow | undefined>
  /** Reads the tickets of an order. */
  tickets(orderId: string): Promise<Ticket[]>
}

/** An order as it stands now. */
export const reread = async (
  { lanes }: { lanes: Pick<CheckoutLanes, 'order'> },
  order: OrderRow,
): Promise<OrderRow> => (await lanes.order(order.id)) ?? order

/** The lanes of one process. */
export function checkoutLanes(deps: CheckoutBase): CheckoutLanes {
  const { db, metrics, laneBounds } = deps
  const bounds = (lane: string) => ({ ...laneBounds, meter: metrics.lane(lane) })
  return {
    begin: mergeCalls<CaptureWish, OrderRow | undefined>(async (wishes, options) => {
      const begun = await transact(
        db,
        async (trx) => withCommit(orderWrites(trx).beginCaptures(wishes)),
        options,
      )
      const free = new Map(begun.map((order) => [order.provider_order_id, order]))
      return wishes.map(({ userId, providerId }) => {
        const order = free.get(providerId)
        if (order?.user_id !== userId) return { value: undefined }
        // Of two wishes for one order the first one goes through.
        free.delete(providerId)
        return { value: order }
      })
    }, bounds('begin capture')),

    settle: mergeCalls<Paid, Settled | undefined>(async (batch, options) => {
      const outcomes = await settleAll(deps, batch, options)
      for (const outcome of outcomes) if ('value' in outcome && outcome.value) metrics.settled()
      return outcomes
    }, bounds('settle')),

    order: mergeCalls<string, OrderRow | undefined>(async (ids) => {
      const rows = new Map((await ordersRepository(db).byIds(ids)).map((row) => [row.id, row]))
      return ids.map((id) => ({ value: rows.get(id) }))
    }, bounds('read order')),

    tickets: mergeCalls<string, Ticket[]>(
      async (ids) => (await ticketsOfOrders(db, ids)).map((value) => ({ value })),
      bounds('read tickets'),
    ),
  }
}
