import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { closeGate } from '../../../../test/support/races.ts'
import { type TestShop, testShop } from '../../../../test/support/shop.ts'
import { sweepOrders } from './sweep.ts'

const shops: TestShop[] = []
afterAll(() => Promise.all(shops.map((shop) => shop.close())))

const DAY_MS = 86_400_000

test.each([
  ['ahead', 2],
  ['behind', -2],
])(
  'a program whose clock is days %s sells, lets holds expire and ends contests by the database’s',
  async (_, days) => {
    const shop = await testShop({ clock: () => new Date(Date.now() + days * DAY_MS) })
    shops.push(shop)
    // Ends tomorrow by the database's clock.
    const paid = await shop.approvedOrder(2)
    await shop.expireHolds()
    expect(await shop.orderState(paid.orderId)).toBe('held')
    expect((await paid.customer.capture(paid.orderId)).status).toBe(200)

    const expiring = await shop.approvedOrder(1)
    await sql`UPDATE orders SET hold_until = now() - interval '1 second'
            WHERE provider_order_id = ${expiring.orderId}`.execute(shop.db)
    await shop.expireHolds()
    expect(await shop.orderState(expiring.orderId)).toBe('expired')

    const late = await shop.approvedOrder(1)
    await sql`UPDATE offers SET end_date = now() - interval '1 second' WHERE id = ${late.offerId}`.execute(
      shop.db,
    )
    expect(await late.customer.capture(late.orderId)).toMatchObject({
      status: 409,
      body: { code: 'offer.ended' },
    })

    // A capture that a crash cut off a minute ago is the same request still, whatever this program's clock says.
    const cutOff = await shop.approvedOrder(1)
    await sql`UPDATE orders SET state = 'capturing', capture_started_at = now() - interval '1 minute',
              changed_at = now() - interval '1 minute' WHERE provider_order_id = ${cutOff.orderId}`.execute(
      shop.db,
    )
    await sweepOrders(shop.checkout, 15)
    expect(await shop.orderState(cutOff.orderId)).toBe('completed')
  },
)

test('a lock that somebody keeps is told as busy, with the time to come back', async () => {
  const shop = await testShop({ hasShopsLockTimeout: true })
  shops.push(shop)
  const { offerId, customer } = await shop.approvedOrder(1)
  const add = `/api/cart/${customer.cartId}/add_item/`
  const gate = await closeGate(shop.url, `SELECT 1 FROM carts WHERE id = ${customer.cartId} FOR UPDATE`)
  const refused = await customer.post(add, { offer_id: offerId, quantity: 1 })
  await gate.open()
  expect(refused.status).toBe(503)
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
  expect((await customer.post(add, { offer_id: offerId, quantity: 1 })).status).toBe(200)
})
