import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { closeGate } from '../../../../test/support/races.ts'
import { type TestShop, testShop } from '../../../../test/support/shop.ts'
import { holdAgain, holdExpiry } from './holds.ts'

let shop: TestShop
const lines: Record<string, unknown>[] = []

beforeAll(async () => {
  shop = await testShop({ logLine: (line) => lines.push(line), hasShopsLockTimeout: true })
  // An approval's notification takes the money: orders shall stay where a test has put them.
  shop.paypal.faults.change({ missingWebhooks: 1 })
})
afterAll(() => shop.close())

const said = (message: string) => lines.filter(({ msg }) => msg === message).length

/** Orders of one ticket each whose time was up so many minutes ago. */
async function expiredOrders(offerId: number, count: number, minutes = 1): Promise<void> {
  const { id: userId } = await shop.newCustomer()
  await sql`
    WITH made AS (
      INSERT INTO orders (id, user_id, cart_version, state, country, language, subtotal_cents, tax_percent, tax_cents,
                          total_cents, hold_until)
      SELECT gen_random_uuid(), ${userId}, 1000 + n, 'held', 'BE', 'fr', 490, 21, 103, 593,
             clock_timestamp() - make_interval(mins => ${minutes})
      FROM generate_series(1, ${count}::int) AS n
      RETURNING id
    ),
    noted AS (INSERT INTO order_events (order_id, to_state, reason) SELECT id, 'held', 'created' FROM made),
    held AS (UPDATE offers SET tickets_held = tickets_held + ${count} WHERE id = ${offerId})
    INSERT INTO order_lines (order_id, offer_id, quantity, unit_cents, title)
    SELECT id, ${offerId}::int, 1, 490, 'x' FROM made`.execute(shop.db)
}

const heldOf = async (offerId: number): Promise<number> => (await shop.counters(offerId)).tickets_held

/** An order that cannot expire: its contest no longer counts what it holds. */
async function brokenOrder(): Promise<{ orderId: string; mend: () => Promise<unknown> }> {
  const { orderId, offerId } = await shop.approvedOrder(2)
  const count = (tickets: number) =>
    shop.pool.query('UPDATE offers SET tickets_held = $1 WHERE id = $2', [tickets, offerId])
  await shop.pool.query(
    `UPDATE orders SET hold_until = now() - interval '1 hour' WHERE provider_order_id = $1`,
    [orderId],
  )
  await count(0)
  return { orderId, mend: () => count(2) }
}

test('whatever is due expires in one go, however much it is, each with its event', async () => {
  const offerId = await shop.newOffer()
  await expiredOrders(offerId, 450)
  expect(await shop.expireHolds()).toBe(450)
  expect(await heldOf(offerId)).toBe(0)
  const { rows } = await shop.pool.query(
    `SELECT count(*)::int AS events FROM order_events e JOIN order_lines l ON l.order_id = e.order_id
     WHERE l.offer_id = $1 AND e.from_state = 'held' AND e.to_state = 'expired' AND e.reason = 'hold_expired'`,
    [offerId],
  )
  expect(rows).toEqual([{ events: 450 }])
})

test('an order that cannot expire is passed over, and logged once in a while', async () => {
  const broken = await brokenOrder()
  const offerId = await shop.newOffer()
  await expiredOrders(offerId, 30)
  const before = said('a hold could not expire, will be tried again')
  const release = holdExpiry(shop.checkout)
  expect(await release()).toBe(30)
  expect(await heldOf(offerId)).toBe(0)
  expect(await release()).toBe(0)
  expect(said('a hold could not expire, will be tried again')).toBe(before + 1)
  await broken.mend()
  expect(await shop.expireHolds()).toBe(1)
  expect(await shop.orderState(broken.orderId)).toBe('expired')
})

test('somebody who wants tickets of a full contest is told so, whatever cannot expire elsewhere', async () => {
  const broken = await brokenOrder()
  const full = await shop.newOffer({ total_tickets: 1 })
  const [first, second] = [await shop.newCustomer(), await shop.newCustomer()]
  await second.post(`/api/cart/${second.cartId}/add_item/`, { offer_id: full, quantity: 1 })
  await first.order(full, 1)
  const told = { status: 409, body: { code: 'offer.fewFree' } }
  expect(await second.post('/api/paypal/create-order/', {})).toMatchObject(told)
  // Nor does it matter that nothing can expire at all.
  await shop.pool.query('ALTER TABLE order_events RENAME COLUMN reason TO why')
  try {
    expect(await second.post('/api/paypal/create-order/', {})).toMatchObject(told)
  } finally {
    await shop.pool.query('ALTER TABLE order_events RENAME COLUMN why TO reason')
    await broken.mend()
    await shop.expireHolds()
  }
})

test('a contest that somebody keeps locked keeps no tickets of other contests', async () => {
  const [locked, other] = [await shop.newOffer(), await shop.newOffer()]
  await expiredOrders(locked, 300, 5)
  await expiredOrders(other, 2)
  const gate = await closeGate(shop.url, `SELECT 1 FROM offers WHERE id = ${locked} FOR UPDATE`)
  expect(await shop.expireHolds()).toBe(2)
  expect([await heldOf(locked), await heldOf(other)]).toEqual([300, 0])
  await gate.open()
  expect(await shop.expireHolds()).toBe(300)
})

test('two processes share what is due', async () => {
  const [early, late] = [await shop.newOffer(), await shop.newOffer()]
  await expiredOrders(early, 200, 5)
  await expiredOrders(late, 40)
  const gate = await closeGate(shop.url, `SELECT 1 FROM offers WHERE id = ${early} FOR UPDATE`)
  const one = shop.expireHolds()
  await gate.waiting(1)
  // The other has what the first one has not.
  expect(await shop.expireHolds()).toBe(40)
  expect(await heldOf(late)).toBe(0)
  await gate.open()
  expect(await one).toBe(200)
  expect(await heldOf(early)).toBe(0)
})

test('a process that stops ends after the transaction under way', async () => {
  const offerId = await shop.newOffer()
  await expiredOrders(offerId, 450)
  const released = await holdExpiry(shop.checkout, () => true)()
  expect(released).toBeGreaterThan(0)
  expect(await heldOf(offerId)).toBe(450 - released)
  expect(released).toBeLessThan(450)
  await shop.expireHolds()
})

test('a hold that is not due, or that is being paid, stays', async () => {
  const [standing, paying] = [await shop.approvedOrder(1), await shop.approvedOrder(1)]
  await shop.pool.query(
    `UPDATE orders SET state = 'capturing', hold_until = now() - interval '1 minute' WHERE provider_order_id = $1`,
    [paying.orderId],
  )
  expect(await shop.expireHolds()).toBe(0)
  expect(await shop.orderState(standing.orderId)).toBe('held')
  expect(await shop.orderState(paying.orderId)).toBe('capturing')
})

test('an expired hold is not given again once its offer has ended', async () => {
  const { offerId, orderId } = await shop.approvedOrder(1)
  await shop.pool.query('UPDATE orders SET hold_until = now() WHERE provider_order_id = $1', [orderId])
  await shop.expireHolds()
  await shop.pool.query('UPDATE offers SET end_date = now() WHERE id = $1', [offerId])
  expect(await holdAgain(shop.db, await shop.orderOf(orderId), 20)).toBe('gone')
  expect(await heldOf(offerId)).toBe(0)
})
