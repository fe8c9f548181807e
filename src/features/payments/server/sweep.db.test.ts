import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestShop, testShop } from '../../../../test/support/shop.ts'
import { sweepOrders } from './sweep.ts'

let shop: TestShop

beforeAll(async () => {
  shop = await testShop()
  // A notification would do what is left to the sweep here.
  shop.paypal.faults.change({ missingWebhooks: 1 })
})
afterAll(() => shop.close())

test('a step that fails is told at the end, and the others are done', async () => {
  const { orderId } = await shop.approvedOrder(1)
  await shop.leaveCapturing(orderId)
  await shop.pool.query('ALTER TABLE webhook_inbox RENAME TO inbox_elsewhere')
  try {
    await expect(sweepOrders(shop.checkout, 15)).rejects.toThrow('steps of the sweep failed')
  } finally {
    await shop.pool.query('ALTER TABLE inbox_elsewhere RENAME TO webhook_inbox')
  }
  expect(await shop.orderState(orderId)).toBe('completed')
})

test('an order that cannot be put off does not keep the next one waiting', async () => {
  const [first, next] = [await shop.approvedOrder(1, 'pending@buyer.test'), await shop.approvedOrder(1)]
  await first.customer.capture(first.orderId)
  await shop.leaveCapturing(next.orderId)
  await shop.pool.query(
    `UPDATE orders SET changed_at = now() - interval '1 hour' WHERE provider_order_id = '${first.orderId}'`,
  )
  await shop.pool.query(`
    CREATE FUNCTION stay() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'not this one'; END $$;
    CREATE TRIGGER stays BEFORE UPDATE ON orders FOR EACH ROW
      WHEN (OLD.provider_order_id = '${first.orderId}') EXECUTE FUNCTION stay()`)
  try {
    await sweepOrders(shop.checkout, 15)
  } finally {
    await shop.pool.query('DROP TRIGGER stays ON orders')
  }
  expect(await shop.orderState(next.orderId)).toBe('completed')
})
