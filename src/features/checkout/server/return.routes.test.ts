import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { reconcile } from '#features/payments/server/reconcile.ts'
import { refundOrder } from '#features/refunds/server/staff-refunds.routes.ts'
import { providerSide } from '../../../../test/support/provider-side.ts'
import { race, rowOf } from '../../../../test/support/races.ts'
import { type Customer, openShop } from '../../../../test/support/shop.ts'

const shop = await openShop()
const provider = providerSide(shop)
/** Lets an account ask for an order twice. */
const limited = await openShop({ env: { LIMIT_GENEROUS: 'account 2/1h, address 9000/1h, all 9000/1h' } })

/** Where an address of the provider's way back leads, which must not be cached. */
async function follow(address: string, on = shop): Promise<unknown> {
  const { status, headers } = await on.anonymous('GET', `/checkout/${address}`)
  expect([status, headers['cache-control']]).toEqual([303, 'no-store'])
  return headers['location']
}

async function eventsOf(orderId: string, on = shop): Promise<number> {
  const { rows } = await on.pool.query(
    'SELECT e.id FROM order_events e JOIN orders o ON o.id = e.order_id WHERE o.provider_order_id = $1',
    [orderId],
  )
  return rows.length
}

describe('the way back from the provider', () => {
  test.each([
    ['buyer@buyer.test', 'completed', '/profile/participations?success=true'],
    ['declined@buyer.test', 'held', '/cart?payment=declined'],
    ['pending@buyer.test', 'pending', '/profile/participations?confirming='],
  ])('a return of %s leaves the order %s and leads on', async (buyer, state, target) => {
    const { orderId } = await shop.approvedOrder(1, buyer)
    expect(await follow(`return?token=${orderId}`)).toContain(target)
    expect(await shop.orderState(orderId)).toBe(state)
  })

  test('a cancel leads back to the cart [spec 4.36]', async () => {
    const { offerId, orderId } = await shop.approvedOrder(1)
    expect(await follow(`cancel?token=${orderId}`)).toBe('/cart?canceled=true')
    expect(await shop.counters(offerId)).toEqual({ tickets_sold: 0, tickets_held: 0 })
  })

  test.each(['', '?token=', '?token=NOPE', '?token=a&token=b', '?token=%00', '?token=%ED%A0%80'])(
    'a made-up address %s changes nothing',
    async (query) => {
      expect(await follow(`return${query}`)).toBe('/cart?payment=unknown')
      expect(await follow(`cancel${query}`)).toBe('/cart?canceled=true')
    },
  )

  describe('while a table is missing', () => {
    beforeAll(() => shop.paypal.faults.change({ missingWebhooks: 1 }))
    afterAll(() => shop.paypal.faults.clear())

    async function without<Result>(table: string, act: () => Promise<Result>): Promise<Result> {
      await shop.pool.query(`ALTER TABLE ${table} RENAME TO gone`)
      try {
        return await act()
      } finally {
        await shop.pool.query(`ALTER TABLE gone RENAME TO ${table}`)
      }
    }

    test('a return after the money was taken leads to the confirmation, and the tickets follow', async () => {
      const { customer, orderId } = await shop.approvedOrder(2)
      const target = await without('tickets', () => follow(`return?token=${orderId}`))
      expect(target).toBe(`/profile/participations?confirming=${orderId}`)
      expect([await shop.ticketCount(customer), shop.capturesOf(orderId).length]).toEqual([0, 1])
      await reconcile(shop.checkout, (await shop.orderOf(orderId)).id)
      expect(await shop.ticketCount(customer)).toBe(2)
    })

    test('a return before the order is found leads to the confirmation, a cancel to the cart', async () => {
      const { customer, orderId } = await shop.approvedOrder(1)
      const [back, cancel] = await without('orders', async () => [
        await follow(`return?token=${orderId}`),
        await follow(`cancel?token=${orderId}`),
      ])
      expect([back, cancel]).toEqual([`/profile/participations?confirming=${orderId}`, '/cart'])
      expect(await shop.orderState(orderId)).toBe('held')
      expect((await customer.capture(orderId)).status).toBe(200)
    })
  })
})

type Order = { customer: Customer; orderId: string }

describe('an order whose money went back', () => {
  const taken = /^Cette commande a été remboursée, ou le sera/
  const orders = {
    'after it was paid': async () => {
      const paid = await shop.paidOrder(1)
      await provider.giveBack(paid.captureId, 'refund')
      await expect.poll(() => shop.orderState(paid.orderId)).toBe('refunded')
      return paid
    },
    'with the refund under way': async () => {
      const paid = await shop.paidOrder(1)
      await provider.silently(() => refundOrder(shop.checkout, paid.ours, { staffId: 1, note: 'a test' }))
      expect(await shop.orderState(paid.orderId)).toBe('refunding')
      return paid
    },
    'before there were tickets': async () => {
      const order = await shop.approvedOrder(1, 'tampered@buyer.test')
      await order.customer.capture(order.orderId)
      return order
    },
  }

  test.each([
    ['after it was paid', 'takenBack', taken],
    ['with the refund under way', 'takenBack', taken],
    ['before there were tickets', 'refunded', /^Les billets n’ont pas pu vous être attribués/],
  ] as const)('%s is called %s by capture, state and return', async (when, code, detail) => {
    const { customer, orderId } = await orders[when]()
    const call = { headers: { 'accept-language': 'fr' } }
    expect(await customer.post('/api/paypal/capture-payment/', { order_id: orderId }, call)).toMatchObject({
      status: 409,
      body: { code: `checkout.${code}`, detail: expect.stringMatching(detail) },
    })
    expect((await customer.get(`/api/paypal/orders/${orderId}/`)).body['progress']).toBe(code)
    expect(await follow(`return?token=${orderId}`)).toBe(`/cart?payment=${code}`)
  })
})

describe('an expired hold', () => {
  /** An order whose hold has expired, with the calls that might renew it. */
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
    return { offerId, customer, orderId, back: () => follow(`return?token=${orderId}`) }
  }

  const OBSTACLES = {
    'the payment is not approved': () => undefined,
    'the account is suspended': ({ customer }: Order) =>
      shop.pool.query('UPDATE users SET is_active = false WHERE id = $1', [customer.id]),
    'the provider does not answer': () => shop.paypal.faults.change({ http5xx: 1 }),
    'the provider has voided the order': ({ orderId }: Order) =>
      fetch(`${shop.paypal.url}/_emulator/orders/${orderId}/void`, { method: 'POST' }),
    'the provider does not know the order': ({ orderId }: Order) => shop.paypal.book.remove('order', orderId),
  }

  test.each([
    ['the payment is not approved', false, 422, '/cart?payment=notApproved'],
    // The participations ask for the order and show why it is refused.
    ['the account is suspended', true, 403, '/profile/participations?confirming='],
    ['the provider does not answer', true, 503, '/profile/participations?confirming='],
    ['the provider has voided the order', false, 409, '/cart?payment=orderClosed'],
    ['the provider does not know the order', false, 409, '/cart?payment=orderClosed'],
  ] as const)('is not renewed while %s', async (obstacle, isApproved, status, target) => {
    const order = await expired(isApproved)
    const { offerId, customer, orderId, back } = order
    const events = await eventsOf(orderId)
    await OBSTACLES[obstacle](order)
    const targets = [await back(), await back()]
    const captured = await customer.capture(orderId)
    shop.paypal.faults.clear()
    expect(targets).toEqual(targets.map(() => expect.stringContaining(target)))
    expect(captured.status).toBe(status)
    expect(await shop.orderState(orderId)).toBe('expired')
    expect(await shop.counters(offerId)).toEqual({ tickets_sold: 0, tickets_held: 0 })
    expect(await eventsOf(orderId)).toBe(events)
  })

  test('is captured once by two concurrent calls, which both succeed', async () => {
    const { offerId, customer, orderId } = await expired(true)
    const both = await race(shop.url, rowOf.order(orderId), 2, () => [
      customer.capture(orderId),
      customer.capture(orderId),
    ])
    expect(both.map(({ status }) => status)).toEqual([200, 200])
    expect(await shop.counters(offerId)).toEqual({ tickets_sold: 5, tickets_held: 0 })
  })

  test('is renewed and paid by a buyer who has approved', async () => {
    const { back, customer } = await expired(true)
    expect(await back()).toBe('/profile/participations?success=true')
    expect(await shop.ticketCount(customer)).toBe(5)
  })

  test('gives tickets when its money was captured elsewhere', async () => {
    const { customer, orderId } = await provider.unnotified(() => expired(true))
    await provider.unnotified(async () =>
      shop.client.captureOrder(orderId, `${(await shop.orderOf(orderId)).id}:cap:1`),
    )
    expect((await customer.capture(orderId)).body['tickets']).toHaveLength(5)
  })
})

describe('more calls for one order than the limit', () => {
  async function unapproved() {
    const customer = await limited.newCustomer()
    const { body } = await customer.order(await limited.newOffer(), 1)
    return { customer, orderId: body['order_id'] as string }
  }
  const led = (address: 'return' | 'cancel', orderId: string) =>
    follow(`${address}?token=${orderId}`, limited)
  const setState = (orderId: string, state: string) =>
    limited.pool.query('UPDATE orders SET state = $1 WHERE provider_order_id = $2', [state, orderId])

  test('a return leads to the confirmation, for that order alone', async () => {
    const [one, other] = [await unapproved(), await unapproved()]
    for (let turn = 0; turn < 2; turn += 1)
      expect(await led('return', one.orderId)).toBe('/cart?payment=notApproved')
    await limited.paypal.approve(one.orderId)
    expect(await led('return', one.orderId)).toBe(`/profile/participations?confirming=${one.orderId}`)
    expect(await limited.orderState(one.orderId)).toBe('held')
    expect(await led('return', other.orderId)).toBe('/cart?payment=notApproved')
    for (let turn = 0; turn < 4; turn += 1) expect(await led('return', 'NOPE')).toBe('/cart?payment=unknown')
    // That page captures the order.
    const { body } = await one.customer.get(`/api/paypal/orders/${one.orderId}/`)
    expect(body).toMatchObject({ progress: 'open' })
    expect((await one.customer.capture(one.orderId)).status).toBe(200)
  })

  test('a cancel leads to the cart, which says to wait, and leaves that order as it is', async () => {
    const [one, other] = [await unapproved(), await unapproved()]
    // Two that find nothing to cancel.
    await setState(one.orderId, 'expired')
    for (let turn = 0; turn < 2; turn += 1)
      expect(await led('cancel', one.orderId)).toBe('/cart?canceled=true')
    await setState(one.orderId, 'held')
    expect(await led('cancel', one.orderId)).toBe('/cart?payment=wait')
    expect(await limited.orderState(one.orderId)).toBe('held')
    expect(await led('cancel', other.orderId)).toBe('/cart?canceled=true')
    expect(await limited.orderState(other.orderId)).toBe('cancelled')
    // The page itself still cancels it.
    const cancelled = await one.customer.post('/api/paypal/cancel-order/', { order_id: one.orderId })
    expect(cancelled.body).toMatchObject({ progress: 'closed' })
  })

  test('a capture is refused to that caller alone and adds nothing to the history', async () => {
    const [one, stranger] = [await unapproved(), await limited.newCustomer()]
    for (let turn = 0; turn < 4; turn += 1) await stranger.capture(one.orderId)
    for (let turn = 0; turn < 2; turn += 1) expect((await one.customer.capture(one.orderId)).status).toBe(422)
    const before = await eventsOf(one.orderId, limited)
    expect(await one.customer.capture(one.orderId)).toMatchObject({
      status: 429,
      body: { code: 'limit.capture', detail: expect.stringMatching(/^Too many/) },
      headers: { 'retry-after': expect.anything() },
    })
    expect(await eventsOf(one.orderId, limited)).toBe(before)
  })
})
