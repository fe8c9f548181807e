import { sql } from 'kysely'
import type { Sql, Trx } from '#platform/database.ts'

const LOADING_LOCK = 7_130_221

export const hasOffers = async (db: Sql): Promise<boolean> =>
  (await db.selectFrom('offers').select('id').limit(1).executeTakeFirst()) !== undefined

/** Anybody may register with such an address, but not as staff. */
export const DEMO_STAFF = 'equipe@volant.example'

/** Whether the demonstration filled this database, which may be empty. */
export async function isDemonstration(db: Sql): Promise<boolean> {
  const { rows } = await sql<{
    has_users: boolean
  }>`SELECT to_regclass('users') IS NOT NULL AS has_users`.execute(db)
  if (!rows[0]?.has_users) return false
  const staff = db
    .selectFrom('users')
    .select('id')
    .where(sql`lower(email)`, '=', DEMO_STAFF)
    .where('is_staff', '=', true)
  return (await staff.executeTakeFirst()) !== undefined
}

/** Lets one process at a time load the demonstration; a busy machine may need minutes. */
export const lockLoading = async (trx: Trx): Promise<void> => {
  await sql`SELECT set_config('lock_timeout', '5min', true), set_config('statement_timeout', '5min', true)`.execute(
    trx,
  )
  await sql`SELECT pg_advisory_xact_lock(${LOADING_LOCK})`.execute(trx)
}

/** Dates the tickets of a contest that was over before it was loaded. */
export const dateTickets = async (trx: Trx, offerId: number, at: Date): Promise<void> => {
  await trx.updateTable('tickets').set({ issued_at: at }).where('offer_id', '=', offerId).execute()
}
