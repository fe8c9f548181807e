import { isUuid } from '#platform/ids.ts'
import type { ProviderNotification, ProviderNotifications } from '#platform/payment/payment-provider.ts'
import { AWAITING_PROVIDER } from '#features/purchase/orders/order-machine.rules.ts'
import { type OrderRow, ordersRepository } from '#features/purchase/orders/server/index.ts'
import { ledgerRepository } from '#features/purchase/refunds/server/index.ts'
import { netOf, readIfKnown } from './ledger-reconciliation.ts'
import { disputesRepository } from './disputes.repository.ts'
import { watchDisputes } from './payment-alerts.repository.ts'
import { notificationsRepository } from './payments.repository.ts'
import { reconcile } from './reconcile.ts'
import type { PaymentsDeps } from './settlement.ts'

export interface NotificationDeps extends PaymentsDeps {
  notifications: ProviderNotifications
}

/**
 * Reconciles the order of a notification, which is trusted for nothing else.
 * @throws ProviderUnknown when the provider does not respond and no other job would ask: the sweep retries it
 */
export async function handleNotification(
  deps: PaymentsDeps,
  notification: ProviderNotification,
): Promise<void> {
  const order = await orderOf(deps, notification)
  if (order) {
    const includeFinal = notification.concernsPaidOrders || (await isPaidAgain(deps, order, notification))
    await reconcile(deps, order.id, { includeFinal, throwIfUnavailable: true })
  } else {
    const { id: eventId, type } = notification
    deps.log.warn({ eventId, type }, 'notification without an order of ours')
    await watchUnknownPayment(deps, notification)
  }
  if (notification.dispute) {
    await disputesRepository(deps.db).note(notification.dispute, order?.id, notification.captureId)
    await watchDisputes(deps.db, deps.alerts)
  }
  await notificationsRepository(deps.db).markHandled(notification.id, order?.id)
}

/** Whether it names a payment of a closed order that our ledger lacks: a second payment. */
async function isPaidAgain(
  { db }: PaymentsDeps,
  order: OrderRow,
  { completedCaptureId }: ProviderNotification,
): Promise<boolean> {
  if (completedCaptureId === undefined || AWAITING_PROVIDER.includes(order.state)) return false
  return (await ledgerRepository(db).orderOfCapture(completedCaptureId)) === undefined
}

async function orderOf(
  { db }: PaymentsDeps,
  { reference, providerOrderId, captureId }: ProviderNotification,
): Promise<OrderRow | undefined> {
  const orders = ordersRepository(db)
  if (reference && isUuid(reference)) return orders.byId(reference)
  const found = providerOrderId === undefined ? undefined : await orders.byProviderId(providerOrderId)
  if (found) return found
  const orderId = captureId && (await ledgerRepository(db).orderOfCapture(captureId))
  return orderId ? orders.byId(orderId) : undefined
}

/** Most open alerts checked for a notification without a provider's order. */
const MOST_CHECKED = 20

/**
 * Alerts while the provider has money for an order of ours that a restored database lacks.
 * @throws ProviderUnknown when the provider does not respond
 */
async function watchUnknownPayment(
  deps: PaymentsDeps,
  { providerOrderId }: ProviderNotification,
): Promise<void> {
  const open = await deps.alerts.subjects(deps.db, 'unknownPayment')
  for (const subject of providerOrderId === undefined ? open.slice(0, MOST_CHECKED) : [providerOrderId]) {
    const response = await readIfKnown(deps.provider, subject)
    const order = response?.references[0] ?? ''
    const cents = response && isUuid(order) ? netOf(response) : 0
    if (cents > 0)
      await deps.alerts.raise(deps.db, { kind: 'unknownPayment', subject, details: { order, cents } })
    else await deps.alerts.clear(deps.db, 'unknownPayment', subject)
  }
}
