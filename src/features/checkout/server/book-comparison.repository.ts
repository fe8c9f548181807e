import { sql } from 'kysely'
import type { Sql } from '#platform/database.ts'

const BEFORE_ALL = '00000000-0000-0000-0000-000000000000'

/** An order that was given up, and when, to the microsecond. */
interface GivenUp {
  id: string
  givenUpAt: string
}

/** Whether it is time to ask again about an order `u`: after as long as it has been untold, seconds to an hour. */
const IS_DUE = sql<boolean>`(
  u.tried_at + least(greatest(u.tried_at - u.since, interval '10 seconds'), interval '1 hour') < clock_timestamp()
)`

/** Where the comparison of both books has come to. */
export const comparisonRepository = (db: Sql) => ({
  /**
   * The next orders of the walk: those for whose money the provider was asked and whose refunds are still possible there.
   * @returns none while a walk that has ended is less than a day old
   */
  async next(limit: number): Promise<string[]> {
    const { rows: due } = await sql<{ after_order: string | null }>`
      SELECT CASE WHEN ended_at IS NULL THEN after_order END AS after_order FROM book_comparison
      WHERE ended_at IS NULL OR begun_at < clock_timestamp() - interval '1 day'`.execute(db)
    if (!due[0]) return []
    const { rows } = await sql<{ id: string }>`
      SELECT id FROM orders
      WHERE id > ${due[0].after_order ?? BEFORE_ALL} AND capture_started_at IS NOT NULL
        AND created_at > now() - interval '185 days'
      ORDER BY id LIMIT ${limit}`.execute(db)
    return rows.map((row) => row.id)
  },

  /** Notes how far the walk has come; the first order after an end begins a new one. */
  reached: (orderId: string) =>
    sql`
      UPDATE book_comparison
      SET after_order = ${orderId},
          begun_at = CASE WHEN ended_at IS NULL THEN begun_at ELSE clock_timestamp() END,
          ended_at = NULL`.execute(db),

  /** Ends the walk. */
  ended: () =>
    sql`UPDATE book_comparison SET ended_at = clock_timestamp() WHERE ended_at IS NULL`.execute(db),

  /** Notes that an order could not be compared, for the first time or once more. */
  noteUntold: (orderId: string) =>
    sql`
      INSERT INTO uncompared_orders (order_id) VALUES (${orderId})
      ON CONFLICT (order_id) DO UPDATE SET tried_at = clock_timestamp()`.execute(db),

  /** Forgets that an order could not be compared. */
  forgetUntold: (orderId: string) =>
    sql`DELETE FROM uncompared_orders WHERE order_id = ${orderId}`.execute(db),

  /** Orders that could not be compared and are due again; who has waited longest since the last try is first. */
  async untold(limit: number): Promise<string[]> {
    const { rows } = await sql<{ order_id: string }>`
      SELECT u.order_id FROM uncompared_orders u WHERE ${IS_DUE} ORDER BY u.tried_at LIMIT ${limit}`.execute(
      db,
    )
    return rows.map((row) => row.order_id)
  },

  /** Orders that were given up although the provider had been asked for their money, not compared since. */
  async givenUp(olderThanSeconds: number, limit: number): Promise<GivenUp[]> {
    const { rows } = await sql<GivenUp>`
      SELECT id, changed_at::text AS "givenUpAt" FROM orders
      WHERE state IN ('expired', 'cancelled', 'superseded') AND capture_started_at IS NOT NULL
        AND compared_at IS NULL AND changed_at < clock_timestamp() - make_interval(secs => ${olderThanSeconds})
        AND NOT EXISTS (SELECT 1 FROM uncompared_orders u WHERE u.order_id = orders.id AND NOT ${IS_DUE})
      ORDER BY changed_at LIMIT ${limit}`.execute(db)
    return rows
  },

  /** Marks an order as compared, unless it has moved since. */
  markCompared: ({ id, givenUpAt }: GivenUp) =>
    sql`
      UPDATE orders SET compared_at = clock_timestamp()
      WHERE id = ${id} AND changed_at = ${givenUpAt}::timestamptz`.execute(db),
})
