import { sql } from 'kysely'
import { readAddress } from '#shared/email-address.ts'
import { type Database, logOf } from './database.ts'
import { errorCode } from './database-errors.ts'
import type { DB } from './database-types.ts'

const UNIQUE_VIOLATION = '23505'
const AT_A_TIME = 500

type TableWithAddress = { [Name in keyof DB]: 'id' | 'email' extends keyof DB[Name] ? Name : never }[keyof DB]

/**
 * Gives the addresses of a table from before the one spelling of addresses that spelling: a domain of other letters than
 * ASCII becomes "xn--…". An address stays as it is when the table has the spelling already and demands that addresses
 * differ, or when it no longer counts as one; the log names its id.
 */
export async function updateAddresses(db: Database, table: TableWithAddress): Promise<void> {
  const left: string[] = []
  let after: string | undefined
  for (;;) {
    const { rows } = await sql<{ id: string; email: string }>`
      SELECT id::text AS id, email FROM ${sql.table(table)}
      WHERE email ~ '[^[:ascii:]]' AND (${after ?? null}::text IS NULL OR id::text > ${after ?? null})
      ORDER BY id::text LIMIT ${AT_A_TIME}`.execute(db)
    for (const row of rows) {
      const address = readAddress(row.email)
      const isDone =
        address !== undefined &&
        (await sql`UPDATE ${sql.table(table)} SET email = ${address} WHERE id::text = ${row.id} AND email = ${row.email}`
          .execute(db)
          .then(() => true)
          .catch((error: unknown) => {
            if (errorCode(error) === UNIQUE_VIOLATION) return false
            throw error
          }))
      if (!isDone) left.push(row.id)
    }
    after = rows.at(-1)?.id
    if (rows.length < AT_A_TIME) break
  }
  if (left.length > 0)
    logOf(db).warn({ table, ids: left.slice(0, 100), count: left.length }, 'addresses keep a former spelling')
}
