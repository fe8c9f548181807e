import { sql } from 'kysely'
import type { Database } from './database.ts'

/** What a run found. */
interface Run {
  tookMs: number
  broken: readonly string[]
  /** Names of those that could not be asked. */
  unknown: readonly string[]
}

// Any number will do, as long as every process asks for the same one.
const RUN_LOCK = 720_411_921

/** The runs of the invariants by workers. */
export const invariantRuns = (db: Database) => ({
  /**
   * Does `run` unless another process is at it, or the last one is younger than `minutes`. The lock belongs to a
   * connection of its own, so that it ends with the process whatever happens.
   * @returns whether it was done
   */
  alone: (minutes: number, run: () => Promise<void>): Promise<boolean> =>
    db.connection().execute(async (connection) => {
      const { rows } = await sql<{ mine: boolean }>`SELECT pg_try_advisory_lock(${RUN_LOCK}) AS mine`.execute(
        connection,
      )
      if (!rows[0]?.mine) return false
      try {
        const { rows: fresh } = await sql`
          SELECT 1 FROM invariant_checks
          WHERE checked_at > clock_timestamp() - make_interval(mins => ${minutes}) LIMIT 1`.execute(
          connection,
        )
        if (fresh.length > 0) return false
        await run()
        return true
      } finally {
        await sql`SELECT pg_advisory_unlock(${RUN_LOCK})`.execute(connection)
      }
    }),

  /** Names of those that could not be asked in any of the last runs, so many in a row. */
  async unknownInAll(runs: number): Promise<string[]> {
    const { rows } = await sql<{ name: string }>`
      SELECT name FROM (
        SELECT unnest(unknown) AS name FROM (
          SELECT unknown FROM invariant_checks ORDER BY checked_at DESC LIMIT ${runs}
        ) AS last
      ) AS names
      GROUP BY name HAVING count(*) = ${runs} ORDER BY name`.execute(db)
    return rows.map(({ name }) => name)
  },

  /** Whether no run has come to its end for so many hours. */
  async areLate(hours: number): Promise<boolean> {
    const { rows } = await sql`
      SELECT 1 FROM invariant_checks
      WHERE checked_at > clock_timestamp() - make_interval(hours => ${hours}) LIMIT 1`.execute(db)
    return rows.length === 0
  },

  /** Deletes what runs reported that many days ago. @returns how many */
  async deleteOld(days: number): Promise<number> {
    const { numAffectedRows } = await sql`
      DELETE FROM invariant_checks WHERE checked_at < now() - make_interval(days => ${days})`.execute(db)
    return Number(numAffectedRows)
  },

  note: ({ tookMs, broken, unknown }: Run) =>
    db
      .insertInto('invariant_checks')
      .values({ took_ms: tookMs, broken: [...broken], unknown: [...unknown] })
      .execute(),
})
