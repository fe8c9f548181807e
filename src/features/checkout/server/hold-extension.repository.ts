import { sql } from 'kysely'
import type { Sql } from '#platform/database.ts'
import { type OrderRow, stands } from './orders.repository.ts'

/**
 * Gives the hold of an order more time, once, as long as it stands (WCAG 2.2.1).
 * @returns undefined when it was extended before, has lapsed, or is no longer simply held
 */
export async function extendHoldOnce(db: Sql, id: string, minutes: number): Promise<OrderRow | undefined> {
  const { rows } = await sql<OrderRow>`
    WITH extended AS (
      UPDATE orders
      SET hold_until = hold_until + make_interval(mins => ${minutes}), hold_extended = true, changed_at = clock_timestamp()
      WHERE id = ${id} AND NOT hold_extended AND ${stands}
      RETURNING *
    ),
    noted AS (
      INSERT INTO order_events (order_id, from_state, to_state, reason)
      SELECT id, state, state, 'buyer asked for more time' FROM extended
    )
    SELECT * FROM extended`.execute(db)
  return rows[0]
}
