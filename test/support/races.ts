import { Client, type ClientBase, type Pool } from 'pg'
import { expect, vi } from 'vitest'

const LOCK_NOT_AVAILABLE = '55P03'
const PATIENCE_MS = 20_000

/** How many connections wait for locks of one connection, or for a connection that does. */
async function countBehind(watcher: ClientBase | Pool, pid: number): Promise<number> {
  const { rows } = await watcher.query(
    `WITH RECURSIVE locked AS (
       SELECT pid, pg_blocking_pids(pid) AS blocked_by FROM pg_stat_activity
       WHERE datname = current_database() AND wait_event_type = 'Lock'
     ), behind AS (
       SELECT pid FROM locked WHERE $1 = ANY (blocked_by)
       UNION
       SELECT locked.pid FROM locked JOIN behind ON behind.pid = ANY (blocked_by)
     )
     SELECT count(*)::int AS waiting FROM behind`,
    [pid],
  )
  return rows[0].waiting
}

/** Resolves when that many connections wait for locks of the connection `pid`, or for one that does. */
export const waitBehind = (watcher: ClientBase | Pool, pid: number, count: number): Promise<void> =>
  vi.waitFor(
    async () =>
      expect(await countBehind(watcher, pid), 'requests behind a lock').toBeGreaterThanOrEqual(count),
    { timeout: PATIENCE_MS, interval: 10 },
  )

/**
 * Locks rows in a transaction of its own, so that all requests of a race arrive before any continues.
 * @param lockSql statement that takes the locks, for example `SELECT … FOR UPDATE`
 */
export async function closeGate(url: string, lockSql: string) {
  const client = new Client({ connectionString: url })
  const watcher = new Client({ connectionString: url })
  await client.connect()
  await watcher.connect()
  await client.query('BEGIN')
  await client.query(lockSql)
  const { rows: own } = await client.query('SELECT pg_backend_pid() AS pid')

  return {
    /** Resolves when that many connections wait for these locks, or for a connection that does. */
    waiting: (count: number): Promise<void> => waitBehind(watcher, own[0].pid, count),
    /** Whether a row of `rowOf` is free, so that no waiting request has locked it. */
    async gets(rowSql: string): Promise<boolean> {
      await client.query('SAVEPOINT before')
      const got = await client.query(`${rowSql} NOWAIT`).catch((error: { code?: string }) => {
        if (error.code !== LOCK_NOT_AVAILABLE) throw error
      })
      if (!got) await client.query('ROLLBACK TO before')
      return got !== undefined
    },
    async open(): Promise<void> {
      await client.query('COMMIT')
      await client.end()
      await watcher.end()
    },
  }
}

/**
 * Starts calls that all reach a lock before any continues.
 * @param waiting how many connections wait for it; merged calls of one process wait as one
 */
export async function race<Responses extends readonly unknown[]>(
  url: string,
  lockSql: string,
  waiting: number,
  start: () => { [Index in keyof Responses]: Promise<Responses[Index]> },
): Promise<Responses> {
  const gate = await closeGate(url, lockSql)
  const racing = start()
  await gate.waiting(waiting)
  await gate.open()
  return (await Promise.all(racing)) as unknown as Responses
}

/** Statements that lock one row. */
export const rowOf = {
  cart: (userId: number): string => `SELECT 1 FROM carts WHERE user_id = ${userId} FOR UPDATE`,
  order: (providerId: string): string =>
    `SELECT 1 FROM orders WHERE provider_order_id = '${providerId}' FOR UPDATE`,
  offer: (offerId: number): string => `SELECT 1 FROM offers WHERE id = ${offerId} FOR UPDATE`,
  user: (email: string): string => `SELECT 1 FROM users WHERE email = '${email}' FOR UPDATE`,
}

/** Statuses of responses, the smallest first. */
export const statuses = (responses: readonly ({ status: number } | { statusCode: number })[]): number[] =>
  responses
    .map((response) => ('status' in response ? response.status : response.statusCode))
    .toSorted((one, other) => one - other)

/** The statement that starts a capture of an order elsewhere, whose transaction the gate keeps open. */
export const paysElsewhere = (orderId: string): string =>
  `WITH moved AS (UPDATE orders SET state = 'capturing' WHERE provider_order_id = '${orderId}' RETURNING id)
     INSERT INTO order_events (order_id, from_state, to_state, reason)
     SELECT id, 'held', 'capturing', 'capture_requested' FROM moved`
