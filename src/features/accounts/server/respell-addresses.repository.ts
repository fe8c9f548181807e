import { sql } from 'kysely'
import type { Database } from '#platform/database.ts'
import { updateAddresses } from '#platform/respell-addresses.ts'
import { readAddress } from '#shared/email-address.ts'

/**
 * Gives addresses of accounts the one spelling. Accounts are never merged: when another account has the spelling, both stay
 * as they are. Who is logged in stays so, and the former spelling still logs in.
 */
export async function respellAccounts(db: Database): Promise<void> {
  await updateAddresses(db, 'users')
  await updateAddresses(db, 'email_links')
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
