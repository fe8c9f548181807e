import { sql } from 'kysely'
import type { Database, Sql, Trx } from './database.ts'
import type { StaffCaller } from './http/request.ts'
import { transact } from './transaction.ts'
import type { AuditAction, AuditSubject, CheckpointOutcome } from '#shared/audit-actions.ts'
import { nowMs } from '#shared/clock.ts'

/** Who acts: a staff member, a job of the shop, or somebody on the server's command line. */
export type AuditActor = StaffCaller | 'system' | 'command line'

export interface AuditEntry {
  actor: AuditActor
  action: AuditAction
  /** What it was done to: `{ kind: 'order', id: '…' }`. Of a customer only the id. */
  subject?: { kind: AuditSubject; id: string | number }
  before?: unknown
  after?: unknown
  /** What the actor wrote. */
  reason?: string
}

/**
 * Adds an entry to the audit log, in the transaction of what it tells of. It locks the log until the transaction ends:
 * call it last. Never give it personal data of a customer, because no entry can be erased.
 */
export async function audit(trx: Trx, entry: AuditEntry): Promise<void> {
  // The trigger chain_audit_entry fills the other columns.
  await sql`INSERT INTO audit_log (entry) VALUES (${textOf(entry)})`.execute(trx)
}

function textOf({ actor, action, subject, before, after, reason }: AuditEntry): string {
  const isStaff = typeof actor === 'object'
  return JSON.stringify({
    at_ms: nowMs(),
    actor_id: isStaff ? actor.userId : null,
    actor: isStaff ? actor.name : actor,
    role: isStaff ? actor.role : null,
    session: isStaff ? actor.sessionId : null,
    network: isStaff ? actor.network : null,
    action,
    subject_kind: subject?.kind ?? null,
    subject: subject === undefined ? null : String(subject.id),
    before: before ?? null,
    after: after ?? null,
    reason: reason ?? null,
  })
}

/** Somebody of the staff saw personal data. */
export interface AuditedRead extends Pick<AuditEntry, 'action' | 'subject'> {
  actor: StaffCaller
  /** `shown`: the ids of the records that a list showed, by which the page of a customer finds the entry. */
  after?: { shown?: readonly (number | string)[]; [detail: string]: unknown }
}

/** One opening of a record or a list: what the session reads of it again within this time is no further entry. */
const OPENING_MS = 30 * 60_000
/** So many of the last entries of somebody are compared with a list. */
const LAST_LOOKS = 50

/**
 * Adds an entry about what was read, before it is shown. Its commit does not wait for the disk, so that the log is locked
 * for an instant only. One opening of a record is one entry, also when its screen asks for several parts at once, or asks
 * again because something has changed; of a list that is open the entries name each row once (ADR 0068).
 */
export const auditRead = (db: Database, entry: AuditedRead): Promise<void> =>
  transact(db, (trx) => auditOpening(trx, entry), { durable: false })

/** `auditRead` in the transaction of the caller. */
export async function auditOpening(trx: Trx, entry: AuditedRead): Promise<void> {
  const { actor, action, subject } = entry
  // Calls at the same instant come one after the other.
  await sql`
    SELECT pg_advisory_xact_lock(hashtextextended(${`read ${actor.sessionId}`}, 0))`.execute(trx)
  await (subject === undefined
    ? insertWhatIsNew(trx, entry)
    : insertUnlessOpen(trx, { actor, action, subject }, textOf(entry)))
}

/** The same list names only rows that no entry of the session has named lately. */
async function insertWhatIsNew(trx: Trx, entry: AuditedRead): Promise<void> {
  const text = textOf(entry)
  const { rows } = await sql<{ shown: readonly (number | string)[] | null }>`
    SELECT entry::jsonb #> '{after,shown}' AS shown FROM (
      SELECT at, entry FROM audit_log WHERE actor_id = ${entry.actor.userId} ORDER BY id DESC LIMIT ${LAST_LOOKS}
    ) AS last
    WHERE at > to_timestamp(${(nowMs() - OPENING_MS) / 1_000})
      AND (entry::jsonb - 'at_ms') #- '{after,shown}' = (${text}::jsonb - 'at_ms') #- '{after,shown}'`.execute(
    trx,
  )
  if (rows.length === 0) return audit(trx, entry)
  const named = new Set(rows.flatMap((row) => row.shown ?? []))
  const shown = (entry.after?.shown ?? []).filter((id) => !named.has(id))
  if (shown.length > 0) await audit(trx, { ...entry, after: { ...entry.after, shown } })
}

/** The record itself was opened, or the same part of it. */
const insertUnlessOpen = (
  trx: Trx,
  { actor, action, subject }: Required<Pick<AuditedRead, 'actor' | 'action' | 'subject'>>,
  text: string,
) =>
  sql`
    INSERT INTO audit_log (entry) SELECT ${text} WHERE NOT EXISTS (
      SELECT FROM audit_log
      WHERE subject_kind = ${subject.kind} AND subject = ${String(subject.id)} AND action = ${action}
        AND actor_id = ${actor.userId} AND at > to_timestamp(${(nowMs() - OPENING_MS) / 1_000})
        AND entry::jsonb ->> 'session' = ${actor.sessionId}
        AND (entry::jsonb -> 'after' = 'null' OR entry::jsonb -> 'after' = ${text}::jsonb -> 'after')
    )`.execute(trx)

/** The end of the chain: a later log that lacks this row was rewritten. */
export interface AuditCheckpoint {
  entries: number
  /** Hexadecimal SHA-256 of the last entry. */
  hash: string
}

export async function auditCheckpoint(db: Sql): Promise<AuditCheckpoint> {
  const { rows } = await sql<{ id: number; hash: Buffer }>`
    SELECT id, hash FROM audit_log ORDER BY id DESC LIMIT 1`.execute(db)
  const [last] = rows
  return { entries: last?.id ?? 0, hash: last?.hash.toString('hex') ?? '' }
}

/**
 * Compares the log with a checkpoint that left the house. @returns `missing`: the log was cut; `other`: it was rewritten,
 * with the present hash
 */
export async function compareCheckpoint(
  db: Sql,
  { entries, hash }: AuditCheckpoint,
): Promise<{ is: CheckpointOutcome; found?: string }> {
  const { rows } = await sql<{ hash: Buffer }>`SELECT hash FROM audit_log WHERE id = ${entries}`.execute(db)
  const found = rows[0]?.hash.toString('hex')
  if (found === undefined) return { is: 'missing' }
  return { is: found === hash.toLowerCase() ? 'same' : 'other', found }
}

const AT_A_TIME = 10_000

export interface AuditVerification {
  entries: number
  /** The first entry that does not follow from the one before it; null when all do. */
  brokenAt: number | null
  checkpoint: AuditCheckpoint
}

/** Computes the whole chain again, in the database. */
export async function verifyAuditLog(db: Sql): Promise<AuditVerification> {
  const checkpoint = await auditCheckpoint(db)
  for (let after = 0; after < checkpoint.entries; after += AT_A_TIME) {
    const { rows } = await sql<{ id: number }>`
      WITH part AS (
        SELECT id, entry, previous_hash, hash FROM audit_log
        WHERE id >= ${after} AND id <= ${after + AT_A_TIME}
      ), chained AS (
        SELECT id, hash, sha256(previous_hash || convert_to(entry, 'UTF8')) AS computed, previous_hash,
          CASE WHEN id = 1 THEN sha256('volant-audit-v1') ELSE lag(hash) OVER (ORDER BY id) END AS expected,
          CASE WHEN id = 1 THEN 0 ELSE lag(id) OVER (ORDER BY id) END AS id_before
        FROM part
      )
      SELECT id FROM chained
      WHERE id > ${after}
        AND (hash <> computed OR previous_hash IS DISTINCT FROM expected OR id_before IS DISTINCT FROM id - 1)
      ORDER BY id LIMIT 1`.execute(db)
    const [broken] = rows
    if (broken) return { entries: checkpoint.entries, brokenAt: broken.id, checkpoint }
  }
  return { entries: checkpoint.entries, brokenAt: null, checkpoint }
}
