import { createHash, createHmac, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { closeGate } from '../support/races.ts'
import { providerSide } from '../support/provider-side.ts'
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

test('neither a refusal is kept nor a fault of the moment', async () => {
  const { customer, add, item } = await readyToOrder()
  const refused = await customer.post(CREATE, { country_code: 'BE' }, withKey('early'))
  expect(refused).toMatchObject({ status: 409, body: { code: 'checkout.cartEmpty' } })
  await customer.post(add, item)
  const created = await customer.post(CREATE, { country_code: 'BE' }, withKey('early'))
  expect(created).toMatchObject({ status: 200 })
  await customer.post('/api/paypal/cancel-order/', { order_id: created.body['order_id'] })

  shop.paypal.faults.change({ http5xx: 1 })
  expect(await customer.post(CREATE, { country_code: 'BE' }, withKey('later'))).toMatchObject({ status: 503 })
  shop.paypal.faults.change({ http5xx: 0 })
  expect(await customer.post(CREATE, { country_code: 'BE' }, withKey('later'))).toMatchObject({ status: 200 })
})

test('a payment that was too early, declined or pending is made under the same key once nothing is in the way', async () => {
  const { customer, add, item } = await readyToOrder()
  await customer.post(add, item)
  const created = await customer.post(CREATE, { country_code: 'BE' })
  const body = { order_id: created.body['order_id'] as string }
  const early = await customer.post(CAPTURE, body, withKey('pay'))
  expect(early).toMatchObject({ status: 422, body: { code: 'checkout.notApproved' } })
  await shop.paypal.approve(body.order_id, 'declined@buyer.test')
  expect(await customer.post(CAPTURE, body, withKey('pay'))).toMatchObject({
    status: 422,
    body: { tickets: [] },
  })
  await shop.paypal.approve(body.order_id, 'pending@buyer.test')
  expect(await customer.post(CAPTURE, body, withKey('pay'))).toMatchObject({ status: 202 })
  const captureId = providerSide(shop).captureIdOf(body.order_id)
  await fetch(`${shop.paypal.url}/_emulator/captures/${captureId}/release`, { method: 'POST' })
  await expect.poll(() => shop.orderState(body.order_id)).toBe('completed')
  const paid = await customer.post(CAPTURE, body, withKey('pay'))
  expect(paid).toMatchObject({ status: 200, body: { tickets: [{}, {}] } })
  expect(paid.headers['idempotency-replayed']).toBeUndefined()
  expect((await customer.post(CAPTURE, body, withKey('pay'))).headers['idempotency-replayed']).toBe('true')
})

test('tickets that other payments hold may be asked for again under the same key', async () => {
  const offerId = await shop.newOffer({ total_tickets: 2 })
  const [first, second] = [await shop.newCustomer(), await shop.newCustomer()]
  const add = `/api/cart/${second.cartId}/add_item/`
  const held = await first.order(offerId, 1)
  const item = { offer_id: offerId, quantity: 2 }
  const few = { status: 409, body: { code: 'offer.fewFree' } }
  expect(await second.post(add, item, withKey('both'))).toMatchObject(few)
  await first.post('/api/paypal/cancel-order/', { order_id: held.body['order_id'] })
  expect(await second.post(add, item, withKey('both'))).toMatchObject({ status: 200 })

  const another = await first.post(CREATE, { country_code: 'BE' })
  expect(await second.post(CREATE, { country_code: 'BE' }, withKey('order'))).toMatchObject(few)
  await first.post('/api/paypal/cancel-order/', { order_id: another.body['order_id'] })
  expect(await second.post(CREATE, { country_code: 'BE' }, withKey('order'))).toMatchObject({ status: 200 })
})

test('a fault of the body is mended under the same key', async () => {
  const { customer, add, item } = await readyToOrder()
  await customer.post(add, item)
  const tooMany = await customer.post(add, { ...item, quantity: 1_000_000 }, withKey('typo'))
  expect(tooMany).toMatchObject({ status: 400, body: { code: 'cart.quantityMax' } })
  expect(await customer.post(add, item, withKey('typo'))).toMatchObject({ status: 200 })
})

test('what the table knows of a call is keyed: a password in it cannot be guessed from there', async () => {
  const customer = await shop.newCustomer()
  const body = {
    current_password: customer.password,
    new_password: 'Another!Horse7',
    confirm_password: 'Another!Horse7',
  }
  const url = '/api/user/change-password/'
  expect((await customer.put(url, body, withKey('new'))).status).toBe(200)
  const row = await shop.db
    .selectFrom('idempotency_keys')
    .selectAll()
    .where('user_id', '=', customer.id)
    .executeTakeFirstOrThrow()
  expect(row).toMatchObject({ key: 'new', status: 200 })
  expect(JSON.stringify(row)).not.toMatch(/horse/i)
  const told = `PUT ${url} ${JSON.stringify(body)}`
  expect(row.fingerprint).not.toEqual(createHash('sha256').update(told).digest())
  expect(row.fingerprint).not.toEqual(createHmac('sha256', shop.secret).update(told).digest())
})

test('who tries bodies with a known key is soon asked to wait, for the right one too', async () => {
  const { customer, add, item } = await readyToOrder(1)
  await customer.post(add, item, withKey('known'))
  const limit = shop.config.limitKeys.account?.count ?? 0
  for (let guess = 0; guess < limit; guess += 1) {
    const told = await customer.post(add, { ...item, quantity: 2 + (guess % 5) }, withKey('known'))
    expect(told.status).toBe(422)
  }
  for (const body of [{ ...item, quantity: 2 }, item]) {
    const told = await customer.post(add, body, withKey('known'))
    expect(told).toMatchObject({ status: 429, body: { code: 'limit.keys' } })
    expect(Number(told.headers['retry-after'])).toBeGreaterThan(0)
  }
  expect((await customer.post(add, item)).status).toBe(200)
})

test('a call that a crash cut off can be made again with its key; after a day so can any', async () => {
  const { customer, add, item } = await readyToOrder(1)
  await customer.post(add, item, withKey('old'))
  const age = (interval: string, status: string) =>
    sql`UPDATE idempotency_keys SET started_at = now() - ${interval}::interval, ${sql.raw(status)}
        WHERE user_id = ${customer.id} AND key = 'old'`.execute(shop.db)
  // The minute of a call that is under way is not up yet, and no slow machine makes it so.
  await age('55 seconds', 'status = NULL, answer = NULL')
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
