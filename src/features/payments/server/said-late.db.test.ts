import { afterAll, beforeAll, expect, test } from 'vitest'
import { closeGate } from '../../../../test/support/races.ts'
import { type TestShop, testShop } from '../../../../test/support/shop.ts'
import { ledgerRepository, ledgerWrites } from '#features/refunds/server/ledger.repository.ts'
import { applyCapture } from './apply-capture.ts'
import { sweepOrders } from './sweep.ts'
import { paypalProvider } from '#platform/payment/paypal/paypal-provider.ts'
import { cents } from '#shared/money.ts'

let shop: TestShop

beforeAll(async () => {
  shop = await testShop()
  // A notification would tell the truth again.
  shop.paypal.faults.change({ missingWebhooks: 1 })
})
afterAll(() => shop.close())

const statusOf = async (captureId: string): Promise<string> =>
  (
    await shop.db
      .selectFrom('captures')
      .select('status')
      .where('capture_id', '=', captureId)
      .executeTakeFirstOrThrow()
  ).status

test('a payment that has completed is not pending again because an older answer comes late', async () => {
  const { ours, orderId, captureId } = await shop.paidOrder()
  const money = { currency: 'EUR', amount: cents(ours.total_cents) }
  await applyCapture(shop.checkout, ours, { id: captureId, status: 'pending', money })
  expect(await statusOf(captureId)).toBe('completed')
  expect(await shop.orderState(orderId)).toBe('completed')
})

test('a refund that has ended is not pending again, and one of another order is not taken over', async () => {
  const [one, other] = [await shop.paidOrder(), await shop.paidOrder()]
  const said = { id: 'R-LATE', captureId: one.captureId, amount: 100 }
  const tell = (orderId: string, status: 'completed' | 'pending') =>
    shop.db.transaction().execute((trx) => ledgerWrites(trx).importRefunds(orderId, [{ ...said, status }]))
  await tell(one.ours.id, 'completed')
  await tell(one.ours.id, 'pending')
  expect(await ledgerRepository(shop.db).balances(one.ours.id)).toMatchObject([{ returned: 100 }])
  await tell(other.ours.id, 'completed')
  expect(await ledgerRepository(shop.db).balances(other.ours.id)).toMatchObject([{ returned: 0 }])
})

test('the outcome of a refund is stored once', async () => {
  const { ours, captureId } = await shop.paidOrder()
  const write = <Result>(act: (ledger: ReturnType<typeof ledgerWrites>) => Promise<Result>) =>
    shop.db.transaction().execute((trx) => act(ledgerWrites(trx)))
  await write((ledger) => ledger.requestRefund(captureId, ours.id, 100, 'staff_request'))
  const open = (await ledgerRepository(shop.db).openRefund(ours.id))!
  expect(await write((ledger) => ledger.recordOutcome(open, 'completed', 'R-ONCE'))).toBe(true)
  expect(await write((ledger) => ledger.recordOutcome(open, 'failed', null))).toBe(false)
  expect(await ledgerRepository(shop.db).balances(ours.id)).toMatchObject([{ returned: 100 }])
})

test('a hold that is made anew while it expires is not waited for, and stays', async () => {
  const { offerId, orderId } = await shop.approvedOrder(2)
  const expired = `provider_order_id = '${orderId}'`
  await shop.pool.query(`UPDATE orders SET hold_until = now() - interval '1 minute' WHERE ${expired}`)
  const gate = await closeGate(
    shop.url,
    `UPDATE orders SET hold_until = now() + interval '15 minutes' WHERE ${expired}`,
  )
  expect(await shop.expireHolds()).toBe(0)
  await gate.open()
  expect(await shop.expireHolds()).toBe(0)
  expect(await shop.orderState(orderId)).toBe('held')
  expect(await shop.counters(offerId)).toEqual({ tickets_sold: 0, tickets_held: 2 })
})

test('an order that moves while it is compared is compared once more', async () => {
  const { customer, orderId } = await shop.approvedOrder(1, 'declined@buyer.test')
  await customer.capture(orderId)
  await customer.post('/api/paypal/cancel-order/', { order_id: orderId })
  const paypal = shop.client
  const move = () =>
    shop.pool.query('UPDATE orders SET changed_at = clock_timestamp() WHERE provider_order_id = $1', [
      orderId,
    ])
  const getOrder: typeof paypal.getOrder = async (id) => {
    if (id === orderId) await move()
    return paypal.getOrder(id)
  }
  await sweepOrders({ ...shop.checkout, provider: paypalProvider({ ...paypal, getOrder }) }, 0)
  expect((await shop.orderOf(orderId)).reconciled_at).toBeNull()
  await sweepOrders(shop.checkout, 0)
  expect((await shop.orderOf(orderId)).reconciled_at).not.toBeNull()
})
