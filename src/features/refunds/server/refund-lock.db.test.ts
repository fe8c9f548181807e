import { afterAll, beforeAll, expect, test } from 'vitest'
import { providerSide } from '../../../../test/support/provider-side.ts'
import { closeGate } from '../../../../test/support/races.ts'
import { type TestShop, testShop } from '../../../../test/support/shop.ts'
import { withoutLock } from '../../../../test/support/without-lock.ts'
import { reconcile } from '#features/payments/server/reconcile.ts'
import { ledgerWrites } from './ledger.repository.ts'
import { refundOrder } from './staff-refunds.routes.ts'
import { orderWrites } from '#features/orders/server/index.ts'

let shop: TestShop

beforeAll(async () => {
  shop = await testShop()
  // A notification would count the refunds as well.
  shop.paypal.faults.change({ missingWebhooks: 1 })
})
afterAll(() => shop.close())

const LOCKED_ORDER = /select \* from "orders" where "id" = \$1 for update/

/**
 * The provider tells of a part that it has sent back while a wish of ours for another part is being written down.
 * @returns what the capture's count says of it, in cents
 */
async function twoParts(): Promise<number> {
  const { customer, orderId } = await shop.approvedOrder(2)
  await customer.capture(orderId)
  const { rows } = await shop.pool.query(
    `SELECT c.capture_id, c.order_id FROM captures c JOIN orders o ON o.id = c.order_id WHERE o.provider_order_id = $1`,
    [orderId],
  )
  const { capture_id: captureId, order_id: ours } = rows[0]
  const bothThere = Promise.withResolvers<void>()
  const wish = shop.db.transaction().execute(async (trx) => {
    await orderWrites(trx).lock(ours)
    await ledgerWrites(trx).requestRefund(captureId, ours, 300, 'offer_cancelled')
    await bothThere.promise
  })
  const watch = await closeGate(shop.url, 'SELECT 1')
  const told = shop.db.transaction().execute(async (trx) => {
    await orderWrites(trx).lock(ours)
    await ledgerWrites(trx).importRefunds(ours, [
      { id: `R-${captureId}`, captureId, amount: 200, status: 'completed' },
    ])
  })
  await watch.waiting(1)
  bothThere.resolve()
  await Promise.all([wish, told])
  await watch.open()
  const { refunded_cents } = await shop.db
    .selectFrom('captures')
    .select('refunded_cents')
    .where('capture_id', '=', captureId)
    .executeTakeFirstOrThrow()
  return refunded_cents
}

test('the lock on an order counts every part that goes back; without it one is forgotten, and could go back twice', async () => {
  expect(await twoParts()).toBe(500)
  expect(await withoutLock(LOCKED_ORDER, twoParts)).toBe(200)
})

test.each([
  [
    'a refund made at the provider is imported',
    async ({ captureId }: Awaited<ReturnType<TestShop['paidOrder']>>) =>
      providerSide(shop).giveBack(captureId, 'refund', '1.00'),
  ],
  [
    'the outcome of a refund of ours is stored',
    async ({ ours }: Awaited<ReturnType<TestShop['paidOrder']>>) =>
      providerSide(shop).silently(() => refundOrder(shop.checkout, ours, { staffId: 1, note: 'asked for' })),
  ],
])('%s behind the lock of its order', async (_, prepare) => {
  const paid = await shop.paidOrder(2)
  await prepare(paid)
  // Not even this lock is in the way of rows that only refer to the order.
  const gate = await closeGate(
    shop.url,
    `SELECT 1 FROM orders WHERE id = '${paid.ours.id}' FOR NO KEY UPDATE`,
  )
  const done = reconcile(shop.checkout, paid.ours.id, { closedToo: true })
  await gate.waiting(1)
  const isFree = await gate.gets(`SELECT 1 FROM captures WHERE order_id = '${paid.ours.id}' FOR UPDATE`)
  await gate.open()
  await done
  expect(isFree).toBe(true)
})
