import { type ChildProcess, spawn } from 'node:child_process'
import path from 'node:path'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type PaypalEmulator, startPaypalEmulator } from '../../emulators/paypal/server.ts'
import { type TestDatabase, testDatabase } from '../support/database.ts'
import { freePort } from '../../tools/run/free-port.ts'

/** The shop as a process of its own, so that it can be killed; no notification of the provider helps it. */
let database: TestDatabase
let paypal: PaypalEmulator
let port: number
let shop: ChildProcess | undefined

/** How long `timeout@buyer.test` lets a capture that took effect go unanswered: for ever, or until the process has stopped. */
const HANG_MS = { crash: 300_000, stop: 2_000 }

const root = path.resolve(import.meta.dirname, '../..')
const url = (route: string): string => `http://127.0.0.1:${port}${route}`

async function startShop(): Promise<void> {
  shop = spawn(process.execPath, ['src/server/main.ts'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      PATH: process.env['PATH'],
      PORT: String(port),
      DATABASE_URL: database.url,
      DATA_DIR: dataDir,
      SECRET_KEY: 'a secret of the crash tests, long enough to sign with',
      PAYPAL_BASE_URL: paypal.url,
      PAYPAL_TIMEOUT_MS: '60000',
      LOG_LEVEL: 'error',
    },
  })
  await vi.waitUntil(isReady, { timeout: 60_000, interval: 100 })
}

const isReady = (): Promise<boolean> =>
  fetch(url('/api/health/ready')).then(
    (answer) => answer.ok,
    () => false,
  )

async function killShop(): Promise<void> {
  const dead = new Promise((resolve) => shop?.once('exit', resolve))
  shop?.kill('SIGKILL')
  await dead
}

let dataDir: string

beforeAll(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), 'volant-crash-'))
  database = await testDatabase()
  port = await freePort()
  paypal = await startPaypalEmulator({ port: 0 })
  await startShop()
})
afterAll(async () => {
  if (shop?.exitCode === null) await killShop()
  await paypal.close()
  await database.close()
})

// oxlint-disable-next-line typescript/no-explicit-any -- a body is whatever came; the matchers below look into it
type Body = Record<string, any>

async function call(route: string, body: unknown, token?: string): Promise<Body> {
  const answer = await fetch(url(route), {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return (await answer.json()) as Body
}

/** A new customer with two tickets in the cart and an approved order. */
async function approvedOrder(
  buyer = 'buyer@buyer.test',
): Promise<{ token: string; orderId: string; offerId: number }> {
  const name = `crash${Math.floor(performance.now() * 1000)}`
  const email = `${name}@example.test`
  const password = 'correct horse'
  await call('/api/user/register/', { username: name, email, password, phone_number: '+33612345678' })
  const { access: token } = await call('/api/token/', { username: email, password })
  const offers = (await call('/api/offers/', undefined)) as unknown as {
    id: number
    question: null | string
    is_active: boolean
    tickets_sold: number
    total_tickets: number
  }[]
  const offer = offers.find(
    (one) => one.is_active && one.question === null && one.total_tickets - one.tickets_sold > 10,
  )
  const [cart] = (await call('/api/cart/', undefined, token)) as unknown as { id: number }[]
  await call(`/api/cart/${cart?.id}/add_item/`, { offer_id: offer?.id, quantity: 2 }, token)
  const { order_id: orderId } = await call('/api/paypal/create-order/', { country_code: 'BE' }, token)
  await paypal.approve(orderId, buyer)
  return { token, orderId, offerId: offer?.id ?? 0 }
}

const stateOf = async (orderId: string): Promise<string | undefined> =>
  (
    await database.db
      .selectFrom('orders')
      .select('state')
      .where('provider_order_id', '=', orderId)
      .executeTakeFirst()
  )?.state

/** What the provider has taken for an order: stays, unlike the state, which passes. */
const capturesOf = (orderId: string) =>
  [...paypal.book.captures.values()].filter((one) => one.orderId === orderId)

const ticketsOf = async (orderId: string): Promise<number> =>
  (
    await database.db
      .selectFrom('tickets')
      .innerJoin('orders', 'orders.id', 'tickets.order_id')
      .select('tickets.id')
      .where('provider_order_id', '=', orderId)
      .execute()
  ).length

test('kill -9 while the provider takes the money: after a restart the tickets are there, paid once', async () => {
  // The provider takes the money and answers late: the shop dies before it can write the answer down.
  paypal.settings.hangMs = HANG_MS.crash
  const { token, orderId } = await approvedOrder('timeout@buyer.test')
  const capturing = call('/api/paypal/capture-payment/', { order_id: orderId }, token).catch(() => 'cut off')
  await expect.poll(() => capturesOf(orderId)).toHaveLength(1)
  expect(await stateOf(orderId)).toBe('capturing')
  await killShop()
  expect(await capturing).toBe('cut off')
  expect(await ticketsOf(orderId)).toBe(0)

  await startShop()
  await expect
    .poll(async () => (await call(`/api/paypal/orders/${orderId}/`, undefined, token))['progress'], {
      timeout: 120_000,
    })
    .toBe('completed')
  expect(await ticketsOf(orderId)).toBe(2)
  expect(capturesOf(orderId)).toHaveLength(1)
})

test('kill -9 before the buyer pays: the order is still there and can be paid after a restart', async () => {
  const { token, orderId } = await approvedOrder()
  await killShop()
  await startShop()
  const answer = await call('/api/paypal/capture-payment/', { order_id: orderId }, token)
  expect(answer['status']).toBe('COMPLETED')
  expect(answer['tickets']).toHaveLength(2)
})

test('a stop asked for by SIGTERM lets the capture under way finish', async () => {
  paypal.settings.hangMs = HANG_MS.stop
  const { token, orderId } = await approvedOrder('timeout@buyer.test')
  const capturing = call('/api/paypal/capture-payment/', { order_id: orderId }, token)
  await expect.poll(() => capturesOf(orderId)).toHaveLength(1)
  const exit = new Promise<number | null>((resolve) => shop?.once('exit', resolve))
  shop?.kill('SIGTERM')
  expect((await capturing)['status']).toBe('COMPLETED')
  expect(await exit).toBe(0)
})
