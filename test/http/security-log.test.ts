import { decodeJwt } from 'jose'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { silentLog } from '#platform/postgres/log.ts'
import { securityLog } from '#platform/security-log.ts'
import { openShop } from '../support/shop.ts'

const lines: Record<string, unknown>[] = []
const shop = await openShop({
  env: { LIMIT_GENEROUS: 'account 4/1h, address 9000/1h, all 9000/1h', LOG_LEVEL: 'info' },
  logLine: (line) => lines.push(line),
})

interface Listed {
  event: string
  detail: string | null
  network: string | null
  times: number
}

test('staff read what happened to an account; nothing of it names anybody', async () => {
  const staff = await shop.newStaff('support')
  const ada = await shop.newCustomer()
  const bob = await shop.newCustomer()
  const { access = '', refresh = '' } = await shop.sessionOf(ada)
  await shop.sessionOf({ email: ada.email, password: 'wrong' })
  await shop.anonymous('POST', '/api/user/forgot-password/', { email: ada.email })
  await shop.sendPasswordResets()
  const theirs = (await bob.order(await shop.newOffer(), 1)).body['order_id']
  await ada.get(`/api/paypal/orders/${theirs}/`)
  await ada.get('/api/staff/alerts/')
  const clerk = await shop.newStaff('postal')
  await clerk.post(`/api/staff/accounts/${ada.id}/end-sessions/`)
  const next = 'Fresh-Horse7!'
  await ada.put('/api/user/change-password/', {
    current_password: ada.password,
    new_password: next,
    confirm_password: next,
  })
  await ada.put('/api/user/profile/', { email: `new-${ada.email}`, current_password: next })
  const token = await shop.emailLinkTo(`new-${ada.email}`)
  await shop.anonymous('POST', '/api/user/email-link/', { token })
  for (let calls = 0; calls < 5; calls += 1) await ada.create()
  const phone = await shop.sessionOf({ email: `new-${ada.email}`, password: next })
  await ada.post(`/api/user/sessions/${String(decodeJwt(phone['access'] ?? '')['sid'])}/end/`, {
    current_password: next,
  })
  expect((await staff.post(`/api/staff/accounts/${ada.id}/end-sessions/`)).body).toEqual({ ended: 1 })

  const listed = async () =>
    (await staff.get(`/api/staff/accounts/${ada.id}/security/`)).body['items'] as Listed[]
  const seen = async () =>
    (await listed()).flatMap(({ event, detail, times }) =>
      Array<string>(times).fill(detail === null ? event : `${event}: ${detail}`),
    )
  await expect
    .poll(async () => (await seen()).toSorted())
    .toEqual([
      'access_refused: GET /api/paypal/orders/:orderId/ checkout.orderNotFound',
      'email_change_requested: with password',
      'email_changed',
      'limit_reached: createOrder',
      'login',
      'login',
      'login',
      'login_failed: credentials',
      'password_changed',
      'reset_link_sent',
      'session_ended: owner',
      'session_ended: staff',
    ])
  const path = `/api/staff/accounts/${ada.id}/security/`
  const { body: first } = await staff.get(`${path}?limit=5`)
  const { body: rest } = await staff.get(`${path}?limit=100&after=${first['next']}`)
  expect([...first['items'], ...rest['items']]).toEqual(await listed())
  const refused = sql`
    SELECT detail, user_id AS by FROM security_events WHERE detail LIKE '% /api/staff/%' AND event = 'access_refused' ORDER BY 1`
  expect((await refused.execute(shop.db)).rows).toEqual([
    // Ada's token, which a staff call does not read.
    { detail: 'GET /api/staff/alerts/ staff.signInRequired', by: null },
    { detail: 'POST /api/staff/accounts/:id/end-sessions/ auth.staffOnly', by: clerk.id },
  ])
  const { rows } = await sql<{ row: string }>`SELECT e::text AS row FROM security_events e`.execute(shop.db)
  const ofLog = lines.filter((line) => 'security' in line)
  expect(ofLog.length).toBeGreaterThan(8)
  const told = JSON.stringify([rows, ofLog])
  expect(told).toContain('reset_requested')
  for (const secret of [ada.email, 'buyer', '127.0.0.1', access, refresh, next])
    expect(told).not.toContain(secret)
})

test('a flood of events is counted, and stored in few rows', async () => {
  const told: object[] = []
  const log = securityLog({
    db: shop.db,
    secret: shop.secret,
    log: { ...silentLog, info: (fields) => void told.push(fields) },
    most: 3,
  })
  const detail = 'flood'
  for (let index = 0; index < 10; index += 1)
    for (const address of ['192.0.2.1', `198.51.100.${index}`])
      log.record({ event: 'limit_reached', userId: 7, address, detail })
  await log.flush()
  const rows = await shop.db
    .selectFrom('security_events')
    .select(['user_id', 'times'])
    .where((one) => one.or([one('user_id', '=', 7), one('user_id', 'is', null)]))
    .where('event', '=', 'limit_reached')
    .orderBy('times')
    .execute()
  expect(rows).toEqual([
    { user_id: 7, times: 1 },
    { user_id: 7, times: 1 },
    { user_id: null, times: 8 },
    { user_id: 7, times: 10 },
  ])
  expect(told).toHaveLength(4)
})

test('when staff end the sessions of an account, a change of its address does not wait any more', async () => {
  const [thief, staff] = [await shop.newCustomer(), await shop.newStaff('support')]
  const email = `thief-${thief.email}`
  await thief.put('/api/user/profile/', { email, current_password: thief.password })
  const token = await shop.emailLinkTo(email)
  expect((await staff.post(`/api/staff/accounts/${thief.id}/end-sessions/`)).body).toEqual({ ended: 1 })
  expect((await shop.anonymous('POST', '/api/user/email-link/', { token })).status).toBe(410)
})
