import { sql } from 'kysely'
import type { Database } from '#platform/database.ts'

/** How the payments of a shop stand. */
interface CheckoutFigures {
  /** Orders by state. */
  orders: Record<string, number>
  /** Notifications that nobody has handled yet. */
  notifications: { waiting: number; oldestSeconds: number }
}

/** Counts orders and notifications; of a large shop it takes some hundred milliseconds. */
export async function checkoutFigures(db: Database): Promise<CheckoutFigures> {
  const { rows: states } = await sql<{ state: string; orders: number }>`
    SELECT state, count(*) AS orders FROM orders GROUP BY state`.execute(db)
  const { rows } = await sql<{ waiting: number; oldest: number | null }>`
    SELECT count(*) AS waiting, extract(epoch FROM clock_timestamp() - min(received_at))::float8 AS oldest
    FROM webhook_inbox WHERE handled_at IS NULL`.execute(db)
  return {
    orders: Object.fromEntries(states.map(({ state, orders }) => [state, orders])),
    notifications: { waiting: rows[0]?.waiting ?? 0, oldestSeconds: rows[0]?.oldest ?? 0 },
  }
}
