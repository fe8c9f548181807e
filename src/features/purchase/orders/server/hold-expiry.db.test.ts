import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openPaymentShop } from '#features/purchase/payments/server/payments.test-support.ts'
import { closeGate, rowOf } from '../../../../../test/support/races.ts'
import { testShop } from '../../../../../test/support/shop.ts'
import { renewHold, holdExpiry } from './holds.ts'

const lines: Record<string, unknown>[] = []
const lab = await openPaymentShop({ logLine: (line) => lines.push(line), hasShopsLockTimeout: true })
const { shop, run, setOrder } = lab
// Its contests end when a test says so.
await shop.unlockTerms()

/** Orders of one ticket each whose hold ran out so many minutes ago. */
async function expiredOrders(offerId: number, count: number, minutes = 1, at = shop): Promise<void> {
  const { id: userId } = await at.newCustomer()
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
    SELECT id, ${offerId}::int, 1, 490, 'x' FROM made`.execute(at.db)
}

const heldOf = async (offerId: number, at = shop): Promise<number> =>
  (await at.counters(offerId)).tickets_held
const runOut = (orderId: string) => setOrder(orderId, `hold_until = now() - interval '1 hour'`)

/** An order that cannot expire: its offer does not count its tickets as held. */
async function brokenOrder() {
  const { orderId, offerId } = await shop.approvedOrder(2)
  const count = (tickets: number) =>
    run('UPDATE offers SET tickets_held = $1 WHERE id = $2', [tickets, offerId])
  await runOut(orderId)
  await count(0)
  return { orderId, repair: () => count(2) }
}

test('one run expires all holds that have run out, each with its event', async () => {
  const offerId = await shop.newOffer()
  await expiredOrders(offerId, 450)
  expect(await shop.expireHolds()).toBe(450)
  expect(await heldOf(offerId)).toBe(0)
  const expired = `
    SELECT 1 FROM order_events e JOIN order_lines l ON l.order_id = e.order_id
    WHERE l.offer_id = $1 AND e.from_state = 'held' AND e.to_state = 'expired' AND e.reason = 'hold_expired'`
  expect(await run(expired, [offerId])).toHaveLength(450)
})

test('an order that cannot expire does not block the others, and is logged once in a while', async () => {
  const broken = await brokenOrder()
  const offerId = await shop.newOffer()
  await expiredOrders(offerId, 30)
  const logged = () =>
    lines.filter(({ msg }) => msg === 'a hold could not expire, will be tried again').length
  const before = logged()
  const expire = holdExpiry(shop.checkout)
  expect(await expire()).toBe(30)
  expect(await heldOf(offerId)).toBe(0)
  expect(await expire()).toBe(0)
  expect(logged()).toBe(before + 1)
  await broken.repair()
  expect(await shop.expireHolds()).toBe(1)
  expect(await shop.orderState(broken.orderId)).toBe('expired')
})

test('a buyer of a full contest is refused as such, even when holds elsewhere cannot expire', async () => {
  const broken = await brokenOrder()
  const full = await shop.newOffer({ total_tickets: 1 })
  const [first, second] = [await shop.newCustomer(), await shop.newCustomer()]
  await second.add(full, 1)
  await first.order(full, 1)
  const refused = { status: 409, body: { code: 'offer.fewFree' } }
  expect(await second.create()).toMatchObject(refused)
  // Now no hold can expire.
  await lab.refusing('INSERT ON order_events', 'true', async () =>
    expect(await second.create()).toMatchObject(refused),
  )
  await broken.repair()
  await shop.expireHolds()
})

test('holds of other contests expire while a contest is locked', async () => {
  const [locked, other] = [await shop.newOffer(), await shop.newOffer()]
  await expiredOrders(locked, 300, 5)
  await expiredOrders(other, 2)
  const gate = await closeGate(shop.url, rowOf.offer(locked))
  expect(await shop.expireHolds()).toBe(2)
  expect([await heldOf(locked), await heldOf(other)]).toEqual([300, 0])
  await gate.open()
  expect(await shop.expireHolds()).toBe(300)
})

test('two processes share the holds that have run out', async () => {
  // With the shop's own lock timeout the first one would release its rows after 100 ms, and take them again.
  const patient = await testShop()
  const [early, late] = [await patient.newOffer(), await patient.newOffer()]
  await expiredOrders(early, 200, 5, patient)
  await expiredOrders(late, 40, 1, patient)
  const gate = await closeGate(patient.url, rowOf.offer(early))
  const one = patient.expireHolds()
  await gate.waiting(1)
  expect(await patient.expireHolds()).toBe(40)
  expect(await heldOf(late, patient)).toBe(0)
  await gate.open()
  expect(await one).toBe(200)
  expect(await heldOf(early, patient)).toBe(0)
  await patient.close()
})

test('a process that stops ends the run after the current transaction', async () => {
  const offerId = await shop.newOffer()
  await expiredOrders(offerId, 450)
  const released = await holdExpiry(shop.checkout, () => true)()
  expect(released).toBeGreaterThan(0)
  expect(await heldOf(offerId)).toBe(450 - released)
  expect(released).toBeLessThan(450)
  await shop.expireHolds()
})

test('a hold that still runs, or whose order is being paid, does not expire', async () => {
  const [running, paying] = [await shop.approvedOrder(1), await shop.approvedOrder(1)]
  await lab.leaveCapturing(paying.orderId)
  await runOut(paying.orderId)
  expect(await shop.expireHolds()).toBe(0)
  expect(await shop.orderState(running.orderId)).toBe('held')
  expect(await shop.orderState(paying.orderId)).toBe('capturing')
})

test('an expired hold is not renewed once its contest has ended', async () => {
  const { offerId, orderId } = await shop.approvedOrder(1)
  await runOut(orderId)
  await shop.expireHolds()
  await run('UPDATE offers SET end_date = now() WHERE id = $1', [offerId])
  expect(await renewHold(shop.db, await shop.orderOf(orderId), 20)).toBe('gone')
  expect(await heldOf(offerId)).toBe(0)
})
