import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { providerSide } from '../../../../test/support/provider-side.ts'
import { type TestShop, testShop } from '../../../../test/support/shop.ts'
import { type CaptureOutcome, capturePayment } from '#features/checkout/server/capture-payment.ts'
import { orderCreation } from '#features/checkout/server/create-order.ts'
import { ProviderUnknown } from '#platform/payment/payment-provider.ts'
import { type PayPalClient, PayPalOrder } from '#platform/payment/paypal/paypal-client.ts'
import { reconcileLedger } from './ledger-reconciliation.ts'
import type { NotificationDeps } from './notifications.ts'
import { watchPayments } from './payment-alerts.repository.ts'
import { reconcile } from './reconcile.ts'
import { sweepOrders } from './sweep.ts'
import { paypalProvider } from '#platform/payment/paypal/paypal-provider.ts'

/** What the provider answers may be nonsense, and some of it may be about somebody else's money. */
let shop: TestShop

beforeAll(async () => {
  shop = await testShop()
  // A notification would have an order paid in the middle of what happens to it here.
  shop.paypal.faults.change({ missingWebhooks: 1 })
})
afterAll(() => shop.close())

// oxlint-disable-next-line typescript/no-explicit-any -- a lie may have any shape
type Lie = (answer: any) => void

/** A checkout whose provider tells lies in some of its answers, each of which has taken effect. */
function lying(lies: Partial<Record<keyof PayPalClient, Lie>>): NotificationDeps {
  const paypal = shop.client
  const told =
    <Args extends unknown[]>(call: keyof PayPalClient, send: (...args: Args) => Promise<PayPalOrder>) =>
    async (...args: Args) => {
      const answer = structuredClone(await send(...args))
      lies[call]?.(answer)
      // As the client does with what it has read.
      const read = PayPalOrder.safeParse(answer)
      if (!read.success) throw new ProviderUnknown('it answered nonsense')
      return read.data
    }
  return {
    ...shop.checkout,
    provider: paypalProvider({
      ...paypal,
      createOrder: told('createOrder', (order: object, id: string) => paypal.createOrder(order, id)),
      captureOrder: told('captureOrder', (id: string, request: string) => paypal.captureOrder(id, request)),
      getOrder: told('getOrder', (id: string) => paypal.getOrder(id)),
    }),
  }
}

const capturesOfOrder = async (id: string) =>
  (
    await shop.pool.query(
      'SELECT capture_id, amount_cents, status FROM captures WHERE order_id = $1 ORDER BY capture_id',
      [id],
    )
  ).rows
const oneOf = (answer: PayPalOrder) => answer.purchase_units![0]!.payments!.captures![0]!

async function paidByAnother() {
  const { customer, orderId } = await shop.approvedOrder(2)
  await customer.capture(orderId)
  const order = await shop.orderOf(orderId)
  const [{ capture_id }] = await capturesOfOrder(order.id)
  return { orderId, order, captureId: capture_id as string }
}

/** Captures a new order while the answer to the capture is a lie; the truth can be asked for. */
async function captureWith(lie: Lie): Promise<{ outcome: CaptureOutcome; captures: unknown[]; own: string }> {
  const { orderId } = await shop.approvedOrder(2)
  const outcome = await capturePayment(lying({ captureOrder: lie }), await shop.orderOf(orderId))
  const own = [...shop.paypal.book.captures.values()].find((one) => one.orderId === orderId)!
  return { outcome, captures: await capturesOfOrder(outcome.order.id), own: own.id }
}

describe('a lie about a capture is not believed: the truth is asked for, and the tickets are paid by their own money', () => {
  const LIES: [string, Lie][] = [
    ['no amount', (answer) => delete oneOf(answer).amount],
    ['nothing taken', (answer) => (oneOf(answer).amount!.value = '0.00')],
    ['less than nothing', (answer) => (oneOf(answer).amount!.value = '-5.00')],
    ['parts of cents', (answer) => (oneOf(answer).amount!.value = '12.345')],
    ['no number', (answer) => (oneOf(answer).amount!.value = 'NaN')],
    ['a number beyond all', (answer) => (oneOf(answer).amount!.value = '99999999999.00')],
    ['another currency', (answer) => (oneOf(answer).amount!.currency_code = 'USD')],
    ['another order', (answer) => (answer.id = '5O190127TN364715T')],
    ['another order of ours', (answer) => (oneOf(answer).custom_id = crypto.randomUUID())],
    ['an id that no database can store', (answer) => (oneOf(answer).id = 'A\0B')],
    ['an id without end', (answer) => (oneOf(answer).id = 'x'.repeat(100_000))],
    ['an empty id', (answer) => (oneOf(answer).id = '')],
    ['no captures', (answer) => (answer.purchase_units[0].payments.captures = [])],
    [
      'declined after it was completed',
      (answer) =>
        answer.purchase_units[0].payments.captures.push({
          ...oneOf(answer),
          id: `${oneOf(answer).id}X`,
          status: 'DECLINED',
        }),
    ],
  ]
  test.each(LIES)('%s', async (_, lie) => {
    const { outcome, captures, own } = await captureWith(lie)
    expect(outcome).toMatchObject({ declined: false, order: { state: 'completed' } })
    expect(captures).toEqual([{ capture_id: own, amount_cents: 1186, status: 'completed' }])
  })

  test('the capture that pays another order', async () => {
    const other = await paidByAnother()
    const { outcome, captures, own } = await captureWith((answer) => (oneOf(answer).id = other.captureId))
    expect(outcome.order.state).toBe('completed')
    expect(captures).toEqual([{ capture_id: own, amount_cents: 1186, status: 'completed' }])
  })
})

describe('when the truth is a lie as well', () => {
  test('nobody gets tickets for somebody else’s money, and staff hear of it', async () => {
    const other = await paidByAnother()
    const { offerId, orderId } = await shop.approvedOrder(2)
    const lie: Lie = (answer) => {
      for (const one of answer.purchase_units[0].payments?.captures ?? []) one.id = other.captureId
    }
    const deps = lying({ captureOrder: lie, getOrder: lie })
    const { order } = await capturePayment(deps, await shop.orderOf(orderId))
    expect(order.state).toBe('capturing')
    expect(await shop.counters(offerId)).toEqual({ tickets_sold: 0, tickets_held: 2 })
    expect(await capturesOfOrder(other.order.id)).toHaveLength(1)

    await shop.pool.query(
      `UPDATE orders SET capture_started_at = now() - interval '61 minutes', changed_at = now() - interval '1 minute' WHERE id = $1`,
      [order.id],
    )
    await sweepOrders(deps, 15)
    await watchPayments(shop.db, deps.alerts)
    expect(await deps.alerts.subjects(shop.db, 'paymentUnclear')).toEqual([order.id])
    expect((await reconcile(shop.checkout, order.id)).state).toBe('completed')
    await watchPayments(shop.db, deps.alerts)
    expect(await deps.alerts.subjects(shop.db, 'paymentUnclear')).toEqual([])
  })

  test('an answer that names another order of ours beside this one decides nothing', async () => {
    const { orderId } = await shop.approvedOrder(1)
    const lie: Lie = (answer) => (oneOf(answer).custom_id = crypto.randomUUID())
    const deps = lying({ captureOrder: lie, getOrder: lie })
    const { order } = await capturePayment(deps, await shop.orderOf(orderId))
    expect(order.state).toBe('capturing')
    expect((await reconcile(shop.checkout, order.id)).state).toBe('completed')
  })

  test('an order that is paid and shows no payment is asked about again, not given back', async () => {
    const { orderId } = await shop.approvedOrder(1)
    const lie: Lie = (answer) => delete answer.purchase_units[0].payments
    const { order } = await capturePayment(
      lying({ captureOrder: lie, getOrder: lie }),
      await shop.orderOf(orderId),
    )
    expect(order.state).toBe('capturing')
    expect((await reconcile(shop.checkout, order.id)).state).toBe('completed')
  })

  test('money that is none leads to no refund: staff decide, and its tickets are free', async () => {
    const { offerId, orderId } = await shop.approvedOrder(2)
    const lie: Lie = (answer) => {
      for (const one of answer.purchase_units[0].payments?.captures ?? []) one.amount.value = '0.00'
    }
    const deps = lying({ captureOrder: lie, getOrder: lie })
    const capturing = capturePayment(deps, await shop.orderOf(orderId))
    await expect(capturing).rejects.toMatchObject({ code: 'checkout.inReview' })
    expect(await shop.orderState(orderId)).toBe('review')
    expect(await shop.counters(offerId)).toEqual({ tickets_sold: 0, tickets_held: 0 })
  })
})

describe('a lie about an order that was made', () => {
  /** Orders a cart while the provider's answer is a lie. */
  async function createWith(lie: Lie) {
    const offerId = await shop.newOffer()
    const customer = await shop.newCustomer()
    await customer.post(`/api/cart/${customer.cartId}/add_item/`, { offer_id: offerId, quantity: 2 })
    const made = orderCreation(lying({ createOrder: lie }))({
      userId: customer.id,
      language: 'nl',
      body: { country_code: 'BE' },
    })
    const code = await made.then(
      () => 'made',
      (error: { code: string }) => error.code,
    )
    return { code, counters: await shop.counters(offerId), customer }
  }

  test.each<[string, Lie]>([
    ['sum', (answer) => (answer.purchase_units[0].amount.value = '0.01')],
    ['currency', (answer) => (answer.purchase_units[0].amount.currency_code = 'USD')],
  ])('another %s: the buyer is not sent to pay it, and the tickets go back', async (_, lie) => {
    const { code, counters, customer } = await createWith(lie)
    expect(code).toBe('checkout.providerRefused')
    expect(counters).toEqual({ tickets_sold: 0, tickets_held: 0 })
    const again = await customer.post('/api/paypal/create-order/', { country_code: 'BE' })
    expect(again.status).toBe(200)
  })

  test('another order’s: the hold stays, and asking again gives the order', async () => {
    const other = await shop.approvedOrder(1)
    for (const lie of [
      (answer: PayPalOrder) => (answer.purchase_units![0]!.custom_id = crypto.randomUUID()),
      (answer: PayPalOrder) => (answer.id = other.orderId),
    ]) {
      const { code, counters, customer } = await createWith(lie)
      expect(code).toBe('checkout.providerDown')
      expect(counters).toEqual({ tickets_sold: 0, tickets_held: 2 })
      const again = await customer.post('/api/paypal/create-order/', { country_code: 'BE' })
      expect(again.status).toBe(200)
    }
  })
})

test('an order of which it tells nonsense does not end the walk through the books', async () => {
  const [one, other] = [await shop.approvedOrder(1), await shop.approvedOrder(1)]
  for (const { customer, orderId } of [one, other]) await customer.capture(orderId)
  const paypal = shop.client
  const asked: string[] = []
  const getOrder: typeof paypal.getOrder = async (id) => {
    asked.push(id)
    const answer = await paypal.getOrder(id)
    return id === one.orderId ? { ...answer, id: other.orderId } : answer
  }
  const differing = await reconcileLedger({
    ...shop.checkout,
    provider: paypalProvider({ ...paypal, getOrder }),
  })
  expect(differing).toContain((await shop.orderOf(one.orderId)).id)
  expect(asked).toContain(other.orderId)
})

test('a refund that it lists twice went back once', async () => {
  const { order, captureId } = await paidByAnother()
  await providerSide(shop).giveBack(captureId, 'refund')
  const getOrder: Lie = (answer: PayPalOrder) => {
    const payments = answer.purchase_units![0]!.payments!
    payments.refunds = [...payments.refunds!, ...payments.refunds!]
  }
  const twice = lying({ getOrder })
  expect((await reconcile(twice, order.id, { closedToo: true })).state).toBe('refunded')
  const { rows } = await shop.pool.query('SELECT amount_cents FROM refunds WHERE order_id = $1', [order.id])
  expect(rows).toEqual([{ amount_cents: order.total_cents }])
})
