import { returnCancelled } from './cancelled-contests.ts'
import type { CheckoutDeps } from './checkout-deps.ts'
import { compareGivenUp } from './compare-books.ts'
import { handleLeftNotifications } from './notifications.ts'
import { ordersRepository } from './orders.repository.ts'
import { putOff } from './put-off.ts'
import { reconcile } from './reconcile.ts'

/** Orders looked at in one sweep. */
const BATCH = 100

/**
 * Repairs what a crash or a silent provider left behind: unhandled notifications, and orders whose payment or refund is
 * still open (reliability, rows 4, 5, 11 and 23). Any number of processes may sweep at once. Lapsed holds have a task of
 * their own (`lapses.ts`), since these steps wait for the provider.
 * @param unsettledSeconds how long an order may have waited before the provider is asked again
 * @throws AggregateError of the steps that failed, once all of them have had their turn
 */
export async function sweepOrders(deps: CheckoutDeps, unsettledSeconds: number): Promise<void> {
  const steps = [
    () => handleLeftNotifications(deps),
    () => settleOpen(deps, unsettledSeconds),
    () => compareGivenUp(deps, unsettledSeconds, BATCH),
    () => returnCancelled(deps),
  ]
  const failures: unknown[] = []
  for (const step of steps) await step().catch((error: unknown) => failures.push(error))
  if (failures.length > 0) throw new AggregateError(failures, 'steps of the sweep failed')
}

async function settleOpen(deps: CheckoutDeps, unsettledSeconds: number): Promise<void> {
  for (const id of await ordersRepository(deps.db).unsettled(unsettledSeconds, BATCH)) {
    // One order that cannot be settled must not keep the others waiting.
    await reconcile(deps, id, { closedToo: true }).catch((error: unknown) =>
      deps.log.error({ err: error, orderId: id }, 'an order could not be settled, will be tried again'),
    )
    await putOff(deps, id)
  }
}
