import { describe, expect, test } from 'vitest'
import { openPaymentShop } from '#features/purchase/payments/server/payments.test-support.ts'
import { PAYPAL_ISSUES } from '#platform/payment/paypal/paypal-issues.ts'
import type { RefusalReason } from '#platform/payment/payment-provider.ts'
import { sized } from '../../../../../test/support/tier.ts'
import type { PaymentRefusal } from '../checkout.contract.ts'

/** Whatever PayPal refuses a payment with: what the buyer gets, what becomes of the order, and how often PayPal is asked. */
const lab = await openPaymentShop()
const { shop, run, sweep, reasonsOf } = lab

type Ordered = { status?: number; issues?: readonly string[]; body?: unknown; links?: readonly object[] }

/** Has the emulator respond to the next calls of a kind. */
async function respond(call: string, ordered: Ordered, times = 1): Promise<void> {
  const { status } = await fetch(`${shop.paypal.url}/_emulator/answers`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ call, times, ...ordered }),
  })
  expect(status).toBe(200)
}

/** The request ids of the captures that were asked of PayPal. */
const capturesAsked = (orderId: string): (string | undefined)[] =>
  shop.paypal.responses
    .made()
    .filter((one) => one.call === 'capture' && one.id === orderId)
    .map((one) => one.requestId)

const statusOf = async (customer: { get: (path: string) => Promise<{ body: object }> }, orderId: string) =>
  (await customer.get(`/api/paypal/orders/${orderId}/`)).body

async function follow(orderId: string): Promise<string> {
  const { id } = await shop.orderOf(orderId)
  const address = `/checkout/return?ref=${shop.checkout.signatures.of(id)}&token=${orderId}`
  const { status, headers } = await shop.anonymous('GET', address)
  expect(status).toBe(303)
  return String(headers['location'])
}

interface Outcome {
  refusal: PaymentRefusal
  state: 'held' | 'cancelled'
  reason: string
}
const OUTCOMES: Partial<Record<RefusalReason, Outcome>> = {
  declined: { refusal: 'declined', state: 'held', reason: 'capture_declined' },
  payer_action: { refusal: 'payerAction', state: 'held', reason: 'payer_action' },
  not_approved: { refusal: 'notApproved', state: 'held', reason: 'not_approved' },
  refused: { refusal: 'refused', state: 'cancelled', reason: 'payment_refused' },
  shop_fault: { refusal: 'shopFault', state: 'cancelled', reason: 'shop_fault' },
  other: { refusal: 'providerRefused', state: 'held', reason: 'capture_refused' },
}

/** Asserts what both ways of paying lead to, and that nobody asks PayPal again by itself. */
async function expectRefused(ordered: Ordered, { refusal, state, reason }: Outcome): Promise<void> {
  const bought = await shop.approvedOrder(1)
  const { customer, orderId, offerId } = bought
  await respond('capture', ordered)
  const { status, body } = await customer.capture(orderId)
  expect([status, body['code'], body['status'], body['tickets']]).toEqual([
    422,
    `checkout.${refusal}`,
    'DECLINED',
    [],
  ])
  expect(await statusOf(customer, orderId)).toMatchObject({ progress: 'refused', refusal, tickets: [] })

  const returning = await shop.approvedOrder(1)
  await respond('capture', ordered)
  for (let time = 0; time < 2; time += 1)
    expect(await follow(returning.orderId)).toBe(`/cart?payment=${refusal}`)

  for (const order of [orderId, returning.orderId]) {
    expect((await reasonsOf(order)).at(-1)).toBe(reason)
    expect(await shop.orderState(order)).toBe(state)
    expect(capturesAsked(order)).toHaveLength(1)
  }
  const counters = { tickets_sold: 0, tickets_held: state === 'held' ? 1 : 0 }
  expect(await shop.counters(offerId)).toEqual(counters)
}

/** In the short form the first ones of each meaning; the unit tests read them all. */
const documented = Object.entries(PAYPAL_ISSUES.capture).flatMap(([reason, issues]) => {
  const outcome = OUTCOMES[reason as RefusalReason]
  const tried = issues.slice(0, sized({ short: 9, extended: issues.length }))
  return outcome ? tried.map((issue) => [issue, outcome] as const) : []
})

describe('captures that PayPal refuses', () => {
  test.each(documented)(
    'with %s is settled at once, whichever way the buyer pays',
    async (issue, outcome) => {
      await expectRefused({ issues: [issue] }, outcome)
      expect(shop.paypal.responses.waiting()).toEqual([])
    },
  )

  const UNKNOWN = OUTCOMES.other!
  const FAULT = OUTCOMES.shop_fault!
  test.each<[string, Ordered, Outcome]>([
    ['an issue that nobody knows', { issues: ['SOMETHING_NEW'] }, UNKNOWN],
    ['an issue in another alphabet', { issues: ['\u0000 ✗'.repeat(40)] }, UNKNOWN],
    ['no issue', {}, UNKNOWN],
    ['an empty body', { body: '' }, UNKNOWN],
    ['a page of a proxy', { body: '<html>no</html>' }, UNKNOWN],
    ['fields of other forms', { body: { name: 7, details: { issue: 'INSTRUMENT_DECLINED' } } }, UNKNOWN],
    ['405', { status: 405, issues: [] }, UNKNOWN],
    ['404 for an order that can be read', { status: 404, issues: ['INVALID_RESOURCE_ID'] }, UNKNOWN],
    ['400', { status: 400, issues: [] }, FAULT],
    ['403 without a body', { status: 403, body: '' }, FAULT],
    ['403 and an unknown issue', { status: 403, issues: ['SOMETHING_NEW'] }, FAULT],
    ['a decline in small letters', { issues: ['instrument_declined'] }, OUTCOMES.declined!],
    [
      'a decline and a refusal for good',
      { issues: ['INSTRUMENT_DECLINED', 'TRANSACTION_REFUSED'] },
      OUTCOMES.refused!,
    ],
    ['a decline and an unknown issue', { issues: ['INSTRUMENT_DECLINED', 'SOMETHING_NEW'] }, UNKNOWN],
  ])('with %s is settled at once, too', async (_, ordered, outcome) => {
    await expectRefused(ordered, outcome)
    expect(shop.paypal.responses.waiting()).toEqual([])
  })

  test('are not captured again by any job', async () => {
    const before = shop.paypal.responses.made().length
    await run(
      `UPDATE orders SET checked_at = now() - interval '1 hour', approved_at = now() - interval '1 hour'`,
    )
    await sweep()
    expect(before).toBeGreaterThan(0)
    expect(shop.paypal.responses.made()).toHaveLength(before)
  })

  test.each(['INSTRUMENT_DECLINED', 'PAYER_ACTION_REQUIRED', 'ORDER_NOT_APPROVED'])(
    'with %s is asked for by a new request once the buyer has acted again',
    async (issue) => {
      const { customer, orderId } = await shop.approvedOrder(1)
      await respond('capture', { issues: [issue] })
      await customer.capture(orderId)
      // Going to PayPal again is the act; by the same cart the order is the same.
      expect((await customer.create()).body['order_id']).toBe(orderId)
      await shop.paypal.approve(orderId, 'buyer@buyer.test', 'other')
      expect(await follow(orderId)).toBe('/profile/participations?success=true')
      const { id } = await shop.orderOf(orderId)
      expect(capturesAsked(orderId)).toEqual([`${id}:cap:1`, `${id}:cap:2`])
      expect(await shop.ticketCount(customer)).toBe(1)
    },
  )

  test('with an unknown issue is only ever repeated as the same request', async () => {
    const { customer, orderId } = await shop.approvedOrder(1)
    await respond('capture', { issues: ['SOMETHING_NEW'] }, 3)
    for (let time = 0; time < 3; time += 1) expect((await customer.capture(orderId)).status).toBe(422)
    expect((await customer.capture(orderId)).status).toBe(200)
    expect(new Set(capturesAsked(orderId)).size).toBe(1)
  })

  test('for good or by our fault leaves the cart, which is paid by another order', async () => {
    for (const issue of ['TRANSACTION_REFUSED', 'PAYEE_ACCOUNT_RESTRICTED']) {
      const { customer, orderId } = await shop.approvedOrder(1)
      await respond('capture', { issues: [issue] })
      const refused = await customer.capture(orderId)
      expect((await customer.capture(orderId)).body).toMatchObject({ code: refused.body['code'] })
      const again = (await customer.create()).body['order_id'] as string
      expect(again).not.toBe(orderId)
      await shop.paypal.approve(again)
      expect((await customer.capture(again)).status).toBe(200)
    }
  })

  test('although it took the money gives the tickets', async () => {
    const { customer, orderId } = await shop.approvedOrder(1)
    // The response to the call is the emulator's 422, and the money is taken behind it.
    const { provider, withProvider } = lab
    const { capturePayment } = await import('./capture-payment.ts')
    const deps = withProvider({
      captureOrder: async (...call) => {
        await provider.captureOrder(...call)
        await respond('capture', { issues: ['SOMETHING_NEW'] })
        return provider.captureOrder(...call)
      },
    })
    await capturePayment(deps, await shop.orderOf(orderId))
    expect(await shop.orderState(orderId)).toBe('completed')
    expect(await shop.ticketCount(customer)).toBe(1)
  })

  test('at PayPal, where the buyer has to act, leads there', async () => {
    const { customer, orderId } = await shop.approvedOrder(1, 'action@buyer.test')
    const { body } = await customer.capture(orderId)
    const there = `${shop.paypal.publicUrl}/checkoutnow?token=${orderId}`
    expect(body).toMatchObject({ code: 'checkout.payerAction', payment_url: there })
    // Without an action PayPal is not asked for the money again.
    expect((await customer.capture(orderId)).body).toMatchObject({ code: 'checkout.payerAction' })
    expect(capturesAsked(orderId)).toHaveLength(1)
    expect((await customer.create()).body).toMatchObject({ payment_url: there })
    await shop.paypal.approve(orderId, 'action@buyer.test')
    expect((await customer.capture(orderId)).status).toBe(200)
  })

  test.each([
    ['refused@buyer.test', 'refused'],
    ['restricted@buyer.test', 'shopFault'],
    ['unknown@buyer.test', 'providerRefused'],
  ])('by %s of the emulator is %s', async (buyer, refusal) => {
    const { customer, orderId } = await shop.approvedOrder(1, buyer)
    expect((await customer.capture(orderId)).body).toMatchObject({ code: `checkout.${refusal}` })
  })

  test.each([401, 403])('with %i for everything alerts staff and moves no money', async (status) => {
    const { customer, orderId } = await shop.approvedOrder(1)
    const body = { name: status === 401 ? 'AUTHENTICATION_FAILURE' : 'NOT_AUTHORIZED' }
    for (const call of ['capture', 'read']) await respond(call, { status, body }, 4)
    expect((await customer.capture(orderId)).body).toMatchObject({ code: 'checkout.shopFault' })
    shop.paypal.responses.clear()
    const [alert] = await run(
      `SELECT details FROM alerts WHERE kind = 'providerRefuses' AND subject = $1 AND resolved_at IS NULL`,
      [body.name],
    )
    expect(alert?.details).toMatchObject({ order: expect.stringMatching(/^\w{4}-\w{4}$/) })
  })
})

describe('a response that leaves open whether money was taken', () => {
  test.each<[string, Ordered]>([
    ['429', { status: 429, issues: ['RATE_LIMIT_REACHED'] }],
    ['500', { status: 500, issues: [] }],
    ['a page of an error', { status: 502, body: '<html>bad gateway</html>' }],
    ['a page instead of an order', { status: 200, body: '<html>ok</html>' }],
    ['nothing', { status: 201, body: '' }],
    ['409', { status: 409, issues: ['PREVIOUS_REQUEST_IN_PROGRESS'] }],
  ])('(%s) is asked about, and the capture repeated as the same request', async (_, ordered) => {
    const { customer, orderId } = await shop.approvedOrder(1)
    await respond('capture', ordered)
    expect((await customer.capture(orderId)).status).toBe(200)
    expect(new Set(capturesAsked(orderId)).size).toBe(1)
    expect(shop.capturesOf(orderId)).toHaveLength(1)
    expect(await shop.ticketCount(customer)).toBe(1)
  })
})

describe('an order that PayPal refuses to create', () => {
  test.each<[string, Ordered, code: string]>([
    ['a fault of the shop’s account', { issues: ['PAYEE_ACCOUNT_RESTRICTED'] }, 'shopFault'],
    ['sums that do not add up', { issues: ['AMOUNT_MISMATCH'] }, 'shopFault'],
    ['missing permissions', { status: 403, issues: ['PERMISSION_DENIED'] }, 'shopFault'],
    ['an issue that nobody knows', { issues: ['SOMETHING_NEW'] }, 'providerRefused'],
    ['a buyer who cannot pay', { issues: ['PAYER_ACCOUNT_RESTRICTED'] }, 'providerRefused'],
    ['a page of a proxy', { status: 400, body: '<html>no</html>' }, 'shopFault'],
  ])('for %s holds nothing, and is made by the next call', async (_, ordered, code) => {
    const customer = await shop.newCustomer()
    const offerId = await shop.newOffer()
    await customer.add(offerId, 1)
    await respond('create', ordered)
    expect(await customer.create()).toMatchObject({ status: 502, body: { code: `checkout.${code}` } })
    expect(await shop.counters(offerId)).toEqual({ tickets_sold: 0, tickets_held: 0 })
    expect((await customer.create()).status).toBe(200)
  })
})

describe('a refund that PayPal refuses', () => {
  const refundIssues = Object.entries(PAYPAL_ISSUES.refund).flatMap(([reason, issues]) =>
    ['too_early', 'no_funds', 'disputed', 'refused', 'shop_fault'].includes(reason)
      ? issues.slice(0, 3).map((issue) => [issue, reason] as const)
      : [],
  )
  test.each([...refundIssues, ['SOMETHING_NEW', 'other'] as const])(
    'with %s goes to staff, who see why: %s',
    async (issue, reason) => {
      const { orderId } = await shop.paidOrder(1)
      const { id } = await shop.orderOf(orderId)
      await respond('refund', { issues: [issue] })
      await lab.refundByStaff(orderId)
      expect(await shop.orderState(orderId)).toBe('review')
      const [refund] = await run('SELECT status, refusal, refusal_code FROM refunds WHERE order_id = $1', [
        id,
      ])
      expect(refund).toEqual({ status: 'failed', refusal: reason, refusal_code: issue })
      const alerts = await run(
        `SELECT 1 FROM alerts WHERE kind = 'providerRefuses' AND subject = $1 AND resolved_at IS NULL`,
        [issue],
      )
      expect(alerts).toHaveLength(['no_funds', 'shop_fault', 'other'].includes(reason) ? 1 : 0)
    },
  )
})
