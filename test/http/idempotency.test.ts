import { sql } from 'kysely'
import { afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { everyRow } from '../support/database.ts'
import type { OpenApi } from '../support/fuzz.ts'
import { providerSide } from '../support/provider-side.ts'
import { closeGate } from '../support/races.ts'
import { type Customer, openShop, testShop } from '../support/shop.ts'
import { cut, onStatements } from '../support/statements.ts'

const shop = await openShop({ processes: 2 })

const withKey = (key: string) => ({ headers: { 'idempotency-key': key } })
const CREATE = '/api/paypal/create-order/'
const CAPTURE = '/api/paypal/capture-payment/'
const CANCEL = '/api/paypal/cancel-order/'
const isReplay = { status: 200, headers: { 'idempotency-replayed': 'true' } }
const REUSED = { status: 422, body: { code: 'request.keyReused' } }
const FEW_FREE = { status: 409, body: { code: 'offer.fewFree' } }

/** A customer with what their calls need: to add two tickets, to create an order of the cart. */
async function newBuyer(offerId?: number, quantity = 2) {
  const offer_id = offerId ?? (await shop.newOffer())
  const customer = await shop.newCustomer()
  const url = `/api/cart/${customer.cartId}/add_item/`
  const item = { offer_id, quantity }
  return {
    customer,
    url,
    item,
    add: (key: string, change: object = {}, at = customer.post) =>
      at(url, { ...item, ...change }, withKey(key)),
    create: (key: string) => customer.post(CREATE, { country_code: 'BE' }, withKey(key)),
    quantities: async (): Promise<number[]> =>
      (await customer.get('/api/cart/')).body[0].items.map((line: { quantity: number }) => line.quantity),
  }
}

test('a key belongs to one account, and to one body', async () => {
  const [one, other] = [await newBuyer(), await newBuyer()]
  await one.add('shared')
  expect(await one.add('shared', { quantity: 3 })).toMatchObject(REUSED)
  expect(await other.add('shared')).toMatchObject({ status: 200, body: { id: other.customer.cartId } })
})

test('while the first call is in progress the second is refused, on any process', async () => {
  const { customer, add } = await newBuyer()
  const gate = await closeGate(shop.url, `SELECT 1 FROM carts WHERE id = ${customer.cartId} FOR UPDATE`)
  const first = add('slow')
  await gate.waiting(1)
  expect(await add('slow', {}, customer.elsewhere.post)).toMatchObject({
    status: 409,
    body: { code: 'request.keyUnderWay' },
    headers: { 'retry-after': '1' },
  })
  await gate.open()
  expect((await first).status).toBe(200)
  expect(await add('slow', {}, customer.elsewhere.post)).toMatchObject(isReplay)
})

describe('a response is not stored, so that the same key works later', () => {
  test('after a refusal', async () => {
    const { customer, add, create } = await newBuyer()
    expect(await create('early')).toMatchObject({ status: 409, body: { code: 'checkout.cartEmpty' } })
    await add('1')
    const { status, body } = await create('early')
    expect(status).toBe(200)
    await customer.post(CANCEL, { order_id: body['order_id'] })
  })

  test('after a failure of the provider', async () => {
    const { add, create } = await newBuyer()
    await add('1')
    expect(await providerSide(shop).silently(() => create('later'))).toMatchObject({ status: 503 })
    expect(await create('later')).toMatchObject({ status: 200 })
  })

  test('after a capture that was too early, declined or pending', async () => {
    const { customer, add, create } = await newBuyer()
    await add('1')
    const order_id = (await create('2')).body['order_id'] as string
    const pay = () => customer.post(CAPTURE, { order_id }, withKey('pay'))
    expect(await pay()).toMatchObject({ status: 422, body: { code: 'checkout.notApproved' } })
    await shop.paypal.approve(order_id, 'declined@buyer.test')
    expect(await pay()).toMatchObject({ status: 422, body: { tickets: [] } })
    await shop.paypal.approve(order_id, 'pending@buyer.test')
    expect(await pay()).toMatchObject({ status: 202 })
    const captureId = providerSide(shop).captureIdOf(order_id)
    await fetch(`${shop.paypal.url}/_emulator/captures/${captureId}/release`, { method: 'POST' })
    await expect.poll(() => shop.orderState(order_id)).toBe('completed')
    const paid = await pay()
    expect(paid).toMatchObject({ status: 200, body: { tickets: [{}, {}] } })
    expect(paid.headers['idempotency-replayed']).toBeUndefined()
    expect(await pay()).toMatchObject(isReplay)
  })

  test('after tickets were held by another order', async () => {
    const offerId = await shop.newOffer({ total_tickets: 2 })
    const [rival, { add, create }] = [await shop.newCustomer(), await newBuyer(offerId)]
    const cancel = (order: { body: { order_id?: string } }) =>
      rival.post(CANCEL, { order_id: order.body.order_id })
    const held = await rival.order(offerId, 1)
    expect(await add('both')).toMatchObject(FEW_FREE)
    await cancel(held)
    expect(await add('both')).toMatchObject({ status: 200 })
    const heldAgain = await rival.create()
    expect(await create('order')).toMatchObject(FEW_FREE)
    await cancel(heldAgain)
    expect(await create('order')).toMatchObject({ status: 200 })
  })

  test('after an invalid body', async () => {
    const { add } = await newBuyer()
    await add('1')
    const tooMany = await add('typo', { quantity: 1_000_000 })
    expect(tooMany).toMatchObject({ status: 400, body: { code: 'cart.quantityMax' } })
    expect(await add('typo')).toMatchObject({ status: 200 })
  })
})

test('a call cut off by a crash can be repeated with its key after a minute, and any key reused after a day', async () => {
  const { customer, add } = await newBuyer(undefined, 1)
  await add('old')
  const repeatAfter = async (interval: string, change: string) => {
    await sql`UPDATE idempotency_keys SET begun_at = now() - ${interval}::interval, ${sql.raw(change)}
              WHERE user_id = ${customer.id} AND key = 'old'`.execute(shop.db)
    const { status, body } = await add('old')
    return status === 200 ? body['items'][0].quantity : status
  }
  const cutOff = 'status = NULL, answer = NULL'
  expect(await repeatAfter('55 seconds', cutOff)).toBe(409)
  expect(await repeatAfter('61 seconds', cutOff)).toBe(2)
  expect(await repeatAfter('25 hours', 'key = key')).toBe(3)
})

test('calls with a key are limited by account, since each stores a response', async () => {
  const narrow = await testShop({ env: { LIMIT_GENEROUS: 'account 2/1h, address 900/1h, all 900/1h' } })
  onTestFinished(() => narrow.close())
  const customer = await narrow.newCustomer()
  const add = (key?: string) => customer.add(999_999, 1, {}, key === undefined ? {} : withKey(key))
  const statuses = []
  for (const key of ['1', '2', '3']) statuses.push((await add(key)).status)
  expect(statuses).toEqual([404, 404, 429])
  expect((await add('4')).body).toMatchObject({ code: 'limit.keyedCalls' })
  expect((await add()).status).toBe(404)
})

describe('the calls that accept a key', () => {
  interface Call {
    caller: Pick<Customer, 'post'>
    url: string
    body: object
  }
  const callOf = (caller: Call['caller'], url: string, body: object): Call => ({ caller, url, body })

  /** Makes what each call needs. */
  const CALLS: Record<string, () => Promise<Call>> = {
    'POST /api/cart/{cartId}/add_item/': async () => {
      const { customer, url, item } = await newBuyer()
      return callOf(customer, url, item)
    },
    'POST /api/paypal/create-order/': async () => {
      const { customer, add } = await newBuyer()
      await add('1')
      return callOf(customer, CREATE, {})
    },
    'POST /api/paypal/capture-payment/': async () => {
      const { customer, orderId } = await shop.approvedOrder()
      return callOf(customer, CAPTURE, { order_id: orderId })
    },
    'POST /api/staff/orders/{id}/refund/': async () => {
      const { orderId } = await shop.paidOrder()
      const staff = await shop.newStaff('support')
      return callOf(staff, `/api/staff/orders/${orderId}/refund/`, { reason: 'a test' })
    },
  }

  const send = ({ caller, url, body }: Call, key: string) => caller.post(url, body, withKey(key))

  // A notification in between would change the tables as well.
  beforeAll(() => {
    shop.paypal.faults.change({ missingWebhooks: 1 })
    return () => shop.paypal.faults.change({ missingWebhooks: 0 })
  })

  test('are those that name the header in the API document', async () => {
    const { paths } = (await shop.app.inject('/api/docs/openapi.json')).json() as OpenApi
    const documented = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([, { parameters = [] }]) => parameters.some(({ name }) => name === 'Idempotency-Key'))
        .map(([method]) => `${method.toUpperCase()} ${path}`),
    )
    expect(documented.toSorted()).toEqual(Object.keys(CALLS).toSorted())
  })

  /** Every row of the shop, except keys and counts of limits, and the provider's captures and refunds. */
  async function everything(): Promise<unknown> {
    const { captures, refunds } = shop.paypal.book
    const stored = await everyRow(shop, ['idempotency_keys', 'limit_counters', 'security_events'])
    return { ...stored, captures: captures.size, refunds: refunds.size }
  }

  test.each(Object.entries(CALLS))(
    '%s: the same call changes nothing more, another call with the key is refused',
    async (_, ready) => {
      const call = await ready()
      const malformed = { status: 400, body: { code: 'request.keyMalformed' } }
      for (const key of ['a key', '', 'x'.repeat(256), 'é'])
        expect(await send(call, key)).toMatchObject(malformed)
      const done = await send(call, 'key')
      expect(done.status).toBe(200)
      expect(done.headers['idempotency-replayed']).toBeUndefined()
      const before = await everything()
      expect(await send(call, 'key')).toMatchObject({ ...isReplay, body: done.body })
      expect(await send({ ...call, url: `${call.url}?other` }, 'key')).toMatchObject(REUSED)
      expect(await everything()).toEqual(before)
    },
  )

  /** What must not happen twice, wherever a crash comes. */
  const effects = async (): Promise<unknown> => {
    const { captures, refunds } = shop.paypal.book
    const { rows } = await shop.pool
      .query(`SELECT sum(tickets_held) AS held, (SELECT count(*) FROM tickets) AS tickets,
      (SELECT count(*) FROM orders) AS orders, (SELECT count(*) FROM emails) AS emails FROM offers`)
    return { captures: captures.size, refunds: refunds.size, rows }
  }

  // add_item stores its response in the transaction of the change, so that no crash comes between.
  test.each([
    ['POST /api/paypal/create-order/', 200],
    ['POST /api/paypal/capture-payment/', 200],
    ['POST /api/staff/orders/{id}/refund/', 409],
  ])('%s has no second effect when a crash prevents its response from being stored', async (name, status) => {
    const call = await CALLS[name]!()
    expect((await send(call, 'cut-off')).status).toBe(200)
    const before = await effects()
    await sql`UPDATE idempotency_keys SET status = NULL, answer = NULL, begun_at = now() - interval '61 seconds'
              WHERE key = 'cut-off'`.execute(shop.db)
    const again = await send(call, 'cut-off')
    expect(again.status).toBe(status)
    expect(again.headers['idempotency-replayed']).toBeUndefined()
    expect(await effects()).toEqual(before)
  })
})

test('other calls ignore a key and store nothing, since their responses and bodies may hold secrets', async () => {
  const { password, ...customer } = await shop.newCustomer()
  const { access = '', refresh } = await shop.sessionOf({ ...customer, password })
  const next = { new_password: 'Another!Horse7', confirm_password: 'Another!Horse7' }
  const clear = `/api/cart/${customer.cartId}/clear/`
  for (const [method, url, body] of [
    ['POST', '/api/token/', { username: customer.email, password }],
    ['POST', '/api/token/refresh/', { refresh }],
    ['POST', clear, {}],
    ['POST', clear, {}],
    ['PUT', '/api/user/change-password/', { current_password: password, ...next }],
  ] as const) {
    const { status, headers } = await shop.withToken(access, method, url, body, withKey('ignored'))
    expect([url, status, headers['idempotency-replayed']]).toEqual([url, 200, undefined])
  }
  const stored = shop.db.selectFrom('idempotency_keys').select('key').where('key', '=', 'ignored')
  expect(await stored.execute()).toEqual([])
})

describe('a lost response of the database', () => {
  afterEach(() => void vi.restoreAllMocks())

  /** Cuts the connection after the next COMMIT of a transaction with such a statement. */
  function loseResponseAfter(statement: RegExp): void {
    const marked = new WeakSet<object>()
    let isArmed = true
    onStatements(async ({ text, send, connection }) => {
      if (statement.test(text)) marked.add(connection)
      if (!isArmed || text !== 'commit' || !marked.has(connection)) return send()
      isArmed = false
      await send()
      cut(connection)
      throw new Error('Connection terminated unexpectedly')
    })
  }

  test('leaves the outcome of a batch unknown to all its callers, and no call is executed twice', async () => {
    const offerId = await shop.newOffer()
    const pair: Awaited<ReturnType<typeof newBuyer>>[] = []
    // Two callers at one process, whose calls are merged.
    while (pair.length < 2) {
      const buyer = await newBuyer(offerId)
      if (buyer.customer.process === 0) pair.push(buyer)
    }
    loseResponseAfter(/INSERT INTO cart_items/)
    const responses = await Promise.all(pair.map(({ customer }) => customer.add(offerId, 2)))
    const unknown = { status: 503, headers: { 'retry-after': expect.anything() } }
    expect(responses).toMatchObject([unknown, unknown])
    for (const { quantities } of pair) expect(await quantities()).toEqual([2])
  })

  test('is replayed to a caller who repeats the call with its key', async () => {
    const { customer, add, quantities } = await newBuyer()
    loseResponseAfter(/INSERT INTO cart_items/)
    expect((await add('lost')).status).toBe(503)
    const again = await add('lost')
    expect(again).toMatchObject({ ...isReplay, body: (await customer.get('/api/cart/')).body[0] })
    expect(await quantities()).toEqual([2])
  })

  test('does not let the earlier call of a key take effect after a later call has claimed it', async () => {
    const { add, quantities } = await newBuyer()
    let isFirst = true
    const claiming = new WeakSet<object>()
    // A minute passes between the commit of the key's row and the change of the cart, and another call claims the key.
    onStatements(async ({ text, send, connection }) => {
      if (text.includes('INSERT INTO idempotency_keys')) claiming.add(connection)
      const response = await send()
      if (isFirst && text === 'commit' && claiming.has(connection)) {
        isFirst = false
        const later = `UPDATE idempotency_keys SET begun_at = begun_at + interval '1 minute' WHERE key = 'claimed'`
        await shop.pool.query(later)
      }
      return response
    })
    expect(await add('claimed')).toMatchObject({ status: 409, body: { code: 'request.keyUnderWay' } })
    expect(await quantities()).toEqual([])
  })
})
