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

/** What came of the last run of `npm run backup`; undefined before the first. */
export async function lastBackupRun(db: Sql): Promise<BackupRun | undefined> {
  const { rows } = await sql<{ name: string; at: Date; outcome: BackupOutcome }>`
    SELECT subject AS name, at, entry::jsonb -> 'after' AS outcome
    FROM audit_log WHERE subject_kind = 'backup' ORDER BY id DESC LIMIT 1`.execute(db)
  return rows[0] && { ...rows[0].outcome, name: rows[0].name, at: rows[0].at }
}
