import { sql } from 'kysely'
import { erasedAccount } from '#features/accounts/server/index.ts'
import { giveTicketsTo } from '#features/tickets/server/index.ts'
import type { Database } from '#platform/database.ts'
import { transact } from '#platform/transaction.ts'

/**
 * Removes the buyer, and the answers, from orders and their tickets, so many years after the end of the order's calendar
 * year. Amounts, numbers and events stay: they are the shop's accounts and name nobody any more.
 * @returns how many orders, at most `limit`
 */
export const anonymizeOldOrders = (db: Database, years: number, limit: number): Promise<number> =>
  transact(db, async (trx) => {
    const nobody = (await erasedAccount(trx).find()) ?? 0
    const { rows } = await sql<{ id: string }>`
      SELECT id FROM orders
      WHERE created_at < date_trunc('year', now()) - make_interval(years => ${years}) AND user_id <> ${nobody}
        AND state IN ('completed', 'expired', 'cancelled', 'superseded', 'refunded')
      ORDER BY id LIMIT ${limit} FOR UPDATE SKIP LOCKED`.execute(trx)
    const ids = rows.map((row) => row.id)
    if (ids.length === 0) return 0
    const holder = nobody || (await erasedAccount(trx).make())
    await sql`UPDATE orders SET user_id = ${holder}, payment_url = NULL WHERE id = ANY(${ids}::uuid[])`.execute(
      trx,
    )
    await sql`UPDATE order_lines SET answer = NULL WHERE order_id = ANY(${ids}::uuid[])`.execute(trx)
    await giveTicketsTo(trx, ids, holder)
    return ids.length
  })
