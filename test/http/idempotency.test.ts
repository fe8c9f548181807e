import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { closeGate } from '../support/races.ts'
import { type TestShop, testShop } from '../support/shop.ts'

let shop: TestShop

beforeAll(async () => {
  shop = await testShop({ processes: 2 })
})
afterAll(() => shop.close())

const withKey = (key: string) => ({ headers: { 'idempotency-key': key } })
const CREATE = '/api/paypal/create-order/'
const CAPTURE = '/api/paypal/capture-payment/'

/** A customer with two tickets in the cart. */
async function readyToOrder(quantity = 2) {
  const offerId = await shop.newOffer()
  const customer = await shop.newCustomer()
  const add = `/api/cart/${customer.cartId}/add_item/`
  const item = { offer_id: offerId, quantity }
  return { offerId, customer, add, item }
}

test('the same call with the same key gets the stored answer, and nothing happens twice', async () => {
  const { customer, add, item, offerId } = await readyToOrder()
  const key = randomUUID()
  const first = await customer.post(add, item, withKey(key))
  const again = await customer.elsewhere.post(add, item, withKey(key))
  expect(first.status).toBe(200)
  expect(first.headers['idempotency-replayed']).toBeUndefined()
  expect(again).toMatchObject({ status: 200, body: first.body, headers: { 'idempotency-replayed': 'true' } })
  expect(again.body['items'][0].quantity).toBe(2)

  const created = await customer.post(CREATE, { country_code: 'BE' }, withKey('order'))
  const orderId = created.body['order_id'] as string
  await shop.paypal.approve(orderId)
  const captured = await customer.post(CAPTURE, { order_id: orderId }, withKey('pay'))
  const repeated = await customer.post(CAPTURE, { order_id: orderId }, withKey('pay'))
  expect(repeated.body).toEqual(captured.body)
  // The cart is empty by now; a call without the key would be refused.
  expect((await customer.post(CREATE, { country_code: 'BE' }, withKey('order'))).body).toEqual(created.body)
  expect(await shop.counters(offerId)).toEqual({ tickets_sold: 2, tickets_held: 0 })
})

test('without a key adding twice adds twice', async () => {
  const { customer, add, item } = await readyToOrder()
  await customer.post(add, item)
  expect((await customer.post(add, item)).body['items'][0].quantity).toBe(4)
})

test('the same key with another body, or at another address, is refused', async () => {
  const { customer, add, item } = await readyToOrder()
  await customer.post(add, item, withKey('k'))
  for (const other of [
    customer.post(add, { ...item, quantity: 3 }, withKey('k')),
    customer.post(CREATE, item, withKey('k')),
  ]) {
    expect(await other).toMatchObject({ status: 422, body: { code: 'request.keyReused' } })
  }
})

test('a key is of one account', async () => {
  const [one, other] = [await readyToOrder(), await readyToOrder()]
  await one.customer.post(one.add, one.item, withKey('shared'))
  const answer = await other.customer.post(other.add, other.item, withKey('shared'))
  expect(answer).toMatchObject({ status: 200, body: { id: other.customer.cartId } })
})

test('while the first call is under way the second is told so, on any process', async () => {
  const { customer, add, item } = await readyToOrder()
  const gate = await closeGate(shop.url, `SELECT 1 FROM carts WHERE id = ${customer.cartId} FOR UPDATE`)
  const first = customer.post(add, item, withKey('slow'))
  await gate.waiting(1)
  const second = await customer.elsewhere.post(add, item, withKey('slow'))
  expect(second).toMatchObject({ status: 409, body: { code: 'request.keyUnderWay' } })
  expect(second.headers['retry-after']).toBe('1')
  await gate.open()
  expect((await first).status).toBe(200)
  expect((await customer.post(add, item, withKey('slow'))).headers['idempotency-replayed']).toBe('true')
})

test('a refusal is kept, a fault of the moment is not', async () => {
  const { customer, add, item } = await readyToOrder()
  const refused = await customer.post(CREATE, { country_code: 'BE' }, withKey('early'))
  expect(refused).toMatchObject({ status: 409, body: { code: 'checkout.cartEmpty' } })
  await customer.post(add, item)
  expect(await customer.post(CREATE, { country_code: 'BE' }, withKey('early'))).toMatchObject({ status: 409 })

  shop.paypal.faults.change({ http5xx: 1 })
  expect(await customer.post(CREATE, { country_code: 'BE' }, withKey('later'))).toMatchObject({ status: 503 })
  shop.paypal.faults.change({ http5xx: 0 })
  expect(await customer.post(CREATE, { country_code: 'BE' }, withKey('later'))).toMatchObject({ status: 200 })
})

test('a call that a crash cut off can be made again with its key; after a day so can any', async () => {
  const { customer, add, item } = await readyToOrder(1)
  await customer.post(add, item, withKey('old'))
  const age = (interval: string, status: string) =>
    sql`UPDATE idempotency_keys SET begun_at = now() - ${interval}::interval, ${sql.raw(status)}
        WHERE user_id = ${customer.id} AND key = 'old'`.execute(shop.db)
  await age('59 seconds', 'status = NULL, answer = NULL')
  expect((await customer.post(add, item, withKey('old'))).status).toBe(409)
  await age('61 seconds', 'status = NULL, answer = NULL')
  expect((await customer.post(add, item, withKey('old'))).body['items'][0].quantity).toBe(2)
  await age('25 hours', 'key = key')
  expect((await customer.post(add, item, withKey('old'))).body['items'][0].quantity).toBe(3)
})

test.each(['', 'a b', 'é', 'x'.repeat(256)])('%j is no key', async (key) => {
  const { customer, add, item } = await readyToOrder()
  const answer = await customer.post(add, item, withKey(key))
  expect(answer).toMatchObject({ status: 400, body: { code: 'request.keyMalformed' } })
})
