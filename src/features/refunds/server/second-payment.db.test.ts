import { expect, test, vi } from 'vitest'
import { type NotificationDeps, handleNotification } from '#features/payments/server/notifications.ts'
import { silentProvider } from '#features/payments/server/silent-provider.test-support.ts'
import { sweepOrders } from '#features/payments/server/sweep.ts'
import { PayPalRefused } from '#platform/payment/paypal/paypal-client.ts'
import { refundOrder } from './staff-refunds.routes.ts'
import { paypalProvider, readNotification } from '#platform/payment/paypal/paypal-provider.ts'

/** Orders of which a second capture turns out to have taken money: it goes back, and the order stays as it is. */
const { shop, there, compareAll, emailsOf } = await silentProvider()
let made = 0

/** Has the provider take the money of an order once more. */
function payAgain(orderId: string, captureId: string): string {
  made += 1
  const first = shop.paypal.book.captures.get(captureId)!
  const second = { ...first, id: `SECOND000000000X${made}`, status: 'COMPLETED' as const, refunded: 0 }
  shop.paypal.book.insert('capture', second.id, second)
  shop.paypal.book.orders.get(orderId)!.captureIds.unshift(second.id)
  return second.id
}

async function paidTwice() {
  const paid = await shop.paidOrder(2)
  return { ...paid, second: payAgain(paid.orderId, paid.captureId) }
}

async function walk(deps: NotificationDeps = shop.checkout): Promise<void> {
  await compareAll(deps)
  await sweepOrders(deps, 0)
}

/** A checkout whose provider refuses every refund. */
function refusing(): NotificationDeps {
  const paypal = shop.client
  const fault = { name: 'UNPROCESSABLE_ENTITY', details: [{ issue: 'REFUND_NOT_ALLOWED' }] }
  const refundCapture: typeof paypal.refundCapture = () => Promise.reject(new PayPalRefused(422, fault))
  return { ...shop.checkout, provider: paypalProvider({ ...paypal, refundCapture }) }
}

const refundsOf = async (orderId: string) =>
  (
    await shop.pool.query('SELECT capture_id, status, reason FROM refunds WHERE order_id = $1 ORDER BY id', [
      orderId,
    ])
  ).rows
const hasAlert = async (orderId: string): Promise<boolean> =>
  (await shop.checkout.alerts.subjects(shop.db, 'ledgerDiffers')).includes(orderId)
const ticketsOf = async (orderId: string): Promise<string[]> =>
  (await shop.pool.query('SELECT status FROM tickets WHERE order_id = $1', [orderId])).rows.map(
    (row) => row.status,
  )

const TOLD = 'We returned your second payment of €11.86'

test('its refund that is refused rings, and leaves the order and its tickets alone until it is back', async () => {
  const { orderId, ours, second } = await paidTwice()
  await walk(refusing())
  expect((await refundsOf(ours.id))[0]).toMatchObject({ capture_id: second, status: 'failed' })
  expect(await shop.orderState(orderId)).toBe('completed')
  expect(await hasAlert(ours.id)).toBe(true)
  expect(await emailsOf(ours.id)).toEqual([])

  await walk()
  expect((await refundsOf(ours.id)).at(-1)).toMatchObject({ capture_id: second, status: 'completed' })
  expect(await emailsOf(ours.id)).toEqual([TOLD])
  expect(await hasAlert(ours.id)).toBe(false)
  expect(await shop.orderState(orderId)).toBe('completed')
  expect(await ticketsOf(ours.id)).toEqual(['valid', 'valid'])
})

test('its refund is not asked for for ever', async () => {
  const { orderId, ours } = await paidTwice()
  const deps = refusing()
  for (let asked = 0; asked < 7; asked += 1) await walk(deps)
  expect(await refundsOf(ours.id)).toHaveLength(5)
  expect(await shop.orderState(orderId)).toBe('completed')
  // Both books agree, but on two payments.
  expect(await hasAlert(ours.id)).toBe(true)
  expect(await ticketsOf(ours.id)).toEqual(['valid', 'valid'])
})

test('goes back as soon as it is notified, and nobody asks about the first payment’s notification', async () => {
  const { orderId, captureId, ours, second } = await paidTwice()
  const readOrder = vi.spyOn(shop.checkout.provider, 'readOrder')
  const notify = (id: string): Promise<void> =>
    handleNotification(
      shop.checkout,
      readNotification({
        id: `WH-${id}`,
        event_type: 'PAYMENT.CAPTURE.COMPLETED',
        resource: { id, supplementary_data: { related_ids: { order_id: orderId } } },
      })!,
    )
  await notify(captureId)
  expect(readOrder).not.toHaveBeenCalled()
  expect(await refundsOf(ours.id)).toEqual([])
  await notify(second)
  readOrder.mockRestore()
  await sweepOrders(shop.checkout, 0)
  expect(await refundsOf(ours.id)).toMatchObject([{ capture_id: second, status: 'completed' }])
  expect(await ticketsOf(ours.id)).toEqual(['valid', 'valid'])
  expect(await emailsOf(ours.id)).toEqual([TOLD])
})

test('whose refund is pending is told of when it is back', async () => {
  const { ours, second } = await paidTwice()
  const paypal = shop.client
  const refund = () => [...shop.paypal.book.refunds.values()].find((one) => one.captureId === second)!
  const refundCapture: typeof paypal.refundCapture = async (...call) => {
    const answer = await paypal.refundCapture(...call)
    refund().status = 'PENDING'
    return { ...answer, status: 'PENDING' }
  }
  await walk({ ...shop.checkout, provider: paypalProvider({ ...paypal, refundCapture }) })
  expect(await refundsOf(ours.id)).toMatchObject([{ status: 'pending' }])
  expect(await emailsOf(ours.id)).toEqual([])
  refund().status = 'COMPLETED'
  await sweepOrders(shop.checkout, 0)
  expect(await refundsOf(ours.id)).toMatchObject([{ status: 'completed' }])
  expect(await emailsOf(ours.id)).toEqual([TOLD])
})

test('that somebody sends back there is told of as that, too', async () => {
  const { ours, second } = await paidTwice()
  await there.giveBack(second, 'refund')
  await walk()
  expect(await refundsOf(ours.id)).toMatchObject([{ capture_id: second, reason: 'refunded_at_provider' }])
  expect(await emailsOf(ours.id)).toEqual([TOLD])
})

test('of an order that was refunded goes back as a second payment, not as a refund that failed', async () => {
  const { orderId, ours, captureId } = await shop.paidOrder(2)
  await refundOrder(shop.checkout, ours, { staffId: 1, note: 'asked for' })
  const second = payAgain(orderId, captureId)
  await walk()
  expect(await shop.orderState(orderId)).toBe('refunded')
  expect(await refundsOf(ours.id)).toEqual([
    { capture_id: captureId, status: 'completed', reason: 'staff_request' },
    { capture_id: second, status: 'completed', reason: 'paid_twice' },
  ])
  const { rows } = await shop.pool.query(
    `SELECT reason FROM order_events WHERE order_id = $1 AND from_state = 'refunded'`,
    [ours.id],
  )
  expect(rows).toEqual([{ reason: 'paid_twice' }])
})
