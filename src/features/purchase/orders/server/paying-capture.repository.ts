import { type RawBuilder, sql } from 'kysely'

/** Whether a capture took money, by its status. */
export const tookMoney = (status: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql<boolean>`${status} IN ('completed', 'partially_refunded', 'refunded')`

/**
 * Whether a row with `order_id` and `capture_id`, such as a refund, is of a second payment: it says nothing of the order's
 * tax. The capture that pays is that of
 * `payingCapture`; once nothing is left of any, the one that was refunded last for
 * another reason than a second payment. Repeated requests do not count.
 * @param row its alias
 */
export const isSurplus = (row: 'r' | 'b' | 'c'): RawBuilder<boolean> => {
  const [orderId, captureId] = [sql.ref(`${row}.order_id`), sql.ref(`${row}.capture_id`)]
  return sql<boolean>`(
    EXISTS (
      SELECT FROM captures s
      WHERE s.order_id = ${orderId} AND s.capture_id <> ${captureId} AND ${tookMoney(sql`s.status`)}
    ) AND ${captureId} <> (
      SELECT s.capture_id
      FROM captures s JOIN orders p ON p.id = s.order_id
      CROSS JOIN LATERAL (
        SELECT bool_or(back.reason = 'paid_twice') AS was_surplus, min(back.id) AS first,
               max(back.created_at) FILTER (WHERE back.reason NOT IN ('remainder', 'refund_failed_later')) AS at
        FROM refunds back WHERE back.capture_id = s.capture_id
      ) AS back
      CROSS JOIN LATERAL (SELECT s.refunded_cents < s.amount_cents AS has_left) AS rest
      WHERE s.order_id = ${orderId} AND ${tookMoney(sql`s.status`)}
      ORDER BY (s.amount_cents = p.total_cents AND s.currency = p.currency) DESC, has_left DESC,
               CASE WHEN has_left THEN s.refunded_cents END DESC,
               CASE WHEN has_left THEN false ELSE coalesce(was_surplus, false) END,
               CASE WHEN NOT has_left THEN at END DESC, CASE WHEN NOT has_left THEN first END,
               s.recorded_at, s.capture_id
      LIMIT 1
    )
  )`
}
