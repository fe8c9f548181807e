import { transact } from '#platform/transaction.ts'
import type { CheckoutDeps } from './checkout-deps.ts'
import { releaseOrder } from './holds.ts'
import { reread } from './lanes.ts'
import type { OrderRow } from './orders.repository.ts'

/** Gives up an order that is not being paid: its tickets go back (reliability, row 22). @returns the order afterwards */
export async function cancelOrder(deps: CheckoutDeps, order: OrderRow): Promise<OrderRow> {
  await transact(deps.db, (trx) => releaseOrder(trx, order.id, ['held'], 'cancelled', 'buyer cancelled'))
  return reread(deps, order)
}
