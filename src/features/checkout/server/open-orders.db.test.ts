import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestShop, testShop } from '../../../../test/support/shop.ts'
import { openOrders } from '#features/orders/server/open-orders.ts'
import { ordersRepository } from '#features/orders/server/orders.repository.ts'
import { orderCreation } from './create-order.ts'
import { paypalProvider } from '#platform/payment/paypal/paypal-provider.ts'

let shop: TestShop

beforeAll(async () => {
  shop = await testShop()
})
afterAll(() => shop.close())

/** Opens orders of one buyer in one batch, each to another country. @returns their countries and states afterwards */
async function orderedAtOnce(buyer: { id: number }, countries: readonly string[]): Promise<string[]> {
  const wishes = countries.map((country_code) => ({
    userId: buyer.id,
    language: 'en' as const,
    body: { country_code },
  }))
  const outcomes = await openOrders(shop.checkout, wishes)
  const ids = outcomes.map((outcome) =>
    'value' in outcome ? outcome.value.order.id : String(outcome.refused),
  )
  const rows = new Map((await ordersRepository(shop.db).byIds(ids)).map((order) => [order.id, order]))
  return ids.map((id) => `${rows.get(id)?.country} ${rows.get(id)?.state}`)
}

async function buyerOfTwo() {
  const offerId = await shop.newOffer({ total_tickets: 3 })
  const buyer = await shop.newCustomer()
  await buyer.post(`/api/cart/${buyer.cartId}/add_item/`, { offer_id: offerId, quantity: 2 })
  return { offerId, buyer }
}

test('one cart ordered to two countries in one batch: the second supersedes the first, as it does alone', async () => {
  const { offerId, buyer } = await buyerOfTwo()
  expect(await orderedAtOnce(buyer, ['BE', 'NL', 'BE', 'BE'])).toEqual([
    'BE superseded',
    'NL superseded',
    'BE held',
    'BE held',
  ])
  // Three tickets would not bear two holds at once.
  expect(await shop.counters(offerId)).toEqual({ tickets_sold: 0, tickets_held: 2 })
})

test('an order whose time is up is not given to its buyer again, even before its hold has expired', async () => {
  const { offerId, buyer } = await buyerOfTwo()
  const first = await buyer.create()
  await shop.pool.query('UPDATE orders SET hold_until = now() WHERE user_id = $1', [buyer.id])
  const second = await buyer.create()
  expect(second.body['order_id']).not.toBe(first.body['order_id'])
  expect(await shop.orderState(first.body['order_id'])).toBe('superseded')
  expect(await shop.counters(offerId)).toEqual({ tickets_sold: 0, tickets_held: 2 })
})

test('somebody else’s order in the same batch is none the worse for it', async () => {
  const [{ buyer }, other] = [await buyerOfTwo(), await buyerOfTwo()]
  const wish = (userId: number, country_code: string) => ({
    userId,
    language: 'en' as const,
    body: { country_code },
  })
  const outcomes = await openOrders(shop.checkout, [
    wish(buyer.id, 'BE'),
    wish(buyer.id, 'FR'),
    wish(other.buyer.id, 'NL'),
  ])
  const orders = outcomes.map((outcome) => ('value' in outcome ? outcome.value.order : undefined))
  expect(orders.map((order) => [order?.user_id, order?.country])).toEqual([
    [buyer.id, 'BE'],
    [buyer.id, 'FR'],
    [other.buyer.id, 'NL'],
  ])
})

test('what a refused buyer still holds is not free for the next one of the batch', async () => {
  const { offerId, buyer } = await buyerOfTwo()
  const next = await shop.newCustomer()
  await next.add(offerId, 2)
  await buyer.create()
  await shop.pool.query('UPDATE cart_items SET quantity = 4 WHERE cart_id = $1', [buyer.cartId])
  const outcomes = await openOrders(
    shop.checkout,
    [buyer, next].map(({ id }) => ({ userId: id, language: 'en', body: { country_code: 'BE' } })),
  )
  expect(outcomes.map((outcome) => 'refused' in outcome)).toEqual([true, true])
  expect(await shop.counters(offerId)).toEqual({ tickets_sold: 0, tickets_held: 2 })
})

test('two clicks for two countries: one order stands, and the other is not told as one that does', async () => {
  const { buyer } = await buyerOfTwo()
  const paypal = shop.client
  const [asked, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const createOrder: typeof paypal.createOrder = async (...call) => {
    asked.resolve()
    await answered.promise
    return paypal.createOrder(...call)
  }
  const first = orderCreation({ ...shop.checkout, provider: paypalProvider({ ...paypal, createOrder }) })({
    userId: buyer.id,
    language: 'en',
    body: { country_code: 'BE' },
  })
  await asked.promise
  // The first order is given up before the provider has made it.
  const second = await buyer.post('/api/paypal/create-order/', { country_code: 'FR' })
  expect(second.status).toBe(200)
  answered.resolve()
  await expect(first).rejects.toMatchObject({ code: 'checkout.orderClosed', status: 409 })
  expect(await shop.orderState(second.body['order_id'])).toBe('held')
})

test('an order whose making got no answer is asked for once more with the same words', async () => {
  const [older, newer] = [await shop.newOffer(), await shop.newOffer()]
  const buyer = await shop.newCustomer()
  for (const offer_id of [newer, older])
    await buyer.post(`/api/cart/${buyer.cartId}/add_item/`, { offer_id, quantity: 1 })
  const create = () => buyer.post('/api/paypal/create-order/', { country_code: 'BE' })
  shop.paypal.faults.change({ dropReplyAfterCommit: 1 })
  const lost = await create().finally(() => shop.paypal.faults.change({ dropReplyAfterCommit: 0 }))
  expect(lost.status).toBe(503)
  const again = await create()
  expect(again.status).toBe(200)
  expect(await shop.orderState(String(again.body['order_id']))).toBe('held')
})
