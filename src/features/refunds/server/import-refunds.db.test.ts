import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ProviderSide, providerSide } from '../../../../test/support/provider-side.ts'
import { type TestShop, testShop } from '../../../../test/support/shop.ts'
import { reconcileLedger } from '#features/payments/server/ledger-reconciliation.ts'
import { handleLeftNotifications, handleNotification } from '#features/payments/server/notifications.ts'
import { reconcile } from '#features/payments/server/reconcile.ts'
import { sweepOrders } from '#features/payments/server/sweep.ts'
import { ProviderUnknown } from '#platform/payment/payment-provider.ts'
import { unlistedReturns } from './import-refunds.ts'
import { ledgerRepository, ledgerWrites } from './ledger.repository.ts'
import { paypalProvider, readNotification } from '#platform/payment/paypal/paypal-provider.ts'
import { notificationsRepository } from '#features/payments/server/payments.repository.ts'

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

const emailsOf = async (kind: string, orderId: string) =>
  (
    await shop.db
      .selectFrom('emails')
      .select(['key', 'subject'])
      .where('kind', '=', kind)
      .orderBy('queued_at')
      .execute()
  ).filter((mail) => mail.key.includes(orderId))

test('a part that went back there while one of ours was open is taken over with it', async () => {
  const { captureId, ours } = await paidOrder(2)
  await shop.db
    .transaction()
    .execute((trx) => ledgerWrites(trx).requestRefund(captureId, ours.id, 500, 'offer_cancelled'))
  await there.unnotified(() => there.giveBack(captureId, 'refund', '2.10'))
  await reconcile(shop.checkout, ours.id, { closedToo: true })
  expect(await ledgerRepository(shop.db).balances(ours.id)).toMatchObject([{ taken: 2420, returned: 710 }])
})

test.each(['another amount', 'money that went back there at once'])(
  'an order that somebody has captured past us goes back: %s',
  async (what) => {
    // A notification of the approval, too, would settle the order in the middle of it.
    const { offerId, orderId } = await there.unnotified(() => shop.approvedOrder(2))
    const ours = await shop.orderOf(orderId)
    await there.unnotified(async () => {
      await shop.client.captureOrder(orderId, `past us ${orderId}`)
      const captured = [...shop.paypal.book.captures.values()].find((one) => one.orderId === orderId)!
      if (what === 'another amount') captured.cents -= 100
      else await there.giveBack(captured.id, 'refund')
    })
    await reconcile(shop.checkout, ours.id)
    expect(await shop.orderState(orderId)).toBe('refunded')
    expect(await shop.counters(offerId)).toEqual({ tickets_sold: 0, tickets_held: 0 })
    const [sums] = await ledgerRepository(shop.db).balances(ours.id)
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
      expect(await emailsOf('refund', ours.id)).toEqual([
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
      .poll(() => emailsOf('refund', ours.id))
      .toMatchObject([{ subject: '€4.20 of your payment was returned to you' }])
    expect(await shop.orderState(orderId)).toBe('completed')
    expect((await ticketsOf(customer)).map((one) => one.status)).toEqual(['valid', 'valid'])
    expect(await ledgerRepository(shop.db).balances(ours.id)).toMatchObject([{ taken: 2420, returned: 420 }])

    await there.giveBack(captureId, 'reverse')
    await expect.poll(() => shop.orderState(orderId)).toBe('refunded')
    expect((await ticketsOf(customer)).map((one) => one.status)).toEqual(['void', 'void'])
    expect(await ledgerRepository(shop.db).balances(ours.id)).toMatchObject([{ taken: 2420, returned: 2420 }])
    expect(await emailsOf('refund', ours.id)).toHaveLength(2)
  })

  test('is asked about again when the provider was silent as its notification came', async () => {
    const { captureId, orderId, ours } = await paidOrder()
    await there.unnotified(() => there.giveBack(captureId, 'reverse'))
    const event = {
      id: `WH-${captureId}`,
      event_type: 'PAYMENT.CAPTURE.REVERSED',
      resource: { custom_id: ours.id },
    }
    await notificationsRepository(shop.db).store(event.id, event.event_type, event)
    const getOrder = () => Promise.reject(new ProviderUnknown('the line broke'))
    const silent = { ...shop.checkout, provider: paypalProvider({ ...shop.client, getOrder }) }
    await expect(handleNotification(silent, readNotification(event)!)).rejects.toThrow('the line broke')
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
      await notificationsRepository(shop.db).store(event.id, event_type, event)
      await shop.pool.query(
        `UPDATE webhook_inbox SET received_at = now() - make_interval(mins => $2) WHERE event_id = $1`,
        [event.id, captureId === stuck.captureId ? 2 : 1],
      )
    }
    const paypal = shop.client
    const getOrder: typeof paypal.getOrder = (id) =>
      id === stuck.orderId ? Promise.reject(new ProviderUnknown('the line broke')) : paypal.getOrder(id)
    const partly = { ...shop.checkout, provider: paypalProvider({ ...paypal, getOrder }) }
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
    await sql`UPDATE ledger_reconciliation SET started_at = now() - interval '25 hours', ended_at = now()`.execute(
      shop.db,
    )
    expect(await reconcileLedger(shop.checkout)).toEqual([])
    expect(await shop.orderState(orderId)).toBe('refunded')
    expect(await reconcileLedger(shop.checkout)).toEqual([])
  })

  test('is told of once, however often and in whatever order the notifications come', async () => {
    const { orderId, captureId, ours } = await paidOrder(1)
    await there.giveBack(captureId, 'refund')
    await shop.paypal.webhooksIdle()
    const events = [...shop.paypal.book.events.values()].filter((one) => one.body.includes(ours.id))
    expect(events.length).toBeGreaterThan(2)
    for (const event of [...events.toReversed(), ...events]) {
      await handleNotification(shop.checkout, readNotification(JSON.parse(event.body))!)
    }
    expect(await shop.orderState(orderId)).toBe('refunded')
    const rows = await shop.db.selectFrom('refunds').selectAll().where('order_id', '=', ours.id).execute()
    expect(rows).toMatchObject([{ origin: 'provider', amount_cents: 1210, status: 'completed' }])
    expect(await emailsOf('refund', ours.id)).toHaveLength(1)
  })

  test('is found from a dispute’s notification, which names the capture only', async () => {
    const { orderId, captureId } = await paidOrder(1)
    await there.unnotified(() => there.giveBack(captureId, 'reverse'))
    const disputed_transactions = [{ seller_transaction_id: captureId }]
    const event = {
      id: 'WH-DISPUTE',
      event_type: 'CUSTOMER.DISPUTE.RESOLVED',
      resource: { disputed_transactions },
    }
    await handleNotification(shop.checkout, readNotification(event)!)
    expect(await shop.orderState(orderId)).toBe('refunded')
  })

  test('before the tickets were issued: none are, and what is left goes back too', async () => {
    const offerId = await shop.newOffer({ price_cents: 1000 })
    const { customer, orderId, ours } = await there.unnotified(async () => {
      const approved = await shop.approvedOrder(1, 'buyer@buyer.test', offerId)
      const order = await shop.orderOf(approved.orderId)
      await shop.db.updateTable('orders').set({ state: 'capturing' }).where('id', '=', order.id).execute()
      await shop.client.captureOrder(approved.orderId, `${order.id}:cap:1`)
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

test('a refund that names none of several captures counts for none of them', async () => {
  const { orderId } = await shop.paidOrder()
  const answer = await shop.checkout.provider.readOrder(orderId)
  const [capture] = answer.captures
  const captures = ['C1', 'C2'].map((id) => ({ ...capture!, id, status: 'refunded' as const }))
  const refund = { id: 'R', captureId: undefined, status: 'completed' as const, money: capture!.money }
  expect(unlistedReturns({ ...answer, captures, refunds: [refund] }).map(({ id }) => id)).toEqual([
    'C1',
    'C2',
  ])
  expect(unlistedReturns({ ...answer, captures: captures.slice(1), refunds: [refund] })).toEqual([])
})
