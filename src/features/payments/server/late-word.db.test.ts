import { describe, expect, test } from 'vitest'
import { capturePayment } from '#features/checkout/server/capture-payment.ts'
import { reconcileLedger } from './ledger-reconciliation.ts'
import type { NotificationDeps } from './notifications.ts'
import { reconcile } from './reconcile.ts'
import { silentProvider } from './silent-provider.test-support.ts'
import { sweepOrders } from './sweep.ts'
import { paypalProvider } from '#platform/payment/paypal/paypal-provider.ts'

/** What the provider says of a capture now counts, whatever it has said before. */
const { shop, there, compareAll } = await silentProvider()

/** The provider's own row of an order's payment. */
const paymentOf = (orderId: string) => shop.paypal.book.captures.get(there.captureIdOf(orderId))!

/** A checkout whose provider answers a capture with a decline, although it has taken the money. */
function declining(): NotificationDeps {
  const paypal = shop.client
  const captureOrder: typeof paypal.captureOrder = async (...call) => {
    const answer = structuredClone(await paypal.captureOrder(...call))
    for (const one of answer.purchase_units?.[0]?.payments?.captures ?? []) one.status = 'DECLINED'
    return answer
  }
  return { ...shop.checkout, provider: paypalProvider({ ...paypal, captureOrder }) }
}

/** An order of two of `total` tickets whose money was taken, and whose buyer was told that it was declined. */
async function declinedButPaid(total = 100) {
  const offerId = await shop.newOffer({ total_tickets: total })
  const approved = await shop.approvedOrder(2, 'buyer@buyer.test', offerId)
  const { order, declined } = await capturePayment(declining(), await shop.orderOf(approved.orderId))
  expect({ declined, state: order.state }).toEqual({ declined: true, state: 'held' })
  return { ...approved, offerId, ours: order }
}

const rowsOf = async (id: string) =>
  (
    await shop.pool.query(
      `SELECT c.status, c.amount_cents, coalesce(sum(r.amount_cents) FILTER (WHERE r.status = 'completed'), 0)::int AS back
       FROM captures c LEFT JOIN refunds r USING (capture_id)
       WHERE c.order_id = $1 GROUP BY c.capture_id ORDER BY c.recorded_at`,
      [id],
    )
  ).rows

describe('a capture that was told as declined and has taken the money', () => {
  test('gives the tickets as soon as the provider is asked', async () => {
    const { orderId, offerId, ours } = await declinedButPaid()
    expect((await reconcile(shop.checkout, ours.id)).state).toBe('completed')
    expect(await shop.counters(offerId)).toEqual({ tickets_sold: 2, tickets_held: 0 })
    expect(await rowsOf(ours.id)).toEqual([{ status: 'completed', amount_cents: 1186, back: 0 }])
    expect(await reconcileLedger(shop.checkout)).not.toContain((await shop.orderOf(orderId)).id)
  })

  test('is not taken twice from a buyer who pays again', async () => {
    const { orderId, customer } = await declinedButPaid()
    const again = await customer.capture(orderId)
    expect(again.status).toBe(200)
    expect(again.body['tickets']).toHaveLength(2)
    const taken = [...shop.paypal.book.captures.values()].filter((one) => one.orderId === orderId)
    expect(taken).toHaveLength(1)
  })

  test('gives the tickets of an order that was given up since', async () => {
    const { orderId, customer, offerId } = await declinedButPaid()
    await customer.post('/api/paypal/cancel-order/', { order_id: orderId })
    expect(await shop.orderState(orderId)).toBe('cancelled')
    await sweepOrders(shop.checkout, 0)
    expect(await shop.orderState(orderId)).toBe('completed')
    expect(await shop.counters(offerId)).toEqual({ tickets_sold: 2, tickets_held: 0 })
  })

  test('goes back when the tickets are gone', async () => {
    const { orderId, customer, offerId, ours } = await declinedButPaid(2)
    await customer.post('/api/paypal/cancel-order/', { order_id: orderId })
    await shop.paidOrder(2, 'buyer@buyer.test', offerId)
    await sweepOrders(shop.checkout, 0)
    expect(await shop.orderState(orderId)).toBe('refunded')
    expect(await rowsOf(ours.id)).toEqual([{ status: 'completed', amount_cents: 1186, back: 1186 }])
    expect(paymentOf(orderId)).toMatchObject({ status: 'REFUNDED', refunded: 1186 })
  })

  test.each(['ended', 'cancelled'])('goes back when its contest has %s, and is told as that', async (how) => {
    const { orderId, customer, offerId, ours } = await declinedButPaid()
    await customer.post('/api/paypal/cancel-order/', { order_id: orderId })
    const change =
      how === 'ended' ? 'end_date = now()' : `active = false, cancelled_at = now(), cancelled_why = 'x'`
    await shop.pool.query(`UPDATE offers SET ${change} WHERE id = $1`, [offerId])
    await sweepOrders(shop.checkout, 0)
    expect(await shop.orderState(orderId)).toBe('refunded')
    const { rows } = await shop.pool.query(
      `SELECT body_text FROM emails WHERE key LIKE 'refund:' || $1 || '%'`,
      [ours.id],
    )
    expect(rows).toHaveLength(1)
    expect(rows[0].body_text).toContain('Your payment reached us after your order had been closed.')
  })
})

describe('a pending payment that was denied', () => {
  async function denied() {
    const { customer, orderId } = await shop.approvedOrder(2, 'pending@buyer.test')
    await customer.capture(orderId)
    paymentOf(orderId).status = 'DECLINED'
    const { id } = await shop.orderOf(orderId)
    expect((await reconcile(shop.checkout, id)).state).toBe('cancelled')
    return { orderId, id }
  }

  test('gives its tickets when it completes after all', async () => {
    const { orderId, id } = await denied()
    paymentOf(orderId).status = 'COMPLETED'
    await sweepOrders(shop.checkout, 0)
    expect(await shop.orderState(orderId)).toBe('completed')
    expect(await rowsOf(id)).toEqual([{ status: 'completed', amount_cents: 1186, back: 0 }])
  })

  test('is pending again by the provider’s latest word', async () => {
    const { orderId, id } = await denied()
    paymentOf(orderId).status = 'PENDING'
    await reconcile(shop.checkout, id)
    expect(await rowsOf(id)).toMatchObject([{ status: 'pending' }])
  })
})

test('a decline that turns out to be pending, and is then denied for good, frees the tickets', async () => {
  const { orderId, offerId, ours } = await declinedButPaid()
  paymentOf(orderId).status = 'PENDING'
  expect((await reconcile(shop.checkout, ours.id)).state).toBe('pending')
  // The book need not have heard that it was pending.
  await shop.pool.query(`UPDATE captures SET status = 'declined' WHERE order_id = $1`, [ours.id])
  paymentOf(orderId).status = 'DECLINED'
  expect((await reconcile(shop.checkout, ours.id)).state).toBe('cancelled')
  expect(await shop.counters(offerId)).toEqual({ tickets_sold: 0, tickets_held: 0 })
})

test('money that is said not to have been taken after all stays in the book, and rings until both agree', async () => {
  const { orderId, ours } = await shop.paidOrder(2)
  const hasAlert = async () =>
    (await shop.checkout.alerts.subjects(shop.db, 'ledgerDiffers')).includes(ours.id)
  paymentOf(orderId).status = 'DECLINED'
  await reconcile(shop.checkout, ours.id, { closedToo: true })
  expect(await rowsOf(ours.id)).toMatchObject([{ status: 'completed' }])
  expect(await shop.orderState(orderId)).toBe('completed')
  expect(await hasAlert()).toBe(true)

  paymentOf(orderId).status = 'COMPLETED'
  await compareAll()
  expect(await hasAlert()).toBe(false)
})

test('a second capture of a paid order that turns out to have taken money goes back', async () => {
  const { orderId, captureId, ours, offerId } = await shop.paidOrder(2)
  const second = { ...paymentOf(orderId), id: 'SECOND0000000000X' }
  shop.paypal.book.insert('capture', second.id, second)
  shop.paypal.book.orders.get(orderId)!.captureIds.unshift(second.id)
  await reconcile(shop.checkout, ours.id, { closedToo: true })
  await sweepOrders(shop.checkout, 0)
  expect(await shop.orderState(orderId)).toBe('completed')
  expect(await shop.counters(offerId)).toEqual({ tickets_sold: 2, tickets_held: 0 })
  const back = () => [...shop.paypal.book.refunds.values()].filter((one) => one.orderId === orderId)
  expect(back()).toMatchObject([{ captureId: second.id, cents: ours.total_cents }])
  expect(shop.paypal.book.captures.get(captureId)).toMatchObject({ status: 'COMPLETED', refunded: 0 })
  await sweepOrders(shop.checkout, 0)
  await reconcile(shop.checkout, ours.id, { closedToo: true })
  expect(back()).toHaveLength(1)
})
