import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestShop, testShop } from '../../../../test/support/shop.ts'
import type { NotificationDeps } from '#features/payments/server/notifications.ts'
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

/** A checkout that hears this when it asks for the money. */
const hearing = (say: () => Promise<PayPalOrder>): NotificationDeps => ({
  ...shop.checkout,
  provider: paypalProvider({ ...shop.client, captureOrder: say }),
})

/** Two captures of one order, the second of which waits for the first. @returns what both are told */
async function bothTold(orderId: string, ending: () => Promise<PayPalOrder>): Promise<unknown[]> {
  const answered = Promise.withResolvers<void>()
  const first = capturePayment(
    hearing(() => answered.promise.then(ending)),
    await shop.orderOf(orderId),
  )
  await expect.poll(() => shop.orderState(orderId)).toBe('capturing')
  const second = capturePayment(shop.checkout, await shop.orderOf(orderId))
  answered.resolve()
  const told = await Promise.allSettled([first, second])
  return told.map((one) => {
    if (one.status === 'fulfilled') return one.value.declined ? 'checkout.declined' : one.value.order.state
    return (one.reason as { code: unknown }).code
  })
}

const refused = (issue: string) => () =>
  Promise.reject(new PayPalRefused(422, { name: 'UNPROCESSABLE_ENTITY', details: [{ issue }] }))

describe('whoever waits for another capture of the same order is told the same', () => {
  test.each<[string, () => Promise<PayPalOrder>]>([
    ['checkout.providerDown', () => Promise.reject(new ProviderUnavailable())],
    ['checkout.declined', refused('INSTRUMENT_DECLINED')],
    ['checkout.notApproved', refused('ORDER_NOT_APPROVED')],
    ['checkout.providerRefused', refused('PAYEE_ACCOUNT_RESTRICTED')],
  ])('%s', async (code, ending) => {
    const { offerId, orderId } = await shop.approvedOrder(2)
    expect(await bothTold(orderId, ending)).toEqual([code, code])
    expect(await shop.orderState(orderId)).toBe('held')
    expect(await shop.counters(offerId)).toEqual({ tickets_sold: 0, tickets_held: 2 })
  })

  test('a payment that the provider answers with and declines', async () => {
    const { orderId } = await shop.approvedOrder(2)
    const captures = [{ id: `DECLINED-${orderId}`, status: 'DECLINED' }]
    const answer = { id: orderId, status: 'COMPLETED', purchase_units: [{ payments: { captures } }] }
    expect(await bothTold(orderId, async () => answer as PayPalOrder)).toEqual([
      'checkout.declined',
      'checkout.declined',
    ])
  })

  test('the tickets', async () => {
    const { orderId } = await shop.approvedOrder(2)
    const { id } = await shop.orderOf(orderId)
    const told = await bothTold(orderId, () => shop.client.captureOrder(orderId, `${id}:cap:1`))
    expect(told).toEqual(['completed', 'completed'])
  })
})

test('an order that nobody approved is not told as declined when the question for its money got lost', async () => {
  const customer = await shop.newCustomer()
  const { body } = await customer.order(await shop.newOffer(), 1)
  const lost = hearing(() => Promise.reject(new ProviderUnknown('the line broke')))
  await expect(capturePayment(lost, await shop.orderOf(body['order_id']))).rejects.toMatchObject({
    code: 'checkout.notApproved',
  })
})
