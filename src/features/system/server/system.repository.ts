import { sql } from 'kysely'
import { IS_RESENDABLE } from '#features/emails/server/index.ts'
import type { ReadDatabase, Sql } from '#platform/database.ts'
import type { StoredBreach } from '#platform/invariants.ts'
import type { FailedEmail, SystemStatus, TestEmail } from '../system.contract.ts'

interface QueueRow {
  name: SystemStatus['queues'][number]['name']
  waiting: number
  oldest_at: Date | null
}

type FailedEmailRow = Omit<FailedEmail, 'failed_at'> & { closed_at: Date }

interface CheckpointRow {
  queued_at: Date
  state: NonNullable<SystemStatus['checkpoint']>['state']
}

interface InvariantsRow {
  checked_at: Date
  broken: string[]
  unknown: string[]
  breaches: StoredBreach[]
}

/** The id at the end of a key, which begins with one of these words. */
const idInKey = (...heads: string[]) =>
  sql`substring(emails.key from ${`^(?:${heads.join('|')}):([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})`})::uuid`

/** The last check of the invariants; undefined before the first one. */
export async function lastInvariants(db: ReadDatabase): Promise<InvariantsRow | undefined> {
  const { rows } = await sql<InvariantsRow>`
    SELECT checked_at, broken, unknown, breaches FROM invariant_checks
    ORDER BY checked_at DESC LIMIT 1`.execute(db)
  return rows[0]
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
      -- Orders that are being paid, and released ones for which money may still arrive.
      SELECT 'payments', count(*)::int, min(capture_started_at) FROM (
        SELECT capture_started_at FROM orders WHERE state IN ('capturing', 'pending')
        UNION ALL
        SELECT capture_started_at FROM orders
        WHERE state IN ('expired', 'cancelled', 'superseded') AND capture_started_at IS NOT NULL AND reconciled_at IS NULL
      ) AS unsettled
      UNION ALL
      SELECT 'refunds', count(*)::int, min(created_at) FROM refunds WHERE status IN ('requested', 'pending')
      UNION ALL
      SELECT 'cancelledRefunds', count(*)::int, min(f.cancelled_at)
      FROM offers f JOIN order_lines l ON l.offer_id = f.id JOIN orders o ON o.id = l.order_id
      WHERE f.cancelled_at IS NOT NULL AND f.refunds_completed_at IS NULL
        AND l.refund_requested_at IS NULL AND o.state = 'completed'
      UNION ALL
      SELECT 'approvals', count(*)::int, min(decided_at) FROM approvals
      WHERE decision IN ('approved', 'alone') AND done_at IS NULL AND failure IS NULL
      UNION ALL
      SELECT 'drawEmails', count(*)::int, min(m.created_at)
      FROM draw_recipients r JOIN offers o ON o.id = r.offer_id JOIN draw_mailings m ON m.offer_id = r.offer_id
      WHERE (o.state = 'sealed' AND r.sealed_at IS NULL) OR (o.state IN ('drawn', 'awarded') AND r.result_at IS NULL)
      UNION ALL
      SELECT 'pictures', count(*)::int, min(queued_at) FROM picture_renditions p
      WHERE state IN ('queued', 'working') AND EXISTS (SELECT FROM offer_pictures WHERE rendition_id = p.id)`.execute(
      db,
    )
    return rows
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

  /** The last email with the end of the audit log. */
  async lastCheckpoint(): Promise<CheckpointRow | undefined> {
    const { rows } = await sql<CheckpointRow>`
      SELECT queued_at, state FROM emails
      WHERE key ~>=~ 'audit-checkpoint:' AND key ~<~ 'audit-checkpoint;'
      ORDER BY key USING ~>~ LIMIT 1`.execute(db)
    return rows[0]
  },

  /** The newest first. @param after the last one of the page before */
  async failedEmails(after: string | undefined, limit: number): Promise<FailedEmailRow[]> {
    const { rows } = await sql<FailedEmailRow>`
      SELECT emails.id, emails.kind, CASE WHEN emails.erased_at IS NULL THEN emails.subject END AS subject,
             CASE WHEN emails.erased_at IS NULL THEN emails.recipient END AS recipient, emails.closed_at, emails.last_error AS error,
             ${IS_RESENDABLE} AS can_resend, emails.user_id AS customer_id, o.id AS order_id, p.id AS entry_id,
             coalesce(m.id, a.message_id) AS message_id
      FROM emails
      LEFT JOIN orders o ON o.id = ${idInKey('receipt', 'receipt-copy', 'refund')}
      LEFT JOIN postal_entries p ON p.id = ${idInKey('postal-entry', 'postal-voided', 'postal-cancelled', 'draw-sealed:post', 'draw-result:post')}
      LEFT JOIN messages m ON m.id = ${idInKey('contact')}
      LEFT JOIN message_answers a ON a.id = ${idInKey('message-answer')}
      WHERE emails.state = 'failed' ${after === undefined ? sql`` : sql`AND emails.id < ${after}::uuid`}
      ORDER BY emails.id DESC LIMIT ${limit}`.execute(db)
    return rows
  },

  /** What became of an email. @param key of one that there is */
  async emailWithKey(key: string): Promise<TestEmail> {
    const { rows } = await sql<TestEmail>`
      SELECT recipient AS to, state, last_error AS error FROM emails WHERE key = ${key}`.execute(db)
    return rows[0]!
  },
})
