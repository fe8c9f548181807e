import { sql } from 'kysely'
import type { Sql } from '#platform/database.ts'
import type { OrderState } from '../order-machine.rules.ts'
import type { OrderRow } from './orders.repository.ts'

/** A uuid as the database writes it; anything else is an id of the provider. */
const OURS = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

export interface StaffEventRow {
  from_state: OrderState | null
  to_state: OrderState
  reason: string
  note: string | null
  at: Date
}

/** What staff ask about orders. */
export const staffOrdersRepository = (db: Sql) => ({
  /** An order by our id or the provider's. */
  find: (id: string): Promise<OrderRow | undefined> =>
    db
      .selectFrom('orders')
      .selectAll()
      .where(OURS.test(id) ? 'id' : 'provider_order_id', '=', id)
      .executeTakeFirst() as Promise<OrderRow | undefined>,

  events: (orderId: string): Promise<StaffEventRow[]> =>
    db
      .selectFrom('order_events')
      .select(['from_state', 'to_state', 'reason', 'note', 'at'])
      .where('order_id', '=', orderId)
      .orderBy('id')
      .execute() as Promise<StaffEventRow[]>,

  captures: (orderId: string) =>
    db
      .selectFrom('captures')
      .select(['capture_id', 'status', 'amount_cents', 'currency'])
      .where('order_id', '=', orderId)
      .orderBy('recorded_at')
      .execute(),

  refunds: (orderId: string) =>
    db
      .selectFrom('refunds')
      .select(['refund_id', 'capture_id', 'status', 'amount_cents', 'reason', 'note', 'origin', 'created_at'])
      .where('order_id', '=', orderId)
      .orderBy('id')
      .execute(),

  /** How many tickets of an order count, and how many no longer do. */
  async tickets(orderId: string): Promise<{ valid: number; void: number }> {
    const { rows } = await sql<{ valid: number; void: number }>`
      SELECT count(*) FILTER (WHERE status = 'valid')::int AS valid,
             count(*) FILTER (WHERE status <> 'valid')::int AS void
      FROM tickets WHERE order_id = ${orderId}`.execute(db)
    return rows[0] ?? { valid: 0, void: 0 }
  },
})
