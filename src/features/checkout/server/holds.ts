import type { Database, Trx } from '#platform/database.ts'
import { errorCode } from '#platform/database-errors.ts'
import { transact } from '#platform/transaction.ts'
import { cartWrites } from '#features/cart/server/index.ts'
import { holdTickets, releaseTickets } from '#features/offers/server/index.ts'
import type { OrderState } from '../order-states.rules.ts'
import { orderWrites } from './order-moves.repository.ts'
import { type OrderRow, ordersRepository, wantedOf } from './orders.repository.ts'

/** Ends an order that holds tickets and gives them back. @returns undefined when it was no longer in one of `from` */
export async function releaseOrder(
  trx: Trx,
  id: string,
  from: readonly OrderState[],
  to: 'expired' | 'cancelled' | 'superseded',
  reason: string,
): Promise<OrderRow | undefined> {
  const moved = await orderWrites(trx).move(id, from, to, reason)
  if (moved) await releaseTickets(trx, wantedOf(await ordersRepository(trx).lines(id)))
  return moved
}

/** What came of the wish to hold tickets again: `overtaken` when the buyer wants something else by now. */
type HeldAgain = 'held' | 'gone' | 'overtaken'

/** Holds the tickets of an expired order again for its returning buyer (reliability, row 13). */
export async function holdAgain(db: Database, order: OrderRow, holdMinutes: number): Promise<HeldAgain> {
  try {
    return await transact(db, async (trx) => {
      const cart = await cartWrites(trx).lockUnchanged(order.user_id)
      if (cart?.version !== order.cart_version) return 'overtaken'
      const back = { newHoldMinutes: holdMinutes }
      const moved = await orderWrites(trx).move(order.id, ['expired'], 'held', 'buyer came back', back)
      if (!moved) return 'overtaken'
      const lines = await ordersRepository(trx).lines(order.id)
      if (!(await holdTickets(trx, wantedOf(lines)))) throw new NotAvailableAgain()
      return 'held'
    })
  } catch (error) {
    if (error instanceof NotAvailableAgain) return 'gone'
    if (errorCode(error) === UNIQUE_VIOLATION) return 'overtaken'
    throw error
  }
}

/** Another order of the same cart is open already. */
const UNIQUE_VIOLATION = '23505'

class NotAvailableAgain extends Error {}
