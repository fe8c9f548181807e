import { sql } from 'kysely'
import type { Sql, Trx } from '#platform/database.ts'

const LOADING_LOCK = 7_130_221

/** Whether the shop has any offer. */
export const hasOffers = async (db: Sql): Promise<boolean> =>
  (await db.selectFrom('offers').select('id').limit(1).executeTakeFirst()) !== undefined

/** Lets one process at a time load the demonstration, until its transaction ends; on a busy machine that takes a while. */
export const lockLoading = async (trx: Trx): Promise<void> => {
  await sql`SELECT set_config('lock_timeout', '5min', true), set_config('statement_timeout', '5min', true)`.execute(
    trx,
  )
  await sql`SELECT pg_advisory_xact_lock(${LOADING_LOCK})`.execute(trx)
}
