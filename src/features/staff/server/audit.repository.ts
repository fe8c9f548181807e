import { sql } from 'kysely'
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
  page: async ({
    actor,
    action,
    subject,
    subject_kind: kind,
    after,
    limit,
  }: AuditQuery): Promise<StoredEntry[]> =>
    await db
      .selectFrom('audit_log')
      .select(['id', 'at', 'entry', 'previous_hash', 'hash'])
      .$if(actor !== undefined, (all) => all.where('actor_id', '=', actor!))
      .$if(action !== undefined, (all) => all.where('action', '=', action!))
      .$if(kind !== undefined, (all) => all.where('subject_kind', '=', kind!))
      .$if(subject !== undefined, (all) => all.where('subject', '=', subject!))
      .$if(after !== undefined, (all) => all.where('id', '<', after!))
      .orderBy('id', 'desc')
      .limit(limit)
      .execute(),

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
