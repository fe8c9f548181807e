import { sql } from 'kysely'
import type { Sql } from '#platform/database.ts'

/** Whether the demonstration filled this database, which may be empty. */
export async function isDemonstration(db: Sql): Promise<boolean> {
  const { rows } = await sql<{ is_made: boolean }>`
    SELECT to_regclass('demonstration') IS NOT NULL AS is_made`.execute(db)
  if (!rows[0]?.is_made) return false
  return (await db.selectFrom('demonstration').select('filled_at').executeTakeFirst()) !== undefined
}
