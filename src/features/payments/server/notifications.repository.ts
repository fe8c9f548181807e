import { sql } from 'kysely'
import type { Database, Sql } from '#platform/database.ts'

/** The stored notifications of the provider. */
export const notificationsRepository = (db: Sql) => ({
  /** Stored notifications that were not handled; the one tried longest ago is first. */
  unhandled: (limit: number) =>
    db
      .selectFrom('webhook_inbox')
      .select(['event_id', 'event_type', 'payload'])
      .where('handled_at', 'is', null)
      .where('received_at', '<', sql<Date>`clock_timestamp() - interval '5 seconds'`)
      .orderBy(sql`coalesce(tried_at, received_at)`)
      .limit(limit)
      .execute(),

  /** Stores a notification once. @returns whether it is new */
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

  markHandled: (id: string) =>
    db
      .updateTable('webhook_inbox')
      .set({ handled_at: sql<Date>`now()` })
      .where('event_id', '=', id)
      .execute(),
})

/**
 * A notification as JSON that the database can store: characters it cannot hold (a zero byte, half a surrogate pair) are
 * replaced, and one that is nested too deeply keeps only its name.
 */
function storable(id: string, type: string, payload: unknown): string {
  try {
    return JSON.stringify(payload).replaceAll(/\\(?:u0000|ud[89a-f][0-9a-f]{2}|.)/g, (escape) =>
      escape.length === 2 ? escape : '\\ufffd',
    )
  } catch {
    return JSON.stringify({ id, event_type: type, resource: {} })
  }
}

/**
 * Erases the bodies of notifications, the payer's name and address among them, so many days after they were handled. The row stays with its id, so that a notification that comes again is known.
 * @returns how many, at most `limit`
 */
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

/** How many notifications are not handled yet, and for how long the oldest has waited. */
export async function countWaitingNotifications(
  db: Database,
): Promise<{ waiting: number; oldestSeconds: number }> {
  const { rows } = await sql<{ waiting: number; oldest: number | null }>`
    SELECT count(*) AS waiting, extract(epoch FROM clock_timestamp() - min(received_at))::float8 AS oldest
    FROM webhook_inbox WHERE handled_at IS NULL`.execute(db)
  return { waiting: rows[0]?.waiting ?? 0, oldestSeconds: rows[0]?.oldest ?? 0 }
}
