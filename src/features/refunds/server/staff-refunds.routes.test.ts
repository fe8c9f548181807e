import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ProviderSide, capturesOf, providerSide } from '../../../../test/support/provider-side.ts'
import { type Customer, type TestShop, testShop } from '../../../../test/support/shop.ts'
import { sweepOrders } from '#features/payments/server/sweep.ts'
import { type PayPalOrder, PayPalRefused } from '#platform/payment/paypal/paypal-client.ts'
import { refundOrder } from './staff-refunds.routes.ts'
import { paypalProvider } from '#platform/payment/paypal/paypal-provider.ts'

let shop: TestShop
let staff: Customer
let token: string
let there: ProviderSide

beforeAll(async () => {
  shop = await testShop()
  there = providerSide(shop)
  // What staff do must work without any notification.
  shop.paypal.faults.change({ missingWebhooks: 1 })
  staff = await shop.newCustomer()
  await shop.db.updateTable('users').set({ is_staff: true }).where('id', '=', staff.id).execute()
  token = (await shop.sessionOf(staff))['access'] ?? ''
})
afterAll(() => shop.close())

const ask = (method: 'GET' | 'POST', path: string, body?: object, call?: object) =>
  shop.withToken(token, method, `/api/staff/orders/${path}`, body, call)

const emailsOf = (userId: number) =>
  shop.db
    .selectFrom('emails')
    .innerJoin('users', 'users.email', 'emails.recipient')
    .select(['emails.kind', 'emails.subject'])
    .where('users.id', '=', userId)
    .where('emails.kind', '=', 'refund')
    .execute()

async function paid(quantity = 2, buyer = 'buyer@buyer.test') {
  const order = await shop.approvedOrder(quantity, buyer)
  await order.customer.capture(order.orderId)
  return order
}

const refunds = () => shop.paypal.book.refunds.size

describe('an order', () => {
  test('is found by our id and by the provider’s, with all that became of it', async () => {
    const { orderId, customer, offerId } = await paid(2)
    const byTheirs = await ask('GET', `${orderId}/`)
    expect(byTheirs.status).toBe(200)
    expect(byTheirs.body).toMatchObject({
      order_id: orderId,
      user_id: customer.id,
      state: 'completed',
      total: '11.86',
      lines: [{ offer_id: offerId, quantity: 2, unit_price: '4.90' }],
      tickets: { valid: 2, void: 0 },
      captures: [{ status: 'completed', amount: '11.86', currency: 'EUR' }],
      refunds: [],
      events: [
        { from: null, to: 'held' },
        { from: 'held', to: 'capturing' },
        { from: 'capturing', to: 'completed' },
      ],
    })
    expect((await ask('GET', `${byTheirs.body['id']}/`)).body).toEqual(byTheirs.body)
  })

  test.each(['NOSUCHORDER', '01a1ffbc-a979-733d-9a65-476220ea354b', '-1'])(
    'that does not exist is not found: %s',
    async (id) => {
      expect((await ask('GET', `${id}/`)).status).toBe(404)
      expect((await ask('POST', `${id}/reconcile/`)).status).toBe(404)
      expect((await ask('POST', `${id}/refund/`, { reason: 'x' })).status).toBe(404)
    },
  )
})

describe('asking the provider', () => {
  test('settles an order whose capture nobody heard of', async () => {
    const { orderId, customer } = await shop.approvedOrder(1)
    await there.silently(async () => {
      expect((await customer.capture(orderId)).status).toBe(202)
      // As long as the provider is silent, staff are told so and nothing changes.
      const silent = await ask('POST', `${orderId}/reconcile/`)
      expect(silent.status).toBe(503)
      expect(silent.body['detail']).toBe('The payment service is not answering. Nothing has changed.')
    })
    expect(await shop.orderState(orderId)).toBe('capturing')
    const told = await ask('POST', `${orderId}/reconcile/`)
    expect(told.body).toMatchObject({ state: 'completed', tickets: { valid: 1, void: 0 } })
  })

  test('finds what went back there of a completed order', async () => {
    const { orderId } = await paid(1)
    await there.giveBack(there.captureIdOf(orderId), 'refund')
    expect((await ask('POST', `${orderId}/reconcile/`)).body).toMatchObject({
      state: 'refunded',
      tickets: { valid: 0, void: 1 },
      refunds: [{ origin: 'provider', status: 'completed' }],
    })
  })
})

describe('sending money back', () => {
  test('voids the tickets, keeps the numbers, tells the buyer, and notes who wanted it', async () => {
    const { orderId, customer, offerId } = await paid(2)
    const answer = await ask('POST', `${orderId}/refund/`, { reason: ' Wrong contest ' })
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject({
      state: 'refunded',
      tickets: { valid: 0, void: 2 },
      refunds: [
        {
          origin: 'shop',
          status: 'completed',
          amount: '11.86',
          reason: 'staff_request',
          note: 'Wrong contest',
        },
      ],
    })
    const events = answer.body['events'] as { to: string; reason: string; note: string }[]
    expect(events.at(-2)).toMatchObject({
      to: 'refunding',
      reason: 'staff_request',
      note: `staff ${staff.id}: Wrong contest`,
    })
    expect(await shop.counters(offerId)).toEqual({ tickets_sold: 2, tickets_held: 0 })
    expect(await emailsOf(customer.id)).toHaveLength(1)
    const [refund] = [...shop.paypal.book.refunds.values()].slice(-1)
    expect(refund?.cents).toBe(1186)
  })

  test('asked for by many at once, it goes back once', async () => {
    const { orderId, customer } = await paid(1)
    const before = refunds()
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => ask('POST', `${orderId}/refund/`, { reason: 'twice' })),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(5)
    expect(refunds()).toBe(before + 1)
    expect(await emailsOf(customer.id)).toHaveLength(1)
  })

  test('with an Idempotency-Key the same call gets the same answer', async () => {
    const { orderId } = await paid(1)
    const again = { headers: { 'idempotency-key': 'staff-refund-1' } }
    const first = await ask('POST', `${orderId}/refund/`, { reason: 'once' }, again)
    const second = await ask('POST', `${orderId}/refund/`, { reason: 'once' }, again)
    expect([first.status, second.status]).toEqual([200, 200])
    expect(second.body).toEqual(first.body)
  })

  test('goes on when the provider is silent, and the sweep ends it', async () => {
    const { orderId, customer } = await paid(1)
    const answer = await there.silently(() => ask('POST', `${orderId}/refund/`, { reason: 'silent' }))
    expect(answer.body).toMatchObject({ state: 'refunding', refunds: [{ status: 'requested' }] })
    await sweepOrders(shop.checkout, 0)
    expect(await shop.orderState(orderId)).toBe('refunded')
    expect(await emailsOf(customer.id)).toHaveLength(1)
  })

  test('sends only what is left when the provider had returned a part', async () => {
    const { orderId, customer } = await paid(2)
    const captureId = there.captureIdOf(orderId)
    await there.giveBack(captureId, 'refund', '1.86')
    const answer = await ask('POST', `${orderId}/refund/`, { reason: 'rest' })
    await sweepOrders(shop.checkout, 0)
    expect(answer.status).toBe(200)
    expect(await shop.orderState(orderId)).toBe('refunded')
    const back = [...shop.paypal.book.refunds.values()].filter((one) => one.captureId === captureId)
    expect(back.map(({ cents }) => cents)).toEqual([186, 1000])
    expect(await emailsOf(customer.id)).toHaveLength(1)
  })

  test('takes an order out of review', async () => {
    const { orderId } = await paid(1)
    await shop.db
      .updateTable('orders')
      .set({ state: 'review' })
      .where('provider_order_id', '=', orderId)
      .execute()
    const answer = await ask('POST', `${orderId}/refund/`, { reason: 'decided' })
    expect(answer.body).toMatchObject({ state: 'refunded', tickets: { valid: 0, void: 1 } })
  })

  test('takes the money of an order that was given up and was paid after all', async () => {
    const { orderId, customer, offerId } = await shop.approvedOrder(1)
    await customer.post('/api/paypal/cancel-order/', { order_id: orderId })
    const wish = { reason: 'given up' }
    expect((await ask('POST', `${orderId}/refund/`, wish)).status).toBe(409)
    await shop.client.captureOrder(orderId, `past us ${orderId}`)
    await there.silently(async () => {
      expect((await ask('POST', `${orderId}/refund/`, wish)).status).toBe(503)
      expect(await shop.orderState(orderId)).toBe('cancelled')
    })
    expect((await ask('POST', `${orderId}/refund/`, wish)).body).toMatchObject({
      state: 'refunded',
      tickets: { valid: 0, void: 0 },
      refunds: [{ origin: 'shop', status: 'completed', amount: '5.93' }],
    })
    expect(await shop.counters(offerId)).toEqual({ tickets_sold: 0, tickets_held: 0 })
    const emails = await emailsOf(customer.id)
    expect(emails).toHaveLength(1)
    expect(emails[0]).toMatchObject({ kind: 'refund' })
  })

  test.each<[string, (told: PayPalOrder) => PayPalOrder]>([
    [
      'refuses to tell of it',
      () => {
        throw new PayPalRefused(403, { name: 'NOT_AUTHORIZED' })
      },
    ],
    [
      'names no amount of it',
      (told) => {
        delete capturesOf(told)[0]!.amount
        return told
      },
    ],
  ])(
    'of an order that was given up says 503 when the provider %s, and changes nothing',
    async (_title, tell) => {
      const { orderId, customer } = await shop.approvedOrder(1)
      await customer.post('/api/paypal/cancel-order/', { order_id: orderId })
      await shop.client.captureOrder(orderId, `past us ${orderId}`)
      const paypal = shop.client
      const getOrder: typeof paypal.getOrder = async (id) => tell(structuredClone(await paypal.getOrder(id)))
      const deps = { ...shop.checkout, provider: paypalProvider({ ...paypal, getOrder }) }
      const refused = refundOrder(deps, await shop.orderOf(orderId), { staffId: 1, note: 'late' })
      await expect(refused).rejects.toMatchObject({ code: 'checkout.providerSilent', status: 503 })
      expect(await shop.orderState(orderId)).toBe('cancelled')
      expect(await emailsOf(customer.id)).toEqual([])
    },
  )

  test.each([
    ['an order that nobody has paid', async () => (await shop.approvedOrder(1)).orderId],
    [
      'an order that was refunded',
      async () => {
        const { orderId } = await paid(1)
        await ask('POST', `${orderId}/refund/`, { reason: 'first' })
        return orderId
      },
    ],
  ])('is refused for %s', async (_title, make) => {
    const answer = await ask('POST', `${await make()}/refund/`, { reason: 'no' })
    expect(answer.status).toBe(409)
    expect(answer.body['detail']).toBe('This order has no payment to send back.')
  })

  test.each([{}, { reason: '' }, { reason: '   ' }, { reason: 'x'.repeat(201) }, { reason: 1 }])(
    'asks for a reason: %j',
    async (body) => {
      const { orderId } = await paid(1)
      expect((await ask('POST', `${orderId}/refund/`, body)).status).toBe(400)
      expect(await shop.orderState(orderId)).toBe('completed')
    },
  )
})
