import { sql } from 'kysely'
import type { Database } from './database.ts'

/** Asks the database for an answer; rejects when it gives none. */
export const ping = async (db: Database): Promise<void> => {
  await sql`SELECT 1`.execute(db)
}
