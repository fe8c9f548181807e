import { sql } from 'kysely'
import { audit } from './audit-log.ts'
import { type Database, type Sql, isReadOnly } from './database.ts'
import { transact } from './transaction.ts'

/** What came of a run of `npm run backup`. */
export interface BackupOutcome {
  /** Whether a whole backup was written. */
  isMade: boolean
  bytes: number | null
  seconds: number
  isEncrypted: boolean
  /** Null where no other place is set. */
  isCopied: boolean | null
  /** What went wrong, for a person; null when nothing did. */
  fault: string | null
}

export interface BackupRun extends BackupOutcome {
  name: string
  /** When the run ended. */
  at: Date
  /** Since then, by the database's clock. */
  hours: number
}

/**
 * Stores the outcome in the audit log, and the time of a whole backup in the table `backups`, by which the doctor knows its
 * age. A database that an update has not reached yet has no such table, and a standby takes neither. @returns whether it
 * was stored
 */
export async function noteBackupRun(db: Database, name: string, outcome: BackupOutcome): Promise<boolean> {
  if (await isReadOnly(db)) return false
  await transact(db, async (trx) => {
    if (outcome.isMade)
      await sql`
        DO $$ BEGIN
          IF to_regclass('public.backups') IS NOT NULL THEN INSERT INTO backups DEFAULT VALUES; END IF;
        END $$`.execute(trx)
    await audit(trx, {
      actor: 'command line',
      action: 'system.backUp',
      subject: { kind: 'backup', id: name },
      after: outcome,
    })
  })
  return true
}

/** The last run of `npm run backup`, and the last one that wrote a whole backup: what tells their age. */
export async function lastBackups(
  db: Sql,
): Promise<{ last: BackupRun | undefined; lastMade: BackupRun | undefined }> {
  const { rows } = await sql<{ name: string; at: Date; hours: number; outcome: BackupOutcome }>`
    WITH runs AS (
      SELECT id, subject AS name, at, entry::jsonb -> 'after' AS outcome,
             greatest(0, extract(epoch FROM clock_timestamp() - at) / 3600)::float8 AS hours
      FROM audit_log WHERE subject_kind = 'backup'
    )
    (SELECT name, at, hours, outcome FROM runs ORDER BY id DESC LIMIT 1)
    UNION ALL
    (SELECT name, at, hours, outcome FROM runs WHERE outcome -> 'isMade' = 'true' ORDER BY id DESC LIMIT 1)`.execute(
    db,
  )
  const [last, lastMade] = rows.map(({ outcome, ...run }): BackupRun => ({ ...outcome, ...run }))
  return { last, lastMade }
}
