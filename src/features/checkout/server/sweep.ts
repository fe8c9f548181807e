import { transact } from '#platform/transaction.ts'
import type { CheckoutDeps } from './checkout-deps.ts'
import { releaseLapsed } from './holds.ts'
import { handleLeftNotifications } from './notifications.ts'
import { orderWrites, ordersRepository } from './orders.repository.ts'
import { reconcile } from './reconcile.ts'

/** Orders looked at in one sweep. */
const BATCH = 100

/**
 * Repairs what a crash or a silent provider left behind: lapsed holds, unhandled notifications, and orders whose
 * payment is still open (reliability, rows 4, 5 and 11). Any number of processes may sweep at once.
 * @param unsettledSeconds how long an order may have waited before the provider is asked again
 */
export async function sweepOrders(deps: CheckoutDeps, unsettledSeconds: number): Promise<void> {
  await releaseLapsed(deps.db)
  await handleLeftNotifications(deps)
  for (const id of await ordersRepository(deps.db).unsettled(unsettledSeconds, BATCH)) {
    const order = await reconcile(deps, id)
    await transact(deps.db, (trx) => orderWrites(trx).touch(order.id))
  }
}
