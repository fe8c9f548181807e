import { spawnSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { createDemoAccount, createPasswords } from '#features/accounts/server/index.ts'
import { hasRealOrders } from '../../tools/customers/make-customers.ts'
import { testDatabase } from '../support/database.ts'
import { openShop } from '../support/shop.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { sized } from '../support/tier.ts'

const shop = await openShop()
// The account by which a demonstration is recognised.
const CHEAP = { memoryKiB: 8, passes: 1, parallelism: 1, concurrent: 4, waiting: 1_000 }
const STAFF = { username: 'equipe', email: 'equipe@volant.example', password: 'a password of the test' }
const account = { ...STAFF, phone: '', language: 'fr', is_staff: true } as const
await createDemoAccount(shop.db, createPasswords(CHEAP), account)
const { orderId } = await shop.approvedOrder(1)

/** Runs the tool, which takes most of a second. */
const run = (args: readonly string[], env: Record<string, string> = {}) =>
  spawnSync(process.execPath, ['tools/customers.ts', ...args], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], DATABASE_URL: shop.url, SECRET_KEY: shop.secret, ...env },
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

const setStaff = (isStaff: boolean) =>
  shop.pool.query('UPDATE users SET is_staff = $1 WHERE email = $2', [isStaff, STAFF.email])
const notStaff = () => setStaff(false)
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
  // Anybody may register with the address of the demonstration's staff, but not as staff.
  ['a shop that is no demonstration', 'is no demonstration', ['1'], {}, notStaff],
])('the tool refuses %s', async (_, message, args = [], env = {}, prepare = () => {}) => {
  await prepare()
  const before = await users()
  expect(run(args, env)).toMatchObject({ status: 1, stdout: '', stderr: expect.stringContaining(message) })
  expect(await users()).toBe(before)
  await setStaff(true)
})

test('the tool refuses an empty database and creates no tables in it', async () => {
  const empty = await testDatabase({ empty: true })
  const refused = run(['1'], { DATABASE_URL: empty.url })
  expect(refused).toMatchObject({ status: 1, stderr: expect.stringContaining('is no demonstration') })
  const { rows } = await empty.pool.query(`SELECT 1 FROM pg_tables WHERE schemaname = 'public'`)
  await empty.close()
  expect(rows).toEqual([])
})
