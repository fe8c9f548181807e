import { Notification, captureIdOf } from '#platform/paypal/messages.ts'
import { UNSETTLED } from '../order-states.rules.ts'
import type { CheckoutDeps } from './checkout-deps.ts'
import { type OrderRow, ordersRepository } from './orders.repository.ts'
import { paymentsRepository } from './payments.repository.ts'
import { reconcile } from './reconcile.ts'
import { isOrderId, watchUnknownPayment } from './unknown-payments.ts'

const CAPTURED = 'PAYMENT.CAPTURE.COMPLETED'

/** Events that tell nothing of an order whose tickets are issued; any other may mean that money went back. */
const BEFORE_TICKETS = new Set([
  'CHECKOUT.ORDER.APPROVED',
  'CHECKOUT.ORDER.COMPLETED',
  'PAYMENT.CAPTURE.PENDING',
  CAPTURED,
])

/**
 * Acts on a stored notification. Its body only hints at the order; what is true is asked of the provider.
 * @throws ProviderUnknown when it does not tell and nobody else would ask: the notification stays for the sweep
 */
export async function handleNotification(deps: CheckoutDeps, notification: Notification): Promise<void> {
  const order = await orderOf(deps, notification)
  if (order) {
    const closedToo =
      !BEFORE_TICKETS.has(notification.event_type) || (await isPaidAgain(deps, order, notification))
    await reconcile(deps, order.id, { closedToo, insist: true })
  } else {
    const { id: eventId, event_type: type } = notification
    deps.log.warn({ eventId, type }, 'notification without an order of ours')
    await watchUnknownPayment(deps, notification)
  }
  await paymentsRepository(deps.db).markNotificationHandled(notification.id)
}

/** Whether a notification names a payment of a closed order that our book does not know: money came once more. */
async function isPaidAgain(
  { db }: CheckoutDeps,
  order: OrderRow,
  { event_type, resource }: Notification,
): Promise<boolean> {
  if (event_type !== CAPTURED || resource.id === undefined || UNSETTLED.includes(order.state)) return false
  return (await paymentsRepository(db).orderOfCapture(resource.id)) === undefined
}

/** Handles notifications that were stored but not acted upon, for example because the process was killed. */
export async function handleLeftNotifications(deps: CheckoutDeps, limit = 200): Promise<void> {
  for (const row of await paymentsRepository(deps.db).unhandledNotifications(limit)) {
    try {
      await handleNotification(deps, Notification.parse(row.payload))
    } catch (error) {
      deps.log.error(
        { err: error, eventId: row.event_id },
        'a notification could not be handled, will be tried again',
      )
      await paymentsRepository(deps.db).markNotificationTried(row.event_id)
    }
  }
}

async function orderOf(deps: CheckoutDeps, { resource }: Notification): Promise<OrderRow | undefined> {
  const orders = ordersRepository(deps.db)
  const ours = resource.custom_id ?? resource.purchase_units?.[0]?.custom_id
  if (ours && isOrderId(ours)) return orders.byId(ours)
  const theirs = resource.supplementary_data?.related_ids?.order_id ?? resource.id
  const found = theirs === undefined ? undefined : await orders.byProviderId(theirs)
  if (found) return found
  const captureId = captureIdOf(resource) ?? resource.disputed_transactions?.[0]?.seller_transaction_id
  const orderId = captureId && (await paymentsRepository(deps.db).orderOfCapture(captureId))
  return orderId ? orders.byId(orderId) : undefined
}
