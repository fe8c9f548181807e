import { type Insertable, sql } from 'kysely'
import type { Sql, Trx } from '#platform/database.ts'
import type { DB } from '#platform/database-types.ts'

const LOADING_LOCK = 7_130_221

export const hasOffers = async (db: Sql): Promise<boolean> =>
  (await db.selectFrom('offers').select('id').limit(1).executeTakeFirst()) !== undefined

/** Marks the database as one that the demonstration has filled. */
export const markAsDemonstration = async (trx: Trx): Promise<void> => {
  await trx.insertInto('demonstration').defaultValues().execute()
}

/** Whether the demonstration filled this database, which may be empty. */
export async function isDemonstration(db: Sql): Promise<boolean> {
  const { rows } = await sql<{ is_made: boolean }>`
    SELECT to_regclass('demonstration') IS NOT NULL AS is_made`.execute(db)
  if (!rows[0]?.is_made) return false
  return (await db.selectFrom('demonstration').select('filled_at').executeTakeFirst()) !== undefined
}

/** Lets one process at a time load the demonstration; a busy machine may need minutes. */
export const lockLoading = async (trx: Trx): Promise<void> => {
  await sql`SELECT set_config('lock_timeout', '5min', true), set_config('statement_timeout', '5min', true)`.execute(
    trx,
  )
  await sql`SELECT pg_advisory_xact_lock(${LOADING_LOCK})`.execute(trx)
}

export interface DatedTicket {
  id: string
  offer_id: number
  number: number
  user_id: number | null
  order_id: string | null
  source: 'paid' | 'postal' | 'demo'
  status: 'valid' | 'void'
  issued_at: Date
}

/** Tickets of the past, any number in one statement. */
export async function insertDatedTickets(trx: Trx, tickets: readonly DatedTicket[]): Promise<void> {
  const column = <Name extends keyof DatedTicket>(name: Name): DatedTicket[Name][] =>
    tickets.map((one) => one[name])
  await sql`
    INSERT INTO tickets (id, offer_id, number, user_id, order_id, source, status, issued_at, void_reason)
    SELECT *, CASE WHEN status = 'void' THEN 'refunded' END FROM unnest(
      ${column('id')}::uuid[], ${column('offer_id')}::int[], ${column('number')}::int[],
      ${column('user_id')}::bigint[], ${column('order_id')}::uuid[], ${column('source')}::text[],
      ${column('status')}::text[], ${column('issued_at').map((at) => at.toISOString())}::timestamptz[]
    ) AS u (id, offer_id, number, user_id, order_id, source, status, issued_at)`.execute(trx)
}

type Table = keyof DB
/** Values as JSON has them: a time is ISO 8601, bytes are `\x` and hexadecimal digits. */
type Row<Name extends Table> = Partial<Record<keyof Insertable<DB[Name]>, unknown>>

/**
 * Adds rows in their order, in one statement. All of them name the same columns.
 * @param returned columns that the database fills
 */
export async function insertRows<Name extends Table, Returned extends keyof DB[Name] = never>(
  trx: Trx,
  table: Name,
  rows: readonly Row<Name>[],
  returned: readonly Returned[] = [],
): Promise<Record<Returned, never>[]> {
  const [first] = rows
  if (!first) return []
  const columns = sql.join(Object.keys(first).map((name) => sql.ref(name)))
  const returning = returned.map((name) => sql.ref(String(name)))
  const { rows: made } = await sql<Record<Returned, never>>`
    INSERT INTO ${sql.table(table)} (${columns})
    SELECT ${columns} FROM jsonb_populate_recordset(NULL::${sql.table(table)}, ${JSON.stringify(rows)}::jsonb)
    ${returning.length > 0 ? sql`RETURNING ${sql.join(returning)}` : sql``}`.execute(trx)
  return made
}

/** Counts the accepted cards as numbers of the reserves, which they take first. */
export const countReservesUsed = async (trx: Trx): Promise<void> => {
  await sql`
    UPDATE offers o SET postal_reserve_used = least(o.postal_reserve, e.entered)
    FROM (
      SELECT offer_id, count(*)::int AS entered FROM postal_entries WHERE status = 'entered' GROUP BY offer_id
    ) AS e
    WHERE o.id = e.offer_id AND o.postal_reserve > 0`.execute(trx)
}

/**
 * Lets the next pass over both ledgers begin some minutes after the start, when the emulator has their payments.
 */
export const postponeReconciliation = async (trx: Trx, minutes: number): Promise<void> => {
  await sql`
    UPDATE ledger_reconciliation
    SET started_at = now() - interval '1 day' + make_interval(mins => ${minutes}),
        ended_at = now() - interval '1 day' + make_interval(mins => ${minutes})`.execute(trx)
}
