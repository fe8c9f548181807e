import path from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkInvariants, readInvariants } from '#platform/invariants.ts'
import { type TestShop, testShop } from '../../../../test/support/shop.ts'

let shop: TestShop

beforeAll(async () => {
  shop = await testShop({ processes: 2, env: { HOLD_MINUTES: '20' } })
})
afterAll(() => shop.close())

const EXTEND = '/api/paypal/extend-hold/'
const minutesLeft = (expiresAt: string): number => Math.round((Date.parse(expiresAt) - Date.now()) / 60_000)

test('a buyer gets more time once, also when the button is pressed twice', async () => {
  const { customer, orderId } = await shop.approvedOrder(2)
  const before = await customer.post('/api/paypal/create-order/', { country_code: 'BE' })
  expect(before.body).toMatchObject({ order_id: orderId, can_extend: true })

  const both = await Promise.all([
    customer.post(EXTEND, { order_id: orderId }),
    customer.elsewhere.post(EXTEND, { order_id: orderId }),
  ])
  const [given, refused] = both.toSorted((a, b) => a.status - b.status)
  expect(given).toMatchObject({ status: 200, body: { progress: 'open' } })
  expect(refused).toMatchObject({ status: 409, body: { code: 'checkout.alreadyExtended' } })
  const longer = Date.parse(given?.body['expires_at']) - Date.parse(before.body['expires_at'])
  expect(longer).toBe(20 * 60_000)
  expect(minutesLeft(given?.body['expires_at'])).toBeGreaterThan(20)

  const after = await customer.post('/api/paypal/create-order/', { country_code: 'BE' })
  expect(after.body).toMatchObject({
    order_id: orderId,
    can_extend: false,
    expires_at: given?.body['expires_at'],
  })
  expect((await customer.capture(orderId)).status).toBe(200)
  const { rows } = await sql<{ reason: string }>`
    SELECT e.reason FROM order_events e JOIN orders o ON o.id = e.order_id
    WHERE o.provider_order_id = ${orderId} ORDER BY e.id`.execute(shop.db)
  expect(rows.map(({ reason }) => reason)).toEqual([
    'created',
    'buyer_needs_time',
    'capture_requested',
    'captured',
  ])
  const replayed = (await readInvariants(path.resolve('db/invariants.sql'))).filter(
    ({ name }) => name === 'I10',
  )
  expect(await checkInvariants(shop.db, replayed)).toEqual([])
})

test('a hold that has expired, an order that is closed and somebody else’s are not extended', async () => {
  const expired = await shop.approvedOrder(1)
  await sql`UPDATE orders SET hold_until = now() WHERE provider_order_id = ${expired.orderId}`.execute(
    shop.db,
  )
  expect(await expired.customer.post(EXTEND, { order_id: expired.orderId })).toMatchObject({
    status: 409,
    body: { code: 'checkout.holdExpired' },
  })
  const closed = await shop.approvedOrder(1)
  await closed.customer.post('/api/paypal/cancel-order/', { order_id: closed.orderId })
  expect(await closed.customer.post(EXTEND, { order_id: closed.orderId })).toMatchObject({
    status: 409,
    body: { code: 'checkout.orderClosed' },
  })
  expect(await expired.customer.post(EXTEND, { order_id: closed.orderId })).toMatchObject({ status: 404 })
})
