import type { Client } from 'pg'
import pg from 'pg'

/** A lock held by the test, behind which the requests of a race gather. */
export interface Gate {
  /** Resolves when that many other connections wait for a lock. */
  waiting(count: number): Promise<void>
  /** Whether the gate gets a row as well, at once: nobody behind it has locked that already. */
  gets(rowSql: string): Promise<boolean>
  open(): Promise<void>
}

const LOCK_NOT_AVAILABLE = '55P03'
const PATIENCE_MS = 20_000

/**
 * Widens a race on purpose: locks rows in a transaction of its own, so that every request that needs them arrives
 * before any can go on.
 * @param lockSql statement that takes the locks, for example `SELECT … FOR UPDATE`
 */
export async function closeGate(url: string, lockSql: string): Promise<Gate> {
  const client: Client = new pg.Client({ connectionString: url })
  const watcher: Client = new pg.Client({ connectionString: url })
  await client.connect()
  await watcher.connect()
  await client.query('BEGIN')
  await client.query(lockSql)

  return {
    async waiting(count) {
      const end = Date.now() + PATIENCE_MS
      for (;;) {
        const { rows } = await watcher.query(
          `SELECT count(*)::int AS waiting FROM pg_stat_activity
           WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        )
        if (rows[0].waiting >= count) return
        if (Date.now() > end) throw new Error(`only ${rows[0].waiting} of ${count} requests came to the gate`)
        await new Promise((resolve) => setTimeout(resolve, 10))
      }
    },
    async gets(rowSql) {
      await client.query('SAVEPOINT before')
      const got = await client.query(`${rowSql} FOR UPDATE NOWAIT`).catch((error: { code?: string }) => {
        if (error.code !== LOCK_NOT_AVAILABLE) throw error
      })
      if (!got) await client.query('ROLLBACK TO before')
      return got !== undefined
    },
    async open() {
      await client.query('COMMIT')
      await client.end()
      await watcher.end()
    },
  }
}

/** A payment of an order that begins elsewhere, and whose transaction stands open behind the gate. */
export const payingElsewhere = (url: string, orderId: string): ReturnType<typeof closeGate> =>
  closeGate(
    url,
    `WITH moved AS (UPDATE orders SET state = 'capturing' WHERE provider_order_id = '${orderId}' RETURNING id)
     INSERT INTO order_events (order_id, from_state, to_state, reason)
     SELECT id, 'held', 'capturing', 'capture_requested' FROM moved`,
  )
