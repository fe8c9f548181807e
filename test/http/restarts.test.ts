import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type PaypalEmulator, startPaypalEmulator } from '../../emulators/paypal/server.ts'
import { type EmbeddedPostgres, ensureEmbeddedPostgres } from '#platform/postgres/embedded.ts'
import { silentLog } from '#platform/postgres/log.ts'
import { startBalancer } from '../support/balancer.ts'
import { type TestShop, testShop } from '../support/shop.ts'
import { PATIENCE, type ShopProcess, startShopProcess } from '../support/shop-process.ts'
import { isExtended } from '../support/tier.ts'

/**
 * Whole processes and databases that stop, are killed and start again. Most are long and run in the extended form; the short
 * form has the same at the in-process shop (operation.test.ts) and a killed database (embedded.db.test.ts).
 */
const ROOT = path.resolve(import.meta.dirname, '../..')
const SECRET = 'a secret of the restart test, long enough to sign with'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'volant-restarts-'))
  // Root's PostgreSQL runs under another account, which needs access.
  await chmod(folder, 0o711)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** The settings of a process of an in-process shop: the same database, provider and secret. */
const envOf = (shop: TestShop, name: string): Record<string, string> => ({
  DATABASE_URL: shop.url,
  DATA_DIR: path.join(folder, name),
  SECRET_KEY: shop.secret,
  LOG_KEY: '5e'.repeat(32),
  PAYPAL_BASE_URL: shop.paypal.url,
})

describe('a process that ends during a purchase, without notifications of the provider', () => {
  let shop: TestShop
  let running: ShopProcess

  async function start(): Promise<void> {
    running = await startShopProcess({ env: { ...envOf(shop, 'crash'), PAYPAL_TIMEOUT_MS: '60000' } })
    await running.whenReady()
  }
  beforeAll(async () => {
    shop = await testShop()
    shop.paypal.faults.change({ missingWebhooks: 1 })
    await start()
  })
  afterAll(async () => {
    await running?.end('SIGKILL')
    await shop.close()
  })

  /**
   * An approved order of two tickets, and the call that pays it at the process.
   * @param hangMs how long the provider leaves a capture that took effect without a response
   */
  async function approvedOrder(hangMs = 0) {
    shop.paypal.settings.hangMs = hangMs
    const buyer = hangMs > 0 ? 'timeout@buyer.test' : 'buyer@buyer.test'
    const { customer, orderId, offerId } = await shop.approvedOrder(2, buyer)
    const token = (await shop.sessionOf(customer))['access']
    return {
      orderId,
      pay: () => running.call('/api/paypal/capture-payment/', token, { order_id: orderId }),
      progress: async () => (await running.call(`/api/paypal/orders/${orderId}/`, token))['progress'],
      counters: () => shop.counters(offerId),
      tickets: () => shop.ticketCount(customer),
      captures: () => shop.capturesOf(orderId),
    }
  }

  test('kill -9 during the capture: after a restart the tickets are issued and paid once', async () => {
    const order = await approvedOrder(300_000)
    const capturing = order.pay().catch(() => 'cut off')
    await expect.poll(order.captures).toHaveLength(1)
    expect(await shop.orderState(order.orderId)).toBe('capturing')
    await running.end('SIGKILL')
    expect(await capturing).toBe('cut off')
    expect(await order.tickets()).toBe(0)

    await start()
    await expect.poll(order.progress, PATIENCE).toBe('completed')
    expect(await order.tickets()).toBe(2)
    expect(await order.counters()).toEqual({ tickets_sold: 2, tickets_held: 0 })
    expect(order.captures()).toHaveLength(1)
  })

  test.runIf(isExtended)('kill -9 before the capture: the order can be paid after a restart', async () => {
    const order = await approvedOrder()
    await running.end('SIGKILL')
    await start()
    expect(await order.pay()).toMatchObject({ status: 'COMPLETED', tickets: [{}, {}] })
  })

  test('SIGTERM lets the capture in progress finish', async () => {
    const order = await approvedOrder(1_500)
    const capturing = order.pay()
    await expect.poll(order.captures).toHaveLength(1)
    const ended = running.end('SIGTERM')
    expect((await capturing)['status']).toBe('COMPLETED')
    expect(await ended).toBe(0)
  })
})

describe.runIf(isExtended)('a shop whose PostgreSQL stops', () => {
  let postgres: EmbeddedPostgres
  let paypal: PaypalEmulator
  let shop: ShopProcess

  const startPostgres = (): Promise<EmbeddedPostgres> =>
    ensureEmbeddedPostgres({ dataDir: folder, projectDir: ROOT, log: silentLog })
  const startShop = (env: Record<string, string> = {}): Promise<ShopProcess> =>
    startShopProcess({
      env: {
        DATABASE_URL: postgres.url,
        DATA_DIR: path.join(folder, 'shop'),
        SECRET_KEY: SECRET,
        PAYPAL_BASE_URL: paypal.url,
        DRAIN_SECONDS: '8',
        LOG_LEVEL: 'silent',
        ...env,
      },
      hasOutput: 'LOG_LEVEL' in env,
    })
  const statusOf = (route: string): Promise<number> => fetch(shop.url(route)).then(({ status }) => status)

  beforeAll(async () => {
    postgres = await startPostgres()
    paypal = await startPaypalEmulator({ port: 0 })
    shop = await startShop()
    await shop.whenReady()
  })
  afterAll(async () => {
    await shop.end('SIGKILL')
    await paypal.close()
    await postgres.stop()
  })

  test('a shop that starts before its database waits for it', async () => {
    await postgres.stop()
    const early = await startShop({ LOG_LEVEL: 'warn', DRAIN_SECONDS: '0' })
    let output = ''
    early.child.stdout?.on('data', (piece: Buffer) => void (output += piece.toString()))
    try {
      await expect.poll(() => output, PATIENCE).toContain('waiting for the database')
      postgres = await startPostgres()
      await early.whenReady()
      await shop.whenReady()
    } finally {
      await early.end('SIGKILL')
    }
  })

  const serverPid = async (): Promise<number> =>
    Number.parseInt(await readFile(path.join(postgres.dataDir, 'cluster/postmaster.pid'), 'utf8'), 10)

  /** Kills PostgreSQL, as a power cut does, and waits for its restart. */
  async function crashPostgres(): Promise<void> {
    const pid = await serverPid()
    process.kill(pid, 'SIGKILL')
    await expect.poll(() => serverPid().catch(() => pid), PATIENCE).not.toBe(pid)
    await shop.whenReady()
  }

  test('an order and its tickets survive kill -9 of PostgreSQL once they got a response', async () => {
    const [email, password] = ['ann@example.test', 'Correct1!']
    const account = { username: 'ann', email, password, phone_number: '+33612345678' }
    await shop.call('/api/user/register/', undefined, account)
    const { access } = await shop.call('/api/token/', undefined, { username: email, password })
    const { id: cartId } = (await shop.call('/api/cart/', access))[0]
    // The shop is a demonstration and has offers.
    const offers = (await shop.call('/api/offers/')) as Record<'id' | 'question' | 'is_active', unknown>[]
    const offer_id = offers.find(({ question, is_active }) => is_active && !question)?.id
    for (const round of [1, 2, 3]) {
      await shop.call(`/api/cart/${cartId}/add_item/`, access, { offer_id, quantity: 2 })
      const { order_id } = await shop.call('/api/paypal/create-order/', access, { country_code: 'BE' })
      expect(order_id).toBeTruthy()
      await crashPostgres()
      await paypal.approve(order_id)
      const paid = await shop.call('/api/paypal/capture-payment/', access, { order_id })
      expect(paid).toMatchObject({ status: 'COMPLETED', tickets: [{}, {}] })

      await crashPostgres()
      const kept = (await shop.call('/api/tickets/', access)) as { ticket_number: string }[]
      expect(kept).toHaveLength(2 * round)
      const numbers = kept.map((one) => one.ticket_number)
      for (const { ticket_number } of paid['tickets']) expect(numbers).toContain(ticket_number)
    }
  })

  test('SIGTERM makes a process unready while it still responds, then it exits with 0', async () => {
    const ended = shop.end('SIGTERM')
    await expect.poll(shop.readiness, PATIENCE).toEqual([503, 'stopping'])
    expect(await statusOf('/api/offers/')).toBe(200)
    expect(await statusOf('/api/health/live')).toBe(200)
    expect(await ended).toBe(0)
  })
})

test.runIf(isExtended)('a rolling restart of two processes fails no call of a buyer', async () => {
  const BUYERS = 6
  const shop = await testShop()
  const start = (port?: number): Promise<ShopProcess> =>
    startShopProcess({
      ...(port !== undefined && { port }),
      env: { ...envOf(shop, 'rolling'), ROLES: 'web', LIMITS_FACTOR: '1000', DRAIN_SECONDS: '8' },
    })
  const processes = [await start(), await start()]
  const ports = processes.map(({ port }) => port)
  const balancer = await startBalancer(ports)
  const offerId = await shop.newOffer({ total_tickets: 100_000 })
  const sale = { purchases: 0, failures: [] as string[], goesOn: true }

  /** Buys tickets, one after the other, through the balancer. */
  async function buy(): Promise<void> {
    const customer = await shop.newCustomer()
    const { access } = await shop.sessionOf(customer)
    const call = async (route: string, body?: object) => {
      const response = await fetch(balancer.url + route, {
        method: body ? 'POST' : 'GET',
        headers: { authorization: `Bearer ${access}`, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      if (response.status !== 200) sale.failures.push(`${route} ${response.status} ${text}`)
      return JSON.parse(text) as { order_id: string; tickets: unknown[] }
    }
    while (sale.goesOn) {
      try {
        await call('/api/offers/')
        await call(`/api/cart/${customer.cartId}/add_item/`, { offer_id: offerId, quantity: 1 })
        const { order_id } = await call('/api/paypal/create-order/', { country_code: 'BE' })
        await shop.paypal.approve(order_id)
        const { tickets } = await call('/api/paypal/capture-payment/', { order_id })
        sale.purchases += tickets.length
      } catch (error) {
        sale.failures.push(String(error))
      }
    }
  }
  const sold = (more: number): Promise<void> => {
    const goal = sale.purchases + more
    return expect.poll(() => sale.purchases >= goal || sale.failures.length > 0, PATIENCE).toBe(true)
  }

  try {
    await expect.poll(() => balancer.ready(), PATIENCE).toEqual(ports)
    const buyers = Array.from({ length: BUYERS }, buy)
    await sold(BUYERS)
    for (const [index, running] of processes.entries()) {
      const ended = running.end('SIGTERM')
      await sold(BUYERS)
      expect(await ended).toBe(0)
      processes[index] = await start(running.port)
      await expect.poll(() => balancer.ready(), PATIENCE).toEqual(ports)
      await sold(BUYERS)
    }
    sale.goesOn = false
    await Promise.all(buyers)
    expect(sale.failures).toEqual([])
    expect((await shop.counters(offerId)).tickets_sold).toBe(sale.purchases)
  } finally {
    sale.goesOn = false
    await balancer.close()
    await Promise.all(processes.map((one) => one.end('SIGKILL')))
    await shop.close()
  }
})
