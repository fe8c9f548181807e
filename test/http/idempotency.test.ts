import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { closeGate } from '../support/races.ts'
import { providerSide } from '../support/provider-side.ts'
import { type Customer, type TestShop, testShop } from '../support/shop.ts'

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

test('neither refusals nor temporary failures are stored', async () => {
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

test('a call that a crash cut off can be made again with its key; after a day so can any', async () => {
  const { customer, add, item } = await readyToOrder(1)
  await customer.post(add, item, withKey('old'))
  const age = (interval: string, status: string) =>
    sql`UPDATE idempotency_keys SET begun_at = now() - ${interval}::interval, ${sql.raw(status)}
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

test('calls with a key are limited by account, since each stores an answer', async () => {
  const narrow = await testShop({ env: { LIMIT_GENEROUS: 'account 2/1h, address 900/1h, all 900/1h' } })
  try {
    const customer = await narrow.newCustomer()
    const add = (key?: string) =>
      customer.post(
        `/api/cart/${customer.cartId}/add_item/`,
        { offer_id: 999_999, quantity: 1 },
        key === undefined ? {} : withKey(key),
      )
    const statuses = []
    for (const key of ['1', '2', '3']) statuses.push((await add(key)).status)
    expect(statuses).toEqual([404, 404, 429])
    expect((await add('4')).body).toMatchObject({ code: 'limit.keyedCalls' })
    expect((await add()).status).toBe(404)
  } finally {
    await narrow.close()
  }
})

describe('the calls that accept a key', () => {
  interface Call {
    /** Access token of the caller. */
    token: string
    url: string
    body: object
  }

  const tokenOf = async (customer: Customer): Promise<string> =>
    (await shop.sessionOf(customer))['access'] ?? ''

  /** Makes what each call needs. */
  const CALLS: Record<string, () => Promise<Call>> = {
    'POST /api/cart/{cartId}/add_item/': async () => {
      const { customer, add: url, item: body } = await readyToOrder()
      return { token: await tokenOf(customer), url, body }
    },
    'POST /api/paypal/create-order/': async () => {
      const { customer, add, item } = await readyToOrder()
      await customer.post(add, item)
      return { token: await tokenOf(customer), url: CREATE, body: {} }
    },
    'POST /api/paypal/capture-payment/': async () => {
      const { customer, orderId } = await shop.approvedOrder()
      return { token: await tokenOf(customer), url: CAPTURE, body: { order_id: orderId } }
    },
    'POST /api/staff/orders/{id}/refund/': async () => {
      const { orderId } = await shop.paidOrder()
      const staff = await shop.newCustomer()
      await shop.db.updateTable('users').set({ is_staff: true }).where('id', '=', staff.id).execute()
      const url = `/api/staff/orders/${orderId}/refund/`
      return { token: await tokenOf(staff), url, body: { reason: 'a test' } }
    },
  }

  const send = ({ token, url, body }: Call, key: string) =>
    shop.withToken(token, 'POST', url, body, withKey(key))

  // A notification that comes in between would be a change of somebody else's.
  beforeAll(() => shop.paypal.faults.change({ missingWebhooks: 1 }))
  afterAll(() => shop.paypal.faults.change({ missingWebhooks: 0 }))

  test('are those that name the header in the API document', async () => {
    const document = (await shop.app.inject('/api/docs/openapi.json')).json() as {
      paths: Record<
        string,
        Record<string, { parameters?: { in: string; name: string; required?: boolean }[] }>
      >
    }
    const documented = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, { parameters = [] }]) => {
        const header = parameters.find((one) => one.in === 'header' && one.name === 'Idempotency-Key')
        expect(header?.required ?? false).toBe(false)
        return header ? [`${method.toUpperCase()} ${path}`] : []
      }),
    )
    expect(documented.toSorted()).toEqual(Object.keys(CALLS).toSorted())
  })

  /** Everything the shop and its provider store, but for the keys and the counts of limits. */
  async function everything(): Promise<unknown> {
    const { rows: tables } = await sql<{ name: string }>`
      SELECT tablename AS name FROM pg_tables
      WHERE schemaname = 'public' AND tablename NOT IN ('idempotency_keys', 'limit_counters') ORDER BY 1`.execute(
      shop.db,
    )
    const stored: Record<string, unknown> = {
      captures: shop.paypal.book.captures.size,
      refunds: shop.paypal.book.refunds.size,
    }
    for (const { name } of tables) {
      const { rows } =
        await sql`SELECT to_jsonb(t) AS row FROM ${sql.table(name)} t ORDER BY to_jsonb(t)::text`.execute(
          shop.db,
        )
      stored[name] = rows
    }
    return stored
  }

  test.each(Object.entries(CALLS))(
    '%s: the same call changes nothing more, another call with the key is refused',
    async (_, ready) => {
      const call = await ready()
      const malformed = await send(call, 'a key')
      expect(malformed).toMatchObject({ status: 400, body: { code: 'request.keyMalformed' } })
      const done = await send(call, 'key')
      expect(done.status).toBe(200)
      expect(done.headers['idempotency-replayed']).toBeUndefined()
      const before = await everything()
      const again = await send(call, 'key')
      expect(again).toMatchObject({ status: 200, headers: { 'idempotency-replayed': 'true' } })
      expect(again.body).toEqual(done.body)
      expect(await everything()).toEqual(before)
      const other = await send({ ...call, url: `${call.url}?other` }, 'key')
      expect(other).toMatchObject({ status: 422, body: { code: 'request.keyReused' } })
      expect(await everything()).toEqual(before)
    },
  )

  /** What must not happen twice, wherever a crash comes. */
  const taken = async (): Promise<unknown> => ({
    captures: shop.paypal.book.captures.size,
    refunds: shop.paypal.book.refunds.size,
    ...(await shop.db
      .selectNoFrom([
        sql`(SELECT count(*) FROM tickets)`.as('tickets'),
        sql`(SELECT count(*) FROM orders)`.as('orders'),
        sql`(SELECT count(*) FROM emails)`.as('emails'),
        sql`(SELECT sum(tickets_held) FROM offers)`.as('held'),
      ])
      .executeTakeFirstOrThrow()),
  })

  // add_item stores its answer in the transaction of the change, so that no crash comes between.
  test.each([
    ['POST /api/paypal/create-order/', 200],
    ['POST /api/paypal/capture-payment/', 200],
    ['POST /api/staff/orders/{id}/refund/', 409],
  ])('%s takes nothing twice when a crash comes before its answer is stored', async (name, afterCrash) => {
    const call = await CALLS[name]!()
    expect((await send(call, 'cut-off')).status).toBe(200)
    const before = await taken()
    await sql`UPDATE idempotency_keys SET status = NULL, answer = NULL, begun_at = now() - interval '61 seconds'
              WHERE key = 'cut-off'`.execute(shop.db)
    const again = await send(call, 'cut-off')
    expect(again.status).toBe(afterCrash)
    expect(again.headers['idempotency-replayed']).toBeUndefined()
    expect(await taken()).toEqual(before)
  })
})

test('other calls ignore a key and store nothing: their answers and bodies may hold secrets', async () => {
  const customer = await shop.newCustomer()
  const { access = '', refresh } = await shop.sessionOf(customer)
  const ask = (method: 'POST' | 'PUT', url: string, body: object) =>
    shop.withToken(access, method, url, body, withKey('ignored'))
  const password = { new_password: 'Another!Horse7', confirm_password: 'Another!Horse7' }
  const answers = [
    await ask('POST', '/api/token/', { username: customer.email, password: customer.password }),
    await ask('POST', '/api/token/refresh/', { refresh }),
    await ask('POST', `/api/cart/${customer.cartId}/clear/`, {}),
    await ask('POST', `/api/cart/${customer.cartId}/clear/`, {}),
    await ask('PUT', '/api/user/change-password/', { current_password: customer.password, ...password }),
  ]
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
  for (const { headers } of answers) expect(headers['idempotency-replayed']).toBeUndefined()
  const stored = shop.db.selectFrom('idempotency_keys').select('key').where('key', '=', 'ignored')
  expect(await stored.execute()).toEqual([])
})
