import { Notification } from '#platform/paypal/messages.ts'
import type { CheckoutDeps } from './checkout-deps.ts'
import { type OrderRow, ordersRepository } from './orders.repository.ts'
import { paymentsRepository } from './payments.repository.ts'
import { reconcile } from './reconcile.ts'

/** Acts on a stored notification. Its body only hints at the order; what is true is asked of the provider. */
export async function handleNotification(deps: CheckoutDeps, notification: Notification): Promise<void> {
  const order = await orderOf(deps, notification)
  if (order) await reconcile(deps, order.id)
  else
    deps.log.warn(
      { eventId: notification.id, type: notification.event_type },
      'notification without an order of ours',
    )
  await paymentsRepository(deps.db).markNotificationHandled(notification.id)
}

/** Handles notifications that were stored but not acted upon, for example because the process was killed. */
export async function handleLeftNotifications(deps: CheckoutDeps, limit = 200): Promise<void> {
  for (const row of await paymentsRepository(deps.db).unhandledNotifications(limit)) {
    await handleNotification(deps, Notification.parse(row.payload))
  }
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

async function orderOf(deps: CheckoutDeps, { resource }: Notification): Promise<OrderRow | undefined> {
  const orders = ordersRepository(deps.db)
  const ours = resource.custom_id ?? resource.purchase_units?.[0]?.custom_id
  if (ours && UUID.test(ours)) return orders.byId(ours)
  const theirs = resource.supplementary_data?.related_ids?.order_id ?? resource.id
  return theirs ? orders.byProviderId(theirs) : undefined
}
