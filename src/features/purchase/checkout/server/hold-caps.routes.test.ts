import { describe, expect, test } from 'vitest'
import { HoldRefused, openOrders } from '#features/purchase/orders/server/open-orders.ts'
import { openPaymentShop } from '#features/purchase/payments/server/payments.test-support.ts'
import type { Customer } from '../../../../../test/support/shop.ts'

const HOLD_MINUTES = 20
const MINUTE_MS = 60_000
const EXTEND = '/api/paypal/extend-hold/'
const CANCEL = '/api/paypal/cancel-order/'

const lab = await openPaymentShop({ env: { HOLD_MINUTES: String(HOLD_MINUTES) } })
const { shop, run, setOrder, leaveCapturing, alertsOf, reasonsOf } = lab

const held = (tickets: number) => ({ tickets_sold: 0, tickets_held: tickets })
const overCap = (offer_id: number, available: number) => ({
  status: 409,
  body: { code: 'offer.holdLimit', offer_id, available },
})

/** A buyer with tickets in the cart who has paid for others before. */
async function returning(offerId: number, quantity: number): Promise<Customer> {
  const { customer } = await shop.paidOrder(1)
  await customer.add(offerId, quantity)
  return customer
}

/** New buyers with tickets in their carts. */
async function newcomers(count: number, offerId: number, quantity: number): Promise<Customer[]> {
  const buyers = await Promise.all(Array.from({ length: count }, () => shop.newCustomer()))
  for (const buyer of buyers) await buyer.add(offerId, quantity)
  return buyers
}

/** Replaces the cart and orders it. */
async function orderInstead(customer: Customer, offerId: number, quantity: number, country = 'BE') {
  await customer.post(`/api/cart/${customer.cartId}/clear/`, {})
  await customer.add(offerId, quantity)
  return customer.create(country)
}

/** Opens the orders of these buyers of one network in one batch. @returns for each `held`, or how many can be had */
async function inOneBatch(network: string, buyers: readonly Customer[]): Promise<unknown[]> {
  const outcomes = await openOrders(
    shop.checkout,
    buyers.map(({ id }) => ({ userId: id, language: 'en', body: {}, network })),
  )
  return outcomes.map((outcome) => {
    if ('value' in outcome) return 'held'
    const { refused } = outcome
    return refused instanceof HoldRefused ? refused.refusal.options.body?.['available'] : refused
  })
}

describe('an account', () => {
  test('over its cap is told how many tickets it can hold; after paying for them it can buy more', async () => {
    const [offerId, customer] = [await shop.newOffer(), await shop.newCustomer()]
    expect(await customer.order(offerId, 51)).toMatchObject(overCap(offerId, 50))
    expect(await shop.counters(offerId)).toEqual(held(0))
    for (const [language, text] of [
      ['fr', /50 billets pour «\sConcours \d+\s».* Rien n’a été débité\.$/],
      ['nl', /50 tickets voor ‘Wedstrijd \d+’.* Er is niets afgeschreven\.$/],
      ['en', /50 tickets for “Contest \d+”.* Nothing was charged\.$/],
    ] as const)
      expect((await customer.create('BE', { language })).body['detail']).toMatch(text)

    const { body } = await orderInstead(customer, offerId, 50)
    await shop.paypal.approve(body['order_id'])
    expect((await customer.capture(body['order_id'])).status).toBe(200)
    expect((await customer.order(offerId, 50)).status).toBe(200)
    expect(await shop.counters(offerId)).toEqual({ tickets_sold: 50, tickets_held: 50 })
  })

  test('can replace all tickets of its own order, and keeps them when the new one is refused', async () => {
    const [offerId, customer] = [await shop.newOffer(), await shop.newCustomer()]
    const first = await customer.order(offerId, 50)
    expect(await orderInstead(customer, offerId, 51)).toMatchObject(overCap(offerId, 50))
    expect(await shop.orderState(first.body['order_id'])).toBe('held')
    expect((await orderInstead(customer, offerId, 50, 'FR')).status).toBe(200)
    expect(await shop.counters(offerId)).toEqual(held(50))
  })

  test('holds fewer tickets while the payment of others is under way', async () => {
    const [offerId, customer] = [await shop.newOffer(), await shop.newCustomer()]
    await leaveCapturing((await customer.order(offerId, 45)).body['order_id'])
    expect(await orderInstead(customer, offerId, 6)).toMatchObject(overCap(offerId, 5))
    expect((await orderInstead(customer, offerId, 5)).status).toBe(200)
  })
})

describe('an account without a confirmed address', () => {
  const overCap = (available: number) => ({ status: 409, body: { code: 'checkout.unconfirmed', available } })
  const unconfirm = ({ id }: Customer) =>
    run('UPDATE users SET email_confirmed_at = NULL WHERE id = $1', [id])

  test('holds 20 tickets at most, of all contests together, and buys more in turns', async () => {
    const [one, other, customer] = [await shop.newOffer(), await shop.newOffer(), await shop.newCustomer()]
    await unconfirm(customer)
    await customer.add(one, 15)
    expect(await customer.order(other, 6)).toMatchObject(overCap(20))
    expect((await orderInstead(customer, one, 20)).status).toBe(200)
    const { order_id } = (await orderInstead(customer, one, 20, 'FR')).body
    await shop.paypal.approve(order_id)
    expect((await customer.capture(order_id)).status).toBe(200)
    expect((await customer.order(other, 20)).status).toBe(200)
  })

  test.each([
    [1_000, 51, { code: 'checkout.unconfirmed', available: 20 }],
    [100, 21, { code: 'offer.holdLimit', available: 10 }],
  ])('is told the lower limit: of %i tickets, for %i', async (total_tickets, quantity, body) => {
    const [offerId, customer] = [await shop.newOffer({ total_tickets }), await shop.newCustomer()]
    await unconfirm(customer)
    expect(await customer.order(offerId, quantity)).toMatchObject({ status: 409, body })
  })

  test('holds the fewer while a payment is under way, and more once a link is used', async () => {
    const [offerId, customer] = [await shop.newOffer(), await shop.newCustomer()]
    await unconfirm(customer)
    await leaveCapturing((await customer.order(offerId, 15)).body['order_id'])
    const refused = await orderInstead(customer, await shop.newOffer(), 6)
    expect(refused).toMatchObject(overCap(5))
    expect(refused.body['detail']).toMatch(/5 tickets, .*email address is confirmed.* Nothing was charged\.$/)
    expect((await customer.post('/api/user/email-link/resend/')).status).toBe(202)
    const token = await shop.emailLinkTo(customer.email)
    expect((await customer.post('/api/user/email-link/', { token })).status).toBe(200)
    expect((await customer.create()).status).toBe(200)
  })
})

describe('a network', () => {
  test('has a share of a contest, in one batch and over several, and another network its own', async () => {
    const offerId = await shop.newOffer({ total_tickets: 200 })
    const buyers = await newcomers(8, offerId, 9)
    expect(await inOneBatch('one', buyers.slice(0, 4))).toEqual(['held', 'held', 'held', 'held'])
    expect(await inOneBatch('one', buyers.slice(4, 7))).toEqual(['held', 5, 5])
    expect(await inOneBatch('one', [await returning(offerId, 9)])).toEqual([5])
    expect(await inOneBatch('two', buyers.slice(5))).toEqual(['held', 'held', 'held'])
    expect(await shop.counters(offerId)).toEqual(held(72))
  })

  test('can hold what one of its buyers replaces in the same batch', async () => {
    const offerId = await shop.newOffer({ total_tickets: 200 })
    const [first, ...others] = await newcomers(6, offerId, 10)
    await inOneBatch('one', [first!, ...others.slice(0, 4)])
    await run('UPDATE cart_items SET quantity = 3 WHERE cart_id = $1', [first!.cartId])
    await run('UPDATE carts SET version = version + 1 WHERE id = $1', [first!.cartId])
    expect(await inOneBatch('one', [first!, others[4]!])).toEqual(['held', 7])
  })

  test('is stored with an order only while that holds tickets', async () => {
    const { customer, orderId } = await shop.approvedOrder(1)
    expect((await shop.orderOf(orderId)).network).toMatch(/^[0-9a-f]{32}$/)
    await customer.capture(orderId)
    expect((await shop.orderOf(orderId)).network).toBeNull()
  })
})

test('newcomers together leave half of the unsold tickets to accounts that have bought before', async () => {
  const offerId = await shop.newOffer({ total_tickets: 200 })
  await shop.changeOffer(offerId, { tickets_sold: 100 })
  const buyers = await newcomers(6, offerId, 10)
  await inOneBatch('one', buyers.slice(0, 2))
  expect(await inOneBatch('two', buyers.slice(2))).toEqual(['held', 'held', 'held', 0])
  expect(await inOneBatch('three', [buyers[5]!, await returning(offerId, 10)])).toEqual([0, 'held'])
  expect(await shop.counters(offerId)).toEqual({ tickets_sold: 100, tickets_held: 60 })
})

describe('unpaid minutes of a day', () => {
  const ago = (minutes: number) => `now() - interval '${minutes} minutes'`
  const detail: unknown = expect.stringMatching(/24 hours.* Nothing was charged\.$/)
  const REFUSED = { status: 409, body: { code: 'checkout.holdBudget', detail } }

  test.each([
    ['119 of them', `created_at = ${ago(119)}`, { status: 200 }],
    ['120 of them', `created_at = ${ago(120)}`, REFUSED],
    ['those after the end of a hold', `created_at = ${ago(180)}, hold_until = ${ago(61)}`, { status: 200 }],
    ['those of yesterday', `created_at = ${ago(1_441)}`, { status: 200 }],
    ['those of a declined payment', `created_at = ${ago(120)}, capture_started_at = now()`, REFUSED],
  ])('%s: the next hold', async (_, age, expected) => {
    const [offerId, customer] = [await shop.newOffer(), await shop.newCustomer()]
    const { order_id } = (await customer.order(offerId, 1)).body
    await setOrder(order_id, age)
    expect((await customer.post(CANCEL, { order_id })).body).toMatchObject({ progress: 'closed' })
    expect(await customer.create()).toMatchObject(expected)
  })
})

test('a buyer whose payments are declined gets an expired hold back three times', async () => {
  const { customer, orderId } = await shop.approvedOrder(1, 'declined@buyer.test')
  const responses: unknown[] = []
  for (let time = 0; time < 5; time += 1) {
    const { status, body } = await customer.capture(orderId)
    responses.push(body['code'] ?? status)
    await setOrder(orderId, 'hold_until = now()')
    await shop.expireHolds()
  }
  expect(responses).toEqual([...Array(4).fill('checkout.declined'), 'checkout.holdExpired'])
})

describe('an order that replaces another one', () => {
  /** A buyer whose order is extended and ends in five minutes. */
  async function endingOrder() {
    const [offerId, customer] = [await shop.newOffer(), await shop.newCustomer()]
    const { order_id } = (await customer.order(offerId, 2)).body
    await customer.post(EXTEND, { order_id })
    const until = new Date(Date.now() + 5 * MINUTE_MS)
    await setOrder(order_id, `hold_until = '${until.toISOString()}'`)
    return { offerId, customer, order_id, until }
  }

  test.each([
    ['to another country', (customer: Customer) => customer.create('FR')],
    ['with more tickets of it', (customer: Customer, offerId: number) => customer.order(offerId, 1)],
  ])('%s inherits its deadline', async (_, replace) => {
    const { offerId, customer, until } = await endingOrder()
    const { body } = await replace(customer, offerId)
    expect(body).toMatchObject({ expires_at: until.toISOString(), can_extend: false })
  })

  test('with other contests only, or after its end, has the whole time', async () => {
    const [one, other] = [await endingOrder(), await endingOrder()]
    await setOrder(other.order_id, 'hold_until = now()')
    for (const { body } of [
      await orderInstead(one.customer, await shop.newOffer(), 2),
      await other.customer.create('FR'),
    ]) {
      expect(body['can_extend']).toBe(true)
      expect(Date.parse(body['expires_at'])).toBeGreaterThan(Date.now() + (HOLD_MINUTES - 1) * MINUTE_MS)
    }
  })
})

test.each([
  [51, 254, ['manyHolds']],
  [51, 255, []],
  [50, 100, []],
])('%i held tickets of %i: alerts', async (tickets_held, total_tickets, kinds) => {
  const slug = `held-${tickets_held}-of-${total_tickets}`
  const offerId = await shop.newOffer({ slug, total_tickets })
  await shop.changeOffer(offerId, { tickets_held })
  expect(await alertsOf(slug)).toEqual(kinds)
  await shop.changeOffer(offerId, { tickets_held: 0 })
  expect(await alertsOf(slug)).toEqual([])
})

test('staff see the orders that hold tickets of a contest and release one, unless it is being paid', async () => {
  const staff = await shop.newStaff('support')
  const offerId = await shop.newOffer({ slug: 'coveted', title: 'Convoitée', title_nl: 'Begeerd' })
  const [first, second] = (await newcomers(2, offerId, 3)) as [Customer, Customer]
  const orderIds = [(await first.create()).body['order_id'], (await second.create()).body['order_id']]
  const listed = async () =>
    (await staff.get('/api/staff/holds/?offer=coveted')).body as unknown as { user_id: number }[]
  const hold = { state: 'held', tickets: [{ slug: 'coveted', quantity: 3 }], newcomer: true }
  expect(await listed()).toMatchObject([
    { ...hold, user_id: second.id },
    { ...hold, user_id: first.id, network: (await shop.orderOf(orderIds[0])).network },
  ])

  const preview = (id: string) =>
    staff.get(`/api/staff/orders/${id}/release/preview/`, undefined, { language: 'nl' })
  const { body: effect } = await preview(orderIds[0])
  const heldBefore = (await shop.counters(offerId))['tickets_held']
  expect(effect).toEqual({
    tickets: [{ offer_id: offerId, title: 'Begeerd', quantity: 3 }],
    state_after: 'cancelled',
    emails: 0,
    may_be_paid: true,
  })
  const release = (id: string) => staff.post(`/api/staff/orders/${id}/release/`, { reason: 'a test' })
  expect(await release(orderIds[0])).toMatchObject({ status: 200, body: { state: effect['state_after'] } })
  // As previewed: so many tickets, and no email.
  expect(heldBefore - (await shop.counters(offerId))['tickets_held']).toBe(effect['tickets'][0].quantity)
  expect(await run('SELECT kind FROM emails WHERE user_id = $1', [first.id])).toEqual([])
  expect((await preview(orderIds[0])).body['code']).toBe('checkout.notHeld')
  expect(await reasonsOf(orderIds[0])).toEqual(['created', 'staff_released'])
  expect(await run(`SELECT note FROM order_events WHERE reason = 'staff_released'`)).toEqual([
    { note: expect.stringMatching(`^staff ${staff.id}: note [0-9]+$`) },
  ])
  await leaveCapturing(orderIds[1])
  for (const id of orderIds)
    expect(await release(id)).toMatchObject({ status: 409, body: { code: 'checkout.notHeld' } })
  expect((await listed()).map(({ user_id }) => user_id)).toEqual([second.id])
  expect(await shop.counters(offerId)).toEqual(held(3))
})
