import { ProviderRefused } from '#platform/paypal/faults.ts'
import type { Notification, ProviderOrder } from '#platform/paypal/messages.ts'
import type { CheckoutDeps } from './checkout-deps.ts'
import { netOf } from './compare-books.ts'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Whether a text is an id as our orders have it. */
export const isOrderId = (text: string): boolean => UUID.test(text)

/** So many open alarms are looked at again for a notification that does not say which payment it is about. */
const MOST_LOOKS = 20

/**
 * Rings while the provider has money for an order with an id of ours that we do not have: a database that was restored
 * from a backup lacks its last ones. What the notification says is a hint, as ever: the provider is asked.
 * @throws ProviderUnknown when it does not tell: the notification stays for the sweep
 */
export async function watchUnknownPayment(
  deps: CheckoutDeps,
  { event_type, resource }: Notification,
): Promise<void> {
  const isOrder = event_type.startsWith('CHECKOUT.ORDER.')
  const named = resource.supplementary_data?.related_ids?.order_id ?? (isOrder ? resource.id : undefined)
  const open = await deps.bell.subjects(deps.db, 'unknownPayment')
  for (const paypalOrder of named === undefined ? open.slice(0, MOST_LOOKS) : [named]) {
    const truth = await told(deps, paypalOrder)
    const order = truth?.purchase_units?.[0]?.custom_id ?? ''
    const cents = truth && isOrderId(order) ? netOf(truth) : 0
    if (cents > 0)
      await deps.bell.raise(deps.db, {
        kind: 'unknownPayment',
        subject: paypalOrder,
        details: { order, cents },
      })
    else await deps.bell.clear(deps.db, 'unknownPayment', paypalOrder)
  }
}

async function told({ paypal }: CheckoutDeps, paypalOrder: string): Promise<ProviderOrder | undefined> {
  try {
    return await paypal.getOrder(paypalOrder)
  } catch (error) {
    if (error instanceof ProviderRefused && error.status === 404) return undefined
    throw error
  }
}
