import { sql } from 'kysely'
import type { Sql } from '#platform/database.ts'

const BEFORE_ALL = '00000000-0000-0000-0000-000000000000'

/** A released order, and when it was released, to the microsecond. */
interface Released {
  id: string
  releasedAt: string
}

/** Whether it is time to ask again about an order `u`: after as long as it has been unclear, seconds to an hour. */
const IS_DUE = sql<boolean>`(
  u.tried_at + least(greatest(u.tried_at - u.since, interval '10 seconds'), interval '1 hour') < clock_timestamp()
)`

/** How far the reconciliation of both ledgers has come. */
export const reconciliationRepository = (db: Sql) => ({
  /**
   * The next orders of the round: those whose capture was requested and whose refunds are still possible at the provider.
   * @returns none while a round that has ended is less than a day old
   */
  async next(limit: number): Promise<string[]> {
    const { rows: due } = await sql<{ after_order: string | null }>`
      SELECT CASE WHEN ended_at IS NULL THEN after_order END AS after_order FROM ledger_reconciliation
      WHERE ended_at IS NULL OR started_at < clock_timestamp() - interval '1 day'`.execute(db)
    if (!due[0]) return []
    const { rows } = await sql<{ id: string }>`
      SELECT id FROM orders
      WHERE id > ${due[0].after_order ?? BEFORE_ALL} AND capture_started_at IS NOT NULL
        AND created_at > now() - interval '185 days'
      ORDER BY id LIMIT ${limit}`.execute(db)
    return rows.map((row) => row.id)
  },

  /** Stores how far the round has come; the first order after its end begins a new one. */
  reached: (orderId: string) =>
    sql`
      UPDATE ledger_reconciliation
      SET after_order = ${orderId},
          started_at = CASE WHEN ended_at IS NULL THEN started_at ELSE clock_timestamp() END,
          ended_at = NULL`.execute(db),

  /** Ends the round. */
  ended: () =>
    sql`UPDATE ledger_reconciliation SET ended_at = clock_timestamp() WHERE ended_at IS NULL`.execute(db),

  /** Removes an order that has been reconciled now. */
  forget: (orderId: string) => sql`DELETE FROM unreconciled_orders WHERE order_id = ${orderId}`.execute(db),

  /** Orders that could not be reconciled and are due again; the one tried longest ago is first. */
  async unreconciled(limit: number): Promise<string[]> {
    const { rows } = await sql<{ order_id: string }>`
      SELECT u.order_id FROM unreconciled_orders u WHERE ${IS_DUE} ORDER BY u.tried_at LIMIT ${limit}`.execute(
      db,
    )
    return rows.map((row) => row.order_id)
  },

  /** Orders that were released although a capture was requested, not reconciled since. */
  async released(olderThanSeconds: number, limit: number): Promise<Released[]> {
    const { rows } = await sql<Released>`
      SELECT id, changed_at::text AS "releasedAt" FROM orders
      WHERE state IN ('expired', 'cancelled', 'superseded') AND capture_started_at IS NOT NULL
        AND reconciled_at IS NULL AND changed_at < clock_timestamp() - make_interval(secs => ${olderThanSeconds})
        AND NOT EXISTS (SELECT 1 FROM unreconciled_orders u WHERE u.order_id = orders.id AND NOT ${IS_DUE})
      ORDER BY changed_at LIMIT ${limit}`.execute(db)
    return rows
  },

  /** Marks an order as reconciled, unless it has moved since. */
  markReconciled: ({ id, releasedAt }: Released) =>
    sql`
      UPDATE orders SET reconciled_at = clock_timestamp()
      WHERE id = ${id} AND changed_at = ${releasedAt}::timestamptz`.execute(db),
})
