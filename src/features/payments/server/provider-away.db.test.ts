import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestShop, testShop } from '../../../../test/support/shop.ts'

let shop: TestShop

beforeAll(async () => {
  shop = await testShop()
})
afterAll(() => shop.close())

test('a provider that has stopped answering is left alone: a clear message, the cart is kept, no payment hangs', async () => {
  const { offerId, customer, orderId } = await shop.approvedOrder(2)
  const other = await shop.newCustomer()
  await other.post(`/api/cart/${other.cartId}/add_item/`, { offer_id: offerId, quantity: 1 })
  shop.paypal.faults.change({ http5xx: 1 })
  for (let call = 0; call < 8; call += 1) {
    const answer = await other.post('/api/paypal/create-order/', { country_code: 'BE' })
    expect(answer).toMatchObject({ status: 503, body: { code: 'checkout.providerDown' } })
    expect(answer.headers['retry-after']).toBe('5')
  }
  // It is well again, but nobody asks yet: what is answered now comes from the shop alone.
  shop.paypal.faults.change({ http5xx: 0 })
  const refused = await other.post('/api/paypal/create-order/', { country_code: 'BE' })
  expect(refused).toMatchObject({ status: 503, body: { code: 'checkout.providerDown' } })
  expect(refused.body['detail']).toMatch(/Your cart is kept/)
  // Payment helpers read `message`: it is in the caller's language, too.
  const dutch = await other.post('/api/paypal/create-order/', { country_code: 'BE' }, { language: 'nl' })
  expect(dutch.body['message']).toMatch(/Je winkelwagen blijft bewaard/)
  expect(dutch.body['detail']).toBe(dutch.body['message'])
  const [cart] = (await other.get('/api/cart/')).body as unknown as { items: unknown[] }[]
  expect(cart?.items).toHaveLength(1)

  expect(await customer.capture(orderId)).toMatchObject({
    status: 503,
    body: { code: 'checkout.providerDown' },
  })
  expect(await shop.orderState(orderId)).toBe('held')
  expect(shop.paypal.book.orders.get(orderId)?.status).toBe('APPROVED')
  expect(await shop.counters(offerId)).toEqual({ tickets_sold: 0, tickets_held: 3 })
})
