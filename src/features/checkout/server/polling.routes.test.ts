import { afterEach, describe, expect, test } from 'vitest'
import { closeGate } from '../../../../test/support/races.ts'
import { type TestShop, testShop } from '../../../../test/support/shop.ts'

const DAY_MS = 86_400_000
const TOKEN = 'x'.repeat(40)

let shop: TestShop
afterEach(() => shop.close())

/** A payment that is pending since ten seconds, which its page polls. */
async function pending(clock = () => new Date()) {
  shop = await testShop({ clock, env: { METRICS_TOKEN: TOKEN } })
  shop.paypal.faults.change({ missingWebhooks: 1 })
  const { orderId, customer } = await shop.approvedOrder(2, 'pending@buyer.test')
  await customer.capture(orderId)
  await age(orderId)
  const poll = () => customer.get(`/api/paypal/orders/${orderId}/`)
  return { orderId, poll }
}

const age = (orderId: string) =>
  shop.pool.query(
    `UPDATE orders SET changed_at = now() - interval '10 seconds' WHERE provider_order_id = $1`,
    [orderId],
  )

/** How often the provider was asked about an order. */
async function looks(): Promise<number> {
  const headers = { authorization: `Bearer ${TOKEN}` }
  const { body } = await shop.anonymous('GET', '/metrics', undefined, { headers })
  const lines = (body as unknown as Buffer).toString().split('\n')
  const sum = lines.find((line) => line.startsWith('volant_provider_seconds_count{call="get order"'))
  return Number(sum?.split(' ').at(-1) ?? 0)
}

/** Holds that something has the provider asked once, and once more only for each such time that it takes. */
async function askedOnceEvery(seconds: number, act: () => Promise<unknown>): Promise<void> {
  const before = await looks()
  const began = performance.now()
  await act()
  const took = (performance.now() - began) / 1_000
  const asked = (await looks()) - before
  expect(asked).toBeGreaterThanOrEqual(1)
  expect(asked).toBeLessThanOrEqual(1 + Math.floor(took / seconds))
}

describe('a page that polls a payment which is being confirmed', () => {
  test.each([
    ['right', 0],
    ['days ahead', 2 * DAY_MS],
    ['days behind', -2 * DAY_MS],
  ])(
    'has the provider asked once in some seconds, however often it comes (program’s clock %s)',
    async (_, shift) => {
      const { orderId, poll } = await pending(() => new Date(Date.now() + shift))
      await askedOnceEvery(3, async () => {
        for (let turn = 0; turn < 10; turn += 1)
          expect((await poll()).body).toMatchObject({ progress: 'confirming' })
        await Promise.all(Array.from({ length: 10 }, poll))
      })
      await age(orderId)
      await askedOnceEvery(3, () => Promise.all(Array.from({ length: 10 }, poll)))
    },
  )

  test('does not wait for somebody who has locked the order', async () => {
    const { orderId, poll } = await pending()
    const gate = await closeGate(
      shop.url,
      `SELECT 1 FROM orders WHERE provider_order_id = '${orderId}' FOR UPDATE`,
    )
    expect((await poll()).body).toMatchObject({ progress: 'confirming' })
    expect(await looks()).toBe(0)
    await gate.open()
  })
})
