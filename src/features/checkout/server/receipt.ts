import type { Sql } from '#platform/database.ts'
import type { OrderLetters } from './order-letters.ts'
import { receiptFacts } from './receipts.repository.ts'

/** Writes the receipt of a paid order. @throws Error when it was never paid */
export async function writtenReceipt(
  db: Sql,
  letters: OrderLetters,
  orderId: string,
): Promise<{ text: string; html: string }> {
  const facts = await receiptFacts(db, orderId)
  if (!facts) throw new Error('a receipt of an order that was never paid')
  return letters.writeReceipt(facts)
}
