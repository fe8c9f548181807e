import { sql } from 'kysely'
import type { Database } from '#platform/database.ts'

/** Stands where an erased address was; `.invalid` belongs to nobody. */
const NOBODY = 'erased@erased.invalid'

/**
 * Erases what mails said and to whom, that many days after they were sent, kept or given up. The row stays with its key,
 * so that no mail leaves twice.
 * @returns how many, at most `limit`
 */
export async function eraseOldMails(db: Database, days: number, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    UPDATE mails
    SET recipient = ${NOBODY}, reply_to = NULL, subject = '-', body_text = '', body_html = '', letter = NULL,
        attachments = '[]', secret_link = NULL, last_error = NULL, erased_at = clock_timestamp()
    WHERE id IN (
      SELECT id FROM mails
      WHERE erased_at IS NULL AND closed_at < now() - make_interval(days => ${days})
      ORDER BY closed_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
    )`.execute(db)
  return Number(numAffectedRows)
}
