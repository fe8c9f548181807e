import type { Database, Trx } from '#platform/database.ts'
import { errorCode } from '#platform/database-errors.ts'
import { transact } from '#platform/transaction.ts'
import { cartWrites } from '#features/cart/server/index.ts'
import {
  holdTickets,
  offersRepository,
  releaseTickets,
  whyNotAvailable,
} from '#features/offers/server/index.ts'
import type { Refusal } from '#shared/refusal.ts'
import type { OrderState } from '../order-states.rules.ts'
import {
  type OrderLineRow,
  type OrderRow,
  orderWrites,
  ordersRepository,
  wantedOf,
} from './orders.repository.ts'

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

/** Gives back what lapsed holds kept. @returns how many orders lapsed */
export async function releaseLapsed(db: Database, limit = 500): Promise<number> {
  let released = 0
  for (const id of await ordersRepository(db).lapsed(limit)) {
    if (await transact(db, (trx) => releaseOrder(trx, id, ['held'], 'expired', 'hold lapsed'))) released++
  }
  return released
}

/**
 * Holds the tickets of an expired order again for its returning buyer (reliability, row 13).
 * @returns false when the tickets are gone or the cart is no longer the one of the order
 */
export async function holdAgain(db: Database, order: OrderRow, holdMinutes: number): Promise<boolean> {
  try {
    return await transact(db, async (trx) => {
      const cart = await cartWrites(trx).lockUnchanged(order.user_id)
      if (cart?.version !== order.cart_version) return false
      const back = { newHoldMinutes: holdMinutes }
      const moved = await orderWrites(trx).move(order.id, ['expired'], 'held', 'buyer came back', back)
      if (!moved) return false
      const lines = await ordersRepository(trx).lines(order.id)
      if (!(await holdTickets(trx, wantedOf(lines)))) throw new NotAvailableAgain()
      return true
    })
  } catch (error) {
    if (error instanceof NotAvailableAgain || errorCode(error) === UNIQUE_VIOLATION) return false
    throw error
  }
}

/** Another order of the same cart is open already. */
const UNIQUE_VIOLATION = '23505'

class NotAvailableAgain extends Error {}

/** Says which offer stood in the way of a hold that was refused. */
export async function whyHoldRefused(
  db: Database | Trx,
  lines: readonly Pick<OrderLineRow, 'offer_id' | 'quantity'>[],
) {
  const offers = await offersRepository(db).byIds(lines.map((line) => line.offer_id))
  let refusal: Refusal | undefined
  for (const line of lines) {
    const offer = offers.find((one) => one.id === line.offer_id)
    refusal ??= offer && whyNotAvailable(offer, line.quantity)
  }
  return refusal
}
