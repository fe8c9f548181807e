import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { routesOf } from '../support/printed-routes.ts'
import { type Customer, type TestShop, testShop } from '../support/shop.ts'

/** A call of somebody signed in. */
interface Call {
  /** Access token of the caller. */
  token: string
  url: string
  body?: object
}

interface Row {
  /** Makes what the call needs. */
  ready: () => Promise<Call>
  /**
   * What the same call gets when a crash came between doing and keeping, and its minute is over. None where the answer is
   * kept in the transaction of what it answers, so that no crash comes between.
   */
  afterCrash?: number
}

let shop: TestShop

const NEW_PASSWORD = 'Another!Horse7'

const tokenOf = async (customer: Customer): Promise<string> =>
  (await shop.sessionOf(customer))['access'] ?? ''

/** Somebody with two tickets of a contest in the cart. */
async function shopper() {
  const offerId = await shop.newOffer()
  const customer = await shop.newCustomer()
  const { body } = await customer.post(`/api/cart/${customer.cartId}/add_item/`, {
    offer_id: offerId,
    quantity: 2,
  })
  return { offerId, customer, token: await tokenOf(customer), itemId: body['items'][0].id as number }
}

async function staffToken(): Promise<string> {
  const staff = await shop.newCustomer()
  await shop.db.updateTable('users').set({ is_staff: true }).where('id', '=', staff.id).execute()
  return tokenOf(staff)
}

const ofCart = (call: string, body: (own: Awaited<ReturnType<typeof shopper>>) => object): Row => ({
  ready: async () => {
    const own = await shopper()
    return { token: own.token, url: `/api/cart/${own.customer.cartId}/${call}/`, body: body(own) }
  },
})

const ofOrder = (call: string, afterCrash: number): Row => ({
  ready: async () => {
    const { customer, orderId } = await shop.approvedOrder()
    return { token: await tokenOf(customer), url: `/api/paypal/${call}/`, body: { order_id: orderId } }
  },
  afterCrash,
})

const ofStaffOrder = (call: string, afterCrash: number, body = {}): Row => ({
  ready: async () => {
    const { orderId } = await shop.paidOrder()
    return { token: await staffToken(), url: `/api/staff/orders/${orderId}/${call}/`, body }
  },
  afterCrash,
})

const ofAccount = (url: string, afterCrash: number, body: (customer: Customer) => object): Row => ({
  ready: async () => {
    const customer = await shop.newCustomer()
    return { token: await tokenOf(customer), url, body: body(customer) }
  },
  afterCrash,
})

/** Every route that takes a key, with a call that it answers with 200. A route that is new fails the first test. */
const WITH_KEY: Record<string, Row> = {
  'POST /api/cart/:cartId/add_item': ofCart('add_item', ({ offerId }) => ({
    offer_id: offerId,
    quantity: 1,
  })),
  'POST /api/cart/:cartId/update_item': ofCart('update_item', ({ itemId }) => ({
    item_id: itemId,
    quantity: 3,
  })),
  'POST /api/cart/:cartId/remove_item': ofCart('remove_item', ({ itemId }) => ({ item_id: itemId })),
  'POST /api/cart/:cartId/clear': ofCart('clear', () => ({})),
  'POST /api/paypal/create-order': {
    ready: async () => ({ token: (await shopper()).token, url: '/api/paypal/create-order/', body: {} }),
    afterCrash: 200,
  },
  'POST /api/paypal/capture-payment': ofOrder('capture-payment', 200),
  'POST /api/paypal/cancel-order': ofOrder('cancel-order', 200),
  'POST /api/paypal/extend-hold': ofOrder('extend-hold', 409),
  'POST /api/staff/orders/:id/refund': ofStaffOrder('refund', 409, { reason: 'a_test' }),
  'POST /api/staff/orders/:id/reconcile': ofStaffOrder('reconcile', 200),
  'POST /api/staff/offers/:slug/cancel': {
    ready: async () => {
      const offerId = await shop.newOffer()
      const { slug } = await shop.db
        .selectFrom('offers')
        .select('slug')
        .where('id', '=', offerId)
        .executeTakeFirstOrThrow()
      return {
        token: await staffToken(),
        url: `/api/staff/offers/${slug}/cancel/`,
        body: { reason: 'a_test' },
      }
    },
    afterCrash: 200,
  },
  'PUT /api/user/profile': ofAccount('/api/user/profile/', 200, ({ id }) => ({
    email: `other${id}@example.test`,
    phone: '',
  })),
  // Done already: the password that the call names as the current one is not any more.
  'PUT /api/user/change-password': ofAccount('/api/user/change-password/', 400, ({ password }) => ({
    current_password: password,
    new_password: NEW_PASSWORD,
    confirm_password: NEW_PASSWORD,
  })),
}

/** Every route that changes something and takes no key; why, each says in its `withoutKey`. */
const WITHOUT_KEY = [
  'POST /api/cart/calculate_tax',
  'POST /api/token',
  'POST /api/token/refresh',
  'POST /api/token/logout',
  'POST /api/user/register',
  'POST /api/user/forgot-password',
  'POST /api/user/reset-password',
  'POST /api/paypal/webhook',
  'POST /api/v1.0/email/send',
  ...['', '/*'].flatMap((rest) =>
    ['DELETE', 'PATCH', 'POST', 'PUT'].map((method) => `${method} /api${rest}`),
  ),
]

beforeAll(async () => {
  shop = await testShop({ env: { LIMITS_FACTOR: '1000' } })
  // A notification that comes in between would be a change of somebody else's.
  shop.paypal.faults.change({ missingWebhooks: 1 })
})
afterAll(() => shop.close())

const sorted = (routes: readonly string[]): string[] =>
  routes.toSorted((one, other) => one.localeCompare(other))

test('every route that changes something takes a key, or is one of those that say why they take none', () => {
  const changing = routesOf(shop.app).filter((route) => !route.startsWith('GET '))
  expect(changing).toEqual(sorted([...Object.keys(WITH_KEY), ...WITHOUT_KEY]))
})

test('the document names the header at every route that takes a key, and at no other', async () => {
  const document = (await shop.app.inject('/api/docs/openapi.json')).json() as {
    paths: Record<string, Record<string, { parameters?: { in: string; name: string; required?: boolean }[] }>>
  }
  const documented = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { parameters = [] }]) => {
      const header = parameters.find((one) => one.in === 'header' && one.name === 'Idempotency-Key')
      expect(header?.required ?? false).toBe(false)
      const route = path.replaceAll(/\{(\w+)\}/g, ':$1').replace(/\/$/, '')
      return header ? [`${method.toUpperCase()} ${route}`] : []
    }),
  )
  expect(sorted(documented)).toEqual(sorted(Object.keys(WITH_KEY)))
})

/** Everything the shop and its provider remember, but for the keys and the counts of limits: who called, and how often. */
async function everything(): Promise<unknown> {
  const { rows: tables } = await sql<{ name: string }>`
    SELECT tablename AS name FROM pg_tables
    WHERE schemaname = 'public' AND tablename NOT IN ('idempotency_keys', 'limit_counters') ORDER BY 1`.execute(
    shop.db,
  )
  const told: Record<string, unknown> = {
    captures: shop.paypal.book.captures.size,
    refunds: shop.paypal.book.refunds.size,
  }
  for (const { name } of tables) {
    const { rows } =
      await sql`SELECT to_jsonb(t) AS row FROM ${sql.table(name)} t ORDER BY to_jsonb(t)::text`.execute(
        shop.db,
      )
    told[name] = rows
  }
  return told
}

/** What must not happen twice, whoever crashes where. */
const taken = async (): Promise<unknown> => ({
  captures: shop.paypal.book.captures.size,
  refunds: shop.paypal.book.refunds.size,
  ...(await shop.db
    .selectNoFrom([
      sql`(SELECT count(*) FROM tickets)`.as('tickets'),
      sql`(SELECT count(*) FROM orders)`.as('orders'),
      sql`(SELECT count(*) FROM mails)`.as('mails'),
      sql`(SELECT sum(tickets_held) FROM offers)`.as('held'),
    ])
    .executeTakeFirstOrThrow()),
})

const send = (route: string, { token, url, body }: Call, key: string) =>
  shop.withToken(token, route.split(' ')[0] as 'POST' | 'PUT', url, body, {
    headers: { 'idempotency-key': key },
  })

test.each(Object.entries(WITH_KEY))(
  '%s gives the stored answer to the same call, changes nothing more, and refuses another call',
  async (route, { ready }) => {
    const call = await ready()
    const malformed = await send(route, call, 'a key')
    expect(malformed).toMatchObject({ status: 400, body: { code: 'request.keyMalformed' } })
    const done = await send(route, call, 'key')
    expect(done.status).toBe(200)
    expect(done.headers['idempotency-replayed']).toBeUndefined()
    const before = await everything()
    const again = await send(route, call, 'key')
    expect(again).toMatchObject({ status: 200, headers: { 'idempotency-replayed': 'true' } })
    expect(again.body).toEqual(done.body)
    expect(await everything()).toEqual(before)
    const other = await send(route, { ...call, url: `${call.url}?other` }, 'key')
    expect(other).toMatchObject({ status: 422, body: { code: 'request.keyReused' } })
    expect(await everything()).toEqual(before)
  },
)

test.each(Object.entries(WITH_KEY).filter(([, { afterCrash }]) => afterCrash !== undefined))(
  '%s takes nothing twice when a crash comes before its answer is kept',
  async (route, { ready, afterCrash }) => {
    const call = await ready()
    expect((await send(route, call, 'cut-off')).status).toBe(200)
    const before = await taken()
    await sql`UPDATE idempotency_keys SET status = NULL, answer = NULL, started_at = now() - interval '61 seconds'
              WHERE key = 'cut-off'`.execute(shop.db)
    const again = await send(route, call, 'cut-off')
    expect(again.status).toBe(afterCrash)
    expect(again.headers['idempotency-replayed']).toBeUndefined()
    expect(await taken()).toEqual(before)
  },
)

test.each(WITHOUT_KEY.filter((route) => !/\*$|\/api$/.test(route)))(
  '%s keeps nothing, whatever key comes with it',
  async (route) => {
    const customer = await shop.newCustomer()
    const tokens = await shop.sessionOf(customer)
    const [, url = ''] = route.split(' ')
    // Enough for a login, a renewal and a logout to succeed: those have something to hide.
    const body = { username: customer.email, password: customer.password, refresh: tokens['refresh'] }
    const call = { headers: { 'idempotency-key': 'kept' } }
    const answers = [1, 2].map(() => shop.withToken(tokens['access'] ?? '', 'POST', `${url}/`, body, call))
    for (const { status, headers } of await Promise.all(answers)) {
      expect(status).toBe(
        { '/api/token': 200, '/api/token/refresh': 200, '/api/token/logout': 204 }[url] ?? 400,
      )
      expect(headers['idempotency-replayed']).toBeUndefined()
    }
    const rows = await shop.db
      .selectFrom('idempotency_keys')
      .select('key')
      .where('key', '=', 'kept')
      .execute()
    expect(rows).toEqual([])
  },
)
