import { sql } from 'kysely'
import { anyOf } from '#platform/any-of.ts'
import type { ReadDatabase } from '#platform/database.ts'
import { readOrderNumber } from '#shared/order-number.ts'
import type { AuditQuery } from '../staff.contract.ts'

export interface StoredEntry {
  id: number
  at: Date
  entry: string
  previous_hash: Buffer
  hash: Buffer
}

/** Ids of the orders that people call so: by their number, or by the provider's. */
async function ordersNamed(db: ReadDatabase, text: string): Promise<string[]> {
  const number = readOrderNumber(text)
  const rows = await db
    .selectFrom('orders')
    .select('id')
    .where((or) =>
      or.or([
        or('provider_order_id', '=', text),
        ...(number === undefined ? [] : [or('number', '=', number)]),
      ]),
    )
    .execute()
  return rows.map(({ id }) => id)
}

export const auditRepository = (db: ReadDatabase) => ({
  page: async (
    { actor, action, subject, subject_kind: kind, from, to, after, limit }: AuditQuery,
    timeZone: string,
  ): Promise<StoredEntry[]> => {
    const subjects = subject === undefined ? [] : [subject, ...(await ordersNamed(db, subject))]
    return db
      .selectFrom('audit_log')
      .select(['id', 'at', 'entry', 'previous_hash', 'hash'])
      .$if(actor !== undefined, (all) => all.where('actor_id', '=', actor!))
      .$if(action !== undefined, (all) => all.where('action', '=', action!))
      .$if(kind !== undefined, (all) => all.where('subject_kind', '=', kind!))
      .$if(subject !== undefined, (all) => all.where('subject', '=', anyOf(subjects, 'text')))
      .$if(from !== undefined, (all) =>
        all.where('at', '>=', sql<Date>`${from}::date::timestamp AT TIME ZONE ${timeZone}`),
      )
      .$if(to !== undefined, (all) =>
        all.where('at', '<', sql<Date>`(${to}::date + 1)::timestamp AT TIME ZONE ${timeZone}`),
      )
      .$if(after !== undefined, (all) => all.where('id', '<', after!))
      .orderBy('id', 'desc')
      .limit(limit)
      .execute()
  },

  /** The numbers of orders, as they are stored, by their ids. */
  async orderNumbers(ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    if (ids.length === 0) return new Map()
    const rows = await db
      .selectFrom('orders')
      .select(['id', 'number'])
      .where('id', '=', anyOf(ids, 'uuid'))
      .execute()
    return new Map(rows.map(({ id, number }) => [id, number]))
  },

  /** Who asked for approved requests, and who decided, by the ids of the approvals. */
  async decidedBy(approvals: readonly number[]): Promise<ReadonlyMap<number, string[]>> {
    if (approvals.length === 0) return new Map()
    const { rows } = await sql<{ id: number; names: string[] }>`
      SELECT a.id, array_remove(ARRAY[trim(m.username), CASE WHEN a.decided_by <> a.requested_by THEN trim(d.username) END], NULL)
        AS names
      FROM approvals a JOIN users m ON m.id = a.requested_by LEFT JOIN users d ON d.id = a.decided_by
      WHERE a.id = ANY(${approvals}::bigint[])`.execute(db)
    return new Map(rows.map(({ id, names }) => [id, names]))
  },

  /** Everybody who has an entry: one look at the index for each, however many entries there are. */
  actors: async (): Promise<{ id: number; name: string }[]> =>
    (
      await sql<{ id: number; name: string }>`
        WITH RECURSIVE actors AS (
          SELECT min(actor_id) AS id FROM audit_log
          UNION ALL
          SELECT (SELECT min(actor_id) FROM audit_log WHERE actor_id > actors.id) FROM actors WHERE id IS NOT NULL
        )
        SELECT u.id, trim(u.username) AS name FROM actors JOIN users u USING (id) ORDER BY name, id LIMIT 500`.execute(
        db,
      )
    ).rows,

  /** The devices of sessions that the shop still keeps, by the ids of the sessions. */
  async devices(sessions: readonly string[]) {
    const rows = await db
      .selectFrom('staff_sessions')
      .select(['id', 'browser', 'system'])
      .where('id', '=', anyOf(sessions, 'uuid'))
      .execute()
    return new Map(rows.map(({ id, ...device }) => [id, device]))
  },

  from: async (id: number, limit: number): Promise<StoredEntry[]> =>
    await db
      .selectFrom('audit_log')
      .select(['id', 'at', 'entry', 'previous_hash', 'hash'])
      .where('id', '>', id)
      .orderBy('id')
      .limit(limit)
      .execute(),

  /** The present day in UTC: "2026-11-23". */
  async day(): Promise<string> {
    const { rows } = await sql<{
      day: string
    }>`SELECT to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day`.execute(db)
    return rows[0]?.day ?? ''
  },
})
