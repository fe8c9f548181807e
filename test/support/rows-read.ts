import { sql } from 'kysely'
import type { Trx } from '#platform/database.ts'

/** Rows of tables that this connection has read so far; the difference of two readings is what a statement reads. */
export async function rowsRead(trx: Trx, tables: readonly string[]): Promise<number> {
  const { rows } = await sql<{ read: number }>`
    SELECT coalesce(sum(seq_tup_read + idx_tup_fetch), 0)::int AS read FROM pg_stat_xact_user_tables
    WHERE relname = ANY(${[...tables]}::text[])`.execute(trx)
  return rows[0]!.read
}
