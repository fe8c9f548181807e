import { type Selectable, sql } from 'kysely'
import type { Sql } from '#platform/database.ts'
import type { Alarms } from '#platform/database-types.ts'
import type { AlarmKind } from '../alarms.contract.ts'

export type AlarmRow = Omit<Selectable<Alarms>, 'kind' | 'details'> & {
  kind: AlarmKind
  details: Record<string, unknown>
}

/** A matter that somebody must look at. */
export interface Matter {
  kind: AlarmKind
  /** What it is about: an order's id, an invariant's name; empty for the whole shop. */
  subject: string
  details?: Record<string, unknown>
}

/** The SQL of the alarms table. */
export const alarmsRepository = (db: Sql) => ({
  /** Opens an alarm, or notes that it lasts. @returns its id when it is new */
  async raise({ kind, subject, details = {} }: Matter): Promise<number | undefined> {
    const { rows } = await sql<{ id: number; is_new: boolean }>`
      INSERT INTO alarms (kind, subject, details) VALUES (${kind}, ${subject}, ${JSON.stringify(details)})
      ON CONFLICT (kind, subject) WHERE resolved_at IS NULL
      DO UPDATE SET last_seen = clock_timestamp(), times = alarms.times + 1, details = excluded.details
      RETURNING id, times = 1 AS is_new`.execute(db)
    return rows[0]?.is_new ? rows[0].id : undefined
  },

  /** Ends open alarms of a kind, but not those about `lasting`. @returns their subjects */
  async resolveOthers(kind: AlarmKind, lasting: readonly string[]): Promise<string[]> {
    const { rows } = await sql<{ subject: string }>`
      UPDATE alarms SET resolved_at = clock_timestamp()
      WHERE kind = ${kind} AND resolved_at IS NULL AND subject <> ALL(${[...lasting]}::text[])
      RETURNING subject`.execute(db)
    return rows.map((row) => row.subject)
  },

  /** Ends one alarm. @returns whether it was open */
  async resolve(kind: AlarmKind, subject: string): Promise<boolean> {
    const { rows } = await sql`
      UPDATE alarms SET resolved_at = clock_timestamp()
      WHERE kind = ${kind} AND subject = ${subject} AND resolved_at IS NULL RETURNING id`.execute(db)
    return rows.length > 0
  },

  /** Open ones first, then the ended ones, the newest in front. */
  newest: async (limit: number): Promise<AlarmRow[]> =>
    (await db
      .selectFrom('alarms')
      .selectAll()
      .orderBy(sql`resolved_at IS NOT NULL`)
      .orderBy('since', 'desc')
      .limit(limit)
      .execute()) as AlarmRow[],

  /** What the open alarms of a kind are about. */
  subjects: async (kind: AlarmKind): Promise<string[]> =>
    (
      await db
        .selectFrom('alarms')
        .select('subject')
        .where('kind', '=', kind)
        .where('resolved_at', 'is', null)
        .execute()
    ).map((row) => row.subject),

  async deleteOld(days: number): Promise<number> {
    const { numAffectedRows } = await sql`
      DELETE FROM alarms WHERE resolved_at < now() - make_interval(days => ${days})`.execute(db)
    return Number(numAffectedRows)
  },

  /** How many are open, by kind. */
  async open(): Promise<Record<string, number>> {
    const { rows } = await sql<{ kind: string; alarms: number }>`
      SELECT kind, count(*) AS alarms FROM alarms WHERE resolved_at IS NULL GROUP BY kind`.execute(db)
    return Object.fromEntries(rows.map((row) => [row.kind, row.alarms]))
  },
})
