import { decodeJwt } from 'jose'
import { beforeAll, describe, expect, test } from 'vitest'
import { STAFF_ROUTES } from '#platform/http/request.ts'
import { routesOf } from '../support/printed-routes.ts'
import { openShop } from '../support/shop.ts'

const ROLES = ['anonymous', 'customer', 'suspended', 'staff', 'superuser', 'owner'] as const
type Role = (typeof ROLES)[number]
/** The status for each role, in the order of ROLES. */
type Row = readonly [number, number, number, number, number, number]

/** What belongs to the owner and to nobody else, by the names of the routes' parameters. */
const owned: Record<string, string | number> = { slug: 'guarded', index: 0 }

/** The same for everybody. */
const all = (status: number): Row => [status, status, status, status, status, status]
/** Only with a token; every caller gets their own. */
const self = (status: number): Row => [401, status, 403, status, status, status]
/** Only for the owner; for everybody else it does not exist. */
const own = (status: number): Row => [401, 404, 403, 404, 404, status]
/** Only for staff and superusers. */
const staff = (status: number): Row => [401, 403, 403, status, status, 403]

type Body = object | (() => object)
const order = () => ({ order_id: owned['orderId'] })
/** That of every customer, so that it refuses nobody. */
const PASSWORD = { current_password: 'correct horse battery' }
const login = { username: 'nobody@example.test', password: 'wrong' }

/**
 * Every route, and what each role gets from it, with the body that is sent. The rows run from top to bottom: what the
 * owner does in one is there for the next.
 */
const MATRIX: Record<string, [Row, Body?]> = {
  'GET *': [all(404)],
  'GET /.well-known/security.txt': [all(200)],
  // The others' carts are empty.
  'POST /api/paypal/create-order': [[401, 409, 403, 409, 409, 200], { country_code: 'BE' }],
  'GET /api/paypal/open-order': [self(200)],
  'GET /api/orders': [self(200)],
  'GET /api/orders/:number/receipt': [own(200)],
  'GET /api/paypal/orders/:orderId': [own(200)],
  'POST /api/paypal/extend-hold': [own(200), order],
  // The buyer has not approved it yet.
  'POST /api/paypal/capture-payment': [own(422), order],
  'POST /api/paypal/cancel-order': [own(200), order],
  'GET /api/cart': [self(200)],
  'POST /api/cart/:cartId/add_item': [own(200), () => ({ offer_id: owned['offerId'], quantity: 1 })],
  'POST /api/cart/:cartId/update_item': [own(200), () => ({ item_id: owned['itemId'], quantity: 2 })],
  'POST /api/cart/:cartId/remove_item': [own(200), () => ({ item_id: owned['itemId'] })],
  'POST /api/cart/:cartId/clear': [own(200), {}],
  'POST /api/cart/calculate_tax': [all(200), { subtotal: '10.00', country_code: 'BE' }],
  'GET /api/demo/emails': [all(200)],
  'GET /api/demo/emails/:id': [all(200)],
  'GET /api/demo/emails/:id/html': [all(200)],
  'GET /api/demo/emails/:id/files/:index': [all(200)],
  'GET /api/docs/openapi.json': [all(200)],
  'GET /api/health/jobs': [all(503)],
  'GET /api/health/live': [all(200)],
  'GET /api/health/ready': [all(200)],
  'GET /api/offers': [all(200)],
  'GET /api/offers/:slug': [all(200)],
  'POST /api/paypal/webhook': [all(400), { id: 'WH-1' }],
  'GET /api/policies/accessibility': [all(200)],
  'GET /api/policies/terms': [all(200)],
  'GET /api/settings': [all(200)],
  'GET /api/staff/orders/:id': [staff(200)],
  // Nobody has paid it: there is nothing to refund.
  'POST /api/staff/orders/:id/refund': [staff(409), { reason: 'a_test' }],
  'POST /api/staff/orders/:id/reconcile': [staff(200)],
  // Its owner has cancelled it.
  'POST /api/staff/orders/:id/release': [staff(409), { reason: 'a_test' }],
  'GET /api/staff/holds': [staff(200)],
  'GET /api/staff/accounts/:id/security': [staff(200)],
  'POST /api/staff/accounts/:id/end-sessions': [staff(200)],
  'GET /api/staff/alerts': [staff(200)],
  'GET /api/tickets': [self(200)],
  'GET /api/tickets/user': [self(200)],
  'GET /api/tickets/:id/download': [own(200)],
  'GET /api/tickets/offers/:slug/download': [own(200)],
  'POST /api/token': [all(401), login],
  'POST /api/token/refresh': [all(401), { refresh: 'x' }],
  'POST /api/token/logout': [all(204), { refresh: 'x' }],
  'POST /api/user/register': [all(400), {}],
  'POST /api/user/forgot-password': [all(400), {}],
  'POST /api/user/reset-password': [all(400), {}],
  'POST /api/user/email-link': [all(400), {}],
  // The addresses of all are confirmed.
  'POST /api/user/email-link/resend': [self(409)],
  'POST /api/user/email-change/cancel': [self(204)],
  'GET /api/user/profile': [self(200)],
  'PUT /api/user/profile': [self(400), {}],
  'PUT /api/user/change-password': [self(400), {}],
  'GET /api/user/sessions': [self(200)],
  'POST /api/user/sessions/:sessionId/end': [own(204), PASSWORD],
  'POST /api/v1.0/email/send': [all(400), {}],
  'GET /checkout/cancel': [all(303)],
  'GET /checkout/return': [all(303)],
  'GET /draws/:slug': [all(302)],
  'GET /manifest.webmanifest': [all(200)],
  // An offer without pictures has the shop's own.
  'GET /media/og-:slug.jpg': [all(302)],
  'GET /media/p/:name': [all(404)],
  'GET /metrics': [all(401)],
  'GET /robots.txt': [all(200)],
  'GET /sitemap.xml': [all(200)],
  'GET /terms-and-conditions.pdf': [all(200)],
  'GET /terms-and-conditions-nl.pdf': [all(200)],
  'GET /terms-and-conditions-en.pdf': [all(200)],
  // Late, since it ends the offer of all rows above.
  'POST /api/staff/offers/:slug/cancel': [staff(200), { reason: 'a_test' }],
  'GET /api/staff/offers/:slug/cancellation': [staff(200)],
  ...Object.fromEntries(
    ['DELETE', 'GET', 'PATCH', 'POST', 'PUT'].flatMap((method) =>
      ['', '/*'].map((rest): [string, [Row]] => [`${method} /api${rest}`, [all(404)]]),
    ),
  ),
  // Last, since it ends the sessions of all rows above.
  'POST /api/user/sessions/end-all': [self(204), PASSWORD],
}

const shop = await openShop({ env: { METRICS_TOKEN: 'x'.repeat(40), LIMITS_FACTOR: '1000' } })
const tokens: Partial<Record<Role, string>> = {}

/** Calls a route with the owner's ids in its address. */
function call(route: string, token: string | undefined, body?: Body) {
  const [method = 'GET', pattern = '/'] = route.split(' ')
  return shop.app.inject({
    method: method as 'GET',
    url: pattern
      .replace('emails/:id', `emails/${owned['email']}`)
      .replace('orders/:id', `orders/${owned['orderId']}`)
      .replace('tickets/:id', `tickets/${owned['ticket']}`)
      .replaceAll(/:(\w+)/g, (_, name: string) => String(owned[name]))
      .replace(/^\*$/, '/nothing-here')
      .replace(/^\/api(\/\*)?$/, '/api/nothing-here'),
    headers: { ...(token !== undefined && { authorization: `Bearer ${token}` }), 'accept-language': 'en' },
    ...(body !== undefined && { payload: typeof body === 'function' ? body() : body }),
  })
}

const change = (table: 'users' | 'sessions', to: object, userId: number) =>
  shop.db
    .updateTable(table)
    .set(to)
    .where(table === 'users' ? 'id' : 'user_id', '=', userId)
    .execute()

/** A new customer with these rights and their token. */
async function caller(rights: object = {}) {
  const customer = await shop.newCustomer()
  await change('users', { is_active: true, ...rights }, customer.id)
  return { customer, token: (await shop.sessionOf(customer))['access'] ?? '' }
}

beforeAll(async () => {
  tokens.customer = (await caller()).token
  tokens.staff = (await caller({ is_staff: true })).token
  tokens.superuser = (await caller({ is_superuser: true })).token
  const suspended = await caller()
  tokens.suspended = suspended.token
  await change('users', { is_active: false }, suspended.customer.id)

  // A ticket and its email, an order that is not paid, and a line in the cart.
  const { customer, token } = await caller()
  tokens.owner = token
  const offerId = await shop.newOffer({ slug: 'guarded' })
  const first = await customer.order(offerId, 1)
  await shop.paypal.approve(first.body['order_id'])
  const [{ id: ticket }] = (await customer.capture(first.body['order_id'])).body['tickets']
  const { id: email } = await shop.db.selectFrom('emails').select('id').executeTakeFirstOrThrow()
  const second = await customer.order(offerId, 1)
  const itemId = (await customer.get('/api/cart/')).body[0].items[0].id
  const { cartId } = customer
  const { number } = await shop.orderOf(first.body['order_id'])
  const orderId = second.body['order_id']
  const { access = '' } = await shop.sessionOf(customer)
  const { sid: sessionId } = decodeJwt(access)
  const { id } = (await caller()).customer
  Object.assign(owned, { cartId, itemId, offerId, ticket, email, number, orderId, sessionId, id })
})

test('every route of the shop has a row, and every row a route', () => {
  expect(Object.keys(MATRIX).toSorted((one, other) => one.localeCompare(other))).toEqual(routesOf(shop.app))
})

// Before the matrix, in which the same calls take effect.
describe.each([
  ['a session that was logged out', 401, 'sessions', { revoked_at: new Date() }],
  ['a session that has expired', 401, 'sessions', { expires_at: new Date(0) }],
  ['a session unused for a week', 401, 'sessions', { last_used_at: new Date(0) }],
  ['a suspended account', 403, 'users', { is_active: false }],
  ['a demoted account', 403, 'users', { is_staff: false, is_superuser: false }],
] as const)('a staff token of %s', (_, status, table, to) => {
  let token: string
  beforeAll(async () => {
    const former = await caller({ is_staff: true, is_superuser: true })
    token = former.token
    if ((await call('GET /api/staff/alerts', token)).statusCode !== 200) throw new Error('no staff token')
    await change(table, to, former.customer.id)
  })

  const staffRoutes = Object.entries(MATRIX).filter(([route]) =>
    route.split(' ')[1]?.startsWith(STAFF_ROUTES),
  )
  test.each(staffRoutes)('is refused by %s', async (route, [, body]) => {
    expect((await call(route, token, body)).statusCode).toBe(status)
  })
})

// The owner comes last and finds what the others must have left alone.
describe.each(Object.entries(MATRIX))('%s', (route, [expected, body]) => {
  test.each(ROLES)('as %s [spec 7.39]', async (role) => {
    const answer = await call(route, tokens[role], body)
    expect(answer.statusCode).toBe(expected[ROLES.indexOf(role)])
  })
})

describe('an action of staff', () => {
  const actions = Object.entries(MATRIX).filter(([route]) => /^(?!GET )\w+ \/api\/staff\//.test(route))
  test.each(actions)('%s records who did it', async (route, [, body]) => {
    const { customer, token } = await caller({ is_staff: true })
    const answer = await call(route, token, body)
    expect([200, 409]).toContain(answer.statusCode)
    const recorded = await shop.db
      .selectFrom('security_events')
      .select(['event', 'detail', 'network'])
      .where('user_id', '=', customer.id)
      .where('event', '=', 'staff_action')
      .execute()
    const detail = route.replaceAll(/:(\w+)/g, (_, name: string) =>
      String(name === 'id' && route.includes('orders') ? owned['orderId'] : owned[name]),
    )
    expect(recorded).toEqual([
      { event: 'staff_action', detail: `${detail}/`, network: expect.stringMatching(/^[0-9a-f]{32}$/) },
    ])
  })
})
