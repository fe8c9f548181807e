import { sql } from 'kysely'
import { nowMs } from '#shared/clock.ts'
import { FollowedClock } from '#shared/followed-clock.ts'
import type { Database } from './database.ts'

const READ_EVERY_MS = 5_000

/** The database's clock as this process knows it, so that responses can carry it without a query each. */
export interface DatabaseClock {
  /** Milliseconds since the epoch; by the clock of this process until the first reading. */
  now(): number
  /** Reads it anew; without the database the last reading counts. */
  read(): Promise<void>
  stop(): void
}

/** Read every five seconds. The clock of this process may be wrong, and be set while it runs. */
export function databaseClock(db: Database): DatabaseClock {
  const followed = new FollowedClock(() => performance.now())
  async function read(): Promise<void> {
    const askedAt = performance.now()
    const response = await sql<{ ms: number }>`
      SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS ms`
      .execute(db)
      .catch(() => undefined)
    const [row] = response?.rows ?? []
    if (row) followed.read({ shown: row.ms, keptMs: 0 }, askedAt, performance.now())
  }
  const timer = setInterval(() => void read(), READ_EVERY_MS).unref()
  return {
    now: () => Math.floor(followed.now() ?? nowMs()),
    read,
    stop: () => clearInterval(timer),
  }
}
