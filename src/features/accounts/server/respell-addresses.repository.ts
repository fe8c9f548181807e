import { sql } from 'kysely'
import { type Database, logOf } from '#platform/database.ts'
import { errorCode } from '#platform/database-errors.ts'
import { readAddress } from '#shared/email-address.ts'

const UNIQUE_VIOLATION = '23505'
const AT_A_TIME = 500

/** Where addresses of people are stored in the spelling of `readAddress`. */
const PLACES = [
  { table: 'users', id: 'id' },
  { table: 'email_links', id: 'id' },
  { table: 'postal_entries', id: 'id' },
  { table: 'messages', id: 'id' },
] as const

/**
 * Gives addresses from before the one spelling of addresses that spelling: a domain of other letters than ASCII becomes
 * "xn--…". Accounts are never merged: when another account has the spelling, both stay as they are, and so does an address
 * that no longer counts as one; the log names their ids. Who is logged in stays so, and the former spelling still logs in.
 */
export async function respellAddresses(db: Database): Promise<void> {
  for (const { table, id } of PLACES) {
    const left: string[] = []
    let after: string | undefined
    for (;;) {
      const { rows } = await sql<{ id: string; email: string }>`
        SELECT ${sql.ref(id)}::text AS id, email FROM ${sql.table(table)}
        WHERE email ~ '[^[:ascii:]]' AND (${after ?? null}::text IS NULL OR ${sql.ref(id)}::text > ${after ?? null})
        ORDER BY ${sql.ref(id)}::text LIMIT ${AT_A_TIME}`.execute(db)
      for (const row of rows) {
        const address = readAddress(row.email)
        const isDone =
          address !== undefined &&
          (await sql`UPDATE ${sql.table(table)} SET email = ${address}
            WHERE ${sql.ref(id)}::text = ${row.id} AND email = ${row.email}`
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
      logOf(db).warn(
        { table, ids: left.slice(0, 100), count: left.length },
        'addresses keep a former spelling',
      )
  }
  await respellExclusions(db)
}

async function respellExclusions(db: Database): Promise<void> {
  const { rows } = await sql<{ id: number; value: string }>`
    SELECT id, value FROM excluded_payers WHERE kind = 'email' AND value ~ '[^[:ascii:]]'`.execute(db)
  for (const { id, value } of rows) {
    const address = readAddress(value)
    if (address === undefined) continue
    // A listed spelling excludes already: the older row stays beside it.
    await sql`
      UPDATE excluded_payers SET value = ${address}, digest = sha256(convert_to(lower(${address}), 'UTF8'))
      WHERE id = ${id} AND NOT EXISTS (
        SELECT FROM excluded_payers other
        WHERE other.kind = 'email' AND other.digest = sha256(convert_to(lower(${address}), 'UTF8')))`.execute(
      db,
    )
  }
}
