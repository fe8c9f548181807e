import { describe, expect, test } from 'vitest'
import { openOrders } from '#features/purchase/orders/server/open-orders.ts'
import { ordersRepository } from '#features/purchase/orders/server/orders.repository.ts'
import { openPaymentShop } from '#features/purchase/payments/server/payments.test-support.ts'
import { shownOrderNumber } from '#shared/order-number.ts'
import type { Customer } from '../../../../../test/support/shop.ts'
import { CreateOrderResponse, OpenOrderResponse } from '../checkout.contract.ts'
import { orderCreation } from './create-order.ts'

const HOLD_MINUTES = 20
const NUMBER = /^[2-9A-HJKMNP-TV-Z]{4}-[2-9A-HJKMNP-TV-Z]{4}$/
const MINUTE_MS = 60_000
const CREATE = '/api/paypal/create-order/'
const CANCEL = '/api/paypal/cancel-order/'
const EXTEND = '/api/paypal/extend-hold/'

const env = { HOLD_MINUTES: String(HOLD_MINUTES) }
const lab = await openPaymentShop({ processes: 2, env, notifies: true })
const { shop, provider, withProvider, setOrder, leaveCapturing, reasonsOf, breaches } = lab
// Its contests end when a test says so.
await shop.unlockTerms()

type Offer = Parameters<typeof shop.newOffer>[0]
const held = (tickets: number) => ({ tickets_sold: 0, tickets_held: tickets })
const changeOffer = (id: number, change: Record<string, unknown>) =>
  shop.db.updateTable('offers').set(change).where('id', '=', id).execute()
const runOut = (orderId: string) => setOrder(orderId, 'hold_until = now()')
const openOf = (customer: Customer) => customer.get('/api/paypal/open-order/')

const payFor = async (customer: Customer, orderId: string) => {
  await shop.paypal.approve(orderId)
  expect((await customer.capture(orderId)).status).toBe(200)
}

/** A buyer with tickets of a new offer in the cart. */
async function buyerWith(quantity: number, offer: Offer = {}, more?: Record<string, unknown>) {
  const offerId = await shop.newOffer(offer)
  const customer = await shop.newCustomer()
  await customer.add(offerId, quantity, more)
  return { offerId, customer }
}

/** The same with an order of them. */
async function heldOrder(quantity = 2, offer: Offer = {}) {
  const { offerId, customer } = await buyerWith(quantity, offer)
  const { body } = await customer.create()
  return { offerId, customer, orderId: body['order_id'] as string }
}

describe('create-order', () => {
  test('holds the tickets and responds with the provider’s order [spec 3.24, 4.30]', async () => {
    const { offerId, customer } = await buyerWith(2)
    const { status, body } = await customer.create()
    expect(status).toBe(200)
    expect(CreateOrderResponse.safeParse(body).success).toBe(true)
    expect(body).toMatchObject({ status: 'CREATED', total: '11.86', id: body['order_id'] })
    expect(body['payment_url']).toContain(body['order_id'])
    expect(Date.parse(body['expires_at'])).toBeGreaterThan(Date.now() + (HOLD_MINUTES - 1) * MINUTE_MS)
    expect(await shop.counters(offerId)).toEqual(held(2))
    expect(JSON.stringify(shop.paypal.book.orders.get(body['order_id']))).toContain('"value":"11.86"')
  })

  test('gives the provider an order number that no other order has, and our id', async () => {
    const { offerId, customer, orderId } = await heldOrder()
    const again = (await customer.order(offerId, 1)).body['order_id'] as string
    const shown = new Set<string>()
    for (const one of [orderId, again]) {
      const { id, number } = await shop.orderOf(one)
      const [unit] = shop.paypal.book.orders.get(one)?.units ?? []
      expect(unit).toMatchObject({ custom_id: id, invoice_id: shownOrderNumber(number) })
      shown.add(String(unit?.invoice_id))
    }
    expect([...shown]).toEqual([expect.stringMatching(NUMBER), expect.stringMatching(NUMBER)])
  })

  test('never makes the number of another order', async () => {
    const { orderId } = await heldOrder()
    // The same random numbers each time.
    const seeded = 'WITH seed AS MATERIALIZED (SELECT setseed(0.5)) SELECT new_order_number() FROM seed'
    const make = async () => (await lab.run(seeded))[0]?.new_order_number as string
    const made = await make()
    expect(await make()).toBe(made)
    await setOrder(orderId, `number = '${made}'`)
    expect(await make()).not.toBe(made)
  })

  test('asked again for the same cart gives the same order and holds once', async () => {
    const { offerId, customer, orderId } = await heldOrder(3)
    expect((await customer.create()).body['order_id']).toBe(orderId)
    expect(await shop.counters(offerId)).toEqual(held(3))
  })

  test('a changed cart supersedes the older order, whose capture is refused before money moves', async () => {
    const { offerId, customer, orderId } = await heldOrder(3)
    const second = await customer.order(offerId, 1)
    expect(second.body['order_id']).not.toBe(orderId)
    expect(await shop.counters(offerId)).toEqual(held(4))
    await shop.paypal.approve(orderId)
    const refused = await customer.capture(orderId)
    expect(refused).toMatchObject({ status: 409, body: { code: 'checkout.orderClosed' } })
    expect(shop.paypal.book.orders.get(orderId)?.status).toBe('APPROVED')
  })

  test('an order whose hold has run out is superseded, even before it has expired', async () => {
    const { offerId, customer, orderId } = await heldOrder()
    await runOut(orderId)
    expect((await customer.create()).body['order_id']).not.toBe(orderId)
    expect(await shop.orderState(orderId)).toBe('superseded')
    expect(await shop.counters(offerId)).toEqual(held(2))
  })

  test('a refused order leaves the buyer the tickets of the older one', async () => {
    const { offerId, customer, orderId } = await heldOrder(2, { total_tickets: 4 })
    await (await shop.newCustomer()).order(offerId, 1)
    expect(await customer.order(offerId, 2)).toMatchObject({ status: 409 })
    expect(await shop.counters(offerId)).toEqual(held(3))
    await payFor(customer, orderId)
    expect(await shop.counters(offerId)).toEqual({ tickets_sold: 2, tickets_held: 1 })
  })

  test('the total has the VAT of the country, of Belgium without one [spec 3.23]', async () => {
    const { offerId, customer } = await buyerWith(1, { price_cents: 1000 })
    for (const [country_code, total] of [
      ['BE', '12.10'],
      ['FR', '12.00'],
      [undefined, '12.10'],
    ]) {
      expect((await customer.post(CREATE, { country_code })).body['total']).toBe(total)
      expect(await shop.counters(offerId)).toEqual(held(1))
    }
  })

  test('a price that changed since it was shown responds with 409 and the new total', async () => {
    const { offerId, customer } = await buyerWith(1, { price_cents: 500 })
    await changeOffer(offerId, { price_cents: 600 })
    const response = await customer.post(CREATE, { country_code: 'BE', expected_total: '6.05' })
    expect(response).toMatchObject({ status: 409, body: { code: 'checkout.priceChanged', total: '7.26' } })
    expect(await shop.counters(offerId)).toEqual(held(0))
    expect((await customer.post(CREATE, { expected_total: '7.26' })).status).toBe(200)
  })

  test('an order keeps its price when the contest’s price changes afterwards', async () => {
    const { offerId, customer, orderId } = await shop.approvedOrder(1)
    await changeOffer(offerId, { price_cents: 9_900 })
    expect((await customer.capture(orderId)).status).toBe(200)
  })

  test.each([
    ['an empty cart', [], 'BE', 409, 'checkout.cartEmpty'],
    ['a country the shop does not bill', [490], 'US', 400, 'request.invalid'],
    ['a cart above the limit', [400_000_000, 400_000_000], 'BE', 409, 'checkout.tooLarge'],
  ] as const)('%s is refused', async (_, prices, country, status, code) => {
    const customer = await shop.newCustomer()
    for (const price_cents of prices) await customer.add(await shop.newOffer({ price_cents }), 2)
    expect(await customer.create(country)).toMatchObject({ status, body: { code } })
  })

  test('an answer that is no longer right is checked again [spec 1.7, 5.46, 5.52]', async () => {
    const question = { question: 'Deux et deux ?', choices: ['3', '4'], correct_choice: '4' }
    const { offerId, customer } = await buyerWith(1, question, { answer: '4' })
    await changeOffer(offerId, { correct_choice: '3' })
    const body = { detail: 'Mauvaise réponse.', code: 'cart.wrongAnswer' }
    expect(await customer.create()).toMatchObject({ status: 400, body })
  })

  test('a contest that ended in between is refused and holds nothing', async () => {
    const { offerId, customer } = await buyerWith(1)
    await changeOffer(offerId, { end_date: new Date(Date.now() - 1000) })
    const response = await customer.create('BE', { language: 'nl' })
    expect(response).toMatchObject({ status: 409, body: { code: 'offer.ended' } })
    expect(response.body['detail']).toMatch(
      /^Afgelopen vóór je betaling: Wedstrijd \d+\. Er is niets afgeschreven\.$/,
    )
    expect(await shop.counters(offerId)).toEqual(held(0))
  })

  test('an order that is superseded while the provider creates it is refused as closed', async () => {
    const { customer } = await buyerWith(2)
    const [asked, responded] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const createOrder: typeof provider.createOrder = async (...call) => {
      asked.resolve()
      await responded.promise
      return provider.createOrder(...call)
    }
    const request = {
      userId: customer.id,
      language: 'en',
      body: { country_code: 'BE' },
      network: 'one',
    } as const
    const first = orderCreation(withProvider({ createOrder }))(request)
    await asked.promise
    const second = await customer.create('FR')
    expect(second.status).toBe(200)
    responded.resolve()
    await expect(first).rejects.toMatchObject({ code: 'checkout.orderClosed', status: 409 })
    expect(await shop.orderState(second.body['order_id'])).toBe('held')
  })
})

describe('orders of one batch', () => {
  /** Opens orders in one batch. @returns buyer, country and state of each afterwards, or `refused` */
  async function openTogether(...requests: readonly [buyer: { id: number }, country: string][]) {
    const outcomes = await openOrders(
      shop.checkout,
      requests.map(([{ id }, country_code]) => ({
        userId: id,
        language: 'en',
        body: { country_code },
        network: 'one',
      })),
    )
    const endOf = async (outcome: (typeof outcomes)[number]) => {
      if ('refused' in outcome) return 'refused'
      const order = await ordersRepository(shop.db).byId(outcome.value.order.id)
      return `${order?.user_id} ${order?.country} ${order?.state}`
    }
    return await Promise.all(outcomes.map(endOf))
  }

  test('one cart ordered to two countries in one batch: the second supersedes the first, as it does alone', async () => {
    const { offerId, customer } = await buyerWith(2, { total_tickets: 3 })
    const ends = ['BE superseded', 'NL superseded', 'BE held', 'BE held']
    expect(
      await openTogether([customer, 'BE'], [customer, 'NL'], [customer, 'BE'], [customer, 'BE']),
    ).toEqual(ends.map((end) => `${customer.id} ${end}`))
    // Three tickets do not suffice for two holds at once.
    expect(await shop.counters(offerId)).toEqual(held(2))
  })

  test('another buyer’s order in the same batch is held', async () => {
    const [{ customer: one }, { customer: other }] = [await buyerWith(2), await buyerWith(2)]
    const ends = [`${one.id} BE superseded`, `${one.id} FR held`, `${other.id} NL held`]
    expect(await openTogether([one, 'BE'], [one, 'FR'], [other, 'NL'])).toEqual(ends)
  })

  test('tickets that a refused buyer still holds are not free for the next one of the batch', async () => {
    const { offerId, customer } = await buyerWith(2, { total_tickets: 3 })
    const next = await shop.newCustomer()
    await next.add(offerId, 2)
    await customer.create()
    await lab.run('UPDATE cart_items SET quantity = 4 WHERE cart_id = $1', [customer.cartId])
    expect(await openTogether([customer, 'BE'], [next, 'BE'])).toEqual(['refused', 'refused'])
    expect(await shop.counters(offerId)).toEqual(held(2))
  })
})

describe('open-order', () => {
  const NONE = { status: 200, body: null }

  test('names the order of the cart with all that is needed to go on', async () => {
    const { customer, orderId } = await heldOrder(2)
    await customer.order(await shop.newOffer(), 3)
    const { status, body, headers } = await openOf(customer)
    expect([status, headers['cache-control']]).toEqual([200, 'no-store'])
    expect(OpenOrderResponse.parse(body)).toEqual(body)
    const [cart] = (await customer.get('/api/cart/')).body as unknown as { version: number }[]
    const again = await customer.create()
    expect(body).toEqual({
      order_id: again.body['order_id'],
      cart_version: cart?.version,
      tickets: 5,
      total: again.body['total'],
      held_until: again.body['expires_at'],
      seconds_left: body['seconds_left'],
      can_extend: true,
      approved: false,
      ends_with_contest: false,
    })
    expect(body['order_id']).not.toBe(orderId)
    expect(body['seconds_left']).toBeGreaterThan((HOLD_MINUTES - 1) * 60)
    expect(body['seconds_left']).toBeLessThanOrEqual(HOLD_MINUTES * 60)
  })

  test('is called approved once the buyer has approved it in another window', async () => {
    const { customer, orderId } = await heldOrder()
    await shop.paypal.approve(orderId, 'buyer@buyer.test')
    await setOrder(orderId, `checked_at = now() - interval '4 seconds'`)
    expect((await openOf(customer)).body).toMatchObject({ order_id: orderId, approved: true })
    const status = await customer.get(`/api/paypal/orders/${orderId}/`)
    expect(status.body).toMatchObject({ progress: 'approved' })
    await customer.capture(orderId)
    expect(await openOf(customer)).toMatchObject(NONE)
  })

  test('is the buyer’s alone: a stranger with a cart of the same version has none', async () => {
    const { customer, orderId } = await heldOrder()
    const { customer: stranger } = await buyerWith(2)
    const ids = [[customer.cartId, stranger.cartId]]
    expect(await lab.run('SELECT DISTINCT version FROM carts WHERE id = ANY ($1)', ids)).toHaveLength(1)
    expect(await openOf(stranger)).toMatchObject(NONE)
    expect((await openOf(customer)).body['order_id']).toBe(orderId)
    expect((await shop.anonymous('GET', '/api/paypal/open-order/')).status).toBe(401)
  })

  type Held = Awaited<ReturnType<typeof heldOrder>>
  test.each<[string, (order: Held) => Promise<unknown>]>([
    ['the cart has changed', ({ customer, offerId }) => customer.add(offerId, 1)],
    ['the hold has run out', ({ orderId }) => runOut(orderId)],
    ['the hold has expired', async ({ orderId }) => [await runOut(orderId), await shop.expireHolds()]],
    ['the order is cancelled', ({ customer, orderId }) => customer.post(CANCEL, { order_id: orderId })],
    ['the order is paid', ({ customer, orderId }) => payFor(customer, orderId)],
    ['a contest of it has ended', ({ offerId }) => changeOffer(offerId, { end_date: new Date() })],
  ])('is null once %s', async (_, change) => {
    const order = await heldOrder()
    expect((await openOf(order.customer)).body).toMatchObject({ order_id: order.orderId })
    await change(order)
    expect(await openOf(order.customer)).toMatchObject(NONE)
  })

  const PAYING = ['capturing', 'pending']
  test.each(PAYING)('is null while the payment is %s, and a cancel waits', async (state) => {
    const { offerId, customer, orderId } = await heldOrder()
    await leaveCapturing(orderId)
    await setOrder(orderId, `state = '${state}'`)
    expect(await openOf(customer)).toMatchObject(NONE)
    const cancelled = await customer.post(CANCEL, { order_id: orderId })
    expect(cancelled.body).toMatchObject({ progress: 'confirming' })
    expect(await shop.counters(offerId)).toEqual(held(2))
  })

  test('is null before anything was ordered, and while the provider’s order is missing', async () => {
    const { offerId, customer } = await buyerWith(1)
    expect(await openOf(customer)).toMatchObject(NONE)
    shop.paypal.faults.change({ http5xx: 1 })
    expect((await customer.create()).status).toBeGreaterThanOrEqual(500)
    shop.paypal.faults.clear()
    expect(await shop.counters(offerId)).toEqual(held(1))
    expect(await openOf(customer)).toMatchObject(NONE)
    const made = await customer.create()
    expect((await openOf(customer)).body['order_id']).toBe(made.body['order_id'])
  })
})

describe('extend-hold', () => {
  test('a buyer gets more time once, also when the button is pressed twice', async () => {
    const { customer, orderId } = await shop.approvedOrder(2)
    const { body: before } = await customer.create()
    expect(before).toMatchObject({ order_id: orderId, can_extend: true })

    const processes = [customer, customer.elsewhere]
    const both = await Promise.all(processes.map((one) => one.post(EXTEND, { order_id: orderId })))
    const [given, refused] = both.toSorted((a, b) => a.status - b.status)
    expect(given).toMatchObject({ status: 200, body: { order_id: orderId } })
    expect(refused).toMatchObject({ status: 409, body: { code: 'checkout.alreadyExtended' } })
    const until = given?.body['expires_at']
    expect(Date.parse(until) - Date.parse(before['expires_at'])).toBe(HOLD_MINUTES * MINUTE_MS)

    const extended = { order_id: orderId, can_extend: false }
    expect((await customer.create()).body).toMatchObject({ ...extended, expires_at: until })
    const { body: open } = await openOf(customer)
    expect(open).toMatchObject({ ...extended, held_until: until })
    expect(open['seconds_left']).toBeGreaterThan(HOLD_MINUTES * 60)

    expect((await customer.capture(orderId)).status).toBe(200)
    const reasons = ['created', 'buyer_needs_time', 'capture_requested', 'captured']
    expect(await reasonsOf(orderId)).toEqual(reasons)
    const replayed = (await breaches()).filter(({ name }) => name === 'I10')
    expect(JSON.stringify(replayed)).not.toContain((await shop.orderOf(orderId)).id)
  })

  test('a hold ends with the first of its contests at the latest, extended or not', async () => {
    const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000)
    const soon = inMinutes(3)
    const { customer } = await buyerWith(1, { end_date: soon })
    await customer.add(await shop.newOffer(), 1)
    const { body } = await customer.create()
    expect(body).toMatchObject({ expires_at: soon.toISOString(), can_extend: false })
    expect((await openOf(customer)).body).toMatchObject({ can_extend: false, ends_with_contest: true })
    const refused = { status: 409, body: { code: 'checkout.endsWithContest' } }
    expect(await customer.post(EXTEND, { order_id: body['order_id'] })).toMatchObject(refused)

    const later = inMinutes(HOLD_MINUTES + 5)
    const { customer: other } = await buyerWith(1, { end_date: later })
    const { order_id } = (await other.create()).body
    const extended = await other.post(EXTEND, { order_id })
    expect(extended).toMatchObject({ status: 200, body: { expires_at: later.toISOString() } })
  })

  test('a hold that has run out, a cancelled order and another buyer’s are not extended', async () => {
    const [late, cancelled] = [await heldOrder(), await heldOrder()]
    await runOut(late.orderId)
    await cancelled.customer.post(CANCEL, { order_id: cancelled.orderId })
    for (const [{ customer }, order_id, status, code] of [
      [late, late.orderId, 409, 'checkout.holdExpired'],
      [cancelled, cancelled.orderId, 409, 'checkout.orderClosed'],
      [late, cancelled.orderId, 404, 'checkout.orderNotFound'],
    ] as const)
      expect(await customer.post(EXTEND, { order_id })).toMatchObject({ status, body: { code } })
  })
})

test.each([
  ['gives the tickets of an open order back at once', heldOrder, 'closed', held(0)],
  ['does not change a paid order', shop.paidOrder, 'completed', { tickets_sold: 2, tickets_held: 0 }],
])('a cancel %s', async (_, order, progress, counts) => {
  const { offerId, customer, orderId } = await order(2)
  expect((await customer.post(CANCEL, { order_id: orderId })).body).toMatchObject({ progress })
  expect(await shop.counters(offerId)).toEqual(counts)
})
