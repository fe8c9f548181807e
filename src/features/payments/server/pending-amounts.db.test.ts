import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestShop, testShop } from '../../../../test/support/shop.ts'
import { capturePayment } from '#features/checkout/server/capture-payment.ts'
import { refundOrder } from '#features/refunds/server/staff-refunds.routes.ts'
import type { PayPalCapture, PayPalOrder } from '#platform/payment/paypal/paypal-client.ts'
import type { NotificationDeps } from './notifications.ts'
import { watchPayments } from './payment-alerts.repository.ts'
import { reconcile } from './reconcile.ts'
import { sweepOrders } from './sweep.ts'
import { paypalProvider } from '#platform/payment/paypal/paypal-provider.ts'

/** What is said of the money of a pending payment need not be what is taken in the end. */
let shop: TestShop

beforeAll(async () => {
  shop = await testShop()
  // A notification would tell the truth in the middle of what happens here.
  shop.paypal.faults.change({ missingWebhooks: 1 })
})
afterAll(() => shop.close())

const oneOf = (answer: PayPalOrder): PayPalCapture => answer.purchase_units![0]!.payments!.captures![0]!

/** A checkout whose provider tells something else of a capture: in its answer to it, or to every question. */
function telling(lie: (one: PayPalCapture) => void, always = false): NotificationDeps {
  const paypal = shop.client
  const twisted = async (answer: Promise<PayPalOrder>): Promise<PayPalOrder> => {
    const told = structuredClone(await answer)
    if (told.purchase_units?.[0]?.payments?.captures?.[0]) lie(oneOf(told))
    return told
  }
  return {
    ...shop.checkout,
    provider: paypalProvider({
      ...paypal,
      captureOrder: (id, request) => twisted(paypal.captureOrder(id, request)),
      getOrder: (id) => (always ? twisted(paypal.getOrder(id)) : paypal.getOrder(id)),
    }),
  }
}

/** An order of €11.86 whose payment is pending, or in doubt when what is said of it cannot be read. */
async function pendingOrder(deps: NotificationDeps) {
  const { offerId, orderId } = await shop.approvedOrder(2, 'pending@buyer.test')
  const { order } = await capturePayment(deps, await shop.orderOf(orderId))
  const there = [...shop.paypal.book.captures.values()].find((one) => one.orderId === orderId)!
  const release = async (cents?: number): Promise<void> => {
    await fetch(`${shop.paypal.url}/_emulator/captures/${there.id}/release`, { method: 'POST' })
    if (cents !== undefined) there.cents = cents
  }
  return { offerId, orderId, order, captureId: there.id, release }
}

const bookOf = async (id: string) => ({
  captures: await shop.db
    .selectFrom('captures')
    .select(['status', 'amount_cents'])
    .where('order_id', '=', id)
    .execute(),
  refunds: await shop.db
    .selectFrom('refunds')
    .select(['status', 'amount_cents'])
    .where('order_id', '=', id)
    .execute(),
})
const sentBack = (captureId: string): number[] =>
  [...shop.paypal.book.refunds.values()].filter((one) => one.captureId === captureId).map((one) => one.cents)

describe('a pending payment whose amount cannot be read', () => {
  test('is not written down: the order stays in doubt until it can, and its refund is the whole sum', async () => {
    const deps = telling((one) => delete one.amount, true)
    const { orderId, order, captureId, release } = await pendingOrder(deps)
    expect(order.state).toBe('capturing')
    expect(await bookOf(order.id)).toEqual({ captures: [], refunds: [] })
    expect((await reconcile(shop.checkout, order.id)).state).toBe('pending')

    await release()
    expect((await reconcile(deps, order.id)).state).toBe('pending')
    for (const [days, rings] of [
      [9, []],
      [11, [order.id]],
    ] as const) {
      await shop.pool.query(
        'UPDATE orders SET capture_started_at = now() - make_interval(days => $2) WHERE id = $1',
        [order.id, days],
      )
      await watchPayments(shop.db, deps.alerts)
      expect(await deps.alerts.subjects(shop.db, 'paymentUnclear')).toEqual(rings)
    }
    expect((await reconcile(shop.checkout, order.id)).state).toBe('completed')
    await refundOrder(shop.checkout, order, { staffId: 1, note: 'asked for' })
    expect(await shop.orderState(orderId)).toBe('refunded')
    expect(sentBack(captureId)).toEqual([1186])
  })
})

describe('a pending payment that was told with another amount', () => {
  test.each(['1.00', '99.00'])('%s, and is completed as ordered: all of it can go back', async (value) => {
    const deps = telling((one) => (one.amount!.value = value))
    const { orderId, order, captureId, release } = await pendingOrder(deps)
    expect((await bookOf(order.id)).captures).toEqual([
      { status: 'pending', amount_cents: Number(value) * 100 },
    ])
    await release()
    expect((await reconcile(shop.checkout, order.id)).state).toBe('completed')
    expect((await bookOf(order.id)).captures).toEqual([{ status: 'completed', amount_cents: 1186 }])
    await refundOrder(shop.checkout, order, { staffId: 1, note: 'asked for' })
    expect(await shop.orderState(orderId)).toBe('refunded')
    expect(sentBack(captureId)).toEqual([1186])
  })

  test.each([500, 5000])('and is completed with %i cents: no tickets, all of it goes back', async (cents) => {
    const { offerId, orderId, order, captureId, release } = await pendingOrder(shop.checkout)
    await release(cents)
    await sweepOrders(shop.checkout, 0)
    expect(await shop.orderState(orderId)).toBe('refunded')
    expect(await bookOf(order.id)).toEqual({
      captures: [{ status: 'completed', amount_cents: cents }],
      refunds: [{ status: 'completed', amount_cents: cents }],
    })
    expect(sentBack(captureId)).toEqual([cents])
    expect(await shop.counters(offerId)).toEqual({ tickets_sold: 0, tickets_held: 0 })
    expect(await shop.checkout.alerts.subjects(shop.db, 'wrongAmount')).toContain(order.id)
  })
})

test('a completed order whose payment was written down with too little gets back what was really taken', async () => {
  const { orderId, ours, captureId } = await shop.paidOrder(2)
  await shop.pool.query('UPDATE captures SET amount_cents = 0 WHERE capture_id = $1', [captureId])
  await refundOrder(shop.checkout, ours, { staffId: 1, note: 'asked for' })
  await sweepOrders(shop.checkout, 0)
  expect(await shop.orderState(orderId)).toBe('refunded')
  expect(sentBack(captureId)).toEqual([1186])
})
