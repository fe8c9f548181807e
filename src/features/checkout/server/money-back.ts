import type { Sql } from '#platform/database.ts'
import { Refusal } from '#shared/refusal.ts'
import { type OrderRow, ordersRepository } from './orders.repository.ts'

/** Whether the order's money is back, or on its way. */
export const isMoneyBack = ({ state }: OrderRow): boolean => state === 'refunding' || state === 'refunded'

/** Whether the money of an order that was paid, and had its tickets, went back later; its history says it. */
export const isTakenBack = async (db: Sql, order: OrderRow): Promise<boolean> =>
  isMoneyBack(order) && (await ordersRepository(db).wasCompleted(order.id))

/** What a buyer is told who asks for the tickets of an order whose money is back: whether there ever were any. */
export const whyMoneyBack = async (db: Sql, order: OrderRow): Promise<Refusal> =>
  (await isTakenBack(db, order))
    ? new Refusal('checkout.takenBack', 409, 'errors.checkout.takenBack')
    : new Refusal('checkout.refunded', 409, 'errors.checkout.refunded')
