import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { openPaymentShop } from '#features/purchase/payments/server/payments.test-support.ts'
import {
  type PaymentProvider,
  ProviderRefused,
  ProviderUnavailable,
  ProviderUnknown,
} from '#platform/payment/payment-provider.ts'
import { closeGate, rowOf } from '../../../../../test/support/races.ts'
import { CaptureResponse } from '../checkout.contract.ts'
import { type CaptureOutcome, capturePayment } from './capture-payment.ts'

const TOKEN = 'x'.repeat(40)
/** How far the program's clock is ahead of the database's. */
let clockAheadMs = 0

const clock = () => new Date(Date.now() + clockAheadMs)
const lab = await openPaymentShop({ clock, env: { METRICS_TOKEN: TOKEN }, notifies: true })
const { shop, atProvider, provider, withProvider, run, setOrder, emulate, sweep } = lab
// Its contests end when a test says so.
await shop.unlockTerms()

const held = (tickets: number) => ({ tickets_sold: 0, tickets_held: tickets })
const sold = (tickets: number) => ({ tickets_sold: tickets, tickets_held: 0 })

describe('capture-payment', () => {
  test('gives the tickets once, however often it is asked, empties the cart and counts them as sold [spec 4.31]', async () => {
    const { offerId, customer, orderId } = await shop.approvedOrder(3)
    const { status, body } = await customer.capture(orderId)
    expect(status).toBe(200)
    expect(CaptureResponse.safeParse(body).success).toBe(true)
    expect(body).toMatchObject({ id: orderId, status: 'COMPLETED' })
    expect(body['purchase_units'][0].payments.captures[0].status).toBe('COMPLETED')
    expect(body['tickets']).toHaveLength(3)
    expect(await shop.counters(offerId)).toEqual(sold(3))
    expect((await customer.get('/api/cart/')).body).toMatchObject([{ is_empty: true }])
    const again = await customer.capture(orderId)
    expect([again.status, again.body['tickets']]).toEqual([200, body['tickets']])
    expect(await shop.counters(offerId)).toEqual(sold(3))
    expect(await shop.ticketCount(customer)).toBe(3)
    expect(shop.capturesOf(orderId)).toHaveLength(1)
  })

  test('keeps what was added to the cart after the order', async () => {
    const { offerId, customer, orderId } = await shop.approvedOrder(2)
    await customer.add(await shop.newOffer(), 5)
    await customer.add(offerId, 1)
    expect((await customer.capture(orderId)).status).toBe(200)
    const [cart] = (await customer.get('/api/cart/')).body as unknown as { items: { quantity: number }[] }[]
    expect(cart?.items.map((item) => item.quantity)).toEqual([1, 5])
  })

  test('a declined instrument responds with 422 and keeps the hold; another one pays [spec 7.37, 8.32]', async () => {
    const { offerId, customer, orderId } = await shop.approvedOrder(1, 'declined@buyer.test')
    const declined = await customer.capture(orderId)
    expect(declined).toMatchObject({ status: 422, body: { id: orderId, tickets: [] } })
    expect(declined.body['details'][0].issue).toBe('INSTRUMENT_DECLINED')
    expect(declined.body['debug_id']).toBeTruthy()
    expect(await shop.counters(offerId)).toEqual(held(1))
    await shop.paypal.approve(orderId, 'buyer@buyer.test', 'other')
    expect((await customer.capture(orderId)).status).toBe(200)
  })

  test.each([
    ['release', 'completed', sold(1)],
    ['deny', 'cancelled', held(0)],
  ])('a pending payment keeps its hold until the provider’s %s: then it is %s', async (end, state, after) => {
    const { offerId, customer, orderId } = await shop.approvedOrder(1, 'pending@buyer.test')
    const pending = { status: 202, body: { status: 'PENDING', tickets: [] } }
    expect(await customer.capture(orderId)).toMatchObject(pending)
    expect(await shop.counters(offerId)).toEqual(held(1))
    const { body } = await customer.get(`/api/paypal/orders/${orderId}/`)
    expect(body).toMatchObject({ progress: 'confirming', tickets: [] })
    await emulate(`captures/${atProvider.captureIdOf(orderId)}/${end}`)
    await expect.poll(() => shop.orderState(orderId)).toBe(state)
    expect(await shop.counters(offerId)).toEqual(after)
    expect(await shop.ticketCount(customer)).toBe(after.tickets_sold)
  })

  test('a capture that took effect but whose response was lost gives its tickets in the same call', async () => {
    const { customer, orderId } = await shop.approvedOrder(2, 'lost@buyer.test')
    const response = await customer.capture(orderId)
    expect(response.status).toBe(200)
    expect(response.body['tickets']).toHaveLength(2)
  })

  test('another amount than ordered gives no tickets and goes back', async () => {
    const { offerId, customer, orderId } = await shop.approvedOrder(1, 'tampered@buyer.test')
    const refused = { status: 409, body: { code: 'checkout.refunded' } }
    expect(await customer.capture(orderId)).toMatchObject(refused)
    await sweep()
    await expect.poll(() => shop.orderState(orderId)).toBe('refunded')
    expect(await shop.counters(offerId)).toEqual(held(0))
    expect(await shop.ticketCount(customer)).toBe(0)
    expect(shop.capturesOf(orderId)).toMatchObject([{ status: 'REFUNDED' }])
  })

  test('a contest that ended before the capture is named, and refused before money moves', async () => {
    const customer = await shop.newCustomer()
    await customer.add(await shop.newOffer({ title_en: 'Still runs' }), 1)
    const offerId = await shop.newOffer({ title_en: 'Has ended' })
    const orderId = (await customer.order(offerId, 1)).body['order_id'] as string
    await shop.paypal.approve(orderId, 'buyer@buyer.test')
    await run('UPDATE offers SET end_date = now() WHERE id = $1', [offerId])
    const detail = 'Ended before your payment: Has ended. You have not been charged.'
    const body = { code: 'offer.ended', detail, offer_id: offerId }
    expect(await customer.capture(orderId)).toMatchObject({ status: 409, body })
    expect(await shop.orderState(orderId)).toBe('cancelled')
    expect(await shop.counters(offerId)).toEqual(held(0))
    expect(shop.paypal.book.orders.get(orderId)?.status).toBe('APPROVED')
  })

  test('after a refused payment, an ended contest is named as well, and nobody is led back to the provider', async () => {
    const customer = await shop.newCustomer()
    const offerId = await shop.newOffer()
    const orderId = (await customer.order(offerId, 1)).body['order_id'] as string
    const code = (await customer.capture(orderId)).body['code']
    expect(code).toBe('checkout.notApproved')
    await run('UPDATE offers SET end_date = now() WHERE id = $1', [offerId])
    expect(await customer.capture(orderId)).toMatchObject({ status: 409, body: { code: 'offer.ended' } })
    expect(await shop.orderState(orderId)).toBe('cancelled')
    expect(await shop.counters(offerId)).toEqual(held(0))
  })

  test('a suspended account is refused before money moves', async () => {
    const { customer, orderId } = await shop.approvedOrder(1)
    await run('UPDATE users SET is_active = false WHERE id = $1', [customer.id])
    expect(await customer.capture(orderId)).toMatchObject({ status: 403, body: { code: 'auth.suspended' } })
    expect(await customer.create()).toMatchObject({ status: 403 })
    expect(shop.paypal.book.orders.get(orderId)?.status).toBe('APPROVED')
  })
})

/** Without notifications, which would have an order paid in the middle of a test. */
describe('without notifications', () => {
  beforeAll(() => shop.paypal.faults.change({ missingWebhooks: 1 }))
  afterAll(() => shop.paypal.faults.clear())

  type CaptureOrder = PaymentProvider['captureOrder']
  const refused = (reason: ProviderRefused['reason']) => () => Promise.reject(new ProviderRefused(reason))
  const unavailable = () => Promise.reject(new ProviderUnavailable())
  const lost = () => Promise.reject(new ProviderUnknown('the connection broke'))
  const paid: CaptureOrder = (...call) => provider.captureOrder(...call)
  /** Responds with a declined payment, as PayPal does where the instrument decides late. */
  const declined: CaptureOrder = async (id) => ({
    ...(await provider.readOrder(id)),
    captures: [{ id: `DECLINED-${id}`, status: 'declined', money: undefined }],
  })

  /** What the caller of a capture gets: the state of the order, or the code of the refusal. */
  const endOf = (capture: Promise<CaptureOutcome>): Promise<unknown> =>
    capture.then(
      (outcome) => (outcome.declined ? 'checkout.declined' : outcome.order.state),
      (error: { code: unknown }) => error.code,
    )

  test.each<[code: string, response: string, CaptureOrder]>([
    ['checkout.providerDown', 'no request', unavailable],
    ['checkout.declined', 'a refusal', refused('declined')],
    ['checkout.declined', 'a declined payment', declined],
    ['checkout.notApproved', 'a refusal', refused('not_approved')],
    ['checkout.providerRefused', 'a refusal', refused('other')],
    ['completed', 'a payment', paid],
  ])('two concurrent captures of one order both get %s after %s', async (code, _, captureOrder) => {
    const { offerId, orderId } = await shop.approvedOrder(2)
    const responded = Promise.withResolvers<void>()
    const later: CaptureOrder = (...call) => responded.promise.then(() => captureOrder(...call))
    const first = capturePayment(withProvider({ captureOrder: later }), await shop.orderOf(orderId))
    await expect.poll(() => shop.orderState(orderId)).toBe('capturing')
    const second = capturePayment(shop.checkout, await shop.orderOf(orderId))
    responded.resolve()
    expect(await Promise.all([first, second].map(endOf))).toEqual([code, code])
    expect(await shop.orderState(orderId)).toBe(code === 'completed' ? 'completed' : 'held')
    expect(await shop.counters(offerId)).toEqual(code === 'completed' ? sold(2) : held(2))
  })

  /** A checkout that records the request ids of its captures; the first of them may get another response. */
  function recording(first: CaptureOrder = paid) {
    const captureOrder = vi.fn<CaptureOrder>(paid).mockImplementationOnce(first)
    return {
      requestIds: () => captureOrder.mock.calls.map(([, requestId]) => requestId),
      capture: async (orderId: string) =>
        capturePayment(withProvider({ captureOrder }), await shop.orderOf(orderId)),
    }
  }

  test.each<[string, code: string, attempt: number, buyer?: string, response?: CaptureOrder]>([
    ['PayPal’s own decline', 'checkout.declined', 2, 'declined@buyer.test'],
    ['a refused instrument', 'checkout.declined', 2, 'buyer@buyer.test', refused('declined')],
    ['a declined payment', 'checkout.declined', 2, 'buyer@buyer.test', declined],
    ['an order without approval', 'checkout.notApproved', 2, undefined, lost],
    ['a request that was never sent', 'checkout.providerDown', 1, 'buyer@buyer.test', unavailable],
  ])('after %s the buyer gets %s, and attempt %i pays', async (_, code, attempt, buyer, response) => {
    const customer = await shop.newCustomer()
    const { body } = await customer.order(await shop.newOffer(), 2)
    const orderId = body['order_id'] as string
    if (buyer) await shop.paypal.approve(orderId, buyer)
    const { requestIds, capture } = recording(response)
    expect(await endOf(capture(orderId))).toBe(code)
    expect(await shop.orderState(orderId)).toBe('held')
    await shop.paypal.approve(orderId, 'buyer@buyer.test', 'other')
    expect(await endOf(capture(orderId))).toBe('completed')
    const { id } = await shop.orderOf(orderId)
    expect(requestIds()).toEqual([`${id}:cap:1`, `${id}:cap:${attempt}`])
    expect(await shop.ticketCount(customer)).toBe(2)
  })

  test('a request without a response is sent again as the same request', async () => {
    const { orderId } = await shop.approvedOrder(1)
    const { requestIds, capture } = recording(lost)
    expect(await endOf(capture(orderId))).toBe('completed')
    const { id } = await shop.orderOf(orderId)
    expect(requestIds()).toEqual([`${id}:cap:1`, `${id}:cap:1`])
  })

  describe('a page that polls a pending payment', () => {
    afterAll(() => void (clockAheadMs = 0))

    const age = (orderId: string) => setOrder(orderId, `checked_at = now() - interval '10 seconds'`)

    /** A payment that has been pending for ten seconds. */
    async function pending() {
      const { orderId, customer } = await shop.approvedOrder(2, 'pending@buyer.test')
      await customer.capture(orderId)
      await age(orderId)
      return { orderId, poll: () => customer.get(`/api/paypal/orders/${orderId}/`) }
    }

    /** How often the provider was asked about an order. */
    async function looks(): Promise<number> {
      const headers = { authorization: `Bearer ${TOKEN}` }
      const { body } = await shop.anonymous('GET', '/metrics', undefined, { headers })
      const count = /^volant_provider_seconds_count\{call="get order".* (\d+)$/m
      return Number(count.exec((body as unknown as Buffer).toString())?.[1] ?? 0)
    }

    /** Asserts that the provider is asked once, and once more only for each three seconds that `act` takes. */
    async function expectOneLookEach3Seconds(act: () => Promise<unknown>): Promise<void> {
      const [before, began] = [await looks(), performance.now()]
      await act()
      const seconds = (performance.now() - began) / 1_000
      const asked = (await looks()) - before
      expect(asked).toBeGreaterThanOrEqual(1)
      expect(asked).toBeLessThanOrEqual(1 + Math.floor(seconds / 3))
    }

    const DAYS = [-2, 0, 2]
    test.each(DAYS)(
      'has the provider asked once in three seconds, with our clock %i days ahead',
      async (days) => {
        clockAheadMs = days * 86_400_000
        const { orderId, poll } = await pending()
        await expectOneLookEach3Seconds(async () => {
          for (let turn = 0; turn < 10; turn += 1)
            expect((await poll()).body).toMatchObject({ progress: 'confirming' })
          await Promise.all(Array.from({ length: 10 }, poll))
        })
        await age(orderId)
        await expectOneLookEach3Seconds(() => Promise.all(Array.from({ length: 10 }, poll)))
      },
    )

    test('does not wait for the lock of the order', async () => {
      const { orderId, poll } = await pending()
      const before = await looks()
      const gate = await closeGate(shop.url, rowOf.order(orderId))
      expect((await poll()).body).toMatchObject({ progress: 'confirming' })
      expect(await looks()).toBe(before)
      await gate.open()
    })
  })
})
