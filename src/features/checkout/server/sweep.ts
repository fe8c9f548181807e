import { transact } from '#platform/transaction.ts'
import { returnCancelled } from './cancelled-contests.ts'
import type { CheckoutDeps } from './checkout-deps.ts'
import { compareGivenUp } from './compare-books.ts'
import { releaseLapsed } from './holds.ts'
import { handleLeftNotifications } from './notifications.ts'
import { orderWrites } from './order-moves.repository.ts'
import { ordersRepository } from './orders.repository.ts'
import { reconcile } from './reconcile.ts'

/** Orders looked at in one sweep. */
const BATCH = 100

/**
 * Repairs what a crash or a silent provider left behind: lapsed holds, unhandled notifications, and orders whose
 * payment or refund is still open (reliability, rows 4, 5, 11 and 23). Any number of processes may sweep at once.
 * @param unsettledSeconds how long an order may have waited before the provider is asked again
 */
export async function sweepOrders(deps: CheckoutDeps, unsettledSeconds: number): Promise<void> {
  await releaseLapsed(deps.db)
  await handleLeftNotifications(deps)
  for (const id of await ordersRepository(deps.db).unsettled(unsettledSeconds, BATCH)) {
    // One order that cannot be settled must not keep the others waiting.
    await reconcile(deps, id, { closedToo: true }).catch((error: unknown) =>
      deps.log.error({ err: error, orderId: id }, 'an order could not be settled, will be tried again'),
    )
    await transact(deps.db, (trx) => orderWrites(trx).touch(id))
  }
  await compareGivenUp(deps, unsettledSeconds, BATCH)
  await returnCancelled(deps)
}
