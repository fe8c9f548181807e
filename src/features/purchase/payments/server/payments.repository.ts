import { sql } from 'kysely'
import type { Database, Sql, Trx } from '#platform/database.ts'
import { RELEASED } from '#features/purchase/orders/order-machine.rules.ts'
import { stateIn } from '#features/purchase/orders/server/index.ts'

export const notificationsRepository = (db: Sql) => ({
  /** Unhandled notifications, the one tried longest ago first. Those of the last five seconds may be being handled. */
  unhandled: (limit: number) =>
    db
      .selectFrom('webhook_inbox')
      .select(['event_id', 'event_type', 'payload'])
      .where('handled_at', 'is', null)
      .where('received_at', '<', sql<Date>`clock_timestamp() - interval '5 seconds'`)
      .orderBy(sql`coalesce(tried_at, received_at)`)
      .limit(limit)
      .execute(),

  /** @returns whether the notification is new */
  async store(id: string, type: string, payload: unknown): Promise<boolean> {
    const row = await db
      .insertInto('webhook_inbox')
      .values({ event_id: id, event_type: type, payload: storable(id, type, payload) })
      .onConflict((conflict) => conflict.column('event_id').doNothing())
      .returning('event_id')
      .executeTakeFirst()
    return row !== undefined
  },

  markTried: (id: string) =>
    db
      .updateTable('webhook_inbox')
      .set({ tried_at: sql<Date>`clock_timestamp()` })
      .where('event_id', '=', id)
      .execute(),

  /** @param orderId the order that it was about, if any */
  markHandled: (id: string, orderId: string | undefined) =>
    db
      .updateTable('webhook_inbox')
      .set({ handled_at: sql<Date>`now()`, order_id: orderId ?? null })
      .where('event_id', '=', id)
      .execute(),
})

/** JSON without what PostgreSQL cannot store: a zero byte, half a surrogate pair, deep nesting. */
function storable(id: string, type: string, payload: unknown): string {
  try {
    return JSON.stringify(payload).replaceAll(/\\(?:u0000|ud[89a-f][0-9a-f]{2}|.)/g, (escape) =>
      escape.length === 2 ? escape : '\\ufffd',
    )
  } catch {
    return JSON.stringify({ id, event_type: type, resource: {} })
  }
}

/** Erases bodies, which name the payer, so many days after handling; keeps ids. @returns how many, at most `limit` */
export async function eraseOldNotifications(db: Database, days: number, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    UPDATE webhook_inbox SET payload = '{}'
    WHERE event_id IN (
      SELECT event_id FROM webhook_inbox
      WHERE payload <> '{}' AND handled_at < now() - make_interval(days => ${days})
      ORDER BY handled_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
    )`.execute(db)
  return Number(numAffectedRows)
}

/** Erases bodies of handled notifications about a buyer's orders. @returns how many */
export async function eraseNotificationsOf(trx: Trx, userId: number): Promise<number> {
  const { numAffectedRows } = await sql`
    UPDATE webhook_inbox SET payload = '{}'
    WHERE payload <> '{}' AND handled_at IS NOT NULL
      AND order_id IN (SELECT id FROM orders WHERE user_id = ${userId})`.execute(trx)
  return Number(numAffectedRows)
}

export async function countWaitingNotifications(
  db: Database,
): Promise<{ waiting: number; oldestSeconds: number }> {
  const { rows } = await sql<{ waiting: number; oldest: number | null }>`
    SELECT count(*) AS waiting, extract(epoch FROM clock_timestamp() - min(received_at))::float8 AS oldest
    FROM webhook_inbox WHERE handled_at IS NULL`.execute(db)
  return { waiting: rows[0]?.waiting ?? 0, oldestSeconds: rows[0]?.oldest ?? 0 }
}

const BEFORE_ALL = '00000000-0000-0000-0000-000000000000'

/** `releasedAt` is text, since a Date would lose the microseconds. */
interface Released {
  id: string
  releasedAt: string
}

/** Whether unreconciled order `u` is due: the delay doubles from 10 seconds to an hour. */
const IS_DUE = sql<boolean>`(
  u.tried_at + least(greatest(u.tried_at - u.since, interval '10 seconds'), interval '1 hour') < clock_timestamp()
)`

export const reconciliationRepository = (db: Sql) => ({
  /**
   * The next orders of the round: with a capture request, and still refundable at the provider.
   * @returns none while the last round began less than a day ago
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

  /** Stores the last order reached; the first one after the end of a round begins a new round. */
  reached: (orderId: string) =>
    sql`
      UPDATE ledger_reconciliation
      SET after_order = ${orderId},
          started_at = CASE WHEN ended_at IS NULL THEN started_at ELSE clock_timestamp() END,
          ended_at = NULL`.execute(db),

  ended: () =>
    sql`UPDATE ledger_reconciliation SET ended_at = clock_timestamp() WHERE ended_at IS NULL`.execute(db),

  /** Unreconciled orders that are due, the one tried longest ago first. */
  async unreconciled(limit: number): Promise<string[]> {
    const { rows } = await sql<{ order_id: string }>`
      SELECT u.order_id FROM unreconciled_orders u WHERE ${IS_DUE} ORDER BY u.tried_at LIMIT ${limit}`.execute(
      db,
    )
    return rows.map((row) => row.order_id)
  },

  /** Released orders with a capture request, not reconciled since their release. */
  async released(olderThanSeconds: number, limit: number): Promise<Released[]> {
    const { rows } = await sql<Released>`
      SELECT id, state_changed_at::text AS "releasedAt" FROM orders
      WHERE ${stateIn(RELEASED)} AND capture_started_at IS NOT NULL
        AND reconciled_at IS NULL AND state_changed_at < clock_timestamp() - make_interval(secs => ${olderThanSeconds})
        AND NOT EXISTS (SELECT 1 FROM unreconciled_orders u WHERE u.order_id = orders.id AND NOT ${IS_DUE})
      ORDER BY state_changed_at LIMIT ${limit}`.execute(db)
    return rows
  },
})
