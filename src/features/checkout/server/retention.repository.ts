import { sql } from 'kysely'
import { erasedAccount } from '#features/accounts/server/index.ts'
import { giveTicketsTo } from '#features/tickets/server/index.ts'
import type { Database } from '#platform/database.ts'
import { transact } from '#platform/transaction.ts'

/**
 * Erases what the provider's notifications said, the payer's name and address among it, that many days after they were
 * handled. The row stays with its id, so that a notification that comes again is known.
 * @returns how many, at most `limit`
 */
export async function eraseOldNotifications(db: Database, days: number, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    UPDATE webhook_inbox SET payload = '{}'
    WHERE event_id IN (
      SELECT event_id FROM webhook_inbox
      WHERE payload <> '{}' AND handled_at < now() - make_interval(days => ${days})
      ORDER BY handled_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
    )`.execute(db)
  return Number(numAffectedRows)
}

/**
 * Takes the buyer out of orders and their tickets, that many years after the end of the calendar year of the order, and
 * the answer with it. Amounts, numbers and events stay: they are the shop's books and name nobody any more.
 * @returns how many orders, at most `limit`
 */
export const forgetOldBuyers = (db: Database, years: number, limit: number): Promise<number> =>
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
