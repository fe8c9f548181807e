import { sql } from 'kysely'
import type { Sql } from '#platform/database.ts'

/** A run of a background job ended now, by the database's clock. */
export async function storeRun(db: Sql, job: string): Promise<void> {
  await sql`
    INSERT INTO job_runs (job) VALUES (${job})
    ON CONFLICT (job) DO UPDATE SET ended_at = clock_timestamp()`.execute(db)
}

/** By job: whole seconds since its last run ended, by the database's clock. */
export async function secondsSinceRuns(db: Sql): Promise<Map<string, number>> {
  const { rows } = await sql<{ job: string; seconds: number }>`
    SELECT job, greatest(0, extract(epoch FROM clock_timestamp() - ended_at))::int AS seconds FROM job_runs`.execute(
    db,
  )
  return new Map(rows.map(({ job, seconds }) => [job, seconds]))
}
