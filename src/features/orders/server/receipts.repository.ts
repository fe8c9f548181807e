import { sql } from 'kysely'
import type { Sql } from '#platform/database.ts'
import { type OrderLineRow, type OrderRow, ordersRepository } from './orders.repository.ts'

/** A line of an order with the numbers it brought. */
export interface PaidLine extends OrderLineRow {
  numbers: readonly number[]
  /** Tickets of the whole contest, which say how wide a number is. */
  total: number
}

/** What a receipt says; none of it changes once the order is paid. */
export interface ReceiptFacts {
  order: OrderRow
  username: string
  contests: readonly PaidLine[]
  captureId: string
  at: Date
}

interface Payment {
  username: string
  capture_id: string
  at: Date
}

/**
 * What the receipt of a paid order says: the order as it was placed, its numbers, whatever became of them, and the
 * payment. None of it ever changes, so a receipt that waited for a mail server says the same as one that did not.
 * @returns undefined when the order was never paid
 */
export async function receiptFacts(db: Sql, orderId: string): Promise<ReceiptFacts | undefined> {
  const [order, contests, payments] = await Promise.all([
    ordersRepository(db).byId(orderId),
    sql<PaidLine>`
      SELECT l.offer_id, l.quantity, l.unit_cents, l.title, o.total_tickets AS total, coalesce(
        (SELECT array_agg(t.number ORDER BY t.number) FROM tickets t
         WHERE t.order_id = l.order_id AND t.offer_id = l.offer_id), '{}') AS numbers
      FROM order_lines l JOIN offers o ON o.id = l.offer_id
      WHERE l.order_id = ${orderId}::uuid
      ORDER BY l.offer_id`.execute(db),
    sql<Payment>`
      SELECT u.username, c.capture_id, e.at
      FROM orders r
      JOIN users u ON u.id = r.user_id
      JOIN order_events e ON e.order_id = r.id AND e.to_state = 'completed'
      JOIN captures c ON c.order_id = r.id AND c.status NOT IN ('declined', 'failed', 'pending')
      WHERE r.id = ${orderId}::uuid
      ORDER BY e.id, c.recorded_at LIMIT 1`.execute(db),
  ])
  const payment = payments.rows[0]
  if (!order || !payment) return undefined
  const { username, capture_id: captureId, at } = payment
  return { order, username, contests: contests.rows, captureId, at }
}
