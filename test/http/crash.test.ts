import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestShop, testShop } from '../support/shop.ts'
import { PATIENCE, type ShopProcess, startShopProcess } from '../support/shop-process.ts'
import { isExtended } from '../support/tier.ts'

/** A process of the shop that is killed in the middle of purchases; no notification of the provider helps it. */
let shop: TestShop
let folder: string
let running: ShopProcess

/** How long `timeout@buyer.test` lets a capture that took effect go unanswered: for ever, or until the process has stopped. */
const HANG_MS = { crash: 300_000, stop: 1_500 }

async function start(): Promise<void> {
  running = await startShopProcess({
    env: {
      DATABASE_URL: shop.url,
      DATA_DIR: folder,
      SECRET_KEY: shop.secret,
      PAYPAL_BASE_URL: shop.paypal.url,
      PAYPAL_TIMEOUT_MS: '60000',
    },
  })
  await running.whenReady()
}

beforeAll(async () => {
  shop = await testShop()
  shop.paypal.faults.change({ missingWebhooks: 1 })
  folder = await mkdtemp(path.join(tmpdir(), 'volant-crash-'))
  await start()
})
afterAll(async () => {
  await running?.end('SIGKILL')
  await shop.close()
  await rm(folder, { recursive: true, force: true })
})

/** An approved order of two tickets, and the call that pays it at the process. */
async function approvedOrder(buyer = 'buyer@buyer.test') {
  const { customer, orderId, offerId } = await shop.approvedOrder(2, buyer)
  const token = (await shop.sessionOf(customer))['access']
  return {
    orderId,
    pay: () => running.call('/api/paypal/capture-payment/', token, { order_id: orderId }),
    progress: async () => (await running.call(`/api/paypal/orders/${orderId}/`, token))['progress'],
    counters: () => shop.counters(offerId),
    tickets: () => shop.ticketCount(customer),
    /** What the provider has taken: stays, unlike the state, which passes. */
    captures: () => shop.capturesOf(orderId),
  }
}

test('kill -9 while the provider takes the money: after a restart the tickets are there, paid once', async () => {
  // The provider takes the money and answers late: the shop dies before it can write the answer down.
  shop.paypal.settings.hangMs = HANG_MS.crash
  const order = await approvedOrder('timeout@buyer.test')
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

test.runIf(isExtended)(
  'kill -9 before the buyer pays: the order is still there and can be paid after a restart',
  async () => {
    const order = await approvedOrder()
    await running.end('SIGKILL')
    await start()
    expect(await order.pay()).toMatchObject({ status: 'COMPLETED', tickets: [{}, {}] })
  },
)

test('a stop asked for by SIGTERM lets the capture under way finish', async () => {
  shop.paypal.settings.hangMs = HANG_MS.stop
  const order = await approvedOrder('timeout@buyer.test')
  const capturing = order.pay()
  await expect.poll(order.captures).toHaveLength(1)
  const ended = running.end('SIGTERM')
  expect((await capturing)['status']).toBe('COMPLETED')
  expect(await ended).toBe(0)
})
