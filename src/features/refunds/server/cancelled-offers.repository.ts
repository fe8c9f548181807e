import { sql } from 'kysely'
import type { Sql, Trx } from '#platform/database.ts'
import { HOLDING } from '#features/orders/order-machine.rules.ts'
import { stateIn } from '#features/orders/server/index.ts'
import type { RefundableLine } from '../refund-plan.rules.ts'
import type { Cancellation } from '../refunds.contract.ts'

const OPEN_REFUND = sql`EXISTS (
  SELECT 1 FROM refunds f WHERE f.order_id = o.id AND f.origin = 'shop' AND f.status IN ('requested', 'pending')
)`

export const cancellationsRepository = (db: Sql) => ({
  async of(slug: string): Promise<Cancellation | undefined> {
    type Row = Omit<Cancellation, 'cancelled_at' | 'returned_at'> & {
      cancelled_at: Date
      returned_at: Date | null
    }
    const { rows } = await sql<Row>`
      SELECT c.slug, c.cancelled_why AS reason, c.cancelled_at, c.refunds_completed_at AS returned_at,
             count(*) FILTER (WHERE ${stateIn(HOLDING, 'o.state')})::int AS payments_in_progress,
             count(*) FILTER (WHERE o.state = 'completed' AND l.refund_requested_at IS NULL)::int AS waiting,
             count(*) FILTER (WHERE o.state = 'refunding'
               OR (o.state = 'completed' AND l.refund_requested_at IS NOT NULL AND ${OPEN_REFUND}))::int AS returning,
             count(*) FILTER (WHERE o.state = 'review')::int AS in_review,
             count(*) FILTER (WHERE o.state = 'refunded'
               OR (o.state = 'completed' AND l.refund_requested_at IS NOT NULL AND NOT ${OPEN_REFUND}))::int AS returned
      FROM offers c
      LEFT JOIN order_lines l ON l.offer_id = c.id
      LEFT JOIN orders o ON o.id = l.order_id
      WHERE c.slug = ${slug} AND c.cancelled_at IS NOT NULL
      GROUP BY c.id`.execute(db)
    const [row] = rows
    if (!row) return undefined
    const { cancelled_at, returned_at } = row
    return {
      ...row,
      cancelled_at: cancelled_at.toISOString(),
      returned_at: returned_at?.toISOString() ?? null,
    }
  },

  async open(): Promise<{ id: number; slug: string }[]> {
    const { rows } = await sql<{ id: number; slug: string }>`
      SELECT id, slug FROM offers WHERE cancelled_at IS NOT NULL AND refunds_completed_at IS NULL ORDER BY cancelled_at`.execute(
      db,
    )
    return rows
  },

  /** Ids of completed orders whose share is not requested and that have no open refund; those tried last come last. */
  async waiting(offerId: number, limit: number): Promise<string[]> {
    const { rows } = await sql<{ id: string }>`
      SELECT o.id FROM order_lines l JOIN orders o ON o.id = l.order_id
      WHERE l.offer_id = ${offerId} AND l.refund_requested_at IS NULL AND o.state = 'completed'
        AND NOT ${OPEN_REFUND}
      ORDER BY o.checked_at, o.id LIMIT ${limit}`.execute(db)
    return rows.map(({ id }) => id)
  },
})

export async function refundableLines(db: Sql, orderId: string): Promise<RefundableLine[]> {
  const { rows } = await sql<RefundableLine>`
    SELECT l.offer_id, l.title, l.quantity * l.unit_cents AS cents,
           c.cancelled_at IS NOT NULL AS is_cancelled, l.refund_requested_at IS NOT NULL AS is_requested
    FROM order_lines l JOIN offers c ON c.id = l.offer_id
    WHERE l.order_id = ${orderId} ORDER BY l.offer_id`.execute(db)
  return rows
}

export const cancellationWrites = (trx: Trx) => ({
  markRequested: (orderId: string, offerIds: readonly number[]) =>
    sql`
      UPDATE order_lines SET refund_requested_at = clock_timestamp()
      WHERE order_id = ${orderId} AND offer_id = ANY(${[...offerIds]}::int[]) AND refund_requested_at IS NULL`.execute(
      trx,
    ),

  /**
   * Marks an offer as refunded when no order of it has an open payment, an open refund or a review.
   * @returns whether it did
   */
  async closeWhenDone(offerId: number): Promise<boolean> {
    const { numAffectedRows } = await sql`
      UPDATE offers c SET refunds_completed_at = clock_timestamp()
      WHERE c.id = ${offerId} AND c.cancelled_at IS NOT NULL AND c.refunds_completed_at IS NULL
        AND NOT EXISTS (
          SELECT 1 FROM order_lines l JOIN orders o ON o.id = l.order_id
          WHERE l.offer_id = c.id
            AND (${stateIn([...HOLDING, 'refunding', 'review'], 'o.state')}
              OR (o.state = 'completed' AND (l.refund_requested_at IS NULL OR ${OPEN_REFUND})))
        )`.execute(trx)
    return Number(numAffectedRows ?? 0) > 0
  },
})
