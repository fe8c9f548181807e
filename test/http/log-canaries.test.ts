import { expect, test } from 'vitest'
import { resetTokens } from '#features/accounts/server/index.ts'
import { openShop } from '../support/shop.ts'

/** What no log may contain; each is sent, stored or issued during the journey. */
const canaries = new Set<string>()
const canary = (text: string): string => {
  canaries.add(text)
  return text
}

const lines: string[] = []
const shop = await openShop({
  env: {
    LOG_LEVEL: 'debug',
    TRUST_PROXY: 'true',
    // No mail server responds, which is logged.
    SMTP_URL: 'smtp://kestrel-user:kestrel-smtp-secret@127.0.0.1:9',
  },
  logLine: (line) => lines.push(JSON.stringify(line)),
})

const EMAIL = canary('kestrel.canary@birds.example.test')
const FIRST = canary('Kestrel-First-1!')
const SECOND = canary('Kestrel-Second-2!')
const WRONG = canary('Kestrel-Wrong-3!')
const PHONE = '+33698765432'
canary('698765432')
canary('kestrel-smtp-secret')
canary('kestrel-user')

const post = (url: string, body: unknown, token = '') => shop.withToken(token, 'POST', url, body)
const statusOf = async (url: string, body: unknown, token?: string) => (await post(url, body, token)).status
async function logIn(password: string) {
  const { body } = await post('/api/token/', { username: EMAIL, password })
  return { access: canary(body['access']), refresh: canary(body['refresh']) }
}

/** Lets every statement on a table fail with the row in the message. @returns the status of a call meanwhile */
async function statusWhileFailing(table: string, call: () => Promise<number>): Promise<number> {
  await shop.pool.query(`CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      RAISE EXCEPTION 'cannot store %', NEW USING DETAIL = NEW::text; END $$;
    CREATE TRIGGER fail BEFORE INSERT OR UPDATE ON ${table} FOR EACH ROW EXECUTE FUNCTION fail()`)
  const status = await call()
  await shop.pool.query('DROP FUNCTION fail() CASCADE')
  return status
}

test('a whole journey logs no password, token or email address', async () => {
  const account = { username: 'kestrel', email: EMAIL, password: FIRST, phone_number: PHONE }
  expect(await statusOf('/api/user/register/', account)).toBe(201)
  expect(await statusOf('/api/user/register/', account)).toBe(400)
  expect(await statusOf('/api/token/', { username: EMAIL, password: WRONG })).toBe(401)
  const broken = `{"username":"${EMAIL}","password":"${WRONG}"`
  const json = { headers: { 'content-type': 'application/json' } }
  expect((await shop.anonymous('POST', '/api/token/', broken, json)).status).toBe(400)
  const link = canary(await shop.emailLinkTo(EMAIL))
  expect(await statusOf('/api/user/email-link/', { token: `${link}x` })).toBe(410)
  expect((await shop.anonymous('GET', `/email-link/${link}`)).status).toBe(404)
  const first = await logIn(FIRST)
  expect((await shop.withToken(first.access, 'GET', '/api/user/profile/')).status).toBe(200)
  expect((await shop.withToken(`${first.access}x`, 'GET', '/api/cart/')).status).toBe(401)
  const unknown = `/api/nothing/${first.refresh}/?token=${first.access}`
  expect((await shop.anonymous('GET', unknown)).status).toBe(404)
  expect(await statusOf('/api/token/refresh/', { refresh: first.refresh })).toBe(200)

  // A forgotten password, reset.
  expect(await statusOf('/api/user/forgot-password/', { email: EMAIL })).toBe(202)
  await shop.sendPasswordResets()
  const { id } = await shop.db.selectFrom('password_resets').select('id').executeTakeFirstOrThrow()
  const token = canary(resetTokens(shop.secret).of(id))
  await shop.mailer.deliver()
  const chosen = { token, new_password: SECOND, confirm_password: SECOND }
  expect(await statusOf('/api/user/reset-password/', chosen)).toBe(200)
  expect(await statusOf('/api/user/reset-password/', chosen)).toBe(410)

  // A purchase, with a notification.
  const { access, refresh } = await logIn(SECOND)
  const { id: cartId } = (await shop.withToken(access, 'GET', '/api/cart/')).body[0]
  const item = { offer_id: await shop.newOffer(), quantity: 2 }
  await post(`/api/cart/${cartId}/add_item/`, item, access)
  const { order_id } = (await post('/api/paypal/create-order/', { country_code: 'BE' }, access)).body
  await shop.paypal.approve(order_id, canary('kestrel.payer@birds.example.test'))
  expect(await statusOf('/api/paypal/capture-payment/', { order_id }, access)).toBe(200)
  const forged = { id: 'WH-1', event_type: 'X', resource: { payer: { email_address: EMAIL }, note: refresh } }
  expect(await statusOf('/api/paypal/webhook/', forged)).toBe(400)
  await shop.mailer.deliver()

  // Unexpected errors whose messages contain the stored row.
  const other = { ...account, username: 'kite', email: canary('kite.canary@birds.example.test') }
  const moved = { email: canary('moved.canary@birds.example.test'), phone: PHONE }
  for (const [table, call] of [
    ['users', () => statusOf('/api/user/register/', other)],
    ['users', async () => (await shop.withToken(access, 'PUT', '/api/user/profile/', moved)).status],
    ['email_links', () => statusOf('/api/user/register/', other)],
    ['sessions', () => statusOf('/api/token/', { username: EMAIL, password: SECOND })],
    ['password_reset_requests', () => statusOf('/api/user/forgot-password/', { email: EMAIL })],
  ] as const)
    expect(await statusWhileFailing(table, call)).toBe(500)
  expect(await statusOf('/api/token/logout/', { refresh })).toBe(204)

  const log = lines.join('\n')
  for (const expected of [
    'unexpected failure',
    'a notification with a bad signature',
    'cannot store',
    'mail not sent yet',
    '[e-mail]',
  ])
    expect(log).toContain(expected)
  for (const one of canaries) expect(log.includes(one), `the log contains ${one}`).toBe(false)
})
