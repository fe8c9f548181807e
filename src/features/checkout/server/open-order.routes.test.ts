import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Customer, type TestShop, testShop } from '../../../../test/support/shop.ts'
import { OpenOrderAnswer } from '../checkout.contract.ts'

const MINUTES = 20

let shop: TestShop

beforeAll(async () => {
  shop = await testShop({ env: { HOLD_MINUTES: String(MINUTES) } })
})
afterAll(() => shop.close())

const openOf = (customer: Customer) => customer.get('/api/paypal/open-order/')

/** A buyer whose order waits, as create-order has answered it. */
async function held(quantity = 2) {
  const offerId = await shop.newOffer()
  const customer = await shop.newCustomer()
  const { body: created } = await customer.order(offerId, quantity)
  return { offerId, customer, created, orderId: created['order_id'] as string }
}

const NONE = { status: 200, body: null }

describe('the order that waits for its buyer', () => {
  test('is told with all that is needed to go on, and kept by nobody', async () => {
    const { offerId, customer, created, orderId } = await held(2)
    const second = await shop.newOffer()
    await customer.order(second, 3)
    const superseded = await shop.orderState(orderId)
    const { status, body, headers } = await openOf(customer)
    expect([superseded, status, headers['cache-control']]).toEqual(['superseded', 200, 'no-store'])
    expect(OpenOrderAnswer.parse(body)).toEqual(body)
    const [cart] = (await customer.get('/api/cart/')).body as unknown as { version: number }[]
    const again = await customer.post('/api/paypal/create-order/', { country_code: 'BE' })
    expect(body).toEqual({
      order_id: again.body['order_id'],
      cart_version: cart?.version,
      tickets: 5,
      total: again.body['total'],
      held_until: again.body['expires_at'],
      seconds_left: body['seconds_left'],
      can_extend: true,
    })
    expect(body['order_id']).not.toBe(created['order_id'])
    expect(body['seconds_left']).toBeGreaterThan((MINUTES - 1) * 60)
    expect(body['seconds_left']).toBeLessThanOrEqual(MINUTES * 60)
    expect(await shop.counters(offerId)).toMatchObject({ tickets_held: 2 })
  })

  test('says when the time was extended, and cannot be again', async () => {
    const { customer, created, orderId } = await held()
    const longer = await customer.post('/api/paypal/extend-hold/', { order_id: orderId })
    const { body } = await openOf(customer)
    expect(body).toMatchObject({
      order_id: orderId,
      can_extend: false,
      held_until: longer.body['expires_at'],
    })
    expect(Date.parse(body['held_until']) - Date.parse(created['expires_at'])).toBe(MINUTES * 60_000)
    expect(body['seconds_left']).toBeGreaterThan(MINUTES * 60)
  })

  test('is the buyer’s alone: a stranger, and a cart of the same version, has none', async () => {
    const { customer, orderId } = await held()
    const stranger = await shop.newCustomer()
    await stranger.post(`/api/cart/${stranger.cartId}/add_item/`, {
      offer_id: await shop.newOffer(),
      quantity: 2,
    })
    const versions = await shop.db
      .selectFrom('carts')
      .select('version')
      .where('id', 'in', [customer.cartId, stranger.cartId])
      .execute()
    expect(new Set(versions.map(({ version }) => version)).size).toBe(1)
    expect(await openOf(stranger)).toMatchObject(NONE)
    expect((await openOf(customer)).body['order_id']).toBe(orderId)
    expect((await shop.anonymous('GET', '/api/paypal/open-order/')).status).toBe(401)
  })
})

describe('nothing waits', () => {
  test('before anything was ordered', async () => {
    expect(await openOf(await shop.newCustomer())).toMatchObject(NONE)
  })

  test('for a cart that has changed since, although the older cart’s tickets are still held', async () => {
    const { offerId, customer } = await held(2)
    await customer.post(`/api/cart/${customer.cartId}/add_item/`, { offer_id: offerId, quantity: 1 })
    expect(await openOf(customer)).toMatchObject(NONE)
    expect(await shop.counters(offerId)).toMatchObject({ tickets_held: 2 })
  })

  test('once the time is up, before the tickets have gone back as after', async () => {
    const { customer, orderId } = await held()
    await shop.pool.query(`UPDATE orders SET hold_until = now() WHERE provider_order_id = $1`, [orderId])
    expect(await shop.orderState(orderId)).toBe('held')
    expect(await openOf(customer)).toMatchObject(NONE)
    await shop.expireHolds()
    expect(await shop.orderState(orderId)).toBe('expired')
    expect(await openOf(customer)).toMatchObject(NONE)
  })

  test('once the tickets were given back', async () => {
    const { customer, offerId, orderId } = await held()
    await customer.post('/api/paypal/cancel-order/', { order_id: orderId })
    expect(await openOf(customer)).toMatchObject(NONE)
    expect(await shop.counters(offerId)).toMatchObject({ tickets_held: 0 })
  })

  test.each(['capturing', 'pending'] as const)('while the payment is %s', async (state) => {
    const { customer, orderId } = await held()
    await shop.leaveCapturing(orderId)
    await shop.db.updateTable('orders').set({ state }).where('provider_order_id', '=', orderId).execute()
    expect(await openOf(customer)).toMatchObject(NONE)
  })

  test('once it is paid', async () => {
    const { customer } = await shop.paidOrder(2)
    expect(await openOf(customer)).toMatchObject(NONE)
  })

  test('when a contest of it has ended: nobody can pay it any more', async () => {
    const { customer, offerId } = await held()
    await shop.pool.query(`UPDATE offers SET end_date = now() WHERE id = $1`, [offerId])
    expect(await openOf(customer)).toMatchObject(NONE)
  })

  test('while PayPal has not answered: there is no order to go on with', async () => {
    const offerId = await shop.newOffer()
    const customer = await shop.newCustomer()
    shop.paypal.faults.change({ http5xx: 1 })
    expect((await customer.order(offerId, 1)).status).toBeGreaterThanOrEqual(500)
    shop.paypal.faults.clear()
    expect(await shop.counters(offerId)).toMatchObject({ tickets_held: 1 })
    expect(await openOf(customer)).toMatchObject(NONE)
    const made = await customer.post('/api/paypal/create-order/', { country_code: 'BE' })
    expect((await openOf(customer)).body['order_id']).toBe(made.body['order_id'])
  })
})
