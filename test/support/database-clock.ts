import { Client } from 'pg'
import type { Clock } from '#shared/clock.ts'
import type { TestDatabase } from './database.ts'

/** So that no instant falls between the database's clock and this machine's. */
const HALF_A_SECOND = 0.5

/** Statements on a connection of their own. */
async function run(url: string, ...statements: string[]): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  for (const statement of statements) await client.query(statement)
  await client.end()
}

/** A clock of the database and of the shop that a test moves, so that it waits for nothing. */
export function movedClock() {
  let ahead = 0
  let database = ''
  const clock: Clock = () => new Date(Date.now() + ahead * 1000)
  return {
    clock,

    /** Unix seconds, cut off. */
    seconds: (): number => Math.floor(clock().getTime() / 1000),

    /**
     * Puts functions before those of PostgreSQL in the search path, so that `clock_timestamp()` and `now()` in statements of
     * the shop respond with the moved time. The shop's tables come first, so that another process finds them migrated.
     * Nobody may be connected yet: an open connection keeps its search path.
     */
    async begin({ url }: Pick<TestDatabase, 'url'>): Promise<void> {
      database = url
      await run(
        url,
        'CREATE SCHEMA moved',
        'CREATE TABLE moved.ahead (seconds double precision NOT NULL)',
        'INSERT INTO moved.ahead VALUES (0)',
        ...['clock_timestamp', 'now'].map(
          (read) => `CREATE FUNCTION moved.${read}() RETURNS timestamptz LANGUAGE sql VOLATILE AS $$
            SELECT pg_catalog.${read}() + make_interval(secs => seconds) FROM moved.ahead $$`,
        ),
        `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET search_path = public, moved, pg_catalog`,
      )
    },

    /** Goes on to that moment, in Unix seconds; never back. */
    async goTo(seconds: number): Promise<void> {
      const by = seconds + HALF_A_SECOND - clock().getTime() / 1000
      if (by <= 0) return
      ahead += by
      await run(database, `UPDATE moved.ahead SET seconds = ${ahead}`)
    },
  }
}
