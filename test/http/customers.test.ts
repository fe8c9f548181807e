import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDemoAccount, createPasswords } from '#features/accounts/server/index.ts'
import { hasRealOrders } from '#features/orders/server/index.ts'
import { testDatabase } from '../support/database.ts'
import { openShop } from '../support/shop.ts'
import { sized } from '../support/tier.ts'

const shop = await openShop()

beforeAll(async () => {
  await putDemoStaff()
})

/** The account by which a demonstration is known. */
async function putDemoStaff(): Promise<void> {
  const cheap = createPasswords({ memoryKiB: 8, passes: 1, parallelism: 1, concurrent: 4, waiting: 1_000 })
  const account = { username: 'equipe', email: 'equipe@volant.example', password: 'a password of the test' }
  await createDemoAccount(shop.db, cheap, { ...account, phone: '', language: 'fr', is_staff: true })
}

const run = (args: readonly string[], env: Record<string, string> = {}) =>
  spawnSync(process.execPath, ['tools/customers.ts', ...args], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    env: { PATH: process.env['PATH'], DATABASE_URL: shop.url, SECRET_KEY: shop.secret, ...env },
  })

interface Line {
  email: string
  password: string
  user_id: number
  cart_id: number
  access: string
  refresh: string
  access_expires_at: string
}

const read = (text: string): Line[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line)

const users = async () => (await shop.db.selectFrom('users').select('id').execute()).length

test('customers of the tool are logged in, have a cart, renew their tokens and can buy', async () => {
  const { stdout, status } = run(['5100'])
  expect(status).toBe(0)
  const customers = read(stdout)
  expect(customers).toHaveLength(5_100)
  for (const field of ['email', 'user_id', 'cart_id', 'access', 'refresh'] as const)
    expect(new Set(customers.map((one) => one[field])).size, field).toBe(5_100)

  const offer_id = await shop.newOffer()
  for (const one of [customers[0]!, customers[5_099]!]) {
    const cart = await shop.withToken(one.access, 'GET', '/api/cart/')
    expect(cart.body).toMatchObject([{ id: one.cart_id, is_empty: true }])
    const profile = await shop.withToken(one.access, 'GET', '/api/user/profile/')
    expect(profile.body['email']).toBe(one.email)
    const added = await shop.withToken(one.access, 'POST', `/api/cart/${one.cart_id}/add_item/`, {
      offer_id,
      quantity: 2,
    })
    expect(added.status).toBe(200)
    const renewed = await shop.anonymous('POST', '/api/token/refresh/', { refresh: one.refresh })
    expect(renewed.status).toBe(200)
    const order = await shop.withToken(
      renewed.body['access'] as string,
      'POST',
      '/api/paypal/create-order/',
      {
        country_code: 'BE',
      },
    )
    expect(order.status).toBe(200)
    expect(Date.parse(one.access_expires_at)).toBeGreaterThan(Date.now())
    const { exp } = JSON.parse(Buffer.from(one.access.split('.')[1]!, 'base64url').toString()) as {
      exp: number
    }
    expect(Date.parse(one.access_expires_at)).toBe(exp * 1000)
  }
})

test('a file of them is the owner’s alone, and their password works', async () => {
  const file = path.join(mkdtempSync(path.join(tmpdir(), 'volant-customers-')), 'customers.jsonl')
  expect(run(['2', '--out', file]).stdout).toContain('2 customers of')
  const [one] = read(readFileSync(file, 'utf8'))
  expect(statSync(file).mode & 0o777).toBe(0o600)
  // Hashed at the full cost, and hashed anew at the cost of the tests when it is used.
  const login = await shop.anonymous('POST', '/api/token/', { username: one!.email, password: one!.password })
  expect(login.status).toBe(200)
})

/** Each starts the tool, which takes most of a second. */
const MISTAKES = sized({ short: [['100001']], extended: [['0'], ['many'], [], ['100001'], ['1', '2']] })

test.each(MISTAKES.map((args) => [args]))('%j is told how it is used', (args) => {
  expect(run(args)).toMatchObject({ status: 1, stderr: expect.stringContaining('Usage: npm run') })
})

test('live mode refuses', () => {
  expect(run(['1'], { MODE: 'live' })).toMatchObject({
    status: 1,
    stdout: '',
    stderr: expect.stringContaining('Live'),
  })
})

describe('a demonstration that went live', () => {
  const payAt = (address: string) =>
    shop.pool.query('UPDATE orders SET payment_url = $1 WHERE provider_order_id = $2', [address, orderId])
  let orderId: string
  beforeAll(async () => {
    orderId = (await shop.approvedOrder(1)).orderId
  })
  afterAll(() => payAt(`${shop.paypal.url}/checkoutnow`))

  test.each([
    ['https://www.paypal.com/checkoutnow?token=5O190127TN364715T', true],
    ['https://paypal.com/checkoutnow?token=5O190127TN364715T', true],
    ['https://www.sandbox.paypal.com/checkoutnow?token=5O190127TN364715T', false],
    ['https://www.paypal.com.example/checkoutnow', false],
    ['http://127.0.0.1:4010/checkoutnow?at=https://www.paypal.com/', false],
  ])('is known by a buyer who was sent to %s: %s', async (address, isReal) => {
    await payAt(address)
    expect(await hasRealOrders(shop.db)).toBe(isReal)
  })

  test('gets no customers', async () => {
    await payAt('https://www.paypal.com/checkoutnow?token=5O190127TN364715T')
    const before = await users()
    expect(run(['1'])).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringContaining('has orders to be paid at PayPal with real money'),
    })
    expect(await users()).toBe(before)
  })
})

describe('a database that is no demonstration', () => {
  const refused = (url: string) =>
    expect(run(['1'], { DATABASE_URL: url })).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringContaining('is no demonstration'),
    })

  test('gets no customers, whatever MODE says in this shell', async () => {
    const before = await users()
    // Anybody may register by the address of the demonstration's staff, but nobody as staff.
    await shop.pool.query(`UPDATE users SET is_staff = false WHERE email = 'equipe@volant.example'`)
    refused(shop.url)
    await shop.pool.query(`UPDATE users SET is_staff = true WHERE email = 'equipe@volant.example'`)
    expect(await users()).toBe(before)
  })

  test('is left as it is, without a table too', async () => {
    const empty = await testDatabase({ empty: true })
    refused(empty.url)
    const { rows } = await empty.pool.query(`SELECT 1 FROM pg_tables WHERE schemaname = 'public'`)
    await empty.close()
    expect(rows).toEqual([])
  })
})
