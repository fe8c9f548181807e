import { type RawBuilder, sql } from 'kysely'
import { anyOf } from '#platform/any-of.ts'
import type { Sql } from '#platform/database.ts'

/** What staff read or did that concerns a customer. */
export interface StaffActionRow {
  id: number
  at: Date
  by: string
  action: string
  reason: string | null
  subject_kind: string | null
  subject: string | null
}

export interface StaffActionsAsked {
  /** The last entry of the page before. */
  after?: number | undefined
  /** All of them when left out. */
  limit?: number
}

interface Owned {
  orders: string[]
  messages: string[]
  entries: string[]
  emails: string[]
  /** "offer attempt" */
  prizes: string[]
}

/** The records of a customer that entries of the audit log name. */
async function ownedBy(db: Sql, userId: number): Promise<Owned> {
  const ids = (rows: RawBuilder<unknown>) => sql`ARRAY(${rows})`
  const { rows } = await sql<Owned>`
    SELECT ${ids(sql`SELECT id::text FROM orders WHERE user_id = ${userId}`)} AS orders,
           ${ids(sql`SELECT id::text FROM messages WHERE user_id = ${userId}`)} AS messages,
           ${ids(sql`SELECT id::text FROM postal_entries WHERE user_id = ${userId}`)} AS entries,
           ${ids(sql`SELECT id::text FROM emails WHERE user_id = ${userId}`)} AS emails,
           ${ids(sql`
             SELECT a.offer_id || ' ' || a.attempt FROM draw_attempts a
             JOIN tickets t ON t.offer_id = a.offer_id AND t.number = a.number
             WHERE t.user_id = ${userId}`)} AS prizes`.execute(db)
  const [owned] = rows
  if (!owned) throw new Error('a query without a row')
  return owned
}

export const staffActionsRepository = (db: Sql) => ({
  /**
   * Entries of the audit log about an account, its orders, messages, entries by post, emails and prizes, and about lists
   * that showed one of them; the newest first.
   */
  async of(userId: number, { after, limit }: StaffActionsAsked = {}): Promise<StaffActionRow[]> {
    const { orders, messages, entries, emails, prizes } = await ownedBy(db, userId)
    const about = (kind: string, ids: readonly string[]) => sql`
      SELECT id FROM audit_log WHERE subject_kind = ${kind} AND subject = ${anyOf(ids, 'text')}`
    const shown = [userId, ...orders, ...messages, ...entries, ...emails].map((id) => JSON.stringify([id]))
    const contests = [...new Set(prizes.map((prize) => prize.split(' ')[0] ?? ''))]
    // All ids first: with a limit the planner might walk through the whole log in the order of ids.
    const { rows } = await sql<StaffActionRow>`
      WITH found AS MATERIALIZED (
        ${about('customer', [String(userId)])}
        UNION ${about('order', orders)}
        UNION ${about('message', messages)}
        UNION ${about('postalEntry', entries)}
        UNION ${about('email', emails)}
        UNION
        SELECT id FROM audit_log
        WHERE subject_kind = 'offer' AND subject = ${anyOf(contests, 'text')} AND action LIKE 'draws.%'
          AND subject || ' ' || (entry::jsonb #>> '{after,attempt}') = ${anyOf(prizes, 'text')}
        UNION
        SELECT id FROM audit_log
        WHERE (entry::jsonb -> 'after' -> 'shown') IS NOT NULL
          AND entry::jsonb -> 'after' -> 'shown' @> ANY(${shown}::jsonb[])
      )
      SELECT l.id, l.at, l.action, l.entry::jsonb ->> 'actor' AS by, l.entry::jsonb ->> 'reason' AS reason,
             l.subject_kind, l.subject
      FROM found JOIN audit_log l ON l.id = found.id
      WHERE ${after === undefined ? sql`true` : sql`found.id < ${after}`}
      ORDER BY l.id DESC ${limit === undefined ? sql`` : sql`LIMIT ${limit}`}`.execute(db)
    return rows
  },
})
