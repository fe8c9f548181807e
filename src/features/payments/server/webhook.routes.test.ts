import { randomUUID } from 'node:crypto'
import Fastify, { type FastifyBaseLogger } from 'fastify'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Refusal } from '#shared/refusal.ts'
import { type TestShop, testShop } from '../../../../test/support/shop.ts'
import { webhookRoutes } from './webhook.routes.ts'
import { sweepOrders } from './sweep.ts'
import { notificationsRepository } from '#features/payments/server/payments.repository.ts'

let shop: TestShop

beforeAll(async () => {
  shop = await testShop()
})
afterAll(() => shop.close())

const post = (headers: Record<string, string>, body: string) =>
  fetch(`http://127.0.0.1:${shop.port}/api/paypal/webhook/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  })

const FORGED = JSON.stringify({ id: 'WH-1', event_type: 'X', resource: {} })

const stored = async (): Promise<number> =>
  (await shop.db.selectFrom('webhook_inbox').select('event_id').execute()).length

describe('notifications', () => {
  test('genuine ones are stored once and handled', async () => {
    const before = await stored()
    await shop.paidOrder()
    await shop.paypal.webhooksIdle()
    await expect.poll(stored).toBeGreaterThan(before)
    await expect
      .poll(() =>
        shop.db.selectFrom('webhook_inbox').select('event_id').where('handled_at', 'is', null).execute(),
      )
      .toEqual([])
  })

  test.each([
    ['without a signature', {}],
    [
      'signed by nobody we know',
      {
        'paypal-transmission-id': randomUUID(),
        'paypal-transmission-time': new Date().toISOString(),
        'paypal-transmission-sig': 'AAAA',
        'paypal-auth-algo': 'SHA256withRSA',
        'paypal-cert-url': 'https://evil.example/cert.pem',
      },
    ],
  ])('%s are refused and leave nothing', async (_, headers) => {
    const before = await stored()
    const answer = await post(headers as Record<string, string>, FORGED)
    expect(answer.status).toBe(400)
    expect(await stored()).toBe(before)
  })

  test('one that comes again is not handled again', async () => {
    const inbox = notificationsRepository(shop.db)
    expect(await inbox.store('WH-AGAIN', 'X', {})).toBe(true)
    expect(await inbox.store('WH-AGAIN', 'X', {})).toBe(false)
    await inbox.markHandled('WH-AGAIN')
  })

  test('a flood of forgeries is one line of the log for each network', async () => {
    const warn = vi.fn<(fields: object, message: string) => void>()
    const log: FastifyBaseLogger = Object.assign(Object.create(shop.checkout.log), { warn })
    const app = Fastify()
    app.setErrorHandler((error: Refusal, _request, reply) => reply.code(error.status).send({}))
    await app.register(
      webhookRoutes({
        ...shop.checkout,
        log,
        notifications: { ...shop.checkout.notifications, verify: async () => false },
      }),
    )
    for (let index = 0; index < 40; index += 1) {
      const answer = await app.inject({
        method: 'POST',
        url: '/api/paypal/webhook/',
        headers: { 'content-type': 'application/json' },
        payload: FORGED,
        remoteAddress: `2001:db8:${index % 2}::${index + 1}`,
      })
      expect(answer.statusCode).toBe(400)
    }
    await app.close()
    expect(warn.mock.calls).toEqual(Array(2).fill([{ times: 1 }, 'a notification with a bad signature']))
  })

  test('of anybody are stored where nobody looks at the signature', async () => {
    const before = await stored()
    const trusting = Fastify()
    await trusting.register(
      webhookRoutes({
        ...shop.checkout,
        notifications: { ...shop.checkout.notifications, verify: async () => true },
      }),
    )
    const answer = await trusting.inject({
      method: 'POST',
      url: '/api/paypal/webhook/',
      headers: { 'content-type': 'application/json' },
      payload: FORGED,
    })
    await trusting.close()
    expect(answer.statusCode).toBe(200)
    expect(await stored()).toBe(before + 1)
  })
})

test.each<[string, unknown, unknown]>([
  ['a zero byte', { note: 'a\0b', escaped: '\\u0000' }, { note: 'a\ufffdb', escaped: '\\u0000' }],
  ['half a surrogate pair', { note: '\ud800', whole: '\u{1f3ce}' }, { note: '\ufffd', whole: '\u{1f3ce}' }],
  ['no end of brackets', { note: Array.from({ length: 20_000 }).reduce<unknown>((inner) => [inner], 0) }, {}],
])('a genuine notification with %s is kept and handled', async (_, resource, kept) => {
  const id = `WH-${randomUUID()}`
  const notification = { id, event_type: 'PAYMENT.CAPTURE.REFUNDED', resource }
  expect(await notificationsRepository(shop.db).store(id, notification.event_type, notification)).toBe(true)
  await shop.pool.query(
    `UPDATE webhook_inbox SET received_at = now() - interval '1 minute' WHERE event_id = $1`,
    [id],
  )
  await sweepOrders(shop.checkout, 15)
  const { rows } = await shop.pool.query(
    'SELECT handled_at IS NOT NULL AS handled, payload FROM webhook_inbox WHERE event_id = $1',
    [id],
  )
  expect(rows).toEqual([{ handled: true, payload: { ...notification, resource: kept } }])
})

/** Lets the time of a hold run out. */
const expire = (orderId: string) =>
  shop.db
    .updateTable('orders')
    .set({ hold_until: new Date(Date.now() - 1000) })
    .where('provider_order_id', '=', orderId)
    .execute()

describe('what a crash leaves behind', () => {
  test('an order killed between capture and issue gets its tickets from the sweep', async () => {
    const { offerId, orderId } = await shop.approvedOrder(2)
    // The state a killed process leaves: money was asked for and taken, nothing of it is written down.
    await shop.leaveCapturing(orderId)
    const ours = await shop.orderOf(orderId)
    await shop.client.captureOrder(orderId, `${ours.id}:cap:1`)
    await sweepOrders(shop.checkout, 15)
    expect(await shop.orderState(orderId)).toBe('completed')
    expect(await shop.counters(offerId)).toEqual({ tickets_sold: 2, tickets_held: 0 })
  })

  test('an order killed before the capture request left is captured with the same request', async () => {
    const { orderId } = await shop.approvedOrder(1)
    await shop.leaveCapturing(orderId)
    await sweepOrders(shop.checkout, 15)
    await sweepOrders(shop.checkout, 0)
    expect(await shop.orderState(orderId)).toBe('completed')
    expect([...shop.paypal.book.captures.values()].filter((one) => one.orderId === orderId)).toHaveLength(1)
  })

  test('a buyer who returns after the hold expired gets it again while tickets are left, and pays', async () => {
    const { offerId, customer, orderId } = await shop.approvedOrder(2)
    await expire(orderId)
    await shop.expireHolds()
    expect(await shop.orderState(orderId)).toBe('expired')
    expect((await customer.capture(orderId)).body['tickets']).toHaveLength(2)
    expect(await shop.counters(offerId)).toEqual({ tickets_sold: 2, tickets_held: 0 })
  })

  test('a expired hold goes back, and a buyer who returns too late is refused before money moves', async () => {
    const offerId = await shop.newOffer({ total_tickets: 2 })
    const [slow, quick] = [await shop.newCustomer(), await shop.newCustomer()]
    const { body } = await slow.order(offerId, 2)
    const orderId = body['order_id'] as string
    await shop.paypal.approve(orderId)
    await expire(orderId)
    await shop.expireHolds()
    expect(await shop.orderState(orderId)).toBe('expired')
    expect(await shop.counters(offerId)).toEqual({ tickets_sold: 0, tickets_held: 0 })

    await quick.order(offerId, 1)
    expect(await slow.capture(orderId)).toMatchObject({ status: 409, body: { code: 'checkout.holdExpired' } })
    expect(shop.paypal.book.orders.get(orderId)?.status).toBe('APPROVED')
    expect(await shop.counters(offerId)).toEqual({ tickets_sold: 0, tickets_held: 1 })
  })

  test('a buyer who has changed the cart since does not get the old order again, and is refused before money moves', async () => {
    const { offerId, customer, orderId } = await shop.approvedOrder(2)
    await expire(orderId)
    await shop.expireHolds()
    await customer.post(`/api/cart/${customer.cartId}/add_item/`, { offer_id: offerId, quantity: 1 })
    const refused = await customer.capture(orderId)
    expect(refused).toMatchObject({ status: 409, body: { code: 'checkout.orderClosed' } })
    expect(await shop.orderState(orderId)).toBe('expired')
    expect(shop.paypal.book.orders.get(orderId)?.status).toBe('APPROVED')
    expect(await shop.counters(offerId)).toEqual({ tickets_sold: 0, tickets_held: 0 })
  })

  test('somebody who wants the tickets does not wait for the sweep to release a expired hold', async () => {
    const offerId = await shop.newOffer({ total_tickets: 1 })
    const [gone, next] = [await shop.newCustomer(), await shop.newCustomer()]
    await next.post(`/api/cart/${next.cartId}/add_item/`, { offer_id: offerId, quantity: 1 })
    const { body } = await gone.order(offerId, 1)
    await expire(body['order_id'] as string)
    expect((await next.post('/api/paypal/create-order/', {})).status).toBe(200)
    expect(await shop.counters(offerId)).toEqual({ tickets_sold: 0, tickets_held: 1 })
  })

  test('money that comes after the hold expired gets tickets when some are left', async () => {
    const offerId = await shop.newOffer({ total_tickets: 3 })
    const customer = await shop.newCustomer()
    const { body } = await customer.order(offerId, 2)
    const orderId = body['order_id'] as string
    await shop.paypal.approve(orderId)
    const ours = await shop.orderOf(orderId)
    await customer.post('/api/paypal/cancel-order/', { order_id: orderId })
    await shop.client.captureOrder(orderId, `${ours.id}:cap:1`)
    const { reconcile } = await import('./reconcile.ts')
    expect((await reconcile(shop.checkout, ours.id)).state).toBe('completed')
    expect(await shop.counters(offerId)).toEqual({ tickets_sold: 2, tickets_held: 0 })
    expect((await customer.get('/api/cart/')).body).toMatchObject([{ is_empty: true }])
  })

  test('and is sent back when none are', async () => {
    const offerId = await shop.newOffer({ total_tickets: 2 })
    const [slow, quick] = [await shop.newCustomer(), await shop.newCustomer()]
    const { body } = await slow.order(offerId, 2)
    const orderId = body['order_id'] as string
    await shop.paypal.approve(orderId)
    const ours = await shop.orderOf(orderId)
    await slow.post('/api/paypal/cancel-order/', { order_id: orderId })
    await quick.order(offerId, 1)
    await shop.client.captureOrder(orderId, `${ours.id}:cap:1`)
    const { reconcile } = await import('./reconcile.ts')
    await reconcile(shop.checkout, ours.id)
    await expect.poll(() => shop.orderState(orderId)).toBe('refunded')
    expect(await shop.counters(offerId)).toEqual({ tickets_sold: 0, tickets_held: 1 })
    const capture = [...shop.paypal.book.captures.values()].find((one) => one.orderId === orderId)
    expect(capture?.status).toBe('REFUNDED')
  })
})
