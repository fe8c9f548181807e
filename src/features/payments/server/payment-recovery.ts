import { deprioritize, orderWrites, ordersRepository } from '#features/orders/server/index.ts'
import { refundCancelledOffers } from '#features/refunds/server/index.ts'
import { reconcileReleased } from './ledger-reconciliation.ts'
import { type NotificationDeps, handleNotification } from './notifications.ts'
import { notificationsRepository } from './payments.repository.ts'
import { reconcile, requestCapture } from './reconcile.ts'
import type { PaymentsDeps } from './settlement.ts'

const BATCH = 100

/**
 * Background job, safe to run concurrently: handles notifications, reconciles open and released orders, captures what
 * buyers approved and left, refunds cancelled offers (failure modes 4, 5, 11 and 23). It waits for the provider, so `holdExpiry` is a job of its own.
 * @param reconcileAfterSeconds age from which an order is reconciled
 * @throws AggregateError of the failed steps, once all have run
 */
export async function recoverPayments(deps: NotificationDeps, reconcileAfterSeconds: number): Promise<void> {
  const steps = [
    () => handleUnhandledNotifications(deps),
    () => reconcileOpenOrders(deps, reconcileAfterSeconds),
    () => captureApprovedOrders(deps),
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

/** The buyer's own page has so long to ask for the capture. */
const LEFT_AFTER_SECONDS = 20

/**
 * Captures held orders that the buyer approved before leaving or reloading the page. Orders whose hold is about to end
 * are read at the provider first, because a notification may be lost (failure mode 22).
 */
async function captureApprovedOrders(deps: PaymentsDeps): Promise<void> {
  const orders = ordersRepository(deps.db)
  const failed = (orderId: string) => (error: unknown) =>
    deps.log.warn({ err: error, orderId }, 'an approved order could not be captured')
  for (const id of await orders.endingUnchecked(BATCH)) {
    await reconcile(deps, id).catch(failed(id))
    await deprioritize(deps, id)
  }
  for (const { id, user_id, provider_order_id } of await orders.approvedAndLeft(LEFT_AFTER_SECONDS, BATCH)) {
    const request = { userId: user_id, providerId: provider_order_id ?? '' }
    const [order] = await orderWrites(deps.db).beginCaptures([request])
    // An unknown outcome is reconciled by a later run, a refusal has returned the order.
    if (order) await requestCapture(deps, order).catch(failed(id))
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
