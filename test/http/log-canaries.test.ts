import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { resetTokens } from '#features/accounts/server/index.ts'
import { openShop } from '../support/shop.ts'

/** What must never be found in a log; each has been sent, stored or issued on the journey. */
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
    // Nobody takes the emails, and the log tells of that.
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

const post = async (url: string, body: unknown) => await shop.anonymous('POST', url, body)
const loggedIn = async (password: string) => {
  const { body } = await post('/api/token/', { username: EMAIL, password })
  return { access: canary(body['access'] as string), refresh: canary(body['refresh'] as string) }
}

/** Lets every statement on a table fail, with what it was given in the message. */
const sabotaged = async (table: string, work: () => Promise<void>) => {
  await sql`CREATE FUNCTION tell() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    RAISE EXCEPTION 'cannot store %', NEW USING DETAIL = NEW::text; END $$`.execute(shop.db)
  await sql`CREATE TRIGGER tell BEFORE INSERT OR UPDATE ON ${sql.table(table)} FOR EACH ROW EXECUTE FUNCTION tell()`.execute(
    shop.db,
  )
  await work()
  await sql`DROP FUNCTION tell() CASCADE`.execute(shop.db)
}

test('no password, token or e-mail address of a whole journey is in any line of the log', async () => {
  const account = { username: 'kestrel', email: EMAIL, password: FIRST, phone_number: PHONE }
  expect((await post('/api/user/register/', account)).status).toBe(201)
  expect((await post('/api/user/register/', account)).status).toBe(400)
  expect((await post('/api/token/', { username: EMAIL, password: WRONG })).status).toBe(401)
  const broken = `{"username":"${EMAIL}","password":"${WRONG}"`
  const json = { headers: { 'content-type': 'application/json' } }
  expect((await shop.anonymous('POST', '/api/token/', broken, json)).status).toBe(400)
  const first = await loggedIn(FIRST)
  expect((await shop.withToken(first.access, 'GET', '/api/user/profile/')).status).toBe(200)
  expect((await shop.withToken(`${first.access}x`, 'GET', '/api/cart/')).status).toBe(401)
  expect((await shop.anonymous('GET', `/api/nothing/${first.refresh}/?token=${first.access}`)).status).toBe(
    404,
  )
  expect((await post('/api/token/refresh/', { refresh: first.refresh })).status).toBe(200)

  // A forgotten password, to the end.
  expect((await post('/api/user/forgot-password/', { email: EMAIL })).status).toBe(202)
  await shop.sendPasswordResets()
  const { id } = await shop.db.selectFrom('password_resets').select('id').executeTakeFirstOrThrow()
  const token = canary(resetTokens(shop.secret).of(id))
  await shop.mailer.deliver()
  const chosen = { token, new_password: SECOND, confirm_password: SECOND }
  expect((await post('/api/user/reset-password/', chosen)).status).toBe(200)
  expect((await post('/api/user/reset-password/', chosen)).status).toBe(410)

  // A purchase, captured and told of by the provider.
  const { access, refresh } = await loggedIn(SECOND)
  const cart = (await shop.withToken(access, 'GET', '/api/cart/')).body as unknown as { id: number }[]
  const offer_id = await shop.newOffer()
  await shop.withToken(access, 'POST', `/api/cart/${cart[0]!.id}/add_item/`, { offer_id, quantity: 2 })
  const order = await shop.withToken(access, 'POST', '/api/paypal/create-order/', { country_code: 'BE' })
  const orderId = order.body['order_id'] as string
  await shop.paypal.approve(orderId, canary('kestrel.payer@birds.example.test'))
  const paid = await shop.withToken(access, 'POST', '/api/paypal/capture-payment/', { order_id: orderId })
  expect(paid.status).toBe(200)
  const forged = { id: 'WH-1', event_type: 'X', resource: { payer: { email_address: EMAIL }, note: refresh } }
  expect((await post('/api/paypal/webhook/', forged)).status).toBe(400)
  await shop.mailer.deliver()

  // Faults that nobody expected, whose messages quote what was stored.
  await sabotaged('users', async () => {
    const other = { ...account, username: 'kite', email: canary('kite.canary@birds.example.test') }
    expect((await post('/api/user/register/', other)).status).toBe(500)
    const body = { email: canary('moved.canary@birds.example.test'), phone: PHONE }
    expect((await shop.withToken(access, 'PUT', '/api/user/profile/', body)).status).toBe(500)
  })
  await sabotaged('sessions', async () => {
    expect((await post('/api/token/', { username: EMAIL, password: SECOND })).status).toBe(500)
  })
  await sabotaged('password_reset_requests', async () => {
    expect((await post('/api/user/forgot-password/', { email: EMAIL })).status).toBe(500)
  })
  expect((await post('/api/token/logout/', { refresh })).status).toBe(204)

  const log = lines.join('\n')
  for (const expected of [
    'unexpected failure',
    'a notification with a bad signature',
    'cannot store',
    'mail not sent yet',
  ])
    expect(log, 'the log told of it').toContain(expected)
  expect(log).toContain('[e-mail]')
  for (const one of canaries) expect(log.includes(one), `the log contains ${one}`).toBe(false)
})
