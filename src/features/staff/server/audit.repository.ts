import { sql } from 'kysely'
import { anyOf } from '#platform/any-of.ts'
import type { Sql } from '#platform/database.ts'
import type { AuditQuery } from '../staff.contract.ts'

export interface StoredEntry {
  id: number
  at: Date
  entry: string
  previous_hash: Buffer
  hash: Buffer
}

export const auditRepository = (db: Sql) => ({
  page: async (
    { actor, action, subject, subject_kind: kind, from, to, after, limit }: AuditQuery,
    timeZone: string,
  ): Promise<StoredEntry[]> =>
    await db
      .selectFrom('audit_log')
      .select(['id', 'at', 'entry', 'previous_hash', 'hash'])
      .$if(actor !== undefined, (all) => all.where('actor_id', '=', actor!))
      .$if(action !== undefined, (all) => all.where('action', '=', action!))
      .$if(kind !== undefined, (all) => all.where('subject_kind', '=', kind!))
      .$if(subject !== undefined, (all) => all.where('subject', '=', subject!))
      .$if(from !== undefined, (all) =>
        all.where('at', '>=', sql<Date>`${from}::date::timestamp AT TIME ZONE ${timeZone}`),
      )
      .$if(to !== undefined, (all) =>
        all.where('at', '<', sql<Date>`(${to}::date + 1)::timestamp AT TIME ZONE ${timeZone}`),
      )
      .$if(after !== undefined, (all) => all.where('id', '<', after!))
      .orderBy('id', 'desc')
      .limit(limit)
      .execute(),

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
