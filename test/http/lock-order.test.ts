import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { closeGate } from '../support/races.ts'
import { type TestShop, testShop } from '../support/shop.ts'
import { orderWrites } from '#features/orders/server/order-moves.repository.ts'
import { reconcile } from '#features/payments/server/reconcile.ts'

/**
 * Carts, then orders, then the rest of an order and the offers: whoever locks rows of several tables takes them in this order, so that no two of them
 * can wait for each other. Each is stopped at the first row that it needs; what it locks later must still be free.
 */
let shop: TestShop

beforeAll(async () => {
  shop = await testShop()
  // A notification would lock the rows as well.
  shop.paypal.faults.change({ missingWebhooks: 1 })
})
afterAll(() => shop.close())

const cartOf = (userId: number) => `SELECT 1 FROM carts WHERE user_id = ${userId}`
const orderOf = (orderId: string) => `SELECT 1 FROM orders WHERE provider_order_id = '${orderId}'`
const offerOf = (offerId: number) => `SELECT 1 FROM offers WHERE id = ${offerId}`

/** Stops something at a row. @returns which of the later rows were free, and what came of it */
async function stoppedAt<Answer>(
  row: string,
  act: () => Promise<Answer>,
  later: readonly string[],
): Promise<{ free: boolean[]; answer: Answer }> {
  const gate = await closeGate(shop.url, `${row} FOR UPDATE`)
  const acting = act()
  await gate.waiting(1)
  const free: boolean[] = []
  for (const one of later) free.push(await gate.gets(one))
  await gate.open()
  return { free, answer: await acting }
}

describe('an order that gives up an older one', () => {
  const again = (customer: Awaited<ReturnType<TestShop['newCustomer']>>) => () =>
    customer.post('/api/paypal/create-order/', { country_code: 'FR' })

  test('locks nothing before the cart', async () => {
    const { customer, orderId, offerId } = await shop.approvedOrder(2)
    const later = [orderOf(orderId), offerOf(offerId)]
    const { free, answer } = await stoppedAt(cartOf(customer.id), again(customer), later)
    expect([free, answer.status]).toEqual([[true, true], 200])
  })

  test('locks the older one before the contest, as a hold that lapses does', async () => {
    const { customer, orderId, offerId } = await shop.approvedOrder(2)
    const { free, answer } = await stoppedAt(orderOf(orderId), again(customer), [offerOf(offerId)])
    expect([free, answer.status]).toEqual([[true], 200])
  })
})

test('orders that are noted at one moment are locked in the order of their ids', async () => {
  const approved = [await shop.approvedOrder(1), await shop.approvedOrder(1)]
  const ours = await Promise.all(approved.map((one) => shop.orderOf(one.orderId)))
  const [first, last] = ours.map(({ id }) => id).toSorted((a, b) => a.localeCompare(b)) as [string, string]
  await shop.pool.query('UPDATE orders SET provider_order_id = NULL WHERE id IN ($1, $2)', [first, last])
  const made = [last, first].map((orderId) => ({ orderId, providerId: `NOTED-${orderId}`, paymentUrl: null }))
  const row = (id: string) => `SELECT 1 FROM orders WHERE id = '${id}'`
  const { free, answer } = await stoppedAt(row(first), () => orderWrites(shop.db).setProvider(made), [
    row(last),
  ])
  expect([free, answer.length]).toEqual([[true], 2])
})

describe('a payment that is settled', () => {
  test('locks nothing before the cart', async () => {
    const { customer, orderId, offerId } = await shop.approvedOrder(2)
    const later = [orderOf(orderId), offerOf(offerId)]
    const { free, answer } = await stoppedAt(cartOf(customer.id), () => customer.capture(orderId), later)
    expect([free, answer.status]).toEqual([[true, true], 200])
  })

  test('has the cart before it locks the order when it comes late', async () => {
    const { customer, orderId, offerId } = await shop.approvedOrder(2)
    const { rows } = await shop.pool.query('SELECT id FROM orders WHERE provider_order_id = $1', [orderId])
    await customer.post('/api/paypal/cancel-order/', { order_id: orderId })
    await shop.client.captureOrder(orderId, `${rows[0].id}:cap:1`)
    const late = () => reconcile(shop.checkout, rows[0].id)
    const others = [cartOf(customer.id), offerOf(offerId)]
    const { free, answer } = await stoppedAt(orderOf(orderId), late, others)
    expect([free, answer.state]).toEqual([[false, true], 'completed'])
  })
})

test('what the provider says of a payment is stored behind the lock of its order', async () => {
  const { customer, orderId } = await shop.approvedOrder(1, 'pending@buyer.test')
  await customer.capture(orderId)
  const { rows } = await shop.pool.query(
    `UPDATE orders SET state = 'capturing' WHERE provider_order_id = $1 RETURNING id`,
    [orderId],
  )
  const told = () => reconcile(shop.checkout, rows[0].id)
  const stored = `SELECT 1 FROM captures WHERE order_id = '${rows[0].id}'`
  const { free, answer } = await stoppedAt(orderOf(orderId), told, [stored])
  expect([free, answer.state]).toEqual([[true], 'pending'])
})

test('a hold that lapses locks its order before the contest', async () => {
  const { customer, orderId, offerId } = await shop.approvedOrder(2)
  const cancel = () => customer.post('/api/paypal/cancel-order/', { order_id: orderId })
  const { free } = await stoppedAt(orderOf(orderId), cancel, [offerOf(offerId)])
  expect(free).toEqual([true])
  expect(await shop.orderState(orderId)).toBe('cancelled')
})
