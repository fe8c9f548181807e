import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type Balancer, startBalancer } from '../support/balancer.ts'
import { freePort } from '../../tools/run/free-port.ts'
import { type TestShop, testShop } from '../support/shop.ts'

/** Two web processes of one shop behind a balancer, each stopped and started again while buyers buy. */
const root = path.resolve(import.meta.dirname, '../..')
const PATIENCE = { timeout: 60_000, interval: 50 }
const BUYERS = 6

let shop: TestShop
let folder: string
let ports: number[]
let balancer: Balancer
const processes = new Map<number, ChildProcess>()

beforeAll(async () => {
  shop = await testShop()
  folder = await mkdtemp(path.join(tmpdir(), 'volant-rolling-'))
  ports = [await freePort(), await freePort()]
  for (const port of ports) start(port)
  balancer = await startBalancer(ports)
  await vi.waitUntil(() => balancer.ready().length === ports.length, PATIENCE)
})
afterAll(async () => {
  await balancer.close()
  for (const one of processes.values()) one.kill('SIGKILL')
  await shop.close()
  await rm(folder, { recursive: true, force: true })
})

function start(port: number): void {
  const env = {
    PATH: process.env['PATH'],
    PORT: String(port),
    ROLES: 'web',
    DATABASE_URL: shop.url,
    DATA_DIR: folder,
    SECRET_KEY: shop.secret,
    PAYPAL_BASE_URL: shop.paypal.url,
    LOG_LEVEL: 'error',
    // On a quick machine six buyers order more in a minute than people do.
    LIMITS_FACTOR: '1000',
    DRAIN_SECONDS: '8',
  }
  const stdio = ['ignore', 'ignore', 'inherit'] as const
  processes.set(port, spawn(process.execPath, ['src/server/main.ts'], { cwd: root, env, stdio: [...stdio] }))
}

/** Ends a process as an operator does. @returns its exit code */
function stop(port: number): Promise<number | null> {
  const running = processes.get(port)
  const ended = new Promise<number | null>((resolve) => running?.once('exit', resolve))
  running?.kill('SIGTERM')
  return ended
}

interface Sale {
  purchases: number
  failures: string[]
  goesOn: boolean
}

/** Buys tickets of a contest, one after the other, over the balancer. */
async function buy(offerId: number, sale: Sale): Promise<void> {
  const customer = await shop.newCustomer()
  const { access } = await shop.sessionOf(customer)
  const call = async (route: string, body?: object) => {
    const answer = await fetch(balancer.url + route, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${access}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    if (answer.status !== 200) sale.failures.push(`${route} ${answer.status} ${text}`)
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

test('processes are restarted in turn, and no buyer notices', { timeout: 240_000 }, async () => {
  const offerId = await shop.newOffer({ total_tickets: 100_000 })
  const sale: Sale = { purchases: 0, failures: [], goesOn: true }
  const buyers = Array.from({ length: BUYERS }, () => buy(offerId, sale))
  const sold = (more: number): Promise<void> => {
    const goal = sale.purchases + more
    return expect.poll(() => sale.purchases >= goal || sale.failures.length > 0, PATIENCE).toBe(true)
  }
  await sold(BUYERS)
  for (const port of ports) {
    const ended = stop(port)
    await sold(BUYERS)
    expect(await ended).toBe(0)
    start(port)
    await expect.poll(() => balancer.ready(), PATIENCE).toEqual(ports)
    await sold(BUYERS)
  }
  sale.goesOn = false
  await Promise.all(buyers)
  expect(sale.failures).toEqual([])
  expect((await shop.counters(offerId)).tickets_sold).toBe(sale.purchases)
})
