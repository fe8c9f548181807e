import { sql } from 'kysely'
import type { Database } from '#platform/database.ts'

/** How the outbox stands. */
interface MailFigures {
  waiting: number
  oldestSeconds: number
  /** Mails that were given up within the last week. */
  failed: number
}

/** Counts mails. */
export async function mailFigures(db: Database): Promise<MailFigures> {
  const { rows } = await sql<{ waiting: number; oldest: number | null; failed: number }>`
    SELECT count(*) FILTER (WHERE state <> 'failed') AS waiting,
           extract(epoch FROM clock_timestamp() - min(queued_at) FILTER (WHERE state <> 'failed'))::float8 AS oldest,
           count(*) FILTER (WHERE state = 'failed') AS failed
    FROM mails
    WHERE state IN ('queued', 'sending')
       OR (state = 'failed' AND closed_at > clock_timestamp() - interval '7 days')`.execute(db)
  return { waiting: rows[0]?.waiting ?? 0, oldestSeconds: rows[0]?.oldest ?? 0, failed: rows[0]?.failed ?? 0 }
}
