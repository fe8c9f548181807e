import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openPaymentShop } from '#features/purchase/payments/server/payments.test-support.ts'
import { race, rowOf } from '../../../../../test/support/races.ts'
import type { Customer } from '../../../../../test/support/shop.ts'

const lab = await openPaymentShop({ notifies: true })
const { shop, atProvider, provider, run, setOrder, reasonsOf, reconcileOrder, refundByStaff } = lab
const { emulate, without } = lab
/** Lets an account ask for an order twice. */
const env = { LIMIT_GENEROUS: 'account 2/1h, address 9000/1h, all 9000/1h' }
const narrow = await openPaymentShop({ env, notifies: true })
const limited = narrow.shop

/** Where an address of the provider's way back leads, which must not be cached. */
async function follow(address: string, on = shop): Promise<unknown> {
  const { status, headers } = await on.anonymous('GET', `/checkout/${address}`)
  expect([status, headers['cache-control']]).toEqual([303, 'no-store'])
  return headers['location']
}

/** An address of the provider's way back for an order, as the provider got it. */
async function signed(way: 'return' | 'cancel', orderId: string, on = shop): Promise<string> {
  return `${way}?ref=${on.checkout.signatures.of((await on.orderOf(orderId)).id)}&token=${orderId}`
}
const followSigned = async (...way: Parameters<typeof signed>) => follow(await signed(...way), way[2])

describe('the way back from the provider', () => {
  test('is given to the provider with a signature, without which nothing changes', async () => {
    const { offerId, orderId } = await shop.approvedOrder(1)
    const { orderId: another } = await shop.approvedOrder(1)
    const { context } = shop.paypal.book.orders.get(orderId)!
    const [ours, theirs] = [await signed('return', orderId), await signed('cancel', another)]
    expect(context.return_url).toBe(`${shop.config.publicUrl}/checkout/${ours.replace(/&.*/, '')}`)
    const wrong = /ref=([^&]*)/.exec(theirs)?.[1]
    for (const query of [`token=${orderId}`, `token=${orderId}&ref=`, `ref=${wrong}&token=${orderId}`]) {
      expect(await follow(`return?${query}`)).toBe(`/profile/participations?confirming=${orderId}`)
      expect(await follow(`cancel?${query}`)).toBe('/cart')
    }
    expect(await shop.orderState(orderId)).toBe('held')
    expect(await followSigned('return', orderId)).toBe('/profile/participations?success=true')
    expect(await shop.counters(offerId)).toEqual({ tickets_sold: 1, tickets_held: 0 })
  })

  test.each([
    ['buyer@buyer.test', 'completed', '/profile/participations?success=true'],
    ['declined@buyer.test', 'held', '/cart?payment=declined'],
    ['pending@buyer.test', 'pending', '/profile/participations?confirming='],
  ])('a return of %s leaves the order %s and leads on', async (buyer, state, target) => {
    const { orderId } = await shop.approvedOrder(1, buyer)
    expect(await followSigned('return', orderId)).toContain(target)
    expect(await shop.orderState(orderId)).toBe(state)
  })

  test('a cancel leads back to the cart [spec 4.36]', async () => {
    const { offerId, orderId } = await shop.approvedOrder(1)
    expect(await followSigned('cancel', orderId)).toBe('/cart?canceled=true')
    expect(await shop.counters(offerId)).toEqual({ tickets_sold: 0, tickets_held: 0 })
  })

  test.each([
    ['completed', '/profile/participations?success=true'],
    ['capturing', '/profile/participations?confirming='],
    ['pending', '/profile/participations?confirming='],
    ['review', '/profile/participations?confirming='],
    ['refunding', '/cart?payment=takenBack'],
    ['refunded', '/cart?payment=takenBack'],
    ['superseded', '/cart?canceled=true'],
  ])('a cancel of an order that is %s says so', async (state, target) => {
    const { orderId } = await atProvider.unnotified(() => shop.paidOrder(1))
    await setOrder(orderId, `state = '${state}'`)
    expect(await followSigned('cancel', orderId)).toContain(target)
    expect(await shop.orderState(orderId)).toBe(state)
  })

  test('a cancel of an order whose money went back at once does not say that nothing was charged', async () => {
    const { orderId } = await atProvider.unnotified(() => shop.approvedOrder(1))
    await setOrder(orderId, `state = 'refunding'`)
    expect(await followSigned('cancel', orderId)).toBe('/cart?payment=refunded')
  })

  const MADE_UP = ['', '?token=', '?token=NOPE', '?token=a&token=b', '?token=%00', '?token=%ED%A0%80']
  test.each(MADE_UP)('a made-up address %s changes nothing', async (query) => {
    expect(await follow(`return${query}`)).toBe('/cart?payment=unknown')
    expect(await follow(`cancel${query}`)).toBe('/cart?payment=unknown')
  })

  describe('while a table is missing', () => {
    // A notification of the approval would capture the order.
    beforeAll(() => shop.paypal.faults.change({ missingWebhooks: 1 }))
    afterAll(() => shop.paypal.faults.clear())

    test('a return after the money was taken leads to the confirmation, and the tickets follow', async () => {
      const { customer, orderId } = await shop.approvedOrder(2)
      const target = await without('tickets', () => followSigned('return', orderId))
      expect(target).toBe(`/profile/participations?confirming=${orderId}`)
      expect([await shop.ticketCount(customer), shop.capturesOf(orderId).length]).toEqual([0, 1])
      await reconcileOrder(orderId)
      expect(await shop.ticketCount(customer)).toBe(2)
    })

    test('a return before the order is found leads to the confirmation, a cancel to the cart', async () => {
      const { customer, orderId } = await shop.approvedOrder(1)
      const ways = [await signed('return', orderId), await signed('cancel', orderId)] as const
      const [back, cancel] = await without('orders', async () => [
        await follow(ways[0]),
        await follow(ways[1]),
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
  async function paid() {
    const order = await shop.paidOrder(1)
    await atProvider.giveBack(order.captureId, 'refund')
    await expect.poll(() => shop.orderState(order.orderId)).toBe('refunded')
    return order
  }
  async function underWay() {
    const order = await shop.paidOrder(1)
    await atProvider.silently(() => refundByStaff(order.orderId))
    expect(await shop.orderState(order.orderId)).toBe('refunding')
    return order
  }
  async function tampered() {
    const order = await shop.approvedOrder(1, 'tampered@buyer.test')
    await order.customer.capture(order.orderId)
    return order
  }

  test.each<[string, string, () => Promise<Order>, RegExp]>([
    ['after it was paid', 'takenBack', paid, taken],
    ['with the refund under way', 'takenBack', underWay, taken],
    ['before there were tickets', 'refunded', tampered, /^Les billets n’ont pas pu vous être attribués/],
  ])('%s is called %s by capture, state and return', async (_, code, order, detail) => {
    const { customer, orderId } = await order()
    const call = { headers: { 'accept-language': 'fr' } }
    expect(await customer.post('/api/paypal/capture-payment/', { order_id: orderId }, call)).toMatchObject({
      status: 409,
      body: { code: `checkout.${code}`, detail: expect.stringMatching(detail) },
    })
    expect((await customer.get(`/api/paypal/orders/${orderId}/`)).body['progress']).toBe(code)
    expect(await followSigned('return', orderId)).toBe(`/cart?payment=${code}`)
  })
})

describe('an expired hold', () => {
  /** An order whose hold has expired, with the calls that might renew it. */
  async function expired(isApproved: boolean) {
    const offerId = await shop.newOffer({ total_tickets: 5 })
    const customer = await shop.newCustomer()
    const orderId = (await customer.order(offerId, 5)).body['order_id'] as string
    if (isApproved) await shop.paypal.approve(orderId)
    await setOrder(orderId, `hold_until = now() - interval '1 minute'`)
    await shop.expireHolds()
    return { offerId, customer, orderId, back: () => followSigned('return', orderId) }
  }

  const CONFIRMING = '/profile/participations?confirming='
  const CLOSED = '/cart?payment=orderClosed'
  const nothing = () => undefined
  const suspend = ({ customer }: Order) =>
    run('UPDATE users SET is_active = false WHERE id = $1', [customer.id])
  const silence = () => shop.paypal.faults.change({ http5xx: 1 })
  const voidOrder = ({ orderId }: Order) => emulate(`orders/${orderId}/void`)
  const forget = ({ orderId }: Order) => shop.paypal.book.remove('order', orderId)

  test.each<[string, (order: Order) => unknown, isApproved: boolean, number, string]>([
    ['the payment is not approved', nothing, false, 422, '/cart?payment=notApproved'],
    // The participations ask for the order and show why it is refused.
    ['the account is suspended', suspend, true, 403, CONFIRMING],
    ['the provider does not respond', silence, true, 503, CONFIRMING],
    ['the provider has voided the order', voidOrder, false, 409, CLOSED],
    ['the provider does not know the order', forget, false, 409, CLOSED],
  ])('is not renewed while %s', async (_, obstruct, isApproved, status, target) => {
    const order = await expired(isApproved)
    const { offerId, customer, orderId, back } = order
    const events = await reasonsOf(orderId)
    await obstruct(order)
    const targets = [await back(), await back()]
    const captured = await customer.capture(orderId)
    shop.paypal.faults.clear()
    expect(targets).toEqual(targets.map(() => expect.stringContaining(target)))
    expect(captured.status).toBe(status)
    expect(await shop.orderState(orderId)).toBe('expired')
    expect(await shop.counters(offerId)).toEqual({ tickets_sold: 0, tickets_held: 0 })
    expect(await reasonsOf(orderId)).toEqual(events)
  })

  test('is captured once by two concurrent calls, which both succeed', async () => {
    const { offerId, customer, orderId } = await expired(true)
    const pay = () => customer.capture(orderId)
    const both = await race(shop.url, rowOf.order(orderId), 2, () => [pay(), pay()])
    expect(both.map(({ status }) => status)).toEqual([200, 200])
    expect(await shop.counters(offerId)).toEqual({ tickets_sold: 5, tickets_held: 0 })
  })

  test('is renewed and paid by a buyer who has approved', async () => {
    const { back, customer } = await expired(true)
    expect(await back()).toBe('/profile/participations?success=true')
    expect(await shop.ticketCount(customer)).toBe(5)
  })

  test('gives tickets when its money was captured elsewhere', async () => {
    const { customer, orderId } = await atProvider.unnotified(async () => {
      const order = await expired(true)
      await provider.captureOrder(order.orderId, `${(await shop.orderOf(order.orderId)).id}:cap:1`)
      return order
    })
    expect((await customer.capture(orderId)).body['tickets']).toHaveLength(5)
  })
})

describe('more calls for one order than the limit', () => {
  async function unapproved() {
    const customer = await limited.newCustomer()
    const { body } = await customer.order(await limited.newOffer(), 1)
    return { customer, orderId: body['order_id'] as string }
  }
  const led = (address: 'return' | 'cancel', orderId: string) => followSigned(address, orderId, limited)
  const setState = (orderId: string, state: string) => narrow.setOrder(orderId, `state = '${state}'`)

  test('a return leads to the confirmation, for that order alone', async () => {
    const [one, other] = [await unapproved(), await unapproved()]
    for (let turn = 0; turn < 2; turn += 1)
      expect(await led('return', one.orderId)).toBe('/cart?payment=notApproved')
    await limited.paypal.approve(one.orderId)
    expect(await led('return', one.orderId)).toBe(`/profile/participations?confirming=${one.orderId}`)
    expect(await limited.orderState(one.orderId)).toBe('held')
    expect(await led('return', other.orderId)).toBe('/cart?payment=notApproved')
    for (let turn = 0; turn < 4; turn += 1)
      expect(await follow('return?token=NOPE', limited)).toBe('/cart?payment=unknown')
    // That page says why, until the buyer's own call captures the order.
    const { body } = await one.customer.get(`/api/paypal/orders/${one.orderId}/`)
    expect(body).toMatchObject({ progress: 'refused', refusal: 'notApproved' })
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
    const before = await narrow.reasonsOf(one.orderId)
    expect(await one.customer.capture(one.orderId)).toMatchObject({
      status: 429,
      body: { code: 'limit.capture', detail: expect.stringMatching(/^Too many/) },
      headers: { 'retry-after': expect.anything() },
    })
    expect(await narrow.reasonsOf(one.orderId)).toEqual(before)
  })
})
