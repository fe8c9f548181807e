import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ProviderUnknown } from '#platform/paypal/faults.ts'
import { type ProviderSide, providerSide } from '../../../../test/support/provider-side.ts'
import { type TestShop, testShop } from '../../../../test/support/shop.ts'
import { compareBooks } from './compare-books.ts'
import { handleLeftNotifications, handleNotification } from './notifications.ts'
import { paymentsRepository } from './payments.repository.ts'
import { reconcile } from './reconcile.ts'
import { refundWrites, refundsRepository } from './refunds.repository.ts'
import { sweepOrders } from './sweep.ts'

let shop: TestShop
let there: ProviderSide

beforeAll(async () => {
  shop = await testShop()
  there = providerSide(shop)
})
afterAll(() => shop.close())

async function paidOrder(quantity = 2, total = 100) {
  const offerId = await shop.newOffer({ total_tickets: total, price_cents: 1000 })
  return shop.paidOrder(quantity, 'buyer@buyer.test', offerId)
}

const ticketsOf = async (customer: { get: (url: string) => Promise<{ body: unknown }> }) =>
  (await customer.get('/api/tickets/')).body as { status: string; ticket_number: string }[]

const mailsOf = async (kind: string, orderId: string) =>
  (
    await shop.db
      .selectFrom('mails')
      .select(['key', 'subject'])
      .where('kind', '=', kind)
      .orderBy('queued_at')
      .execute()
  ).filter((mail) => mail.key.includes(orderId))

test('a part that went back there while one of ours was open is taken over with it', async () => {
  const { captureId, ours } = await paidOrder(2)
  await shop.db.transaction().execute((trx) => refundWrites(trx).request(captureId, ours.id, 500, 'a share'))
  await there.unnotified(() => there.giveBack(captureId, 'refund', '2.10'))
  await reconcile(shop.checkout, ours.id, { closedToo: true })
  expect(await refundsRepository(shop.db).returns(ours.id)).toMatchObject([{ taken: 2420, returned: 710 }])
})

test.each(['another amount', 'money that went back there at once'])(
  'an order that somebody has captured past us goes back: %s',
  async (what) => {
    const { offerId, orderId } = await shop.approvedOrder(2)
    const ours = await shop.orderOf(orderId)
    await there.unnotified(async () => {
      await shop.checkout.paypal.captureOrder(orderId, `past us ${orderId}`)
      const captured = [...shop.paypal.book.captures.values()].find((one) => one.orderId === orderId)!
      if (what === 'another amount') captured.cents -= 100
      else await there.giveBack(captured.id, 'refund')
    })
    await reconcile(shop.checkout, ours.id)
    expect(await shop.orderState(orderId)).toBe('refunded')
    expect(await shop.counters(offerId)).toEqual({ tickets_sold: 0, tickets_held: 0 })
    const [sums] = await refundsRepository(shop.db).returns(ours.id)
    expect(sums?.taken).toBeGreaterThan(0)
    expect(sums?.returned).toBe(sums?.taken)
  },
)

describe('money that goes back at the provider', () => {
  test.each(['refund', 'reverse'] as const)(
    'voids the tickets, and their numbers stay given (%s)',
    async (how) => {
      const { offerId, customer, orderId, captureId, ours } = await paidOrder(2, 3)
      await there.giveBack(captureId, how)
      await expect.poll(() => shop.orderState(orderId)).toBe('refunded')
      const tickets = await ticketsOf(customer)
      expect(tickets.map((one) => one.status)).toEqual(['void', 'void'])
      expect(await shop.counters(offerId)).toEqual({ tickets_sold: 2, tickets_held: 0 })
      expect(await mailsOf('refund', ours.id)).toEqual([
        { key: `refund:${ours.id}`, subject: 'Your payment of €24.20 was returned: your tickets are void' },
      ])

      const next = await shop.approvedOrder(1, 'buyer@buyer.test', offerId)
      const bought = await next.customer.capture(next.orderId)
      const given = tickets.map((one) => one.ticket_number)
      expect(given).not.toContain(bought.body['tickets'][0].ticket_number)
      expect(await shop.counters(offerId)).toEqual({ tickets_sold: 3, tickets_held: 0 })
    },
  )

  test('in part leaves the tickets valid, and voids them once the parts make the whole', async () => {
    const { customer, orderId, captureId, ours } = await paidOrder(2)
    await there.giveBack(captureId, 'refund', '4.20')
    await expect
      .poll(() => mailsOf('refund', ours.id))
      .toMatchObject([{ subject: '€4.20 of your payment was returned to you' }])
    expect(await shop.orderState(orderId)).toBe('completed')
    expect((await ticketsOf(customer)).map((one) => one.status)).toEqual(['valid', 'valid'])
    expect(await refundsRepository(shop.db).returns(ours.id)).toMatchObject([{ taken: 2420, returned: 420 }])

    await there.giveBack(captureId, 'reverse')
    await expect.poll(() => shop.orderState(orderId)).toBe('refunded')
    expect((await ticketsOf(customer)).map((one) => one.status)).toEqual(['void', 'void'])
    expect(await refundsRepository(shop.db).returns(ours.id)).toMatchObject([{ taken: 2420, returned: 2420 }])
    expect(await mailsOf('refund', ours.id)).toHaveLength(2)
  })

  test('is asked about again when the provider was silent as its notification came', async () => {
    const { captureId, orderId, ours } = await paidOrder()
    await there.unnotified(() => there.giveBack(captureId, 'reverse'))
    const event = {
      id: `WH-${captureId}`,
      event_type: 'PAYMENT.CAPTURE.REVERSED',
      resource: { custom_id: ours.id },
    }
    await paymentsRepository(shop.db).storeNotification(event.id, event.event_type, event)
    const getOrder = () => Promise.reject(new ProviderUnknown('the line broke'))
    const silent = { ...shop.checkout, paypal: { ...shop.checkout.paypal, getOrder } }
    await expect(handleNotification(silent, event)).rejects.toThrow('the line broke')
    await shop.pool.query(
      `UPDATE webhook_inbox SET received_at = now() - interval '1 minute' WHERE event_id = $1`,
      [event.id],
    )
    await sweepOrders(shop.checkout, 15)
    expect(await shop.orderState(orderId)).toBe('refunded')
  })

  test('does not wait behind notifications that cannot be handled', async () => {
    const [stuck, one] = [await paidOrder(1), await paidOrder(1)]
    await there.unnotified(async () => {
      for (const { captureId } of [stuck, one]) await there.giveBack(captureId, 'reverse')
    })
    for (const { ours, captureId } of [stuck, one]) {
      const event_type = 'PAYMENT.CAPTURE.REVERSED'
      const event = { id: `WH-${captureId}`, event_type, resource: { custom_id: ours.id } }
      await paymentsRepository(shop.db).storeNotification(event.id, event_type, event)
      await shop.pool.query(
        `UPDATE webhook_inbox SET received_at = now() - make_interval(mins => $2) WHERE event_id = $1`,
        [event.id, captureId === stuck.captureId ? 2 : 1],
      )
    }
    const { paypal } = shop.checkout
    const getOrder: typeof paypal.getOrder = (id) =>
      id === stuck.orderId ? Promise.reject(new ProviderUnknown('the line broke')) : paypal.getOrder(id)
    const partly = { ...shop.checkout, paypal: { ...paypal, getOrder } }
    await handleLeftNotifications(partly, 1)
    expect(await shop.orderState(one.orderId)).toBe('completed')
    await handleLeftNotifications(partly, 1)
    expect(await shop.orderState(one.orderId)).toBe('refunded')
    await handleLeftNotifications(shop.checkout)
    expect(await shop.orderState(stuck.orderId)).toBe('refunded')
  })

  test('is found by the comparison of both books when no notification comes', async () => {
    const { orderId, captureId } = await paidOrder(1)
    await there.unnotified(() => there.giveBack(captureId, 'refund'))
    expect(await shop.orderState(orderId)).toBe('completed')
    // A walk that ended more than a day ago: the next one begins.
    await sql`UPDATE book_comparison SET begun_at = now() - interval '25 hours', ended_at = now()`.execute(
      shop.db,
    )
    expect(await compareBooks(shop.checkout)).toEqual([])
    expect(await shop.orderState(orderId)).toBe('refunded')
    expect(await compareBooks(shop.checkout)).toEqual([])
  })

  test('is told of once, however often and in whatever order the notifications come', async () => {
    const { orderId, captureId, ours } = await paidOrder(1)
    await there.giveBack(captureId, 'refund')
    await shop.paypal.webhooksIdle()
    const events = [...shop.paypal.book.events.values()].filter((one) => one.body.includes(ours.id))
    expect(events.length).toBeGreaterThan(2)
    for (const event of [...events.toReversed(), ...events]) {
      await handleNotification(shop.checkout, JSON.parse(event.body))
    }
    expect(await shop.orderState(orderId)).toBe('refunded')
    const rows = await shop.db.selectFrom('refunds').selectAll().where('order_id', '=', ours.id).execute()
    expect(rows).toMatchObject([{ origin: 'provider', amount_cents: 1210, status: 'completed' }])
    expect(await mailsOf('refund', ours.id)).toHaveLength(1)
  })

  test('is found from a dispute’s notification, which names the capture only', async () => {
    const { orderId, captureId } = await paidOrder(1)
    await there.unnotified(() => there.giveBack(captureId, 'reverse'))
    const disputed_transactions = [{ seller_transaction_id: captureId }]
    await handleNotification(shop.checkout, {
      id: 'WH-DISPUTE',
      event_type: 'CUSTOMER.DISPUTE.RESOLVED',
      resource: { disputed_transactions },
    })
    expect(await shop.orderState(orderId)).toBe('refunded')
  })

  test('before the tickets were issued: none are, and what is left goes back too', async () => {
    const offerId = await shop.newOffer({ price_cents: 1000 })
    const { customer, orderId, ours } = await there.unnotified(async () => {
      const approved = await shop.approvedOrder(1, 'buyer@buyer.test', offerId)
      const order = await shop.orderOf(approved.orderId)
      await shop.db.updateTable('orders').set({ state: 'capturing' }).where('id', '=', order.id).execute()
      await shop.checkout.paypal.captureOrder(approved.orderId, `${order.id}:cap:1`)
      await there.giveBack(there.captureIdOf(approved.orderId), 'refund', '5.00')
      return { ...approved, ours: order }
    })
    await reconcile(shop.checkout, ours.id)
    await sweepOrders(shop.checkout, 0)
    expect(await shop.orderState(orderId)).toBe('refunded')
    expect(await shop.ticketCount(customer)).toBe(0)
    expect(await shop.counters(offerId)).toEqual({ tickets_sold: 0, tickets_held: 0 })
    const rows = await shop.db
      .selectFrom('refunds')
      .select(['origin', 'amount_cents', 'status'])
      .where('order_id', '=', ours.id)
      .orderBy('id')
      .execute()
    expect(rows).toEqual([
      { origin: 'provider', amount_cents: 500, status: 'completed' },
      { origin: 'shop', amount_cents: 710, status: 'completed' },
    ])
  })
})
