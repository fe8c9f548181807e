import { type RawBuilder, sql } from 'kysely'
import type { Sql } from '#platform/database.ts'
import {
  type ApprovalPermission,
  STAFF_PERMISSIONS,
  type StaffPermission,
  type StaffRole,
} from '#shared/staff-permissions.ts'
import type { AuditSubject } from '#shared/audit-actions.ts'
import type { Approval } from '../staff.contract.ts'

export interface ApprovalRow {
  id: number
  permission: StaffPermission
  subject_kind: AuditSubject
  subject: string
  /** Of the account that it is about, if it is about one of staff. */
  person_name: string | null
  person_email: string | null
  input: unknown
  preview: Record<string, unknown>
  reason: string
  requested_by: number
  requested_by_name: string
  /** Null for somebody who no longer is active staff. */
  requested_by_role: StaffRole | null
  requested_at: Date
  alone_from: Date | null
  /** Whether `alone_from` has come, by the database's clock, and still nobody else could approve it. */
  may_act_alone: boolean
  decided_by: number | null
  decided_by_name: string | null
  decided_at: Date | null
  decision: Approval['decision']
  answer: string | null
  done_at: Date | null
  failure: string | null
}

export interface NewApproval {
  permission: ApprovalPermission
  subject: { kind: AuditSubject; id: string | number }
  input: unknown
  /** Figures, codes and ids: names and addresses are never kept here. */
  preview: Record<string, unknown>
  reason: string
  requestedBy: number
  /** Nobody else could approve it. */
  isAlone: boolean
}

/** A shop with one person waits so long instead of asking a second one. */
const COOL_DOWN_MINUTES = 60
/** A request that nobody decides ends after so long. */
const OPEN_DAYS = 7

const ROLES_OF = JSON.stringify(
  Object.fromEntries(Object.entries(STAFF_PERMISSIONS).map(([name, { roles }]) => [name, roles])),
)

const COLUMNS = sql`
  a.*, maker.username AS requested_by_name, checker.username AS decided_by_name,
  person.username AS person_name, person.email AS person_email,
  CASE WHEN maker.is_active THEN maker.role END AS requested_by_role,
  coalesce(a.alone_from <= clock_timestamp(), false) AND NOT EXISTS (
    SELECT FROM users other
    WHERE other.is_active AND other.id <> a.requested_by
      AND jsonb_exists(${ROLES_OF}::jsonb -> a.permission, other.role)
  ) AS may_act_alone`
const JOINS = sql`
  approvals a JOIN users maker ON maker.id = a.requested_by LEFT JOIN users checker ON checker.id = a.decided_by
  LEFT JOIN users person ON person.id = CASE WHEN a.subject_kind = 'staff' THEN a.subject::bigint END`

export const approvalsRepository = (db: Sql) => ({
  /** @returns the id; undefined when the same matter waits already */
  async insert(one: NewApproval): Promise<number | undefined> {
    const { rows } = await sql<{ id: number }>`
      INSERT INTO approvals (permission, subject_kind, subject, input, preview, reason, requested_by, alone_from)
      VALUES (${one.permission}, ${one.subject.kind}, ${String(one.subject.id)}, ${JSON.stringify(one.input)},
              ${JSON.stringify(one.preview)}, ${one.reason}, ${one.requestedBy},
              CASE WHEN ${one.isAlone} THEN clock_timestamp() + make_interval(mins => ${COOL_DOWN_MINUTES}) END)
      ON CONFLICT DO NOTHING RETURNING id`.execute(db)
    return rows[0]?.id
  },

  find: async (id: number): Promise<ApprovalRow | undefined> =>
    (await sql<ApprovalRow>`SELECT ${COLUMNS} FROM ${JOINS} WHERE a.id = ${id}`.execute(db)).rows[0],

  /** Those that wait, then the newest decided ones. */
  list: async (decided: number): Promise<ApprovalRow[]> =>
    (
      await sql<ApprovalRow>`
        (SELECT ${COLUMNS} FROM ${JOINS} WHERE a.decision IS NULL ORDER BY a.requested_at LIMIT 200)
        UNION ALL
        (SELECT ${COLUMNS} FROM ${JOINS} WHERE a.decision IS NOT NULL ORDER BY a.requested_at DESC LIMIT ${decided})`.execute(
        db,
      )
    ).rows,

  async waiting(): Promise<number> {
    const { rows } = await sql<{ waiting: number }>`
      SELECT count(*)::int AS waiting FROM approvals WHERE decision IS NULL`.execute(db)
    return rows[0]?.waiting ?? 0
  },

  /** Decides it once: of several people who decide at the same time one does. */
  async decide(
    id: number,
    decision: NonNullable<Approval['decision']>,
    by: number,
    answer: string | null,
  ): Promise<boolean> {
    const { rows } = await sql`
      UPDATE approvals SET decision = ${decision}, decided_by = ${by}, decided_at = clock_timestamp(), answer = ${answer}
      WHERE id = ${id} AND decision IS NULL RETURNING 1 AS one`.execute(db)
    return rows.length > 0
  },

  /** Marks it as done, or as failed. @returns false when it was before */
  async finish(id: number, failure: string | null): Promise<boolean> {
    const { rows } = await sql`
      UPDATE approvals
      SET done_at = CASE WHEN ${failure}::text IS NULL THEN clock_timestamp() END, failure = ${failure}
      WHERE id = ${id} AND done_at IS NULL AND failure IS NULL RETURNING 1 AS one`.execute(db)
    return rows.length > 0
  },

  /** Ends the requests that nobody has decided for days. @returns them */
  async expire(): Promise<ApprovalRow[]> {
    const { rows } = await sql<{ id: number }>`
      UPDATE approvals SET decision = 'expired', decided_at = clock_timestamp()
      WHERE decision IS NULL AND requested_at < clock_timestamp() - make_interval(days => ${OPEN_DAYS})
      RETURNING id`.execute(db)
    const ids = rows.map(({ id }) => id)
    return (
      await sql<ApprovalRow>`SELECT ${COLUMNS} FROM ${JOINS} WHERE a.id = ANY(${ids}::bigint[])`.execute(db)
    ).rows
  },

  /** Puts an approved action that is about to be tried again behind the others. */
  async markTried(id: number): Promise<void> {
    await sql`UPDATE approvals SET tried_at = clock_timestamp() WHERE id = ${id}`.execute(db)
  },

  /** How many approved actions are not done an hour later, or could not be done within the last day. */
  async undone(): Promise<number> {
    const { rows } = await sql<{ undone: number }>`
      SELECT count(*)::int AS undone FROM approvals
      WHERE decision IN ('approved', 'alone') AND done_at IS NULL
        AND CASE WHEN failure IS NULL THEN decided_at < clock_timestamp() - interval '1 hour'
                 ELSE decided_at > clock_timestamp() - interval '1 day' END`.execute(db)
    return rows[0]?.undone ?? 0
  },

  /** Approved actions that a crash has cut off, or whose provider was silent. */
  unfinished: async (): Promise<ApprovalRow[]> =>
    (
      await sql<ApprovalRow>`
        SELECT ${COLUMNS} FROM ${JOINS}
        WHERE a.decision IN ('approved', 'alone') AND a.done_at IS NULL AND a.failure IS NULL
          AND a.decided_at < clock_timestamp() - interval '1 minute'
        ORDER BY coalesce(a.tried_at, a.decided_at) LIMIT 20`.execute(db)
    ).rows,
})

/**
 * Erases what two people wrote when they decided about somebody, and the note to a buyer in what was asked. What still
 * waits for its second person needs its words.
 * @param subjects a query of their ids as text
 */
export async function eraseApprovalWords(
  trx: Sql,
  subjectKind: string,
  subjects: RawBuilder<unknown>,
): Promise<void> {
  await sql`
    UPDATE approvals SET reason = '-', answer = NULL, input = input #- '{refund,note}'
    WHERE subject_kind = ${subjectKind} AND subject IN (${subjects})
      AND (decision IN ('refused', 'withdrawn', 'expired') OR done_at IS NOT NULL OR failure IS NOT NULL)`.execute(
    trx,
  )
}
