import { sql } from 'kysely'
import type { Sql, Trx } from '#platform/database.ts'
import type { LimitState, LimitStates } from './limit-states.ts'

const LIMITS_LOCK = 7_130_232

const SWEEP_ROWS = 5_000

interface Row {
  key: string
  count: number
  until: number
  blocked: number
}

/** SQL of limit_counters. Keys are hexadecimal; times are milliseconds from the database's now. */
export const limitStore = (db: Sql) => ({
  async load(keys: readonly string[]): Promise<LimitStates> {
    const { rows } = await sql<Row>`
      SELECT encode(key, 'hex') AS key, count, ${msUntil(sql`until`)} AS until,
             coalesce(${msUntil(sql`blocked_until`)}, 0) AS blocked
      FROM limit_counters
      WHERE key = ANY(SELECT decode(k, 'hex') FROM unnest(${keys}::text[]) k)
        AND until > clock_timestamp()`.execute(db)
    return new Map(rows.map(({ key, ...state }) => [key, state]))
  },

  /** Stores the states of the changed keys; a key without a state is deleted. */
  async write(changed: ReadonlySet<string>, states: LimitStates): Promise<void> {
    const all = [...changed].toSorted()
    const kept = all.filter((key) => states.has(key))
    const of = (field: keyof LimitState) => kept.map((key) => states.get(key)?.[field] ?? 0)
    const gone = all.filter((key) => !states.has(key))
    await sql`
      WITH gone AS (
        DELETE FROM limit_counters WHERE key = ANY(SELECT decode(k, 'hex') FROM unnest(${gone}::text[]) k)
      )
      INSERT INTO limit_counters (key, count, until, blocked_until)
      SELECT decode(k, 'hex'), c, clock_timestamp() + u * interval '1 ms',
             CASE WHEN b > 0 THEN clock_timestamp() + b * interval '1 ms' END
      FROM unnest(${kept}::text[], ${of('count')}::int[], ${of('until')}::float8[], ${of('blocked')}::float8[])
        AS t (k, c, u, b)
      ORDER BY k
      ON CONFLICT (key) DO UPDATE
        SET count = excluded.count, until = excluded.until, blocked_until = excluded.blocked_until`.execute(
      db,
    )
  },

  /** Adds to counts. @returns the counts of all processes */
  async add(counts: readonly { key: string; count: number; seconds: number }[]): Promise<LimitStates> {
    const sorted = counts.toSorted((one, other) => (one.key < other.key ? -1 : 1))
    const { rows } = await sql<Row>`
      INSERT INTO limit_counters AS c (key, count, until)
      SELECT decode(k, 'hex'), n, clock_timestamp() + s * interval '1 second'
      FROM unnest(
        ${sorted.map((one) => one.key)}::text[],
        ${sorted.map((one) => one.count)}::int[],
        ${sorted.map((one) => one.seconds)}::float8[]
      ) AS t (k, n, s)
      ORDER BY k
      ON CONFLICT (key) DO UPDATE
        SET count = CASE WHEN c.until > clock_timestamp() THEN c.count + excluded.count ELSE excluded.count END,
            until = CASE WHEN c.until > clock_timestamp() THEN c.until ELSE excluded.until END
      RETURNING encode(key, 'hex') AS key, count, ${msUntil(sql`until`)} AS until, 0 AS blocked`.execute(db)
    return new Map(rows.map(({ key, ...state }) => [key, state]))
  },

  async sweep(): Promise<void> {
    for (;;) {
      const { numAffectedRows = 0n } = await sql`
        DELETE FROM limit_counters WHERE key IN (
          SELECT key FROM limit_counters WHERE until <= clock_timestamp() LIMIT ${SWEEP_ROWS} FOR UPDATE SKIP LOCKED
        )`.execute(db)
      if (numAffectedRows < SWEEP_ROWS) return
    }
  },
})

/** Serialises decisions about limits over all processes until the transaction ends. */
export const lockLimits = async (trx: Trx): Promise<void> => {
  await sql`SELECT pg_advisory_xact_lock(${LIMITS_LOCK})`.execute(trx)
}

const msUntil = (time: ReturnType<typeof sql>) =>
  sql`(extract(epoch FROM ${time} - clock_timestamp()) * 1000)::float8`
