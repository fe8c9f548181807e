import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { closeGate } from '../../../../test/support/races.ts'
import { type ProviderSide, providerSide } from '../../../../test/support/provider-side.ts'
import { type TestShop, testShop } from '../../../../test/support/shop.ts'
import { reconcile } from '#features/payments/server/reconcile.ts'
import { refundOrder } from '#features/refunds/server/staff-refunds.routes.ts'

let shop: TestShop
let there: ProviderSide
type Paid = Awaited<ReturnType<TestShop['paidOrder']>>

beforeAll(async () => {
  shop = await testShop()
  there = providerSide(shop)
})
afterAll(() => shop.close())

describe('giving up', () => {
  test('a cancel gives the tickets back at once', async () => {
    const { offerId, customer, orderId } = await shop.approvedOrder(2)
    const answer = await customer.post('/api/paypal/cancel-order/', { order_id: orderId })
    expect(answer.body).toMatchObject({ progress: 'closed' })
    expect(await shop.counters(offerId)).toEqual({ tickets_sold: 0, tickets_held: 0 })
  })

  test('a paid order cannot be cancelled', async () => {
    const { offerId, customer, orderId } = await shop.approvedOrder(2)
    await customer.capture(orderId)
    const answer = await customer.post('/api/paypal/cancel-order/', { order_id: orderId })
    expect(answer.body).toMatchObject({ progress: 'completed' })
    expect(await shop.counters(offerId)).toEqual({ tickets_sold: 2, tickets_held: 0 })
  })
})

describe('the way back from the provider', () => {
  const go = (path: string) => fetch(`http://127.0.0.1:${shop.port}${path}`, { redirect: 'manual' })

  test('an approved order is captured and leads to the participations', async () => {
    const { customer, orderId } = await shop.approvedOrder(1)
    const answer = await go(`/checkout/return?token=${orderId}`)
    expect([answer.status, answer.headers.get('location')]).toEqual([
      303,
      '/profile/participations?success=true',
    ])
    expect(await shop.ticketCount(customer)).toBe(1)
  })

  test('a cancel leads back to the cart [spec 4.36]', async () => {
    const { offerId, orderId } = await shop.approvedOrder(1)
    const answer = await go(`/checkout/cancel?token=${orderId}`)
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/cart?canceled=true'])
    expect(await shop.counters(offerId)).toEqual({ tickets_sold: 0, tickets_held: 0 })
  })

  test.each([
    ['declined@buyer.test', '/cart?payment=declined'],
    ['pending@buyer.test', '/profile/participations?confirming='],
  ])('%s is told so', async (buyer, target) => {
    const { orderId } = await shop.approvedOrder(1, buyer)
    expect((await go(`/checkout/return?token=${orderId}`)).headers.get('location')).toContain(target)
  })

  test.each(['', '?token=', '?token=NOPE', '?token=a&token=b', '?token=%00', '?token=%ED%A0%80'])(
    'a made-up address %s changes nothing',
    async (query) => {
      expect((await go(`/checkout/return${query}`)).headers.get('location')).toBe('/cart?payment=unknown')
      expect((await go(`/checkout/cancel${query}`)).headers.get('location')).toBe('/cart?canceled=true')
    },
  )
})

describe('a fault on the way back', () => {
  beforeAll(() => shop.paypal.faults.change({ missingWebhooks: 1 }))
  afterAll(() => shop.paypal.faults.clear())

  const led = async (address: 'return' | 'cancel', orderId: string) => {
    const { status, headers } = await shop.anonymous('GET', `/checkout/${address}?token=${orderId}`)
    return [status, headers['location']]
  }

  /** The database fails whatever needs the table, while something is done. */
  async function without<Result>(table: string, act: () => Promise<Result>): Promise<Result> {
    await shop.pool.query(`ALTER TABLE ${table} RENAME TO gone`)
    try {
      return await act()
    } finally {
      await shop.pool.query(`ALTER TABLE gone RENAME TO ${table}`)
    }
  }

  test('once the money is taken leads to where it is being confirmed and the numbers come, never to a failure', async () => {
    const { customer, orderId } = await shop.approvedOrder(2)
    const target = await without('tickets', () => led('return', orderId))
    expect(target).toEqual([303, `/profile/participations?confirming=${orderId}`])
    const taken = [...shop.paypal.book.captures.values()].filter((one) => one.orderId === orderId)
    expect([await shop.ticketCount(customer), taken.length]).toEqual([0, 1])
    await reconcile(shop.checkout, (await shop.orderOf(orderId)).id)
    expect(await shop.ticketCount(customer)).toBe(2)
  })

  test('before the order is found leads on as well: to where it is being confirmed, or from a cancel to the cart', async () => {
    const { customer, orderId } = await shop.approvedOrder(1)
    expect(await without('orders', () => led('return', orderId))).toEqual([
      303,
      `/profile/participations?confirming=${orderId}`,
    ])
    expect(await without('orders', () => led('cancel', orderId))).toEqual([303, '/cart'])
    expect(await shop.orderState(orderId)).toBe('held')
    expect((await customer.capture(orderId)).status).toBe(200)
  })
})

describe('who asks again for an order whose money went back', () => {
  /** What the capture, the order's state and the return address say of it. */
  async function saidOf({ customer, orderId }: Pick<Paid, 'customer' | 'orderId'>, language: string) {
    const again = await customer.post(
      '/api/paypal/capture-payment/',
      { order_id: orderId },
      { headers: { 'accept-language': language } },
    )
    const { body } = await customer.get(`/api/paypal/orders/${orderId}/`)
    const back = await shop.anonymous('GET', `/checkout/return?token=${orderId}`)
    const { code, detail } = again.body
    return { status: again.status, code, detail, progress: body['progress'], to: back.headers['location'] }
  }

  test.each([
    ['fr', /^Cette commande a été payée, puis remboursée/],
    ['nl', /^Deze bestelling is betaald en daarna terugbetaald/],
    ['en', /^This order was paid and has since been refunded/],
  ])('after it was paid reads just that (%s)', async (language, detail) => {
    const paid = await shop.paidOrder(1)
    await there.giveBack(paid.captureId, 'refund')
    await expect.poll(() => shop.orderState(paid.orderId)).toBe('refunded')
    expect(await saidOf(paid, language)).toEqual({
      status: 409,
      code: 'checkout.takenBack',
      detail: expect.stringMatching(detail),
      progress: 'takenBack',
      to: '/cart?payment=takenBack',
    })
  })

  test('and is still on its way reads the same', async () => {
    const paid = await shop.paidOrder(1)
    await there.silently(() => refundOrder(shop.checkout, paid.ours, { staffId: 1, note: 'a test' }))
    expect(await shop.orderState(paid.orderId)).toBe('refunding')
    expect(await saidOf(paid, 'en')).toMatchObject({ code: 'checkout.takenBack', progress: 'takenBack' })
  })

  test('before there were tickets reads that there were none', async () => {
    const never = await shop.approvedOrder(1, 'tampered@buyer.test')
    await never.customer.capture(never.orderId)
    expect(await saidOf(never, 'en')).toEqual({
      status: 409,
      code: 'checkout.refunded',
      detail: expect.stringMatching(/^The tickets could not be issued/),
      progress: 'refunded',
      to: '/cart?payment=refunded',
    })
  })
})

describe('a hold that has expired', () => {
  /** An order whose hold has expired, with the calls that might bring it back. */
  async function expired(isApproved: boolean) {
    const offerId = await shop.newOffer({ total_tickets: 5 })
    const customer = await shop.newCustomer()
    const orderId = (await customer.order(offerId, 5)).body['order_id'] as string
    if (isApproved) await shop.paypal.approve(orderId)
    await shop.pool.query(
      `UPDATE orders SET hold_until = now() - interval '1 minute' WHERE provider_order_id = $1`,
      [orderId],
    )
    await shop.expireHolds()
    const { rows } = await shop.pool.query(
      `SELECT count(*)::int AS events FROM order_events e JOIN orders o ON o.id = e.order_id
       WHERE o.provider_order_id = $1`,
      [orderId],
    )
    const back = async () =>
      (await shop.anonymous('GET', `/checkout/return?token=${orderId}`)).headers['location']
    const isStillExpired = async () => {
      expect(await shop.orderState(orderId)).toBe('expired')
      expect(await shop.counters(offerId)).toEqual({ tickets_sold: 0, tickets_held: 0 })
      const now = await shop.pool.query(
        `SELECT count(*)::int AS events FROM order_events e JOIN orders o ON o.id = e.order_id
         WHERE o.provider_order_id = $1`,
        [orderId],
      )
      expect(now.rows).toEqual(rows)
    }
    return { offerId, customer, orderId, back, isStillExpired }
  }

  test('is not had again by somebody who has not approved the payment, however often they come', async () => {
    const { customer, orderId, back, isStillExpired } = await expired(false)
    for (let turn = 0; turn < 3; turn += 1) expect(await back()).toBe('/cart?payment=notApproved')
    expect(await customer.capture(orderId)).toMatchObject({
      status: 422,
      body: { code: 'checkout.notApproved' },
    })
    await isStillExpired()
  })

  test('is captured once by two calls that come at once, and both are told so', async () => {
    const { offerId, customer, orderId } = await expired(true)
    const gate = await closeGate(
      shop.url,
      `SELECT 1 FROM orders WHERE provider_order_id = '${orderId}' FOR UPDATE`,
    )
    const both = [customer.capture(orderId), customer.capture(orderId)]
    await gate.waiting(2)
    await gate.open()
    expect((await Promise.all(both)).map(({ status }) => status)).toEqual([200, 200])
    expect(await shop.counters(offerId)).toEqual({ tickets_sold: 5, tickets_held: 0 })
  })

  test('is had again by the buyer who has', async () => {
    const { back, customer } = await expired(true)
    expect(await back()).toBe('/profile/participations?success=true')
    expect(await shop.ticketCount(customer)).toBe(5)
  })

  test('is not had again by an account that is suspended', async () => {
    const { customer, orderId, back, isStillExpired } = await expired(true)
    await shop.pool.query('UPDATE users SET is_active = false WHERE id = $1', [customer.id])
    // Where the page asks for it and is told why.
    expect(await back()).toBe(`/profile/participations?confirming=${orderId}`)
    expect((await customer.capture(orderId)).status).toBe(403)
    await isStillExpired()
  })

  test('is not had again while the provider does not tell, and its cart is kept', async () => {
    const { customer, orderId, isStillExpired } = await expired(true)
    shop.paypal.faults.change({ http5xx: 1 })
    expect((await customer.capture(orderId)).status).toBe(503)
    shop.paypal.faults.change({ http5xx: 0 })
    await isStillExpired()
  })

  test.each([
    [
      'has closed',
      async (id: string) => {
        await fetch(`${shop.paypal.url}/_emulator/orders/${id}/void`, { method: 'POST' })
      },
    ],
    ['does not know', async (id: string) => shop.paypal.book.remove('order', id)],
  ])('is not had again when the provider %s the order', async (_, change) => {
    const { customer, orderId, isStillExpired } = await expired(false)
    await change(orderId)
    expect(await customer.capture(orderId)).toMatchObject({
      status: 409,
      body: { code: 'checkout.orderClosed' },
    })
    await isStillExpired()
  })

  test('gives tickets when its money came without us', async () => {
    shop.paypal.faults.change({ missingWebhooks: 1 })
    const { customer, orderId } = await expired(true)
    await shop.client.captureOrder(orderId, `${(await shop.orderOf(orderId)).id}:cap:1`)
    expect((await customer.capture(orderId)).body['tickets']).toHaveLength(5)
    shop.paypal.faults.change({ missingWebhooks: 0 })
  })
})

describe('asking for one order too often', () => {
  const few = 'account 2/1h, address 9000/1h, all 9000/1h'
  let narrow: TestShop
  beforeAll(async () => {
    narrow = await testShop({ env: { LIMIT_GENEROUS: few } })
  })
  afterAll(() => narrow.close())

  const told = (answer: { status: number; body: Record<string, unknown>; headers: object }) => [
    answer.status,
    answer.body['code'],
    answer.body['detail'],
    'retry-after' in answer.headers,
  ]

  async function unapproved() {
    const customer = await narrow.newCustomer()
    const { body } = await customer.order(await narrow.newOffer(), 1)
    return { customer, orderId: body['order_id'] as string }
  }

  /** Where somebody is led who follows an address. */
  async function led(address: 'return' | 'cancel', orderId: string) {
    const { status, headers } = await narrow.anonymous('GET', `/checkout/${address}?token=${orderId}`)
    expect([status, headers['cache-control']]).toEqual([303, 'no-store'])
    return headers['location']
  }

  test('is sent on at the address of the return, for that order alone', async () => {
    const [one, other] = [await unapproved(), await unapproved()]
    for (let turn = 0; turn < 2; turn += 1)
      expect(await led('return', one.orderId)).toBe('/cart?payment=notApproved')
    await narrow.paypal.approve(one.orderId)
    expect(await led('return', one.orderId)).toBe(`/profile/participations?confirming=${one.orderId}`)
    expect(await narrow.orderState(one.orderId)).toBe('held')
    expect(await led('return', other.orderId)).toBe('/cart?payment=notApproved')
    for (let turn = 0; turn < 4; turn += 1) expect(await led('return', 'NOPE')).toBe('/cart?payment=unknown')
    // What that page does next.
    const { body } = await one.customer.get(`/api/paypal/orders/${one.orderId}/`)
    expect(body).toMatchObject({ progress: 'open' })
    expect((await one.customer.capture(one.orderId)).status).toBe(200)
  })

  test('is told to wait at the address of the cancel, which leaves the order as it is', async () => {
    const [one, other] = [await unapproved(), await unapproved()]
    // Two that found nothing to give up any more.
    await narrow.pool.query(`UPDATE orders SET state = 'expired' WHERE provider_order_id = $1`, [one.orderId])
    for (let turn = 0; turn < 2; turn += 1)
      expect(await led('cancel', one.orderId)).toBe('/cart?canceled=true')
    await narrow.pool.query(`UPDATE orders SET state = 'held' WHERE provider_order_id = $1`, [one.orderId])
    expect(await led('cancel', one.orderId)).toBe('/cart?payment=wait')
    expect(await narrow.orderState(one.orderId)).toBe('held')
    expect(await led('cancel', other.orderId)).toBe('/cart?canceled=true')
    expect(await narrow.orderState(other.orderId)).toBe('cancelled')
    // Its buyer still gives it up on the page.
    const cancelled = await one.customer.post('/api/paypal/cancel-order/', { order_id: one.orderId })
    expect(cancelled.body).toMatchObject({ progress: 'closed' })
  })

  test('is refused on the page, to the one who does, and adds nothing to its history', async () => {
    const [one, stranger] = [await unapproved(), await narrow.newCustomer()]
    const eventsOf = async () =>
      (
        await narrow.pool.query(
          `SELECT e.id FROM order_events e JOIN orders o ON o.id = e.order_id WHERE o.provider_order_id = $1`,
          [one.orderId],
        )
      ).rows.length
    for (let turn = 0; turn < 4; turn += 1) await stranger.capture(one.orderId)
    for (let turn = 0; turn < 2; turn += 1) expect((await one.customer.capture(one.orderId)).status).toBe(422)
    const before = await eventsOf()
    const refused = await one.customer.capture(one.orderId)
    expect(told(refused)).toEqual([429, 'limit.capture', expect.stringMatching(/^Too many/), true])
    expect(await eventsOf()).toBe(before)
  })
})
