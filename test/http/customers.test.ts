import { spawnSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { hasRealOrders } from '../../tools/customers/make-customers.ts'
import { bareEnvironment } from '../../tools/testbed/program.ts'
import { testDatabase } from '../support/database.ts'
import { openShop } from '../support/shop.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { sized } from '../support/tier.ts'

const shop = await openShop()
/** By which a demonstration is recognised. */
const mark = () => shop.pool.query('INSERT INTO demonstration DEFAULT VALUES ON CONFLICT DO NOTHING')
const unmark = () => shop.pool.query('DELETE FROM demonstration')
await mark()
const { orderId } = await shop.approvedOrder(1)

/** Runs the tool, which takes most of a second. */
const run = (args: readonly string[], env: Record<string, string> = {}) =>
  spawnSync(process.execPath, ['tools/customers.ts', ...args], {
    encoding: 'utf8',
    env: { ...bareEnvironment(), DATABASE_URL: shop.url, SECRET_KEY: shop.secret, ...env },
  })

const FIELDS = ['email', 'user_id', 'cart_id', 'access', 'refresh', 'password', 'access_expires_at'] as const
const read = (text: string): Record<(typeof FIELDS)[number], string>[] =>
  JSON.parse(`[${text.trimEnd().replaceAll('\n', ',')}]`)

const users = async () => (await shop.db.selectFrom('users').select('id').execute()).length

test('the tool makes customers with a session, a cart and a password who can buy', async () => {
  // More than one statement makes.
  const COUNT = 1_010
  const file = path.join(temporaryFolder(), 'customers.jsonl')
  expect(run([String(COUNT), '--out', file]).stdout).toContain(`${COUNT} customers of`)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const customers = read(readFileSync(file, 'utf8'))
  for (const field of FIELDS.slice(0, 5))
    expect(new Set(customers.map((one) => one[field])).size, field).toBe(COUNT)

  const offer_id = await shop.newOffer()
  for (const one of [customers[0]!, customers[COUNT - 1]!]) {
    const get = (url: string) => shop.withToken(one.access, 'GET', url)
    expect((await get('/api/cart/')).body).toMatchObject([{ id: one.cart_id, is_empty: true }])
    expect((await get('/api/user/profile/')).body['email']).toBe(one.email)
    const add = `/api/cart/${one.cart_id}/add_item/`
    const added = await shop.withToken(one.access, 'POST', add, { offer_id, quantity: 2 })
    expect(added.status).toBe(200)
    const { body } = await shop.anonymous('POST', '/api/token/refresh/', { refresh: one.refresh })
    const order = await shop.withToken(body['access'], 'POST', '/api/paypal/create-order/', {})
    expect(order.status).toBe(200)
    const claims = JSON.parse(Buffer.from(one.access.split('.')[1]!, 'base64url').toString())
    expect(Date.parse(one.access_expires_at)).toBe(claims.exp * 1000)
    expect(claims.exp * 1000).toBeGreaterThan(Date.now())
    const login = { username: one.email, password: one.password }
    expect((await shop.anonymous('POST', '/api/token/', login)).status).toBe(200)
  }
})

test.runIf(sized({ short: false, extended: true }))('without a file the tool prints the customers', () => {
  expect(read(run(['2']).stdout).map((one) => Object.keys(one).toSorted())).toEqual(
    Array(2).fill([...FIELDS].toSorted()),
  )
})

const PAYPAL = 'https://www.paypal.com/checkoutnow?token=5O190127TN364715T'
const payAt = (address: string) =>
  shop.pool.query('UPDATE orders SET payment_url = $1 WHERE provider_order_id = $2', [address, orderId])
afterAll(() => payAt(`${shop.paypal.url}/checkoutnow`))

test.each([
  [PAYPAL, true],
  ['https://paypal.com/checkoutnow?token=5O190127TN364715T', true],
  ['https://www.sandbox.paypal.com/checkoutnow?token=5O190127TN364715T', false],
  ['https://www.paypal.com.example/checkoutnow', false],
  ['http://127.0.0.1:4010/checkoutnow?at=https://www.paypal.com/', false],
])('a buyer sent to %s proves real orders: %s', async (address, isReal) => {
  await payAt(address)
  expect(await hasRealOrders(shop.db)).toBe(isReal)
})

const wentLive = () => payAt(PAYPAL)

const MISTAKES = sized({ short: ['100001'], extended: ['0', 'many', '', '100001', '1 2'] })

test.each<
  [what: string, message: string, args?: string[], env?: Record<string, string>, prepare?: () => unknown]
>([
  ...MISTAKES.map((text): [string, string, string[]] => [
    `the arguments "${text}"`,
    'Usage: npm run',
    text.split(' ').filter(Boolean),
  ]),
  ['live mode', 'Live', ['1'], { MODE: 'live' }],
  ['a shop that went live', 'has orders to be paid at PayPal with real money', ['1'], {}, wentLive],
  ['a shop that is no demonstration', 'is no demonstration', ['1'], {}, unmark],
])('the tool refuses %s', async (_, message, args = [], env = {}, prepare = () => {}) => {
  await prepare()
  const before = await users()
  expect(run(args, env)).toMatchObject({ status: 1, stdout: '', stderr: expect.stringContaining(message) })
  expect(await users()).toBe(before)
  await unmark()
  await mark()
})

test('the tool refuses an empty database and creates no tables in it', async () => {
  const empty = await testDatabase({ empty: true })
  const refused = run(['1'], { DATABASE_URL: empty.url })
  expect(refused).toMatchObject({ status: 1, stderr: expect.stringContaining('is no demonstration') })
  const { rows } = await empty.pool.query(`SELECT 1 FROM pg_tables WHERE schemaname = 'public'`)
  await empty.close()
  expect(rows).toEqual([])
})

/** Live mode refuses root. */
const NOT_ROOT = 'data:text/javascript,process.geteuid = () => 1000'

test('live mode refuses the database of a demonstration in a sentence', () => {
  const env = {
    ...bareEnvironment(),
    MODE: 'live',
    DATABASE_URL: shop.url,
    SECRET_KEY: shop.secret,
    LOG_KEY: '5e'.repeat(32),
    PUBLIC_URL: 'https://shop.example',
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
    LOG_LEVEL: 'error',
  }
  const refused = spawnSync(process.execPath, ['--import', NOT_ROOT, 'src/server/main.ts'], {
    encoding: 'utf8',
    env,
    timeout: 60_000,
  })
  expect(refused.status).toBe(1)
  expect(refused.stderr).toContain('MODE: live mode refuses this database, which a demonstration has filled')
  expect(refused.stderr).not.toMatch(/^ +at /m)
})
