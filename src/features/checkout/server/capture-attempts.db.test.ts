import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestShop, testShop } from '../../../../test/support/shop.ts'
import { ProviderUnavailable, ProviderUnknown } from '#platform/payment/payment-provider.ts'
import { type PayPalOrder, PayPalRefused } from '#platform/payment/paypal/paypal-client.ts'
import { capturePayment } from './capture-payment.ts'
import { paypalProvider } from '#platform/payment/paypal/paypal-provider.ts'

let shop: TestShop

beforeAll(async () => {
  shop = await testShop()
  // A notification would have an order paid in the middle of what happens to it here.
  shop.paypal.faults.change({ missingWebhooks: 1 })
})
afterAll(() => shop.close())

/** A checkout that notes the request ids of its captures; the first of them may end as it is told. */
function noting(first?: (id: string) => Promise<PayPalOrder>) {
  const paypal = shop.client
  const requestIds: string[] = []
  const captureOrder: typeof paypal.captureOrder = (id, requestId) => {
    requestIds.push(requestId)
    return first && requestIds.length === 1 ? first(id) : paypal.captureOrder(id, requestId)
  }
  return { requestIds, deps: { ...shop.checkout, provider: paypalProvider({ ...paypal, captureOrder }) } }
}

const refuses = () => Promise.reject(new PayPalRefused(422, { details: [{ issue: 'INSTRUMENT_DECLINED' }] }))

/** Answers with a payment that was declined, as PayPal does where the instrument decides late. */
const declines = async (id: string): Promise<PayPalOrder> => ({
  id,
  status: 'APPROVED',
  purchase_units: [{ payments: { captures: [{ id: `DECLINED-${id}`, status: 'DECLINED' }] } }],
})

test.each([
  ['PayPal’s own decline, which it repeats to the same request', 'declined@buyer.test', undefined],
  ['a refusal', 'buyer@buyer.test', refuses],
  ['an answer with a declined payment', 'buyer@buyer.test', declines],
])('after %s another card is a new request, and pays', async (_, buyer, first) => {
  const { customer, orderId } = await shop.approvedOrder(2, buyer)
  const { id } = await shop.orderOf(orderId)
  const { requestIds, deps } = noting(first)
  expect(await capturePayment(deps, await shop.orderOf(orderId))).toMatchObject({
    declined: true,
    order: { state: 'held' },
  })
  await shop.paypal.approve(orderId, buyer, 'other')
  expect(await capturePayment(deps, await shop.orderOf(orderId))).toMatchObject({
    order: { state: 'completed' },
  })
  expect(requestIds).toEqual([`${id}:cap:1`, `${id}:cap:2`])
  expect(await shop.ticketCount(customer)).toBe(2)
})

test('an order that PayPal calls not approved when asked is a new request once it is', async () => {
  const customer = await shop.newCustomer()
  const { body } = await customer.order(await shop.newOffer(), 1)
  const { requestIds, deps } = noting(() => Promise.reject(new ProviderUnknown('the line broke')))
  await expect(capturePayment(deps, await shop.orderOf(body['order_id']))).rejects.toMatchObject({
    code: 'checkout.notApproved',
  })
  await shop.paypal.approve(body['order_id'])
  const order = await shop.orderOf(body['order_id'])
  expect(await capturePayment(deps, order)).toMatchObject({ order: { state: 'completed' } })
  expect(requestIds).toEqual([`${order.id}:cap:1`, `${order.id}:cap:2`])
})

test('a request of which nobody knows whether it arrived is sent again as the same one', async () => {
  const { orderId } = await shop.approvedOrder(1)
  const { id } = await shop.orderOf(orderId)
  const { requestIds, deps } = noting(() => Promise.reject(new ProviderUnknown('the line broke')))
  expect(await capturePayment(deps, await shop.orderOf(orderId))).toMatchObject({
    order: { state: 'completed' },
  })
  expect(requestIds).toEqual([`${id}:cap:1`, `${id}:cap:1`])
})

test('a request that never left counts as no attempt', async () => {
  const { orderId } = await shop.approvedOrder(1)
  const { id } = await shop.orderOf(orderId)
  const { requestIds, deps } = noting(() => Promise.reject(new ProviderUnavailable()))
  await expect(capturePayment(deps, await shop.orderOf(orderId))).rejects.toMatchObject({
    code: 'checkout.providerDown',
  })
  expect(await capturePayment(deps, await shop.orderOf(orderId))).toMatchObject({
    order: { state: 'completed' },
  })
  expect(requestIds).toEqual([`${id}:cap:1`, `${id}:cap:1`])
})
