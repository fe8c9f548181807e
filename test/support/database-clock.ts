import { Client } from 'pg'
import type { Clock } from '#shared/clock.ts'
import type { TestDatabase } from './database.ts'

/** A clock of the database and of the shop that a test moves, so that it waits for nothing. */
export interface MovedClock {
  clock: Clock
  /** Unix seconds, cut off. */
  seconds: () => number
  /** Goes on to that moment, in Unix seconds; never back. */
  goTo: (seconds: number) => Promise<void>
}

/** So that no instant falls between the database's clock and this machine's. */
const HALF_A_SECOND = 0.5

/**
 * Puts functions before those of PostgreSQL in the search path, so that `clock_timestamp()` and `now()` in statements of
 * the shop answer the moved time. The shop's tables come first, so that another process finds them migrated. Connections
 * that are open begin anew.
 */
export async function movedClock({ url }: Pick<TestDatabase, 'url'>): Promise<MovedClock> {
  let ahead = 0
  const run = async (...statements: string[]): Promise<void> => {
    const client = new Client({ connectionString: url })
    await client.connect()
    for (const statement of statements) await client.query(statement)
    await client.end()
  }
  const name = new URL(url).pathname.slice(1)
  await run(
    'CREATE SCHEMA moved',
    'CREATE TABLE moved.ahead (seconds double precision NOT NULL)',
    'INSERT INTO moved.ahead VALUES (0)',
    ...['clock_timestamp', 'now'].map(
      (read) => `CREATE FUNCTION moved.${read}() RETURNS timestamptz LANGUAGE sql VOLATILE AS $$
        SELECT pg_catalog.${read}() + make_interval(secs => seconds) FROM moved.ahead $$`,
    ),
    `ALTER DATABASE ${name} SET search_path = public, moved, pg_catalog`,
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid()`,
  )
  const clock: Clock = () => new Date(Date.now() + ahead * 1000)
  return {
    clock,
    seconds: () => Math.floor(clock().getTime() / 1000),
    async goTo(seconds) {
      const by = seconds + HALF_A_SECOND - clock().getTime() / 1000
      if (by <= 0) return
      ahead += by
      await run(`UPDATE moved.ahead SET seconds = ${ahead}`)
    },
  }
}
