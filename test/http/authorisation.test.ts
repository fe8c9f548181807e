import { decodeJwt } from 'jose'
import { Secret, TOTP } from 'otpauth'
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  STAFF_PERMISSIONS,
  STAFF_ROLES,
  type StaffPermission,
  type StaffRole,
  permits,
} from '#shared/staff-permissions.ts'
import { everyRow } from '../support/database.ts'
import { type OpenApi, sampleOf } from '../support/fuzz.ts'
import { routesOf } from '../support/printed-routes.ts'
import {
  OPEN_STAFF_ROUTES,
  type StaffRoute,
  addressOf,
  isOfStaff,
  staffRoutesOf,
} from '../support/staff-routes.ts'
import { LEAVES_NO_AUDIT_ENTRY, type Staff, openShop, testShop } from '../support/shop.ts'
import { isExtended } from '../support/tier.ts'

// The calls of customers, whose rows are written by hand. Those of staff come after them.

/** `staff` is a token of the shop that belongs to somebody with a role. */
const ROLES = ['anonymous', 'customer', 'suspended', 'staff', 'owner'] as const
type Role = (typeof ROLES)[number]
/** The status for each role, in the order of ROLES. */
type Row = readonly [number, number, number, number, number]

/** What belongs to the owner and to nobody else, by the names of the routes' parameters. */
const owned: Record<string, string | number> = { slug: 'guarded', index: 0 }

/** The same for everybody. */
const all = (status: number): Row => [status, status, status, status, status]
/** Only with a token; every caller gets their own. */
const self = (status: number): Row => [401, status, 403, status, status]
/** Only for the owner; for everybody else it does not exist. */
const own = (status: number): Row => [401, 404, 403, 404, status]

type Body = object | (() => object)
const order = () => ({ order_id: owned['orderId'] })
/** That of every customer, so that it refuses nobody. */
const PASSWORD = { current_password: 'correct horse battery' }
const login = { username: 'nobody@example.test', password: 'wrong' }

/**
 * Every route that is not for staff, and what each role gets from it, with the body that is sent. The rows run from top to bottom: what the
 * owner does in one is there for the next.
 */
const MATRIX: Record<string, [Row, Body?]> = {
  'GET *': [all(404)],
  'GET /.well-known/security.txt': [all(200)],
  // The others' carts are empty.
  'POST /api/paypal/create-order': [[401, 409, 403, 403, 200], { country_code: 'BE' }],
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
  'GET /api/draws': [all(200)],
  'GET /api/draws/:slug': [all(200)],
  'GET /api/last-check': [all(200)],
  'GET /api/winners': [all(200)],
  'GET /api/health/address': [all(404)],
  'GET /api/health/jobs': [all(503)],
  'GET /api/health/live': [all(200)],
  'GET /api/health/ready': [all(200)],
  'GET /api/offers': [all(200)],
  'GET /api/offers/:slug': [all(200)],
  'GET /api/offers/:slug/waiting-room': [all(200)],
  'POST /api/paypal/webhook': [all(400), { id: 'WH-1' }],
  'GET /api/policies/accessibility': [all(200)],
  'GET /api/policies/terms': [all(200)],
  'GET /api/settings': [all(200)],
  'GET /api/tickets': [self(200)],
  'GET /api/tickets/user': [self(200)],
  'GET /api/tickets/:id/download': [own(200)],
  'GET /api/tickets/offers/:slug/download': [own(200)],
  'GET /api/favourites': [self(200)],
  'PUT /api/favourites/:offerId': [self(204)],
  'DELETE /api/favourites/:offerId': [self(204)],
  'PUT /api/reminders/:offerId': [self(200), { kinds: [] }],
  'DELETE /api/reminders': [self(204)],
  'GET /api/reminders/unsubscribe': [all(400)],
  'POST /api/reminders/unsubscribe': [all(404), { token: 'nothing' }],
  'POST /unsubscribe': [all(400), {}],
  'POST /api/claims/read': [all(404), { token: 'nothing' }],
  'POST /api/claims/submit': [all(400), {}],
  'POST /api/claims/consent': [all(400), {}],
  // The owner has won nothing; `claims.routes.test.ts` has winners.
  'GET /api/claims/own/:slug': [[401, 404, 403, 404, 404]],
  'PUT /api/claims/own/:slug': [[401, 400, 403, 400, 400], {}],
  'PUT /api/claims/own/:slug/consent': [[401, 400, 403, 400, 400], {}],
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
  'POST /api/user/export': [self(200), PASSWORD],
  // An account with a role is not closed.
  'GET /api/user/close': [[401, 200, 403, 409, 200]],
  'POST /api/user/close': [self(400), {}],
  'POST /api/v1.0/email/send': [all(400), {}],
  'GET /api/verifiers': [all(200)],
  'GET /checkout/cancel': [all(303)],
  'GET /checkout/return': [all(303)],
  'GET /manifest.webmanifest': [all(200)],
  // An offer without pictures has the shop's own.
  'GET /media/og-:slug.jpg': [all(302)],
  'GET /media/email-:slug.jpg': [all(404)],
  // No contest here has terms.
  'GET /draws/checkpoint': [all(404)],
  'GET /draws/checkpoints.txt': [all(404)],
  'GET /draws/consistency': [all(400)],
  'GET /draws/leaf': [all(400)],
  'GET /draws/log.txt': [all(404)],
  'GET /draws/:slug/checkpoint': [all(404)],
  'GET /draws/:slug/checkpoints.txt': [all(404)],
  'GET /draws/:slug/code.svg': [all(200)],
  'GET /draws/:slug/consistency': [all(400)],
  'GET /draws/:slug/draw.ics': [all(404)],
  'GET /draws/:slug/leaf': [all(400)],
  'GET /draws/:slug/log.txt': [all(404)],
  'GET /draws/:slug/register.txt': [all(404)],
  'GET /draws/:slug/register-checkpoints.txt': [all(404)],
  'GET /draws/:slug/:name(^[a-z0-9-]+\\.(?:txt|json|pem|tsr|zip)$)': [all(404)],
  'GET /media/p/:name': [all(404)],
  // No contest here was rehearsed.
  'GET /rehearsals/:id/:name(^[A-Za-z0-9-]+\\.(?:txt|json|zip)$)': [all(404)],
  'GET /metrics': [all(401)],
  'GET /robots.txt': [all(200)],
  'GET /sitemap.xml': [all(200)],
  'GET /terms-and-conditions.pdf': [all(200)],
  'GET /draw-v1.md': [all(200)],
  'GET /verify-draw.py': [all(200)],
  'GET /verify.html': [all(200)],
  'GET /terms-and-conditions-nl.pdf': [all(200)],
  'GET /terms-and-conditions-en.pdf': [all(200)],
  ...Object.fromEntries(
    ['DELETE', 'GET', 'PATCH', 'POST', 'PUT'].flatMap((method) =>
      ['', '/*'].map((rest): [string, [Row]] => [`${method} /api${rest}`, [all(404)]]),
    ),
  ),
  // Last, since it ends the sessions of all rows above.
  'POST /api/user/sessions/end-all': [self(204), PASSWORD],
}

const shop = await openShop({ env: { METRICS_TOKEN: 'x'.repeat(40), LIMITS_FACTOR: '1000' }, processes: 2 })
const tokens: Partial<Record<Role, string>> = {}

/** Calls a route with the owner's ids in its address. */
function call(route: string, token: string | undefined, body?: Body) {
  const [method = 'GET', pattern = '/'] = route.split(' ')
  return shop.app.inject({
    method: method as 'GET',
    url: pattern
      .replace('emails/:id', `emails/${owned['email']}`)
      .replace('tickets/:id', `tickets/${owned['ticket']}`)
      .replaceAll(/:(\w+)/g, (_, name: string) => String(owned[name]))
      .replace(/^\*$/, '/nothing-here')
      .replace(/^\/api(\/\*)?$/, '/api/nothing-here'),
    headers: { ...(token !== undefined && { authorization: `Bearer ${token}` }), 'accept-language': 'en' },
    ...(body !== undefined && { payload: typeof body === 'function' ? body() : body }),
  })
}

const run = (statement: string, values: unknown[] = []) => shop.pool.query(statement, values)

/** A new customer with this change of their row and their token. */
async function caller(change = 'is_active = true') {
  const customer = await shop.newCustomer()
  const token = (await shop.sessionOf(customer))['access'] ?? ''
  await run(`UPDATE users SET ${change} WHERE id = $1`, [customer.id])
  return { customer, token }
}

beforeAll(async () => {
  tokens.customer = (await caller()).token
  tokens.staff = (await caller(`role = 'owner'`)).token
  tokens.suspended = (await caller('is_active = false')).token

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
  Object.assign(owned, { cartId, itemId, offerId, ticket, email, number, orderId, sessionId })
})

const routes = routesOf(shop.app)

test('every route that is not for staff has a row, and every row a route', () => {
  expect(Object.keys(MATRIX).toSorted((one, other) => one.localeCompare(other))).toEqual(
    routes.filter((route) => !isOfStaff(route)),
  )
})

// The owner comes last and finds what the others must have left alone.
describe.each(Object.entries(MATRIX))('%s', (route, [expected, body]) => {
  test.each(ROLES)('as %s [spec 7.39]', async (role) => {
    const response = await call(route, tokens[role], body)
    expect(response.statusCode).toBe(expected[ROLES.indexOf(role)])
  })
})

// The calls of staff: what each role gets follows from the permission that the route names and the table of permissions.

const staffRoutes = staffRoutesOf((await shop.anonymous('GET', '/api/docs/openapi.json')).body as OpenApi)
const eachRoute = staffRoutes.map((one) => [one.route, one] as const)
const isChange = ({ method }: StaffRoute): boolean => (method as string) !== 'GET'

/** What exists, by the part of an address before its parameter; anything else in an address names nothing. */
const existing: Record<string, string | number> = {}

/** What lists, streams and files respond with; a stream that does not end is left. */
async function ask(
  one: StaffRoute,
  headers: Record<string, string>,
  { body, at = shop.apps[0]! }: { body?: string | undefined; at?: (typeof shop.apps)[number] } = {},
) {
  const leaving = new AbortController()
  const response = await at.inject({
    method: one.method,
    url: addressOf(one, existing),
    headers: {
      origin: shop.config.publicUrl,
      'accept-language': 'en',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { payload: body }),
    payloadAsStream: true,
    signal: leaving.signal,
  })
  const isJson = String(response.headers['content-type']).startsWith('application/json')
  const text = isJson ? await new Response(response.stream() as never).text() : ''
  if (!isJson) leaving.abort()
  const { code } = (text === '' ? {} : JSON.parse(text)) as { code?: string }
  return { status: response.statusCode, code }
}

/** A body that no route accepts: whoever may not call a route learns nothing of what it takes. */
const UNREADABLE = '{'
function bodyOf({ operation, pattern }: StaffRoute): string | undefined {
  const schema = operation.requestBody?.content?.['application/json']?.schema
  if (!schema) return undefined
  const [, , , kind = ''] = pattern.split('/')
  return JSON.stringify({
    ...(sampleOf(schema) as object),
    ...(schema.properties?.['ids'] && { ids: [existing[kind]] }),
  })
}

const staff = {} as Record<StaffRole, Staff>
/** What a role calls with. */
const cookieOf = (role: StaffRole) => ({ cookie: staff[role].cookie })

/** What two people decide. The ids are those of no other request. */
const APPROVED = [
  'staff.change',
  'orders.refund',
  'offers.cancel',
  'draws.decide',
  'draws.void',
] as const satisfies StaffPermission[]
const FIRST_APPROVAL = 1_000

/** What each change leaves. */
const ALL_TRACES = { recorded: 1, isAudited: true }

const SIGNED_OUT = { status: 401, code: 'staff.signInRequired' }
const NOT_PERMITTED = { status: 403, code: 'auth.staffOnly' }
const STEP_UP = { status: 403, code: 'staff.stepUpRequired' }
const OTHER_SITE = { status: 403, code: 'staff.otherSite' }

describe('a call of staff', () => {
  const logs = ['security_events', 'limit_counters']
  let before: Awaited<ReturnType<typeof everyRow>>

  beforeAll(async () => {
    for (const role of STAFF_ROLES) staff[role] = await shop.newStaff(role)
    const { ours, customer } = await shop.paidOrder(1)
    await shop.newOffer({ slug: 'staffed' })
    Object.assign(existing, {
      orders: ours.id,
      offers: 'staffed',
      accounts: customer.id,
      customers: customer.id,
      people: (await shop.newStaff('witness')).id,
    })
    for (const [index, permission] of APPROVED.entries())
      await run(
        `INSERT INTO approvals (id, permission, subject_kind, subject, input, reason, requested_by)
         OVERRIDING SYSTEM VALUE VALUES ($1, $2, 'test', 'matrix', '{}', 'test', $3)`,
        [FIRST_APPROVAL + index, permission, customer.id],
      )
    await run('DELETE FROM staff_step_ups')
    // What changes by itself: notifications that are still on their way, and the last use of a session after a minute.
    await shop.paypal.webhooksIdle()
    const unhandled = async () => (await run('SELECT FROM webhook_inbox WHERE handled_at IS NULL')).rowCount
    await vi.waitUntil(async () => (await unhandled()) === 0, 20_000)
    await run(`UPDATE staff_sessions SET last_used_at = now() + interval '1 hour'`)
    before = await everyRow(shop, logs)
  })

  test('is in the API document with its permission, and every permission that asks for a step-up asks', () => {
    // The names of parameters are those of several routes.
    const unnamed = (route: string): string => route.replaceAll(/:[\w|:]+/g, ':')
    const printed = routes.filter(isOfStaff).map(unnamed)
    const described = [...OPEN_STAFF_ROUTES, ...staffRoutes.map(({ route }) => route)].map(unnamed)
    expect([...new Set(described)].toSorted()).toEqual([...new Set(printed)].toSorted())
    // A preview tells what an action would do.
    const unasked = staffRoutes.filter(
      ({ permission, asksStepUp }) => 'stepUp' in STAFF_PERMISSIONS[permission] && !asksStepUp,
    )
    for (const { route } of unasked) expect(route).toMatch(/\/preview$/)
  })

  test.each(eachRoute)('%s is refused before it does anything', async (_, one) => {
    const expected: Record<string, object> = {}
    const came: Record<string, object> = {}
    const body = isChange(one) ? UNREADABLE : undefined
    async function compare(name: string, headers: Record<string, string>, refusal: object) {
      expected[name] = refusal
      came[name] = await ask(one, headers, { body })
    }
    await compare('nobody', {}, SIGNED_OUT)
    for (const name of ['customer', 'staff'] as const)
      await compare(`a token of the shop, ${name}`, { authorization: `Bearer ${tokens[name]}` }, SIGNED_OUT)
    await compare('an unknown cookie', { cookie: `volant-staff=${'x'.repeat(43)}` }, SIGNED_OUT)
    for (const role of STAFF_ROLES) {
      const isPermitted = permits(role, one.permission)
      if (!isPermitted || one.asksStepUp)
        await compare(role, cookieOf(role), isPermitted ? STEP_UP : NOT_PERMITTED)
    }
    if (isChange(one))
      for (const origin of ['https://other.example', 'null'])
        await compare(`from ${origin}`, { ...cookieOf('owner'), origin }, OTHER_SITE)
    expect(came).toEqual(expected)
  })

  describe.each(APPROVED.map((permission, index) => [permission, FIRST_APPROVAL + index] as const))(
    'on a request for %s',
    (permission, id) => {
      test.each(STAFF_ROLES)('is for those who have that permission: %s', async (role) => {
        const isPermitted = permits(role, permission) && permits(role, 'approvals.read')
        const decide = async (how: string) => {
          const { status, body } = await staff[role].post(`/api/staff/approvals/${id}/${how}/`, {
            reason: 'no',
          })
          return { status, code: body['code'] }
        }
        expect(await decide('approve')).toEqual(isPermitted ? STEP_UP : NOT_PERMITTED)
        const refused = isPermitted ? undefined : await decide('refuse')
        expect(refused).toEqual(isPermitted ? undefined : NOT_PERMITTED)
      })
    },
  )

  test.each(STAFF_ROLES)('steps up for nothing that the role lacks: %s', async (role) => {
    for (const permission of (Object.keys(STAFF_PERMISSIONS) as StaffPermission[]).filter(
      (one) => !permits(role, one),
    ))
      for (const [way, shown] of [
        ['', { password: staff[role].password }],
        ['passkey/', { response: {} }],
      ] as const) {
        const body = { permission, ...shown }
        const response = await staff[role].post(`/api/staff/session/step-up/${way}`, body)
        expect({ status: response.status, code: response.body['code'] }, permission).toEqual(NOT_PERMITTED)
      }
  })

  test('has changed nothing so far', async () => {
    expect(await everyRow(shop, logs)).toEqual(before)
  })

  // What one call does to the caller's own session is undone.
  const openSessions = () =>
    run(`UPDATE staff_sessions SET ended_at = NULL, expires_at = now() + interval '1 hour'`)
  let stepsUp: Promise<unknown> | undefined
  const stepUps = () =>
    run(
      `INSERT INTO staff_step_ups SELECT id, permission, now() + interval '1 hour' FROM staff_sessions, unnest($1::text[]) permission
       ON CONFLICT DO NOTHING`,
      [Object.keys(STAFF_PERMISSIONS)],
    )

  test.runIf(isExtended).each(eachRoute)(
    '%s responds to who may call it, and is recorded',
    async (_, one) => {
      stepsUp ??= stepUps()
      await stepsUp
      // A call that was made before may change nothing more.
      let isFirst = true
      for (const role of STAFF_ROLES.filter((any) => permits(any, one.permission))) {
        const { sessionId, id } = staff[role]
        const counts = `SELECT (SELECT count(*)::int FROM audit_log WHERE entry::jsonb ->> 'session' = '${sessionId}') AS audited,
        (SELECT count(*)::int FROM security_events WHERE event = 'staff_action' AND user_id = ${id}
         AND detail LIKE '${one.route.replaceAll(/:\w+/g, '%')}/') AS recorded`
        const [old] = (await run(counts)).rows
        const response = await ask(one, cookieOf(role), { body: bodyOf(one) })
        await openSessions()
        for (const refusal of [SIGNED_OUT, NOT_PERMITTED, STEP_UP])
          expect(response, role).not.toEqual(refusal)
        expect(response.status, role).toBeLessThan(500)
        const [now] = (await run(counts)).rows
        const isDone: boolean = response.status < 300 && isChange(one) && isFirst
        isFirst &&= !isDone
        const isAudited = now.audited > old.audited || LEAVES_NO_AUDIT_ENTRY.test(addressOf(one, existing))
        const traces = { recorded: now.recorded - old.recorded, isAudited }
        expect(isDone ? traces : ALL_TRACES, role).toEqual(ALL_TRACES)
      }
    },
  )

  test.each<[what: string, change: string, undo?: string]>([
    ['that has ended', 'UPDATE staff_sessions SET ended_at = now() WHERE user_id = $1'],
    ['that has expired', 'UPDATE staff_sessions SET expires_at = now() WHERE user_id = $1'],
    // What ends a session stays its end when it is undone.
    [
      'of somebody suspended',
      'UPDATE users SET is_active = false WHERE id = $1',
      'UPDATE users SET is_active = true WHERE id = $1',
    ],
    [
      'of somebody whose role was taken away',
      'UPDATE users SET role = NULL WHERE id = $1',
      `UPDATE users SET role = 'owner' WHERE id = $1`,
    ],
    ['of somebody with another role', `UPDATE users SET role = 'manager' WHERE id = $1`],
    ['of somebody with another password', `UPDATE users SET password_hash = 'x' WHERE id = $1`],
  ])('of a session %s is refused by every process at once', async (_, change, undo) => {
    const { id, cookie, get } = await shop.newStaff('owner')
    expect((await get('/api/staff/session/')).status).toBe(200)
    await run(change, [id])
    // Each route at one of the processes.
    for (const [index, one] of staffRoutes.entries()) {
      const at = shop.apps[index % shop.apps.length]!
      expect(await ask(one, { cookie }, { at }), one.route).toEqual(SIGNED_OUT)
    }
    if (undo === undefined) return
    await run(undo, [id])
    expect((await get('/api/staff/session/')).status).toBe(401)
  })
})

/** What live mode asks for; nothing here is called. */
const LIVE = {
  MODE: 'live',
  PUBLIC_URL: 'https://shop.example',
  SECRET_KEY: shop.secret,
  LOG_KEY: '5e'.repeat(32),
  PAYPAL_BASE_URL: 'https://api-m.paypal.com',
  PAYPAL_CLIENT_ID: 'id',
  PAYPAL_CLIENT_SECRET: 'secret',
  PAYPAL_WEBHOOK_ID: 'webhook',
  COMPANY_NAME: 'Real Cars Ltd',
  COMPANY_NUMBER: '12345678',
  COMPANY_ADDRESS: '2 Real Street, London',
  POSTAL_ADDRESS: 'Freepost, London',
  CONTACT_EMAIL: 'help@real-cars.example',
  SMTP_URL: 'smtps://mail.example',
}

test('in live mode a session without a second factor may set one up, and nothing else', async () => {
  const live = await testShop({ env: LIVE })
  onTestFinished(() => live.close())
  const owner = await live.newStaff('owner')
  expect(owner.cookie).toMatch(/^__Secure-volant-staff=/)
  const headers = { cookie: owner.cookie, origin: LIVE.PUBLIC_URL }
  const missing = { status: 403, code: 'staff.secondFactorMissing' }
  const called = staffRoutes.filter(({ permission }) => !permission.startsWith('self.'))
  for (const one of called) expect(await ask(one, headers, { at: live.app }), one.route).toEqual(missing)
  expect((await owner.get('/api/staff/session/')).body).toMatchObject({ must_enrol: true })

  const { secret } = (await owner.post('/api/staff/self/authenticator/')).body
  const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate()
  expect((await owner.post('/api/staff/self/authenticator/confirm/', { code })).status).toBe(200)
  expect((await owner.get('/api/staff/session/')).body).toMatchObject({ must_enrol: false })
  for (const one of called.filter((route) => !isChange(route)))
    expect(await ask(one, headers, { at: live.app }), one.route).not.toEqual(missing)

  // Somebody whose factors an owner removed sets one up again before anything else.
  const lost = await live.newStaff('owner')
  const begun = (await lost.post('/api/staff/self/authenticator/')).body['secret'] as string
  const first = new TOTP({ secret: Secret.fromBase32(begun) }).generate()
  expect((await lost.post('/api/staff/self/authenticator/confirm/', { code: first })).status).toBe(200)
  const next = new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + 30_000 })
  const up = { permission: 'staff.change', code: next }
  expect((await owner.post('/api/staff/session/step-up/', up)).status).toBe(204)
  const path = `/api/staff/people/${lost.id}/remove-second-factors/`
  expect((await owner.post(path, { reason: 'phone lost' })).status).toBe(204)
  expect((await lost.get('/api/staff/session/')).status).toBe(401)
  const again = await live.app.inject({
    method: 'POST',
    url: '/api/staff/session/',
    headers: { origin: LIVE.PUBLIC_URL },
    payload: { email: lost.email, password: lost.password },
  })
  expect(again.statusCode).toBe(204)
  const cookie = String(again.headers['set-cookie']).split(';')[0] ?? ''
  const ofLost = (url: string) => live.app.inject({ url, headers: { cookie, origin: LIVE.PUBLIC_URL } })
  expect((await ofLost('/api/staff/session/')).json()).toMatchObject({ must_enrol: true })
  expect((await ofLost('/api/staff/orders/')).json()).toMatchObject({ code: missing.code })

  // The last one stays.
  expect((await owner.post('/api/staff/self/authenticator/remove/')).body['code']).toBe(
    'staff.lastSecondFactor',
  )
})
