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
