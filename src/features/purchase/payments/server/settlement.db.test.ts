import { describe, expect, test, vi } from 'vitest'
import { capturePayment } from '#features/purchase/checkout/server/capture-payment.ts'
import { orderCreation } from '#features/purchase/checkout/server/create-order.ts'
import {
  type PaymentProvider,
  type ProviderCapture,
  type ProviderOrder,
  ProviderRefused,
  ProviderUnknown,
} from '#platform/payment/payment-provider.ts'
import { cents } from '#shared/money.ts'
import { applyCapture } from './apply-capture.ts'
import type { NotificationDeps } from './notifications.ts'
import { openPaymentShop } from './payments.test-support.ts'

/** From the capture request to tickets or a refund, whatever the provider responds. */
const lab = await openPaymentShop()
const { shop, atProvider, provider, run, withProvider, reconcileOrder, reconcileAll, sweep } = lab
const { setOrder, leaveCapturing, refundByStaff, emulate, captureAt, resultOf, textsTo } = lab
// Its contests end when a test says so.
await shop.unlockTerms()

const FREE = { sold: 0, held: 0 }
const HELD = { sold: 0, held: 2 }
const SOLD = { sold: 2, held: 0 }

const capture = async (orderId: string, deps: NotificationDeps = shop.checkout) =>
  capturePayment(deps, await shop.orderOf(orderId))
const cancel = (customer: { post: (url: string, body: object) => Promise<unknown> }, orderId: string) =>
  customer.post('/api/paypal/cancel-order/', { order_id: orderId })
/** Sets how long ago the capture was requested. */
const setAge = (orderId: string, age: string) =>
  setOrder(orderId, `capture_started_at = now() - '${age}'::interval`)
const notFound = () => Promise.reject(new ProviderRefused('not_found'))
const lost = () => new ProviderUnknown('the connection broke')
const money = (amount: number, currency = 'EUR') => ({ amount: cents(amount), currency })

type CaptureOrder = PaymentProvider['captureOrder']
const captureAtProvider: CaptureOrder = (...call) => provider.captureOrder(...call)

type Change = (response: ProviderOrder) => ProviderOrder
const noCaptures: Change = (response) => ({ ...response, captures: [] })
const eachCapture =
  (change: Partial<ProviderCapture>): Change =>
  (response) => ({ ...response, captures: response.captures.map((one) => ({ ...one, ...change })) })

/** The shop with a provider whose responses to captures, and with `isAlways` to questions, are changed. */
const withCaptures = (change: Change, isAlways = false): NotificationDeps =>
  withProvider({
    captureOrder: async (...call) => change(await provider.captureOrder(...call)),
    ...(isAlways && { readOrder: async (id) => change(await provider.readOrder(id)) }),
  })

describe('An implausible response to a capture', () => {
  const addDecline: Change = ({ captures, ...response }) => ({
    ...response,
    captures: captures.flatMap((one) => [one, { ...one, id: `${one.id}X`, status: 'declined' }]),
  })

  test.each<[string, Change]>([
    ['no amount', eachCapture({ money: undefined })],
    ['an amount of zero', eachCapture({ money: money(0) })],
    ['another currency', eachCapture({ money: money(1186, 'USD') })],
    ['the id of another order', (response) => ({ ...response, id: 'ANOTHER' })],
    ['a reference to another order', (response) => ({ ...response, references: [crypto.randomUUID()] })],
    ['no captures', noCaptures],
    ['a decline after the completed capture', addDecline],
  ])('with %s: the order is read and completed', async (_, change) => {
    const { orderId } = await shop.approvedOrder(2)
    expect(await capture(orderId, withCaptures(change))).toMatchObject({ declined: false })
    expect(await resultOf(orderId)).toMatchObject({ state: 'completed', captures: ['completed 1186'] })
  })

  test.each<[string, (captureId: string) => Change]>([
    ['the capture of another order', (id) => eachCapture({ id })],
    ['no captures', () => noCaptures],
    [
      'another order beside its own',
      (id) =>
        ({ references, ...one }) => ({ ...one, references: [...references, id] }),
    ],
  ])('with %s, and the same when read: the order stays open with an alert', async (_, changeFor) => {
    const other = await shop.paidOrder(2)
    const { orderId } = await shop.approvedOrder(2)
    const change = changeFor(other.captureId)
    const deps = withCaptures((response) => (response.id === orderId ? change(response) : response), true)
    await capture(orderId, deps)
    await setAge(orderId, '61 minutes')
    await sweep(deps)
    expect(await resultOf(orderId)).toMatchObject({ state: 'capturing', ...HELD, alerts: ['paymentUnclear'] })
    expect(await resultOf(other.orderId)).toMatchObject({ captures: ['completed 1186'] })
    await reconcileOrder(orderId)
    expect(await resultOf(orderId)).toMatchObject({ state: 'completed', ...SOLD, alerts: [] })
  })

  test('with an amount of zero, and the same when read: staff decide, and the tickets are released', async () => {
    const { orderId } = await shop.approvedOrder(2)
    const captured = capture(orderId, withCaptures(eachCapture({ money: money(0) }), true))
    await expect(captured).rejects.toMatchObject({ code: 'checkout.inReview' })
    expect(await resultOf(orderId)).toMatchObject({ state: 'review', ...FREE, refunds: [] })
  })

  test('that is outdated does not make a completed payment pending', async () => {
    const { ours, orderId, captureId } = await shop.paidOrder(2)
    await applyCapture(shop.checkout, {
      order: ours,
      capture: { id: captureId, status: 'pending', money: money(1186) },
      payer: undefined,
    })
    expect(await resultOf(orderId)).toMatchObject({ state: 'completed', captures: ['completed 1186'] })
  })
})

describe('The response to the creation of an order', () => {
  const REFUSED = ['checkout.providerRefused', { tickets_sold: 0, tickets_held: 0 }] as const
  const OPEN = ['checkout.providerDown', { tickets_sold: 0, tickets_held: 2 }] as const

  test.each<[string, (otherId: string) => Partial<ProviderOrder>, typeof REFUSED | typeof OPEN]>([
    ['another sum', () => ({ sums: [money(1)] }), REFUSED],
    ['another currency', () => ({ sums: [money(1186, 'USD')] }), REFUSED],
    ['another reference', () => ({ references: [crypto.randomUUID()] }), OPEN],
    ['the id of another order', (id) => ({ id }), OPEN],
  ])('with %s: the buyer is not sent to pay, and can order again', async (_, change, [code, counters]) => {
    const other = await shop.approvedOrder(1)
    const [offerId, customer] = [await shop.newOffer(), await shop.newCustomer()]
    await customer.add(offerId, 2)
    const createOrder: PaymentProvider['createOrder'] = async (...call) => ({
      ...(await provider.createOrder(...call)),
      ...change(other.orderId),
    })
    const create = orderCreation(withProvider({ createOrder }))
    const created = create({
      userId: customer.id,
      language: 'nl',
      body: { country_code: 'BE' },
      network: 'one',
    })
    await expect(created).rejects.toMatchObject({ code })
    expect(await shop.counters(offerId)).toEqual(counters)
    expect((await customer.create()).status).toBe(200)
  })

  test('that is lost leaves one order at the provider, which can be paid', async () => {
    const [older, newer, customer] = [await shop.newOffer(), await shop.newOffer(), await shop.newCustomer()]
    // The repeated request must have the same body, whatever the order of the lines.
    for (const offerId of [newer, older]) await customer.add(offerId, 2)
    const createOrder: PaymentProvider['createOrder'] = async (...call) => {
      await provider.createOrder(...call)
      throw lost()
    }
    const body = { country_code: 'BE' }
    const create = orderCreation(withProvider({ createOrder }))
    const first = create({ userId: customer.id, language: 'nl', body, network: 'one' })
    await expect(first).rejects.toMatchObject({ code: 'checkout.providerDown' })
    expect(await shop.counters(older)).toEqual({ tickets_sold: 0, tickets_held: 2 })
    shop.paypal.faults.change({ dropReplyAfterCommit: 1 })
    const orderId = (await customer.create('BE')).body['order_id']
    shop.paypal.faults.change({ dropReplyAfterCommit: 0 })
    const { id } = await shop.orderOf(orderId)
    const created = [...shop.paypal.book.orders.values()].filter((one) => one.units[0]?.custom_id === id)
    expect(created.map((one) => one.id)).toEqual([orderId])
    await shop.paypal.approve(orderId)
    expect((await customer.capture(orderId)).status).toBe(200)
  })
})

describe('A capture request without a response', () => {
  test('that is declined when repeated is reported as declined, and the hold stays', async () => {
    const { customer, orderId } = await shop.approvedOrder(2, 'declined@buyer.test')
    const captureOrder = vi.fn<CaptureOrder>(captureAtProvider).mockRejectedValueOnce(lost())
    expect(await capture(orderId, withProvider({ captureOrder }))).toMatchObject({ declined: true })
    expect(await resultOf(orderId)).toMatchObject({ state: 'held', ...HELD })
    await shop.paypal.approve(orderId, 'buyer@buyer.test', 'other')
    expect((await customer.capture(orderId)).status).toBe(200)
  })

  /** Has the provider capture an order, whose process is killed before it stores the response. */
  async function captureAndDie(orderId: string) {
    await leaveCapturing(orderId)
    await provider.captureOrder(orderId, `${(await shop.orderOf(orderId)).id}:cap:1`)
  }

  test('is settled by the sweep when the process was killed between capture and tickets', async () => {
    const { orderId } = await shop.approvedOrder(2)
    await captureAndDie(orderId)
    await sweep()
    expect(await resultOf(orderId)).toMatchObject({ state: 'completed', ...SOLD })
  })

  test.each([
    ['5 hours 59 minutes', 'completed', ':cap:1', 1],
    ['6 hours 1 minute', 'held', '', 2],
  ])('is repeated with the same key for six hours: %s', async (age, state, key, capture_attempt) => {
    const { orderId } = await shop.approvedOrder(1)
    await leaveCapturing(orderId)
    await setAge(orderId, age)
    const captureOrder = vi.fn<CaptureOrder>(captureAtProvider)
    await sweep(withProvider({ captureOrder }))
    const order = await shop.orderOf(orderId)
    expect(order).toMatchObject({ state, capture_attempt })
    const requests = captureOrder.mock.calls.filter(([id]) => id === orderId)
    expect(requests).toEqual(key ? [[orderId, order.id + key]] : [])
  })

  test('of an order that the provider then does not know stays open until it is known again', async () => {
    const { orderId } = await shop.approvedOrder(2)
    const captureOrder: CaptureOrder = async (...call) => {
      await provider.captureOrder(...call)
      throw lost()
    }
    const deps = withProvider({ captureOrder, readOrder: notFound })
    await capture(orderId, deps)
    await sweep(deps)
    expect(await resultOf(orderId)).toMatchObject({ state: 'capturing', ...HELD })
    await sweep()
    expect(await resultOf(orderId)).toMatchObject({ state: 'completed', ...SOLD })
  })

  test('of an unknown order is given up once its key has expired, and reconciled later', async () => {
    const { orderId } = await shop.approvedOrder(1)
    await leaveCapturing(orderId)
    const deps = withProvider({ captureOrder: () => Promise.reject(lost()), readOrder: notFound })
    await setAge(orderId, '5 hours 59 minutes')
    await sweep(deps)
    expect(await shop.orderState(orderId)).toBe('capturing')
    await setAge(orderId, '6 hours 1 minute')
    await sweep(deps)
    expect(await shop.orderOf(orderId)).toMatchObject({ state: 'cancelled', reconciled_at: null })
  })

  const deny = async (orderId: string) => {
    await captureAndDie(orderId)
    await emulate(`captures/${atProvider.captureIdOf(orderId)}/deny`)
    await sweep()
  }
  test.each<[string, (orderId: string) => unknown]>([
    ['a payment denied for good', deny],
    ['an order voided at the provider', (orderId) => emulate(`orders/${orderId}/void`)],
    ['an order unknown at the provider', (orderId) => shop.paypal.book.remove('order', orderId)],
  ])('of %s releases the tickets, and the buyer can order again', async (_, end) => {
    const { customer, orderId } = await shop.approvedOrder(2, 'pending@buyer.test')
    await end(orderId)
    const closed = { status: 409, body: { code: 'checkout.orderClosed' } }
    expect(await customer.capture(orderId)).toMatchObject(closed)
    expect(await resultOf(orderId)).toMatchObject({ state: 'cancelled', ...FREE })
    const newId = (await customer.create()).body['order_id'] as string
    expect(newId).not.toBe(orderId)
    await shop.paypal.approve(newId)
    expect((await customer.capture(newId)).status).toBe(200)
  })
})

describe('A capture reported as declined that took the money', () => {
  /** An order of two of `total` tickets that is paid at the provider and was declined for its buyer. */
  async function declinedOrder(total = 100) {
    const offerId = await shop.newOffer({ total_tickets: total })
    const approved = await shop.approvedOrder(2, 'buyer@buyer.test', offerId)
    const outcome = await capture(approved.orderId, withCaptures(eachCapture({ status: 'declined' })))
    expect(outcome).toMatchObject({ declined: true, order: { state: 'held' } })
    return { ...approved, id: outcome.order.id }
  }

  test('issues the tickets when the order is read', async () => {
    const { orderId, id } = await declinedOrder()
    await reconcileOrder(orderId)
    const paid = { state: 'completed', ...SOLD, captures: ['completed 1186'] }
    expect(await resultOf(orderId)).toMatchObject(paid)
    expect(await reconcileAll()).not.toContain(id)
  })

  test('is taken once when the buyer pays again', async () => {
    const { orderId, customer } = await declinedOrder()
    expect((await customer.capture(orderId)).body['tickets']).toHaveLength(2)
    expect(shop.capturesOf(orderId)).toHaveLength(1)
  })

  const sellOut = (offerId: number) => shop.paidOrder(2, 'buyer@buyer.test', offerId)
  const holdOne = (offerId: number) => shop.approvedOrder(1, 'buyer@buyer.test', offerId)
  const change = (values: string) => (offerId: number) =>
    run(`UPDATE offers SET ${values} WHERE id = $1`, [offerId])
  const end = change('end_date = now()')
  const close = change(`state = 'cancelled', cancelled_at = now(), cancelled_why = 'x'`)
  const emailWith = (text: string) => [expect.stringContaining(text)]
  const LATE = emailWith('Your payment reached us when your order was no longer valid.')

  test.each([
    ['issues the tickets that are left', async () => {}, 'completed', SOLD, []],
    ['is refunded when none are left', sellOut, 'refunded', SOLD, emailWith('tickets')],
    ['is refunded when others hold them', holdOne, 'refunded', { sold: 0, held: 1 }, emailWith('tickets')],
    ['is refunded when the offer has ended', end, 'refunded', FREE, LATE],
    ['is refunded when the offer was cancelled', close, 'refunded', FREE, LATE],
  ])('after the order was cancelled: %s', async (_, act, state, counts, texts) => {
    const { orderId, customer, offerId, id } = await declinedOrder(2)
    await cancel(customer, orderId)
    expect(await shop.orderState(orderId)).toBe('cancelled')
    await act(offerId)
    await sweep()
    const returned = texts.map(() => 1186)
    expect(await resultOf(orderId)).toMatchObject({ state, ...counts, returned })
    expect(await textsTo(id)).toEqual(texts)
    const { body: carts } = await customer.get('/api/cart/')
    expect(carts).toMatchObject([{ is_empty: state === 'completed' }])
  })

  test('and then is pending and denied for good releases the tickets', async () => {
    const { orderId, id } = await declinedOrder()
    captureAt(orderId).status = 'PENDING'
    expect(await reconcileOrder(orderId)).toBe('pending')
    // Our ledger need not know that it was pending.
    await run(`UPDATE captures SET status = 'declined' WHERE order_id = $1`, [id])
    captureAt(orderId).status = 'DECLINED'
    await reconcileOrder(orderId)
    expect(await resultOf(orderId)).toMatchObject({ state: 'cancelled', ...FREE })
  })

  test('after it was completed stays in our ledger, with an alert until both agree', async () => {
    const { orderId } = await shop.paidOrder(2)
    const PAID = { state: 'completed', captures: ['completed 1186'] }
    captureAt(orderId).status = 'DECLINED'
    await reconcileOrder(orderId)
    expect(await resultOf(orderId)).toMatchObject({ ...PAID, alerts: ['ledgerDiffers'] })
    captureAt(orderId).status = 'COMPLETED'
    await reconcileAll()
    expect(await resultOf(orderId)).toMatchObject({ ...PAID, alerts: [] })
  })
})

describe('A pending payment', () => {
  /** An order of 11.86 whose capture is pending. */
  async function pendingOrder(deps: NotificationDeps = shop.checkout) {
    const { orderId } = await shop.approvedOrder(2, 'pending@buyer.test')
    await capture(orderId, deps)
    return { orderId, release: () => emulate(`captures/${atProvider.captureIdOf(orderId)}/release`) }
  }

  test.each([
    ['completed', 'COMPLETED', { state: 'completed', captures: ['completed 1186'], ...SOLD }],
    ['pending', 'PENDING', { captures: ['pending 1186'] }],
  ] as const)('that was denied and is %s after all is stored as that', async (_, status, result) => {
    const { orderId } = await pendingOrder()
    captureAt(orderId).status = 'DECLINED'
    expect(await reconcileOrder(orderId)).toBe('cancelled')
    captureAt(orderId).status = status
    await reconcileOrder(orderId)
    expect(await resultOf(orderId)).toMatchObject(result)
  })

  test('without a readable amount is not stored, and raises an alert after ten days', async () => {
    const deps = withCaptures(eachCapture({ money: undefined }), true)
    const { orderId, release } = await pendingOrder(deps)
    expect(await resultOf(orderId)).toMatchObject({ state: 'capturing', captures: [] })
    expect(await reconcileOrder(orderId)).toBe('pending')
    await release()
    await reconcileOrder(orderId, deps)
    await setAge(orderId, '9 days')
    expect(await resultOf(orderId)).toMatchObject({ state: 'pending', alerts: [] })
    await setAge(orderId, '11 days')
    expect(await resultOf(orderId)).toMatchObject({ state: 'pending', alerts: ['paymentUnclear'] })
    expect(await reconcileOrder(orderId)).toBe('completed')
    await refundByStaff(orderId)
    expect(await resultOf(orderId)).toMatchObject({ state: 'refunded', returned: [1186] })
  })

  test.each([
    [100, 1186, 'completed', SOLD],
    [9900, 1186, 'completed', SOLD],
    [1186, 500, 'refunded', FREE],
    [1186, 5000, 'refunded', FREE],
  ])('of %i cents that took %i makes the order %s', async (amount, taken, state, counts) => {
    const { orderId, release } = await pendingOrder(withCaptures(eachCapture({ money: money(amount) })))
    expect(await resultOf(orderId)).toMatchObject({ state: 'pending', captures: [`pending ${amount}`] })
    await release()
    captureAt(orderId).cents = taken
    await sweep()
    expect(await resultOf(orderId)).toMatchObject({ state, ...counts, captures: [`completed ${taken}`] })
    if (state === 'completed') await refundByStaff(orderId)
    expect(await resultOf(orderId)).toMatchObject({ state: 'refunded', returned: [taken] })
  })

  test('stored with too little is refunded with what was taken', async () => {
    const { orderId, captureId } = await shop.paidOrder(2)
    await run('UPDATE captures SET amount_cents = 0 WHERE capture_id = $1', [captureId])
    await refundByStaff(orderId)
    await sweep()
    expect(await resultOf(orderId)).toMatchObject({ state: 'refunded', returned: [1186] })
  })
})

describe('A hold that has expired', () => {
  /** An approved order of two of three tickets whose hold has expired. */
  async function expiredOrder() {
    const offerId = await shop.newOffer({ total_tickets: 3 })
    const approved = await shop.approvedOrder(2, 'buyer@buyer.test', offerId)
    await setOrder(approved.orderId, 'hold_until = now()')
    return approved
  }
  type Approved = Awaited<ReturnType<typeof expiredOrder>>
  const sellTwo = async ({ offerId }: Approved) => (await shop.newCustomer()).order(offerId, 2)
  const changeCart = ({ customer, offerId }: Approved) => customer.add(offerId, 1)

  test.each([
    ['tickets are left', async () => {}, undefined, 'COMPLETED', SOLD],
    ['too few are left', sellTwo, 'checkout.holdExpired', 'APPROVED', HELD],
    ['the cart has changed', changeCart, 'checkout.orderClosed', 'APPROVED', FREE],
  ])('is renewed for its buyer, or refused before money moves: %s', async (_, act, code, status, counts) => {
    const order = await expiredOrder()
    const { customer, orderId } = order
    await shop.expireHolds()
    expect(await resultOf(orderId)).toMatchObject({ state: 'expired', ...FREE })
    await act(order)
    expect((await customer.capture(orderId)).body['code']).toBe(code)
    expect(shop.paypal.book.orders.get(orderId)?.status).toBe(status)
    expect(await resultOf(orderId)).toMatchObject(counts)
  })

  test('is released by another buyer’s order before the job', async () => {
    const [offerId, next] = [await shop.newOffer({ total_tickets: 2 }), await shop.newCustomer()]
    await next.add(offerId, 2)
    const { orderId } = await shop.approvedOrder(2, 'buyer@buyer.test', offerId)
    await setOrder(orderId, 'hold_until = now()')
    expect((await next.create()).status).toBe(200)
    expect(await resultOf(orderId)).toMatchObject({ state: 'expired', ...HELD })
  })
})
