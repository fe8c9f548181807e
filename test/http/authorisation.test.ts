import { beforeAll, describe, expect, test } from 'vitest'
import { STAFF_ROUTES } from '#platform/http/request.ts'
import { routesOf } from '../support/printed-routes.ts'
import { type Customer, openShop } from '../support/shop.ts'

const ROLES = ['anonymous', 'customer', 'owner', 'suspended', 'staff', 'superuser'] as const
type Role = (typeof ROLES)[number]
/** Status for each role, in the order of ROLES. */
type Row = readonly [number, number, number, number, number, number]

interface Target {
  /** Answers for each role. */
  expected: Row
  /** The address with the owner's own ids; the route's pattern when left out. */
  url?: (own: Owned) => string
  body?: (own: Owned) => object
}

/** What belongs to the owner and to nobody else. */
interface Owned {
  cartId: number
  itemId: number
  offerSlug: string
  offerId: number
  ticketId: string
  emailId: string
  /** An open order that nobody pays, at the provider's id. */
  orderId: string
}

/** The same for everybody. */
const all = (status: number): Row => [status, status, status, status, status, status]
/** Only with a token; each caller is answered about themselves. */
const self = (status: number, suspended = status): Row => [401, status, status, suspended, status, status]
/** Only for whom it belongs to: for everybody else there is no such thing. */
const own = (status: number): Row => [401, 404, status, 404, 404, 404]

const open = (status: number, rest: Partial<Target> = {}): Target => ({ expected: all(status), ...rest })
const login = { username: 'nobody@example.test', password: 'wrong' }
const cart = (call: string, body: (owned: Owned) => object): Target => ({
  expected: own(200),
  url: ({ cartId }) => `/api/cart/${cartId}/${call}/`,
  body,
})
const order = ({ orderId }: Owned) => ({ order_id: orderId })
const mail = (path = '') => open(200, { url: ({ emailId }) => `/api/demo/emails/${emailId}/${path}` })

/** Only for staff and superusers. */
const staff = (status: number, path: string, body?: object): Target => ({
  expected: [401, 403, 403, 403, status, status],
  url: ({ orderId }) => `/api/staff/orders/${orderId}${path}`,
  ...(body && { body: () => body }),
})

const contest = (path: string, body?: object): Target => ({
  expected: [401, 403, 403, 403, 200, 200],
  url: ({ offerSlug }) => `/api/staff/offers/${offerSlug}${path}`,
  ...(body && { body: () => body }),
})

/** Every route, and what each role gets from it. A route without a row here fails the first test. */
const MATRIX: Record<string, Target> = {
  'GET *': open(404, { url: () => '/nothing-here' }),
  'GET /.well-known/security.txt': open(200),
  // In the order of a purchase: what the owner does in one row is there for the next.
  'POST /api/paypal/create-order': {
    // The others' carts are empty.
    expected: [401, 409, 200, 403, 409, 409],
    url: () => '/api/paypal/create-order/',
    body: () => ({ country_code: 'BE' }),
  },
  'GET /api/paypal/open-order': { expected: self(200), url: () => '/api/paypal/open-order/' },
  'GET /api/paypal/orders/:orderId': {
    expected: own(200),
    url: ({ orderId }) => `/api/paypal/orders/${orderId}/`,
  },
  'POST /api/paypal/extend-hold': { expected: own(200), url: () => '/api/paypal/extend-hold/', body: order },
  'POST /api/paypal/capture-payment': {
    // Nobody has approved it, so its owner is told so; nobody else learns that it exists.
    expected: own(422),
    url: () => '/api/paypal/capture-payment/',
    body: order,
  },
  'POST /api/paypal/cancel-order': {
    expected: own(200),
    url: () => '/api/paypal/cancel-order/',
    body: order,
  },
  'GET /api/cart': { expected: self(200), url: () => '/api/cart/' },
  'POST /api/cart/:cartId/add_item': cart('add_item', ({ offerId }) => ({ offer_id: offerId, quantity: 1 })),
  'POST /api/cart/:cartId/update_item': cart('update_item', ({ itemId }) => ({
    item_id: itemId,
    quantity: 2,
  })),
  'POST /api/cart/:cartId/remove_item': cart('remove_item', ({ itemId }) => ({ item_id: itemId })),
  'POST /api/cart/:cartId/clear': cart('clear', () => ({})),
  'POST /api/cart/calculate_tax': open(200, {
    url: () => '/api/cart/calculate_tax/',
    body: () => ({ subtotal: '10.00', country_code: 'BE' }),
  }),
  'GET /api/demo/emails': open(200, { url: () => '/api/demo/emails/' }),
  'GET /api/demo/emails/:id': mail(),
  'GET /api/demo/emails/:id/html': mail('html/'),
  'GET /api/demo/emails/:id/files/:index': mail('files/0/'),
  'GET /api/docs/openapi.json': open(200),
  'GET /api/health/live': open(200),
  'GET /api/health/ready': open(200),
  'GET /api/offers': open(200, { url: () => '/api/offers/' }),
  'GET /api/offers/:slug': open(200, { url: ({ offerSlug }) => `/api/offers/${offerSlug}/` }),
  'POST /api/paypal/webhook': open(400, { url: () => '/api/paypal/webhook/', body: () => ({ id: 'WH-1' }) }),
  'GET /api/policies/accessibility': open(200, { url: () => '/api/policies/accessibility/' }),
  'GET /api/policies/terms': open(200, { url: () => '/api/policies/terms/' }),
  'GET /api/settings': open(200, { url: () => '/api/settings/' }),
  'GET /api/staff/orders/:id': staff(200, '/'),
  // Nobody has paid it: there is nothing to send back.
  'POST /api/staff/orders/:id/refund': staff(409, '/refund/', { reason: 'a_test' }),
  'POST /api/staff/orders/:id/reconcile': staff(200, '/reconcile/'),
  'GET /api/staff/alerts': { expected: [401, 403, 403, 403, 200, 200], url: () => '/api/staff/alerts/' },
  'GET /api/tickets': { expected: self(200), url: () => '/api/tickets/' },
  'GET /api/tickets/user': { expected: self(200), url: () => '/api/tickets/user/' },
  'GET /api/tickets/:id/download': {
    expected: own(200),
    url: ({ ticketId }) => `/api/tickets/${ticketId}/download/`,
  },
  'POST /api/token': open(401, { url: () => '/api/token/', body: () => login }),
  'POST /api/token/refresh': open(401, { url: () => '/api/token/refresh/', body: () => ({ refresh: 'x' }) }),
  'POST /api/token/logout': open(204, { url: () => '/api/token/logout/', body: () => ({ refresh: 'x' }) }),
  'POST /api/user/register': open(400, { url: () => '/api/user/register/', body: () => ({}) }),
  'POST /api/user/forgot-password': open(400, { url: () => '/api/user/forgot-password/', body: () => ({}) }),
  'POST /api/user/reset-password': open(400, { url: () => '/api/user/reset-password/', body: () => ({}) }),
  'GET /api/user/profile': { expected: self(200, 403), url: () => '/api/user/profile/' },
  'PUT /api/user/profile': { expected: self(400), url: () => '/api/user/profile/', body: () => ({}) },
  'PUT /api/user/change-password': {
    expected: self(400),
    url: () => '/api/user/change-password/',
    body: () => ({}),
  },
  'POST /api/v1.0/email/send': open(400, { url: () => '/api/v1.0/email/send', body: () => ({}) }),
  'GET /checkout/cancel': open(303),
  'GET /checkout/return': open(303),
  'GET /draws/:slug': open(302, { url: ({ offerSlug }) => `/draws/${offerSlug}` }),
  'GET /manifest.webmanifest': open(200),
  // A contest without pictures has the shop's own.
  'GET /media/og-:slug.jpg': open(302, { url: ({ offerSlug }) => `/media/og-${offerSlug}.jpg` }),
  'GET /metrics': open(401),
  'GET /robots.txt': open(200),
  'GET /sitemap.xml': open(200),
  'GET /terms-and-conditions.pdf': open(200),
  'GET /terms-and-conditions-nl.pdf': open(200),
  'GET /terms-and-conditions-en.pdf': open(200),
  // Last, since it ends the contest of all that stands above.
  'POST /api/staff/offers/:slug/cancel': contest('/cancel/', { reason: 'a_test' }),
  'GET /api/staff/offers/:slug/cancellation': contest('/cancellation/'),
  ...Object.fromEntries(
    ['DELETE', 'GET', 'PATCH', 'POST', 'PUT'].flatMap((method) =>
      ['', '/*'].map((rest) => [`${method} /api${rest}`, open(404, { url: () => '/api/nothing-here/' })]),
    ),
  ),
}

const shop = await openShop({ env: { METRICS_TOKEN: 'x'.repeat(40), LIMITS_FACTOR: '1000' } })
let owned: Owned
const tokens: Record<Role, string | undefined> = {
  anonymous: undefined,
  customer: undefined,
  owner: undefined,
  suspended: undefined,
  staff: undefined,
  superuser: undefined,
}

async function tokenOf(
  customer: Customer,
  rights: object = { is_active: true },
): Promise<string | undefined> {
  await shop.db.updateTable('users').set(rights).where('id', '=', customer.id).execute()
  return (await shop.sessionOf(customer))['access']
}

/** Everything the owner has: a ticket and its mail, an order that is not paid, and a line in the cart. */
async function fill(owner: Customer): Promise<Owned> {
  const offerId = await shop.newOffer({ slug: 'guarded' })
  const first = await owner.order(offerId, 1)
  await shop.paypal.approve(first.body['order_id'])
  const [ticket] = (await owner.capture(first.body['order_id'])).body['tickets']
  const { id: emailId } = await shop.db.selectFrom('emails').select('id').executeTakeFirstOrThrow()
  const second = await owner.order(offerId, 1)
  const carts = (await owner.get('/api/cart/')).body as unknown as { items: { id: number }[] }[]
  const itemId = carts[0]?.items[0]?.id ?? 0
  const { cartId } = owner
  return {
    cartId,
    itemId,
    offerId,
    offerSlug: 'guarded',
    ticketId: ticket.id,
    emailId,
    orderId: second.body['order_id'],
  }
}

/** What takes staff's rights away, by an UPDATE, and what their token gets from then on. */
const FORMER_STAFF = {
  'a session that was logged out': [401, 'sessions', { revoked_at: new Date() }],
  'a session that has run out': [401, 'sessions', { expires_at: new Date(0) }],
  'a session left alone for a week': [401, 'sessions', { last_used_at: new Date(0) }],
  'a suspended account': [403, 'users', { is_active: false }],
  'a demoted account': [403, 'users', { is_staff: false, is_superuser: false }],
} as const

/** The token of somebody who was staff when it was made. */
async function formerStaff([, table, change]: (typeof FORMER_STAFF)[keyof typeof FORMER_STAFF]) {
  const staff = await shop.newCustomer()
  const token = (await tokenOf(staff, { is_staff: true, is_superuser: true })) ?? ''
  expect((await shop.withToken(token, 'GET', '/api/staff/alerts/')).status).toBe(200)
  const own = table === 'users' ? 'id' : 'user_id'
  await shop.db.updateTable(table).set(change).where(own, '=', staff.id).execute()
  return token
}

beforeAll(async () => {
  const [customer, owner, suspended, staff, superuser] = [
    await shop.newCustomer(),
    await shop.newCustomer(),
    await shop.newCustomer(),
    await shop.newCustomer(),
    await shop.newCustomer(),
  ]
  tokens.customer = await tokenOf(customer)
  tokens.owner = await tokenOf(owner)
  tokens.suspended = await tokenOf(suspended)
  await shop.db.updateTable('users').set({ is_active: false }).where('id', '=', suspended.id).execute()
  tokens.staff = await tokenOf(staff, { is_staff: true })
  tokens.superuser = await tokenOf(superuser, { is_superuser: true })
  owned = await fill(owner)
})

test('every route has a row, and no row is of a route that is gone', () => {
  const known = Object.keys(MATRIX).toSorted((one, other) => one.localeCompare(other))
  expect(known).toEqual(routesOf(shop.app))
})

// Before the matrix, in which the very same calls of staff do what they ask for.
describe.each(Object.entries(FORMER_STAFF))('the token of %s', (_, former) => {
  let token: string
  beforeAll(async () => {
    token = await formerStaff(former)
  })

  const isForStaff = ([route]: [string, Target]): boolean =>
    (route.split(' ')[1] ?? '').startsWith(STAFF_ROUTES)
  test.each(Object.entries(MATRIX).filter(isForStaff))('opens no more: %s', async (route, { url, body }) => {
    const [method = 'GET', pattern = '/'] = route.split(' ')
    const address = url?.(owned) ?? pattern
    const answer = await shop.withToken(token, method as 'GET', address, body?.(owned))
    expect(answer.status).toBe(former[0])
  })
})

describe.each(Object.entries(MATRIX))('%s', (route, { expected, url, body }) => {
  const [method = 'GET', pattern = '/'] = route.split(' ')
  // Whoever may not comes first, so that the owner's call finds what the others must have left alone.
  test.each(ROLES.toSorted((one) => (one === 'owner' ? 1 : -1)))('as %s', async (role) => {
    const token = tokens[role]
    const answer = await shop.app.inject({
      method: method as 'GET',
      url: url?.(owned) ?? pattern,
      headers: { ...(token !== undefined && { authorization: `Bearer ${token}` }), 'accept-language': 'en' },
      ...(body !== undefined && { payload: body(owned) }),
    })
    expect(answer.statusCode).toBe(expected[ROLES.indexOf(role)])
  })
})
