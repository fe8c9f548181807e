import { sql } from 'kysely'
import type { ReadDatabase, Trx } from '#platform/database.ts'
import type { Description } from '../descriptions.rules.ts'

interface Change {
  before: Description
  after: Description
}

export interface MadeChangeRow extends Change {
  at: Date
  asked_by: string
  /** Null of somebody who acted alone. */
  approved_by: string | null
}

export interface WaitingChangeRow {
  approval: number
  input: Change
  reason: string
  asked_by: number
  asked_by_name: string
  asked_at: Date
  alone_from: Date | null
}

export const descriptionsRepository = (db: ReadDatabase) => ({
  async present(offerId: number): Promise<Description> {
    const { rows } = await sql<{ is: Description }>`SELECT offer_description(${offerId}) AS is`.execute(db)
    if (!rows[0]?.is) throw new Error(`there is no contest ${offerId}`)
    return rows[0].is
  },

  /** Whether a contest is described as somebody saw it. */
  async isStill(offerId: number, seen: Description): Promise<boolean> {
    const { rows } = await sql<{ is: boolean }>`
      SELECT coalesce(offer_description(${offerId}) = ${JSON.stringify(seen)}::jsonb, false) AS is`.execute(
      db,
    )
    return rows[0]?.is === true
  },

  async isMade(approvalId: number): Promise<boolean> {
    const { rows } = await sql`SELECT FROM offer_changes WHERE approval_id = ${approvalId}`.execute(db)
    return rows.length > 0
  },

  /** Changes after the first entry, the newest first. */
  made: async (offerId: number): Promise<MadeChangeRow[]> =>
    (
      await sql<MadeChangeRow>`
        SELECT c.before, c.after, c.at, m.username AS asked_by,
               CASE WHEN c.approved_by <> c.requested_by THEN a.username END AS approved_by
        FROM offer_changes c JOIN users m ON m.id = c.requested_by JOIN users a ON a.id = c.approved_by
        WHERE c.offer_id = ${offerId} ORDER BY c.id DESC`.execute(db)
    ).rows,

  waiting: async (offerId: number): Promise<WaitingChangeRow | undefined> =>
    (
      await sql<WaitingChangeRow>`
        SELECT a.id AS approval, a.input, a.reason, a.requested_by AS asked_by, u.username AS asked_by_name,
               a.requested_at AS asked_at, a.alone_from
        FROM approvals a JOIN users u ON u.id = a.requested_by
        WHERE a.permission = 'offers.describe' AND a.subject_kind = 'offer' AND a.subject = ${String(offerId)}
          AND a.decision IS NULL`.execute(db)
    ).rows[0],

  /** The smallest width of each cut of a picture. */
  async widths(renditions: readonly string[]): Promise<Map<string, number>> {
    const { rows } = await sql<{ id: string; width: number }>`
      SELECT id, widths[1] AS width FROM picture_renditions WHERE id = ANY(${renditions}::text[])`.execute(db)
    return new Map(rows.map(({ id, width }) => [id, width]))
  },
})

interface Made extends Change {
  offerId: number
  approvalId: number
  requestedBy: number
  approvedBy: number
}

/** Records a change, which this transaction may make from now on. The database asks for the consent to it. */
export const recordChange = (trx: Trx, made: Made) =>
  trx
    .insertInto('offer_changes')
    .values({
      offer_id: made.offerId,
      approval_id: made.approvalId,
      requested_by: made.requestedBy,
      approved_by: made.approvedBy,
      before: JSON.stringify(made.before),
      after: JSON.stringify(made.after),
    })
    .execute()
