import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { ReadDatabase, Sql } from '#platform/database.ts'
import type { Alerts } from '#platform/database-types.ts'
import type { AlertDetails, AlertKind } from '../alerts.rules.ts'

export type AlertRow = Omit<Selectable<Alerts>, 'kind' | 'details'> & {
  kind: AlertKind
  details: Record<string, unknown>
  /** Usernames. */
  taker: string | null
  closer: string | null
  /** Of the order that it is about. */
  order_number: string | null
}

const rowsOf = sql`
  SELECT a.*, t.username AS taker, c.username AS closer, o.number AS order_number
  FROM alerts a LEFT JOIN users t ON t.id = a.taken_by LEFT JOIN users c ON c.id = a.closed_by
  LEFT JOIN orders o ON o.id = CASE WHEN pg_input_is_valid(a.subject, 'uuid') THEN a.subject::uuid END`

/** Which alerts a page has. */
export interface AlertsWanted {
  after: { isOver: boolean; id: number } | undefined
  kind?: AlertKind | undefined
  /** At most so many open ones of a kind, and the one `with` this id. */
  each?: number | undefined
  with?: number | undefined
}

export interface Matter {
  kind: AlertKind
  subject: string
  details?: AlertDetails
}

/** What is read of alerts. */
export const alertReads = (db: ReadDatabase) => ({
  /** Open ones first, then the others, both the newest first. @param after the last one of the page before */
  page: async ({ after, kind, each, with: among }: AlertsWanted, limit: number): Promise<AlertRow[]> =>
    (
      await sql<AlertRow>`
        ${rowsOf}
        WHERE (${kind ?? null}::text IS NULL OR a.kind = ${kind ?? null}) ${
          after
            ? sql`AND (a.resolved_at IS NOT NULL, -a.id) > (${after.isOver}::boolean, ${-after.id}::bigint)`
            : sql``
        } ${
          each === undefined
            ? sql``
            : sql`AND (a.resolved_at IS NOT NULL OR a.id = ${among ?? null}::bigint OR a.id IN (
                SELECT id FROM (
                  SELECT id, row_number() OVER (PARTITION BY kind ORDER BY id DESC) AS place
                  FROM alerts WHERE resolved_at IS NULL
                ) AS open WHERE place <= ${each}))`
        }
        ORDER BY a.resolved_at IS NOT NULL, a.id DESC LIMIT ${limit}`.execute(db)
    ).rows,

  opened: async (limit: number, kind?: string): Promise<AlertRow[]> =>
    (
      await sql<AlertRow>`
        ${rowsOf} WHERE a.resolved_at IS NULL AND ${kind === undefined ? sql`true` : sql`a.kind = ${kind}`} ORDER BY a.since DESC LIMIT ${limit}`.execute(
        db,
      )
    ).rows,

  byId: async (id: number): Promise<AlertRow | undefined> =>
    (await sql<AlertRow>`${rowsOf} WHERE a.id = ${id}`.execute(db)).rows[0],

  /** Open alerts by kind. */
  async open(): Promise<Record<string, number>> {
    const { rows } = await sql<{ kind: string; alerts: number }>`
      SELECT kind, count(*) AS alerts FROM alerts WHERE resolved_at IS NULL GROUP BY kind`.execute(db)
    return Object.fromEntries(rows.map((row) => [row.kind, row.alerts]))
  },
})

export const alertsRepository = (db: Sql) => ({
  ...alertReads(db),

  /** Opens an alert or counts another occurrence. @returns the id of a new one */
  async raise({ kind, subject, details = {} }: Matter): Promise<number | undefined> {
    const { rows } = await sql<{ id: number; is_new: boolean }>`
      INSERT INTO alerts (kind, subject, details) VALUES (${kind}, ${subject}, ${JSON.stringify(details)})
      ON CONFLICT (kind, subject) WHERE resolved_at IS NULL
      DO UPDATE SET last_seen = clock_timestamp(), times = alerts.times + 1, details = excluded.details
      RETURNING id, times = 1 AS is_new`.execute(db)
    return rows[0]?.is_new ? rows[0].id : undefined
  },

  /** Resolves open alerts of a kind whose subject is not in the list. @returns their subjects */
  async resolveOthers(kind: AlertKind, lasting: readonly string[]): Promise<string[]> {
    const { rows } = await sql<{ subject: string }>`
      UPDATE alerts SET resolved_at = clock_timestamp()
      WHERE kind = ${kind} AND resolved_at IS NULL AND subject <> ALL(${[...lasting]}::text[])
      RETURNING subject`.execute(db)
    return rows.map((row) => row.subject)
  },

  /** Resolves open alerts of a kind that were last seen before so many minutes. @returns their subjects */
  async resolveUnseen(kind: AlertKind, minutes: number): Promise<string[]> {
    const { rows } = await sql<{ subject: string }>`
      UPDATE alerts SET resolved_at = clock_timestamp()
      WHERE kind = ${kind} AND resolved_at IS NULL
        AND last_seen < clock_timestamp() - make_interval(mins => ${minutes})
      RETURNING subject`.execute(db)
    return rows.map((row) => row.subject)
  },

  /** Stores an alert that is over and was told. */
  note: ({ kind, subject, details = {} }: Matter, since: Date) =>
    sql`
      INSERT INTO alerts (kind, subject, details, since, told_at, resolved_at)
      VALUES (${kind}, ${subject}, ${JSON.stringify(details)}, ${since}, ${since}, clock_timestamp())`.execute(
      db,
    ),

  /** @returns whether it was open */
  async resolve(kind: AlertKind, subject: string): Promise<boolean> {
    const { rows } = await sql`
      UPDATE alerts SET resolved_at = clock_timestamp()
      WHERE kind = ${kind} AND subject = ${subject} AND resolved_at IS NULL RETURNING id`.execute(db)
    return rows.length > 0
  },

  /** The row of an alert, which nobody else changes until the transaction ends. */
  lock: async (id: number): Promise<AlertRow | undefined> =>
    (await sql<AlertRow>`${rowsOf} WHERE a.id = ${id} FOR UPDATE OF a`.execute(db)).rows[0],

  /** @param userId null for nobody */
  take: (id: number, userId: number | null, note: string | null) =>
    sql`
      UPDATE alerts SET taken_by = ${userId}, note = ${note},
        taken_at = CASE WHEN ${userId}::bigint IS NOT NULL THEN clock_timestamp() END
      WHERE id = ${id}`.execute(db),

  close: (id: number, userId: number, note: string) =>
    sql`
      UPDATE alerts SET resolved_at = clock_timestamp(), closed_by = ${userId}, taken_by = ${userId},
        taken_at = clock_timestamp(), note = ${note}
      WHERE id = ${id}`.execute(db),

  /** @param subjects a query of texts */
  eraseNotes: (subjects: RawBuilder<unknown>) =>
    sql`UPDATE alerts SET note = NULL WHERE note IS NOT NULL AND subject IN (${subjects})`.execute(db),

  async eraseOldNotes(days: number): Promise<number> {
    const { numAffectedRows } = await sql`
      UPDATE alerts SET note = NULL
      WHERE note IS NOT NULL AND taken_at < now() - make_interval(days => ${days})`.execute(db)
    return Number(numAffectedRows)
  },

  subjects: async (kind: AlertKind): Promise<string[]> =>
    (
      await db
        .selectFrom('alerts')
        .select('subject')
        .where('kind', '=', kind)
        .where('resolved_at', 'is', null)
        .execute()
    ).map((row) => row.subject),

  async deleteOld(days: number): Promise<number> {
    const { numAffectedRows } = await sql`
      DELETE FROM alerts WHERE resolved_at < now() - make_interval(days => ${days})`.execute(db)
    return Number(numAffectedRows)
  },
})
