import { Notification, captureIdOf } from '#platform/paypal/messages.ts'
import type { CheckoutDeps } from './checkout-deps.ts'
import { type OrderRow, ordersRepository } from './orders.repository.ts'
import { paymentsRepository } from './payments.repository.ts'
import { reconcile } from './reconcile.ts'

/** Events that tell nothing of an order whose tickets are issued; any other may mean that money went back. */
const BEFORE_TICKETS = new Set([
  'CHECKOUT.ORDER.APPROVED',
  'CHECKOUT.ORDER.COMPLETED',
  'PAYMENT.CAPTURE.PENDING',
  'PAYMENT.CAPTURE.COMPLETED',
])

/**
 * Acts on a stored notification. Its body only hints at the order; what is true is asked of the provider.
 * @throws ProviderUnknown when it does not tell and nobody else would ask: the notification stays for the sweep
 */
export async function handleNotification(deps: CheckoutDeps, notification: Notification): Promise<void> {
  const order = await orderOf(deps, notification)
  if (order) {
    const closedToo = !BEFORE_TICKETS.has(notification.event_type)
    await reconcile(deps, order.id, { closedToo, insist: true })
  } else await withoutOrder(deps, notification)
  await paymentsRepository(deps.db).markNotificationHandled(notification.id)
}

/** Money that the notification says was taken. */
const TAKEN = new Set(['PAYMENT.CAPTURE.COMPLETED', 'PAYMENT.CAPTURE.PENDING'])
/** Money that it says went back, or never came. */
const BACK = new Set(['PAYMENT.CAPTURE.REFUNDED', 'PAYMENT.CAPTURE.REVERSED', 'PAYMENT.CAPTURE.DENIED'])

/**
 * Rings for a payment that carries an order id as we make them, but none that we have: a database that was restored from
 * a backup lacks it. Of other notifications it is only noted that they came.
 */
async function withoutOrder({ db, bell, log }: CheckoutDeps, notification: Notification): Promise<void> {
  const { id: eventId, event_type: type, resource } = notification
  log.warn({ eventId, type }, 'notification without an order of ours')
  const { id, custom_id: order, supplementary_data: related } = resource
  if (TAKEN.has(type) && id !== undefined && order !== undefined && UUID.test(order)) {
    const details = { order, paypalOrder: related?.related_ids?.order_id }
    await bell.raise(db, { kind: 'unknownPayment', subject: id, details })
  }
  // Of a denied capture the notification is about itself, of a refund about the refund.
  const gone = BACK.has(type) ? (captureIdOf(resource) ?? id) : undefined
  if (gone !== undefined) await bell.clear(db, 'unknownPayment', gone)
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

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

async function orderOf(deps: CheckoutDeps, { resource }: Notification): Promise<OrderRow | undefined> {
  const orders = ordersRepository(deps.db)
  const ours = resource.custom_id ?? resource.purchase_units?.[0]?.custom_id
  if (ours && UUID.test(ours)) return orders.byId(ours)
  const theirs = resource.supplementary_data?.related_ids?.order_id ?? resource.id
  const found = theirs === undefined ? undefined : await orders.byProviderId(theirs)
  if (found) return found
  const captureId = captureIdOf(resource) ?? resource.disputed_transactions?.[0]?.seller_transaction_id
  const orderId = captureId && (await paymentsRepository(deps.db).orderOfCapture(captureId))
  return orderId ? orders.byId(orderId) : undefined
}
