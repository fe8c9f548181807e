import { sql } from 'kysely'
import type { Sql, Trx } from '#platform/database.ts'
import type { Rows, Table } from '../story/rows.ts'

const LOADING_LOCK = 7_130_221

export const hasOffers = async (db: Sql): Promise<boolean> =>
  (await db.selectFrom('offers').select('id').limit(1).executeTakeFirst()) !== undefined

/** Marks the database as one that the demonstration has filled. */
export const markAsDemonstration = async (trx: Trx): Promise<void> => {
  await trx.insertInto('demonstration').defaultValues().execute()
}

/** Lets one process at a time load the demonstration; a busy machine may need minutes. */
export const lockLoading = async (trx: Trx): Promise<void> => {
  await sql`SELECT set_config('lock_timeout', '5min', true), set_config('statement_timeout', '5min', true)`.execute(
    trx,
  )
  await sql`SELECT pg_advisory_xact_lock(${LOADING_LOCK})`.execute(trx)
}

/** So many ids that nothing else gets, in their order. */
export async function reserveIds(trx: Trx, table: Table, count: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    SELECT nextval(pg_get_serial_sequence(${table}, 'id'))::int AS id FROM generate_series(1, ${count})`.execute(
    trx,
  )
  return rows.map(({ id }) => id)
}

/** As JSON has it: bytes are `\x` and hexadecimal digits. */
const inJson = ([column, cell]: [string, unknown]): [string, unknown] => [
  column,
  Buffer.isBuffer(cell) ? String.raw`\x${cell.toString('hex')}` : cell,
]

/** Adds what was gathered, each table in its order and in one statement. */
export async function insertRows(trx: Trx, gathered: Rows): Promise<void> {
  for (const [table, rows] of gathered.take()) {
    const columns = sql.join(Object.keys(rows[0] ?? {}).map((name) => sql.ref(name)))
    const values = rows.map((row) => Object.fromEntries(Object.entries(row).map(inJson)))
    await sql`
      INSERT INTO ${sql.table(table)} (${columns}) OVERRIDING SYSTEM VALUE
      SELECT ${columns} FROM jsonb_populate_recordset(NULL::${sql.table(table)}, ${JSON.stringify(values)}::jsonb)`.execute(
      trx,
    )
  }
}

/** Puts tickets into the cart of somebody who has none. @param version above those of the orders */
export const fillCart = async (
  trx: Trx,
  userId: number,
  {
    version,
    offerId,
    quantity,
    answer,
  }: { version: number; offerId: number; quantity: number; answer: string | null },
): Promise<void> => {
  await sql`
    WITH cart AS (
      INSERT INTO carts (user_id, version) VALUES (${userId}, ${version})
      ON CONFLICT (user_id) DO UPDATE SET version = excluded.version RETURNING id
    )
    INSERT INTO cart_items (cart_id, offer_id, quantity, answer)
    SELECT id, ${offerId}, ${quantity}::int, ${answer}::text FROM cart`.execute(trx)
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

/** Claims that wait for an invented winner: an account that nobody logs in to. */
export async function unclaimedPrizes(
  db: Sql,
): Promise<{ slug: string; user_id: number; username: string }[]> {
  const { rows } = await sql<{ slug: string; user_id: number; username: string }>`
    SELECT o.slug, u.id AS user_id, u.username
    FROM draw_claims c
    JOIN draw_attempts a USING (offer_id, attempt)
    JOIN offers o ON o.id = c.offer_id
    JOIN tickets t ON t.offer_id = c.offer_id AND t.number = a.number AND t.status = 'valid'
    JOIN users u ON u.id = t.user_id
    WHERE c.submitted_at IS NULL AND c.forfeited_at IS NULL AND now() < c.until AND u.password_hash = 'none'`.execute(
    db,
  )
  return rows
}
