import { deprioritize, ordersRepository, tellUnfinished } from '#features/purchase/orders/server/index.ts'
import { refundCancelledOffers } from '#features/purchase/refunds/server/index.ts'
import { reconcileReleased } from './ledger-reconciliation.ts'
import { type NotificationDeps, handleNotification } from './notifications.ts'
import { notificationsRepository } from './payments.repository.ts'
import { reconcile } from './reconcile.ts'
import type { PaymentsDeps } from './settlement.ts'

const BATCH = 100

/**
 * Background job, safe to run concurrently: handles notifications, reconciles open and released orders, tells buyers
 * who approved and left, refunds cancelled offers (failure modes 4, 5, 11, 22 and 23). It captures nothing that no buyer asked for. It waits for the provider, so `holdExpiry` is a job of its own.
 * @param reconcileAfterSeconds age from which an order is reconciled
 * @throws AggregateError of the failed steps, once all have run
 */
export async function recoverPayments(deps: NotificationDeps, reconcileAfterSeconds: number): Promise<void> {
  const steps = [
    () => handleUnhandledNotifications(deps),
    () => reconcileOpenOrders(deps, reconcileAfterSeconds),
    () => lookAtEndingHolds(deps),
    () => tellUnfinished(deps),
    () => reconcileReleased(deps, reconcileAfterSeconds, BATCH),
    () => refundCancelledOffers(deps),
  ]
  const failures: unknown[] = []
  for (const step of steps) await step().catch((error: unknown) => failures.push(error))
  if (failures.length > 0) throw new AggregateError(failures, 'steps of the sweep failed')
}

async function reconcileOpenOrders(deps: PaymentsDeps, reconcileAfterSeconds: number): Promise<void> {
  for (const id of await ordersRepository(deps.db).toReconcile(reconcileAfterSeconds, BATCH)) {
    await reconcile(deps, id, { includeFinal: true }).catch((error: unknown) =>
      deps.log.error({ err: error, orderId: id }, 'an order could not be settled, will be tried again'),
    )
    await deprioritize(deps, id)
  }
}

/**
 * Reads orders whose hold is about to end at the provider, because the notification of an approval may be lost. The buyer
 * is told of what was approved and not finished (failure mode 22, ADR 0007).
 */
async function lookAtEndingHolds(deps: PaymentsDeps): Promise<void> {
  for (const id of await ordersRepository(deps.db).endingUnchecked(BATCH)) {
    await reconcile(deps, id).catch((error: unknown) =>
      deps.log.warn(
        { err: error, orderId: id },
        'an order whose hold is about to end could not be looked at',
      ),
    )
    await deprioritize(deps, id)
  }
}

/** Handles notifications whose first handling failed or was interrupted. */
export async function handleUnhandledNotifications(deps: NotificationDeps, limit = 200): Promise<void> {
  const stored = notificationsRepository(deps.db)
  for (const row of await stored.unhandled(limit)) {
    try {
      const notification = deps.notifications.read(row.payload)
      if (!notification) throw new Error('a stored notification that cannot be read')
      await handleNotification(deps, notification)
    } catch (error) {
      deps.log.error(
        { err: error, eventId: row.event_id },
        'a notification could not be handled, will be tried again',
      )
      await stored.markTried(row.event_id)
    }
  }
}
