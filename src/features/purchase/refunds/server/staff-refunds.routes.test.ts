import { beforeAll, describe, expect, test } from 'vitest'
import { openPaymentShop } from '#features/purchase/payments/server/payments.test-support.ts'
import { type ProviderOrder, ProviderRefused } from '#platform/payment/payment-provider.ts'
import { statuses } from '../../../../../test/support/races.ts'
import type { Staff } from '../../../../../test/support/shop.ts'

const lab = await openPaymentShop()
const { shop, atProvider, provider, withResponses, refundByStaff, resultOf } = lab

let staff: Staff

beforeAll(async () => {
  staff = await shop.newStaff('support')
})

const call = (method: 'GET' | 'POST', path: string, body?: object) =>
  method === 'GET' ? staff.get(`/api/staff/orders/${path}`) : staff.post(`/api/staff/orders/${path}`, body)
const refund = (orderId: string, reason = 'asked for') => call('POST', `${orderId}/refund/`, { reason })

describe('An order', () => {
  test('is found by our id, the provider’s and the order number, with its history', async () => {
    const { orderId, customer, offerId } = await shop.paidOrder(2)
    const { status, body } = await call('GET', `${orderId}/`)
    expect(status).toBe(200)
    const moves = [null, 'held', 'capturing', 'completed']
    expect(body).toMatchObject({
      order_id: orderId,
      user_id: customer.id,
      state: 'completed',
      total: '11.86',
      lines: [{ offer_id: offerId, quantity: 2, unit_price: '4.90' }],
      tickets: { valid: 2, void: 0 },
      captures: [{ status: 'completed', amount: '11.86', currency: 'EUR' }],
      refunds: [],
      events: moves.slice(1).map((to, index) => ({ from: moves[index], to })),
    })
    for (const id of [body['id'], body['number'], body['number'].toLowerCase()])
      expect((await call('GET', `${id}/`)).body).toEqual(body)
  })

  const UNKNOWN = ['NOSUCHORDER', '01a1ffbc-a979-733d-9a65-476220ea354b', '-1']
  test.each(UNKNOWN)('that does not exist is not found: %s', async (id) => {
    const responses = [await call('GET', `${id}/`), await call('POST', `${id}/reconcile/`), await refund(id)]
    expect(responses.map(({ status }) => status)).toEqual([404, 404, 404])
  })
})

test('Reconciling an order settles a capture, then imports a refund; 503 while the provider is silent', async () => {
  const { orderId, customer } = await shop.approvedOrder(1)
  const reconciled = () => call('POST', `${orderId}/reconcile/`)
  await atProvider.silently(async () => {
    expect((await customer.capture(orderId)).status).toBe(202)
    const detail = 'The payment service is not answering. Nothing has changed.'
    expect(await reconciled()).toMatchObject({ status: 503, body: { detail } })
  })
  expect(await shop.orderState(orderId)).toBe('capturing')
  const settled = { state: 'completed', tickets: { valid: 1, void: 0 } }
  expect((await reconciled()).body).toMatchObject(settled)
  await atProvider.giveBack(atProvider.captureIdOf(orderId), 'refund')
  const refunds = [{ origin: 'provider', status: 'completed' }]
  const imported = { state: 'refunded', tickets: { valid: 0, void: 1 }, refunds }
  expect((await reconciled()).body).toMatchObject(imported)
})

describe('Refunding an order', () => {
  test('voids the tickets, keeps their numbers issued, emails the buyer and stores who requested it', async () => {
    const { orderId } = await shop.paidOrder(2)
    const { status, body } = await refund(orderId, ' Wrong contest ')
    expect(status).toBe(200)
    const made = { origin: 'shop', status: 'completed', amount: '11.86' }
    expect(body).toMatchObject({
      state: 'refunded',
      tickets: { valid: 0, void: 2 },
      refunds: [{ ...made, reason: 'staff_request', note: 'Wrong contest' }],
    })
    const note = `staff ${staff.id}: other`
    expect(body['events'].at(-2)).toMatchObject({ to: 'refunding', reason: 'staff_request', note })
    expect(await resultOf(orderId)).toMatchObject({ sold: 2, returned: [1186], emails: [expect.any(String)] })
  })

  test('by concurrent requests makes one refund', async () => {
    const { orderId } = await shop.paidOrder(1)
    const responses = await Promise.all(Array.from({ length: 6 }, () => refund(orderId)))
    expect(statuses(responses)).toEqual([200, 409, 409, 409, 409, 409])
    expect(await resultOf(orderId)).toMatchObject({ returned: [593], emails: [expect.any(String)] })
  })

  /** A cancelled order that the provider captures afterwards, when `pay` is called. */
  async function cancelledOrder() {
    const approved = await shop.approvedOrder(1)
    const { orderId } = approved
    await approved.customer.post('/api/paypal/cancel-order/', { order_id: orderId })
    return { orderId, pay: () => provider.captureOrder(orderId, `unrequested ${orderId}`) }
  }

  test('that was cancelled and paid after all returns the money; 503 while the provider does not respond', async () => {
    const { orderId, pay } = await cancelledOrder()
    expect((await refund(orderId)).status).toBe(409)
    await pay()
    expect((await atProvider.silently(() => refund(orderId))).status).toBe(503)
    expect(await shop.orderState(orderId)).toBe('cancelled')
    expect((await refund(orderId)).body).toMatchObject({
      state: 'refunded',
      tickets: { valid: 0, void: 0 },
      refunds: [{ origin: 'shop', status: 'completed', amount: '5.93' }],
    })
    expect(await resultOf(orderId)).toMatchObject({ sold: 0, held: 0, emails: [expect.any(String)] })
  })

  const refuses = (): never => {
    throw new ProviderRefused('other')
  }
  const namesNoAmount = ({ captures, ...response }: ProviderOrder): ProviderOrder => ({
    ...response,
    captures: captures.map((one) => ({ ...one, money: undefined })),
  })

  test.each([
    ['refuses to respond', refuses],
    ['names no amount', namesNoAmount],
  ])('that was cancelled changes nothing when the provider %s', async (_, change) => {
    const { orderId, pay } = await cancelledOrder()
    await pay()
    const refused = refundByStaff(orderId, withResponses(change))
    await expect(refused).rejects.toMatchObject({ code: 'checkout.providerSilent', status: 503 })
    expect(await resultOf(orderId)).toMatchObject({ state: 'cancelled', emails: [] })
  })

  test('without a payment to refund is refused', async () => {
    const unpaid = await shop.approvedOrder(1)
    const refunded = await shop.paidOrder(1)
    await refund(refunded.orderId)
    const body = { detail: 'This order has no payment to refund.' }
    for (const { orderId } of [unpaid, refunded])
      expect(await refund(orderId)).toMatchObject({ status: 409, body })
  })

  test('needs a reason of 1 to 200 characters', async () => {
    const { orderId } = await shop.paidOrder(1)
    for (const body of [{}, { reason: '' }, { reason: '   ' }, { reason: 'x'.repeat(201) }, { reason: 1 }])
      expect((await call('POST', `${orderId}/refund/`, body)).status, JSON.stringify(body)).toBe(400)
    expect(await shop.orderState(orderId)).toBe('completed')
  })
})
