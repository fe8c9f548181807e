import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestShop, testShop } from '../../../../test/support/shop.ts'
import { openOrders } from './open-orders.ts'
import { ordersRepository } from './orders.repository.ts'

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
  expect(await orderedAtOnce(buyer, ['BE', 'FR', 'BE', 'BE'])).toEqual([
    'BE superseded',
    'FR superseded',
    'BE held',
    'BE held',
  ])
  // Three tickets would not bear two holds at once.
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

test('two clicks for two countries are both answered', async () => {
  const { buyer } = await buyerOfTwo()
  const answers = await Promise.all(
    ['BE', 'FR'].map((country_code) => buyer.post('/api/paypal/create-order/', { country_code })),
  )
  expect(answers.map((answer) => answer.status)).toEqual([200, 200])
})
