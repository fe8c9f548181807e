import { type ChildProcess, spawn } from 'node:child_process'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type PaypalEmulator, startPaypalEmulator } from '../../emulators/paypal/server.ts'
import { insertOffer } from '#features/offers/server/index.ts'
import { openDatabase } from '#platform/database.ts'
import { type EmbeddedPostgres, ensureEmbeddedPostgres } from '#platform/postgres/embedded.ts'
import { silentLog } from '#platform/postgres/log.ts'
import { transact } from '#platform/transaction.ts'
import { makeCustomers } from '../../tools/customers/make-customers.ts'
import { freePort } from '../../tools/run/free-port.ts'

/** A shop of its own on a PostgreSQL of its own, which is stopped and started again under it. */
const projectDir = path.resolve(import.meta.dirname, '../..')
let folder: string
let postgres: EmbeddedPostgres
let paypal: PaypalEmulator
let shop: ChildProcess
let port: number

const secret = 'a secret of the restart test, long enough to sign with'

const url = (route: string): string => `http://127.0.0.1:${port}${route}`

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'volant-restart-'))
  // Root's server runs under another account, which must pass through.
  await chmod(folder, 0o711)
  postgres = await startPostgres()
  paypal = await startPaypalEmulator({ port: 0 })
  port = await freePort()
  shop = startShop({ LOG_LEVEL: 'silent' }, 'ignore')
  await vi.waitUntil(async () => (await ready())[0] === 200, PATIENCE)
})
afterAll(async () => {
  if (shop.exitCode === null) shop.kill('SIGKILL')
  await paypal.close()
  await postgres.stop()
  await rm(folder, { recursive: true, force: true })
})

const startShop = (env: Record<string, string>, output: 'ignore' | 'pipe'): ChildProcess =>
  spawn(process.execPath, ['src/server/main.ts'], {
    cwd: projectDir,
    stdio: ['ignore', output, 'inherit'],
    env: {
      PATH: process.env['PATH'],
      PORT: String(port),
      DATABASE_URL: postgres.url,
      DATA_DIR: path.join(folder, 'shop'),
      SECRET_KEY: secret,
      PAYPAL_BASE_URL: paypal.url,
      DRAIN_SECONDS: '8',
      ...env,
    },
  })

const PATIENCE = { timeout: 60_000, interval: 100 }
const startPostgres = (): Promise<EmbeddedPostgres> =>
  ensureEmbeddedPostgres({ dataDir: folder, projectDir, log: silentLog })

/** Status and word of the readiness; 0 while nobody listens. */
const ready = (): Promise<[number, string]> =>
  fetch(url('/api/health/ready')).then(
    async (answer) => [answer.status, ((await answer.json()) as { status: string }).status],
    () => [0, 'gone'],
  )
const serverPid = async (): Promise<number> =>
  Number.parseInt(await readFile(path.join(postgres.dataDir, 'cluster/postmaster.pid'), 'utf8'), 10)

/**
 * Kills PostgreSQL as a power cut does: what it had not written is gone. This process keeps it running, so
 * another server is there soon after: the shop may never have been asked meanwhile.
 */
async function crashPostgres(): Promise<void> {
  const pid = await serverPid()
  process.kill(pid, 'SIGKILL')
  await expect.poll(() => serverPid().catch(() => pid), PATIENCE).not.toBe(pid)
  await expect.poll(ready, PATIENCE).toEqual([200, 'ok'])
}

// oxlint-disable-next-line typescript/no-explicit-any -- a body is whatever came; the matchers below look into it
type Body = Record<string, any>

async function post(token: string, route: string, body: object): Promise<Body> {
  const answer = await fetch(url(route), {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  })
  return (await answer.json()) as Body
}

/** A contest, and customers who are logged in. */
async function contestWithBuyers(count: number) {
  const database = openDatabase({ url: postgres.url, max: 2, log: silentLog, applicationName: 'test' })
  const offer = {
    slug: 'crash',
    title: 'Crash',
    price_cents: 490,
    total_tickets: 100,
    end_date: new Date(Date.now() + 86_400_000),
    number_key: Buffer.alloc(32, 7),
    choices: [],
  }
  const offerId = await transact(database.db, (trx) => insertOffer(trx, { offer, pictures: [] }))
  const buyers = await makeCustomers(database.db, count, { secret, passwordHash: 'none' })
  await database.close()
  return { offerId, buyers }
}

const statusOf = (route: string): Promise<number> => fetch(url(route)).then(({ status }) => status)

test('a database that restarts makes the shop wait, not end', async () => {
  const { pid } = shop
  await postgres.stop()
  await expect.poll(ready, PATIENCE).toEqual([503, 'database away'])
  expect(await statusOf('/api/health/live')).toBe(200)
  const refused = await fetch(url('/api/offers/'))
  expect(refused.status).toBe(503)
  expect(refused.headers.get('retry-after')).toBeTruthy()

  postgres = await startPostgres()
  await expect.poll(ready, PATIENCE).toEqual([200, 'ok'])
  expect(await statusOf('/api/offers/')).toBe(200)
  expect([shop.pid, shop.exitCode]).toEqual([pid, null])
})

test('a shop that starts before its database waits for it', async () => {
  await postgres.stop()
  const own = await freePort()
  const early = startShop({ PORT: String(own), LOG_LEVEL: 'warn', DRAIN_SECONDS: '0' }, 'pipe')
  let output = ''
  early.stdout?.on('data', (piece: Buffer) => void (output += piece.toString()))
  try {
    await expect.poll(() => output, PATIENCE).toContain('waiting for the database')
    postgres = await startPostgres()
    const isReady = () =>
      fetch(`http://127.0.0.1:${own}/api/health/ready`).then(
        ({ ok }) => ok,
        () => false,
      )
    await expect.poll(isReady, PATIENCE).toBe(true)
    await expect.poll(ready, PATIENCE).toEqual([200, 'ok'])
  } finally {
    early.kill('SIGKILL')
  }
})

test('an order that was answered outlives kill -9 of PostgreSQL, although its hold alone need not', async () => {
  const { offerId, buyers } = await contestWithBuyers(3)
  for (const { access, cartId } of buyers) {
    await post(access, `/api/cart/${cartId}/add_item/`, { offer_id: offerId, quantity: 2 })
    const { order_id: orderId } = await post(access, '/api/paypal/create-order/', { country_code: 'BE' })
    expect(orderId).toBeTruthy()
    await crashPostgres()
    await paypal.approve(orderId as string)
    const paid = await post(access, '/api/paypal/capture-payment/', { order_id: orderId })
    expect(paid).toMatchObject({ status: 'COMPLETED' })
    const numbers = (paid['tickets'] as { ticket_number: string }[]).map((one) => one.ticket_number)

    await crashPostgres()
    const after = await fetch(url('/api/tickets/'), { headers: { authorization: `Bearer ${access}` } })
    const kept = (await after.json()) as { ticket_number: string }[]
    expect(kept.map((one) => one.ticket_number)).toEqual(numbers)
  }
})

test('a process that was told to stop says so while it still answers, then ends well', async () => {
  const ended = new Promise<number | null>((resolve) => shop.once('exit', resolve))
  shop.kill('SIGTERM')
  await expect.poll(ready, PATIENCE).toEqual([503, 'stopping'])
  expect(await statusOf('/api/offers/')).toBe(200)
  expect(await statusOf('/api/health/live')).toBe(200)
  expect(await ended).toBe(0)
})
