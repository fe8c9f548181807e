import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ProviderAway, ProviderRefused, ProviderUnknown } from '#platform/paypal/faults.ts'
import type { ProviderOrder } from '#platform/paypal/messages.ts'
import { type TestShop, testShop } from '../../../../test/support/shop.ts'
import { capture } from './capture.ts'
import type { CheckoutDeps } from './checkout-deps.ts'

let shop: TestShop

beforeAll(async () => {
  shop = await testShop()
  // A notification would have an order paid in the middle of what happens to it here.
  shop.paypal.faults.change({ missingWebhooks: 1 })
})
afterAll(() => shop.close())

/** A checkout that hears this when it asks for the money. */
const hearing = (say: () => Promise<ProviderOrder>): CheckoutDeps => ({
  ...shop.checkout,
  paypal: { ...shop.checkout.paypal, captureOrder: say },
})

/** Two captures of one order, the second of which waits for the first. @returns what both are told */
async function bothTold(orderId: string, ending: () => Promise<ProviderOrder>): Promise<unknown[]> {
  const answered = Promise.withResolvers<void>()
  const first = capture(
    hearing(() => answered.promise.then(ending)),
    await shop.orderOf(orderId),
  )
  await expect.poll(() => shop.orderState(orderId)).toBe('capturing')
  const second = capture(shop.checkout, await shop.orderOf(orderId))
  answered.resolve()
  const told = await Promise.allSettled([first, second])
  return told.map((one) => {
    if (one.status === 'fulfilled') return one.value.declined ? 'checkout.declined' : one.value.order.state
    return (one.reason as { code: unknown }).code
  })
}

const refused = (issue: string) => () =>
  Promise.reject(new ProviderRefused(422, { name: 'UNPROCESSABLE_ENTITY', details: [{ issue }] }))

describe('whoever waits for another capture of the same order is told the same', () => {
  test.each<[string, () => Promise<ProviderOrder>]>([
    ['checkout.providerDown', () => Promise.reject(new ProviderAway())],
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
    expect(await bothTold(orderId, async () => answer as ProviderOrder)).toEqual([
      'checkout.declined',
      'checkout.declined',
    ])
  })

  test('the tickets', async () => {
    const { orderId } = await shop.approvedOrder(2)
    const { id } = await shop.orderOf(orderId)
    const told = await bothTold(orderId, () => shop.checkout.paypal.captureOrder(orderId, `${id}:cap:1`))
    expect(told).toEqual(['completed', 'completed'])
  })
})

test('an order that nobody approved is not told as declined when the question for its money got lost', async () => {
  const customer = await shop.newCustomer()
  const { body } = await customer.order(await shop.newOffer(), 1)
  const lost = hearing(() => Promise.reject(new ProviderUnknown('the line broke')))
  await expect(capture(lost, await shop.orderOf(body['order_id']))).rejects.toMatchObject({
    code: 'checkout.notApproved',
  })
})
