import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestShop, testShop } from '../../../../test/support/shop.ts'
import { capturePayment } from '#features/checkout/server/capture-payment.ts'
import { ProviderUnknown } from '#platform/payment/payment-provider.ts'
import { PayPalRefused } from '#platform/payment/paypal/paypal-client.ts'
import type { NotificationDeps } from './notifications.ts'
import { sweepOrders } from './sweep.ts'
import { paypalProvider } from '#platform/payment/paypal/paypal-provider.ts'

let shop: TestShop

beforeAll(async () => {
  shop = await testShop()
  // A notification would have an order paid in the middle of what happens to it here.
  shop.paypal.faults.change({ missingWebhooks: 1 })
})
afterAll(() => shop.close())

/** A checkout whose first capturePayment request gets lost on the way. */
function losingOne(): NotificationDeps {
  let lost = false
  const paypal = shop.client
  const captureOrder: typeof paypal.captureOrder = async (id, requestId) => {
    if (lost) return paypal.captureOrder(id, requestId)
    lost = true
    throw new ProviderUnknown('the line broke')
  }
  return { ...shop.checkout, provider: paypalProvider({ ...paypal, captureOrder }) }
}

test('a request that got lost and is then declined is told as a decline, and the hold stays', async () => {
  const { offerId, customer, orderId } = await shop.approvedOrder(2, 'declined@buyer.test')
  const outcome = await capturePayment(losingOne(), await shop.orderOf(orderId))
  expect(outcome).toMatchObject({ declined: true, order: { state: 'held' } })
  expect(await shop.counters(offerId)).toEqual({ tickets_sold: 0, tickets_held: 2 })
  await shop.paypal.approve(orderId, 'buyer@buyer.test', 'other')
  expect((await customer.capture(orderId)).status).toBe(200)
})

test('a request that got lost on the way is sent once more and gives the tickets', async () => {
  const { orderId } = await shop.approvedOrder(2)
  expect(await capturePayment(losingOne(), await shop.orderOf(orderId))).toMatchObject({
    order: { state: 'completed' },
  })
  expect([...shop.paypal.book.captures.values()].filter((one) => one.orderId === orderId)).toHaveLength(1)
})

describe('a capture whose request got lost', () => {
  /** What is sent to capturePayment an order that a killed process had begun to capturePayment so long ago, and what becomes of it. */
  async function sweptAfter(interval: string): Promise<{ sent: string[]; state: string; attempt: number }> {
    const { orderId } = await shop.approvedOrder(1)
    await shop.leaveCapturing(orderId)
    await shop.pool.query(
      `UPDATE orders SET capture_started_at = clock_timestamp() - $2::interval WHERE provider_order_id = $1`,
      [orderId, interval],
    )
    const paypal = shop.client
    const sent: string[] = []
    const captureOrder: typeof paypal.captureOrder = (id, requestId) => {
      if (id === orderId) sent.push(requestId)
      return paypal.captureOrder(id, requestId)
    }
    await sweepOrders({ ...shop.checkout, provider: paypalProvider({ ...paypal, captureOrder }) }, 15)
    const { id, state, capture_attempt: attempt } = await shop.orderOf(orderId)
    return { sent: sent.map((requestId) => requestId.replace(id, 'ours')), state, attempt }
  }

  test('is sent once more for six hours, as the same request', async () => {
    const after = await sweptAfter('5 hours 59 minutes')
    expect(after).toEqual({ sent: ['ours:cap:1'], state: 'completed', attempt: 1 })
  })

  test('is not sent after six hours, when PayPal would take it for a new one: the buyer may pay again', async () => {
    const after = await sweptAfter('6 hours 1 minute')
    expect(after).toEqual({ sent: [], state: 'held', attempt: 2 })
  })
})

test('an order that was captured, and that the provider then does not know, stays in doubt until it does', async () => {
  const { offerId, orderId } = await shop.approvedOrder(2)
  const paypal = shop.client
  const captureOrder: typeof paypal.captureOrder = async (...call) => {
    await paypal.captureOrder(...call)
    throw new ProviderUnknown('it answered a page')
  }
  const getOrder: typeof paypal.getOrder = () =>
    Promise.reject(new PayPalRefused(404, { name: 'RESOURCE_NOT_FOUND' }))
  const deps = { ...shop.checkout, provider: paypalProvider({ ...paypal, captureOrder, getOrder }) }
  expect(await capturePayment(deps, await shop.orderOf(orderId))).toMatchObject({
    order: { state: 'capturing' },
  })
  await sweepOrders(deps, 0)
  expect(await shop.orderState(orderId)).toBe('capturing')
  expect(await shop.counters(offerId)).toEqual({ tickets_sold: 0, tickets_held: 2 })
  await sweepOrders(shop.checkout, 0)
  expect(await shop.orderState(orderId)).toBe('completed')
})

test('an order that stays unknown until its request would be a new one is given up, and asked about later', async () => {
  const { orderId } = await shop.approvedOrder(1)
  await shop.leaveCapturing(orderId)
  const { id } = await shop.orderOf(orderId)
  const paypal = shop.client
  const notKnown = () => Promise.reject(new PayPalRefused(404, { name: 'RESOURCE_NOT_FOUND' }))
  const captureOrder: typeof paypal.captureOrder = () => Promise.reject(new ProviderUnknown('the line broke'))
  const deps = { ...shop.checkout, provider: paypalProvider({ ...paypal, captureOrder, getOrder: notKnown }) }
  const sweptAfter = async (interval: string) => {
    await shop.pool.query(
      `UPDATE orders SET capture_started_at = clock_timestamp() - $2::interval WHERE id = $1`,
      [id, interval],
    )
    await sweepOrders(deps, 0)
    return shop.orderState(orderId)
  }
  expect(await sweptAfter('5 hours 59 minutes')).toBe('capturing')
  expect(await sweptAfter('6 hours 1 minute')).toBe('cancelled')
  expect((await shop.orderOf(orderId)).reconciled_at).toBeNull()
})

test('a payment that was denied for good while its answer was lost gives the tickets back, and can be made anew', async () => {
  const { offerId, customer, orderId } = await shop.approvedOrder(2, 'pending@buyer.test')
  const order = await shop.orderOf(orderId)
  await shop.leaveCapturing(orderId)
  await shop.client.captureOrder(orderId, `${order.id}:cap:1`)
  const held = [...shop.paypal.book.captures.values()].find((one) => one.orderId === orderId)
  await fetch(`${shop.paypal.url}/_emulator/captures/${held?.id}/deny`, { method: 'POST' })
  await sweepOrders(shop.checkout, 15)
  // The provider's order is done with: it takes no second payment, whatever the buyer tries.
  expect((await customer.capture(orderId)).status).toBe(409)
  expect(await shop.orderState(orderId)).toBe('cancelled')
  expect(await shop.counters(offerId)).toEqual({ tickets_sold: 0, tickets_held: 0 })
  const again = await customer.post('/api/paypal/create-order/', { country_code: 'BE' })
  const newId = again.body['order_id'] as string
  expect(newId).not.toBe(orderId)
  await shop.paypal.approve(newId)
  expect((await customer.capture(newId)).status).toBe(200)
})

test('an order that is declined in the sweep does not keep the next one waiting', async () => {
  const declined = await shop.approvedOrder(1, 'declined@buyer.test')
  const paid = await shop.approvedOrder(1)
  await shop.leaveCapturing(declined.orderId)
  await shop.leaveCapturing(paid.orderId)
  await sweepOrders(shop.checkout, 15)
  expect(await shop.orderState(declined.orderId)).toBe('held')
  expect(await shop.orderState(paid.orderId)).toBe('completed')
})

test('an order whose making went unanswered is made once, and paid', async () => {
  const offerId = await shop.newOffer()
  const customer = await shop.newCustomer()
  shop.paypal.faults.change({ dropReplyAfterCommit: 1 })
  const unanswered = await customer.order(offerId, 2)
  expect(unanswered).toMatchObject({ status: 503, body: { code: 'checkout.providerDown' } })
  expect(await shop.counters(offerId)).toEqual({ tickets_sold: 0, tickets_held: 2 })
  shop.paypal.faults.change({ dropReplyAfterCommit: 0 })
  const { status, body } = await customer.post('/api/paypal/create-order/', { country_code: 'BE' })
  expect(status).toBe(200)
  const ours = await shop.orderOf(body['order_id'])
  const theirs = [...shop.paypal.book.orders.values()].filter((one) => one.units[0]?.custom_id === ours.id)
  expect(theirs.map((one) => one.id)).toEqual([body['order_id']])
  await shop.paypal.approve(body['order_id'])
  expect((await customer.capture(body['order_id'])).status).toBe(200)
})

test('money for an order that was given up is found without a notification', async () => {
  shop.paypal.faults.change({ missingWebhooks: 1 })
  const { offerId, customer, orderId } = await shop.approvedOrder(2)
  const { id } = await shop.orderOf(orderId)
  // The request of the first attempt arrives after all, when the order was given up for lack of an answer.
  await shop.db
    .updateTable('orders')
    .set({ capture_started_at: new Date(), capture_attempt: 2 })
    .where('id', '=', id)
    .execute()
  await customer.post('/api/paypal/cancel-order/', { order_id: orderId })
  await shop.client.captureOrder(orderId, `${id}:cap:1`)
  await sweepOrders(shop.checkout, 0)
  shop.paypal.faults.change({ missingWebhooks: 0 })
  expect(await shop.orderState(orderId)).toBe('completed')
  expect(await shop.counters(offerId)).toEqual({ tickets_sold: 2, tickets_held: 0 })
})

test('an order that is given up a second time is looked at a second time', async () => {
  shop.paypal.faults.change({ missingWebhooks: 1 })
  const { customer, orderId } = await shop.approvedOrder(1, 'declined@buyer.test')
  const { id } = await shop.orderOf(orderId)
  const expire = async () => {
    await shop.db
      .updateTable('orders')
      .set({ hold_until: new Date(0) })
      .where('id', '=', id)
      .execute()
    await shop.expireHolds()
    await sweepOrders(shop.checkout, 0)
    expect(await shop.orderState(orderId)).toBe('expired')
    expect((await shop.orderOf(orderId)).reconciled_at).not.toBeNull()
  }
  await customer.capture(orderId)
  await expire()
  // The buyer comes back, is declined again, and leaves; then a request that was on its way arrives after all.
  await customer.capture(orderId)
  expect(await shop.orderState(orderId)).toBe('held')
  await shop.paypal.approve(orderId, 'buyer@buyer.test', 'other')
  await shop.db
    .updateTable('orders')
    .set({ hold_until: new Date(0) })
    .where('id', '=', id)
    .execute()
  await shop.client.captureOrder(orderId, `${id}:cap:9`)
  await shop.expireHolds()
  await sweepOrders(shop.checkout, 0)
  shop.paypal.faults.change({ missingWebhooks: 0 })
  expect(await shop.orderState(orderId)).toBe('completed')
})

test('a contest that was closed before the capture is refused before money moves', async () => {
  const { offerId, customer, orderId } = await shop.approvedOrder(1)
  await shop.db.updateTable('offers').set({ active: false }).where('id', '=', offerId).execute()
  expect(await customer.capture(orderId)).toMatchObject({ status: 409, body: { code: 'offer.ended' } })
  expect(await shop.orderState(orderId)).toBe('cancelled')
  expect(shop.paypal.book.orders.get(orderId)?.status).toBe('APPROVED')
})

test.each(['voided there', 'unknown there'])(
  'an order that is %s is closed, and the next try makes another one',
  async (what) => {
    const { offerId, customer, orderId } = await shop.approvedOrder(2)
    if (what === 'unknown there') shop.paypal.book.remove('order', orderId)
    else await fetch(`${shop.paypal.url}/_emulator/orders/${orderId}/void`, { method: 'POST' })
    expect(await customer.capture(orderId)).toMatchObject({
      status: 409,
      body: { code: 'checkout.orderClosed' },
    })
    expect(await shop.orderState(orderId)).toBe('cancelled')
    const again = await customer.post('/api/paypal/create-order/', { country_code: 'BE' })
    expect(again.status).toBe(200)
    expect(again.body['order_id']).not.toBe(orderId)
    expect(await shop.counters(offerId)).toEqual({ tickets_sold: 0, tickets_held: 2 })
  },
)
