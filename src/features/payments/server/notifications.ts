import {
  type ProviderNotification,
  type ProviderNotifications,
  type ProviderOrder,
  ProviderRefused,
} from '#platform/payment/payment-provider.ts'
import { UNSETTLED } from '#features/orders/order-machine.rules.ts'
import { type OrderRow, ordersRepository } from '#features/orders/server/index.ts'
import { ledgerRepository } from '#features/refunds/server/index.ts'
import { netOf } from './ledger-reconciliation.ts'
import { notificationsRepository } from './payments.repository.ts'
import { reconcile } from './reconcile.ts'
import type { PaymentsDeps } from './settlement.ts'

/** Payments that are told of notifications. */
export interface NotificationDeps extends PaymentsDeps {
  notifications: ProviderNotifications
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const isOrderId = (text: string): boolean => UUID.test(text)

/**
 * Acts on a stored notification. It only hints at the order; what is true is asked of the provider.
 * @throws ProviderUnknown when it does not tell and nothing else would ask: the notification stays for the sweep
 */
export async function handleNotification(
  deps: PaymentsDeps,
  notification: ProviderNotification,
): Promise<void> {
  const order = await orderOf(deps, notification)
  if (order) {
    const closedToo = notification.concernsPaidOrders || (await isPaidAgain(deps, order, notification))
    await reconcile(deps, order.id, { closedToo, insist: true })
  } else {
    const { id: eventId, type } = notification
    deps.log.warn({ eventId, type }, 'notification without an order of ours')
    await watchUnknownPayment(deps, notification)
  }
  await notificationsRepository(deps.db).markHandled(notification.id)
}

/** Whether a notification names a payment of a closed order that our ledger does not have: money came once more. */
async function isPaidAgain(
  { db }: PaymentsDeps,
  order: OrderRow,
  { completedCaptureId }: ProviderNotification,
): Promise<boolean> {
  if (completedCaptureId === undefined || UNSETTLED.includes(order.state)) return false
  return (await ledgerRepository(db).orderOfCapture(completedCaptureId)) === undefined
}

/** Handles notifications that were stored but not acted upon, for example because the process was killed. */
export async function handleLeftNotifications(deps: NotificationDeps, limit = 200): Promise<void> {
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

async function orderOf(
  { db }: PaymentsDeps,
  { reference, providerOrderId, captureId }: ProviderNotification,
): Promise<OrderRow | undefined> {
  const orders = ordersRepository(db)
  if (reference && isOrderId(reference)) return orders.byId(reference)
  const found = providerOrderId === undefined ? undefined : await orders.byProviderId(providerOrderId)
  if (found) return found
  const orderId = captureId && (await ledgerRepository(db).orderOfCapture(captureId))
  return orderId ? orders.byId(orderId) : undefined
}

/** So many open alerts are looked at again for a notification that does not say which payment it is about. */
const MOST_LOOKS = 20

/**
 * Raises an alert while the provider has money for an order with an id of ours that we do not have: a database that was
 * restored from a backup lacks its last ones.
 * @throws ProviderUnknown when the provider does not tell: the notification stays for the sweep
 */
async function watchUnknownPayment(
  deps: PaymentsDeps,
  { providerOrderId }: ProviderNotification,
): Promise<void> {
  const open = await deps.alerts.subjects(deps.db, 'unknownPayment')
  for (const subject of providerOrderId === undefined ? open.slice(0, MOST_LOOKS) : [providerOrderId]) {
    const answer = await read(deps, subject)
    const order = answer?.references[0] ?? ''
    const cents = answer && isOrderId(order) ? netOf(answer) : 0
    if (cents > 0)
      await deps.alerts.raise(deps.db, { kind: 'unknownPayment', subject, details: { order, cents } })
    else await deps.alerts.clear(deps.db, 'unknownPayment', subject)
  }
}

async function read({ provider }: PaymentsDeps, id: string): Promise<ProviderOrder | undefined> {
  try {
    return await provider.readOrder(id)
  } catch (error) {
    if (error instanceof ProviderRefused && error.reason === 'not_found') return undefined
    throw error
  }
}
