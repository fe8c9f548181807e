import { sql } from 'kysely'
import type { Sql } from '#platform/database.ts'
import type { SystemStatus } from '../system.contract.ts'

interface QueueRow {
  name: SystemStatus['queues'][number]['name']
  waiting: number
  oldest_at: Date | null
}

interface FailedEmail {
  id: string
  kind: string
  subject: string
  closed_at: Date
  last_error: string | null
  can_resend: boolean
}

export const systemRepository = (db: Sql) => ({
  async versions(): Promise<{ postgres: string; migration: number }> {
    const { rows } = await sql<{ postgres: string; migration: number }>`
      SELECT current_setting('server_version') AS postgres,
             (SELECT max(version) FROM schema_migration)::int AS migration`.execute(db)
    return rows[0] ?? { postgres: '', migration: 0 }
  },

  /** Each count reads an index of what waits only. */
  async queues(): Promise<QueueRow[]> {
    const { rows } = await sql<QueueRow>`
      SELECT 'emails' AS name, count(*)::int AS waiting, min(queued_at) AS oldest_at
      FROM emails WHERE state IN ('queued', 'sending')
      UNION ALL
      SELECT 'notifications', count(*)::int, min(received_at) FROM webhook_inbox WHERE handled_at IS NULL
      UNION ALL
      SELECT 'refunds', count(*)::int, min(created_at) FROM refunds WHERE status IN ('requested', 'pending')`.execute(
      db,
    )
    return rows
  },

  async lastInvariants(): Promise<{ checked_at: Date; broken: string[]; unknown: string[] } | undefined> {
    const { rows } = await sql<{ checked_at: Date; broken: string[]; unknown: string[] }>`
      SELECT checked_at, broken, unknown FROM invariant_checks ORDER BY checked_at DESC LIMIT 1`.execute(db)
    return rows[0]
  },

  /** The last daily mail with checkpoints of draws. */
  async lastCheckpoints(): Promise<
    (Omit<NonNullable<SystemStatus['checkpoints']['last']>, 'sent_at'> & { sent_at: Date | null }) | undefined
  > {
    const { rows } = await sql<{
      day: string
      state: NonNullable<SystemStatus['checkpoints']['last']>['state']
      sent_at: Date | null
    }>`
      SELECT to_char(m.day, 'YYYY-MM-DD') AS day, e.state,
             CASE WHEN e.state IN ('sent', 'kept') THEN e.closed_at END AS sent_at
      FROM checkpoint_mails m LEFT JOIN emails e ON e.key = 'draw-checkpoints:' || to_char(m.day, 'YYYY-MM-DD')
      ORDER BY m.day DESC LIMIT 1`.execute(db)
    return rows[0]
  },

  async failedEmails(limit: number): Promise<FailedEmail[]> {
    const { rows } = await sql<FailedEmail>`
      SELECT id, kind, subject, closed_at, last_error,
             erased_at IS NULL AND (useful_until IS NULL OR useful_until > clock_timestamp()) AS can_resend
      FROM emails WHERE state = 'failed' ORDER BY closed_at DESC LIMIT ${limit}`.execute(db)
    return rows
  },

  /** Queues a failed email again. @returns whether it was one whose text is still there */
  async resend(id: string): Promise<boolean> {
    const { rows } = await sql`
      UPDATE emails SET state = 'queued', attempts = 0, due_at = clock_timestamp(), closed_at = NULL, last_error = NULL
      WHERE id = ${id} AND state = 'failed' AND erased_at IS NULL
        AND (useful_until IS NULL OR useful_until > clock_timestamp())
      RETURNING 1 AS one`.execute(db)
    return rows.length > 0
  },
})
