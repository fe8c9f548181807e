import path from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { checkInvariants, readInvariants } from '#platform/invariants.ts'
import { providerSide } from '../../../../test/support/provider-side.ts'
import { type Customer, type TestShop, testShop } from '../../../../test/support/shop.ts'
import { cancelContest, cancellation } from './cancelled-offers.ts'
import type { NotificationDeps } from '#features/payments/server/notifications.ts'
import { watchPayments } from '#features/payments/server/payment-alerts.repository.ts'
import { sweepOrders } from '#features/payments/server/sweep.ts'
import { ProviderUnknown } from '#platform/payment/payment-provider.ts'
import { PayPalRefused } from '#platform/payment/paypal/paypal-client.ts'
import { paypalProvider } from '#platform/payment/paypal/paypal-provider.ts'

let shop: TestShop

beforeAll(async () => {
  shop = await testShop()
  // What is told by notifications would be done before these tests have looked.
  shop.paypal.faults.change({ missingWebhooks: 1 })
})
afterAll(() => shop.close())

/** Whatever a test did, the promises of the shop hold, the books among them. */
afterEach(async () => {
  const invariants = await readInvariants(path.resolve(import.meta.dirname, '../../../../db/invariants.sql'))
  const breaches = await checkInvariants(shop.db, invariants, providerSide(shop).book())
  if (breaches.length > 0) throw new Error(`broken: ${JSON.stringify(breaches)}`)
})

/** A paid order of so many tickets of each contest. */
async function paidFor(wanted: readonly (readonly [offerId: number, quantity: number])[]) {
  const customer = await shop.newCustomer()
  for (const [offer_id, quantity] of wanted) {
    await customer.post(`/api/cart/${customer.cartId}/add_item/`, { offer_id, quantity })
  }
  const created = await customer.post('/api/paypal/create-order/', { country_code: 'BE' })
  const orderId = created.body['order_id'] as string
  await shop.paypal.approve(orderId)
  expect((await customer.capture(orderId)).status).toBe(200)
  return { customer, orderId }
}

const slugOf = async (offerId: number): Promise<string> =>
  (await shop.db.selectFrom('offers').select('slug').where('id', '=', offerId).executeTakeFirstOrThrow()).slug
const cancel = async (offerId: number) => cancelContest(shop.checkout, await slugOf(offerId), 'no car')
const stateOf = async (offerId: number) => cancellation(shop.checkout, await slugOf(offerId))

/** Cents that went back of an order at the provider, one for each refund. */
const backOf = (orderId: string): number[] => {
  const captures = [...shop.paypal.book.captures.values()].filter((one) => one.orderId === orderId)
  const ids = new Set(captures.map(({ id }) => id))
  return [...shop.paypal.book.refunds.values()]
    .filter((one) => ids.has(one.captureId))
    .map((one) => one.cents)
}

const validOf = async ({ id }: Customer, offerId: number): Promise<number> =>
  (
    await shop.db
      .selectFrom('tickets')
      .select('number')
      .where('user_id', '=', id)
      .where('offer_id', '=', offerId)
      .where('status', '=', 'valid')
      .execute()
  ).length

const emailsTo = ({ email }: Customer) =>
  shop.db
    .selectFrom('emails')
    .select(['subject', 'body_text'])
    .where('recipient', '=', email)
    .where('kind', '=', 'refund')
    .orderBy('queued_at')
    .execute()

/** A checkout whose provider answers refunds as said. */
function refundsAnswered(answer: () => Promise<never>): NotificationDeps {
  const paypal = shop.client
  return { ...shop.checkout, provider: paypalProvider({ ...paypal, refundCapture: answer }) }
}

describe('a cancelled contest', () => {
  test('gives everybody all of their money back, once, and their tickets are void [spec 4.60]', async () => {
    const offerId = await shop.newOffer({ price_cents: 490 })
    const buyers = [await paidFor([[offerId, 3]]), await paidFor([[offerId, 1]])]
    expect(await cancel(offerId)).toMatchObject({ waiting: 2, returned: 0, refunds_completed_at: null })
    await Promise.all([sweepOrders(shop.checkout, 0), sweepOrders(shop.checkout, 0)])
    await sweepOrders(shop.checkout, 0)
    expect(await stateOf(offerId)).toMatchObject({
      cancelled_why: 'no car',
      waiting: 0,
      returning: 0,
      returned: 2,
      refunds_completed_at: expect.any(Date),
    })
    expect(buyers.map(({ orderId }) => backOf(orderId))).toEqual([[1779], [593]])
    for (const { customer, orderId } of buyers) {
      expect(await shop.orderState(orderId)).toBe('refunded')
      expect(await validOf(customer, offerId)).toBe(0)
      const emails = await emailsTo(customer)
      expect(emails).toHaveLength(1)
      expect(emails[0]?.subject).toMatch(/^Contest cancelled: we are refunding you €/)
      expect(emails[0]?.body_text).toMatch(/The contest “[^”]+” has been cancelled\./)
    }
    // The numbers stay given.
    expect(await shop.counters(offerId)).toEqual({ tickets_sold: 4, tickets_held: 0 })
  })

  test('sends back its share of an order that bought others too, and the rest when they are cancelled', async () => {
    const [one, two, three] = [
      await shop.newOffer({ price_cents: 333 }),
      await shop.newOffer({ price_cents: 333 }),
      await shop.newOffer({ price_cents: 335 }),
    ]
    const { customer, orderId } = await paidFor([
      [one, 1],
      [two, 1],
      [three, 1],
    ])
    // 10.01 and 21 percent are 12.11; a third of it by price is 4.0287.
    await cancel(one)
    await sweepOrders(shop.checkout, 0)
    expect(backOf(orderId)).toEqual([403])
    expect(await shop.orderState(orderId)).toBe('completed')
    expect([
      await validOf(customer, one),
      await validOf(customer, two),
      await validOf(customer, three),
    ]).toEqual([0, 1, 1])
    expect((await stateOf(one)).refunds_completed_at).not.toBeNull()
    expect((await emailsTo(customer))[0]?.body_text).toContain('those for other contests stay valid')

    await cancel(two)
    await cancel(three)
    await sweepOrders(shop.checkout, 0)
    await sweepOrders(shop.checkout, 0)
    expect(backOf(orderId)).toEqual([403, 808])
    expect(await shop.orderState(orderId)).toBe('refunded')
    expect(await emailsTo(customer)).toHaveLength(2)
  })

  test('sells nothing any more, and late money for it goes back', async () => {
    const offerId = await shop.newOffer()
    const held = await shop.approvedOrder(2, 'buyer@buyer.test', offerId)
    const late = await shop.approvedOrder(1, 'buyer@buyer.test', offerId)
    await shop.db
      .updateTable('orders')
      .set({ state: 'capturing', capture_started_at: new Date() })
      .where('provider_order_id', '=', late.orderId)
      .execute()
    await shop.db
      .insertInto('order_events')
      .columns(['order_id', 'from_state', 'to_state', 'reason'])
      .expression((eb) =>
        eb
          .selectFrom('orders')
          .select(['id', eb.val('held').as('a'), eb.val('capturing').as('b'), eb.val('a_test').as('c')])
          .where('provider_order_id', '=', late.orderId),
      )
      .execute()
    expect(await cancel(offerId)).toMatchObject({ unsettled: 2 })
    expect((await held.customer.capture(held.orderId)).status).toBe(409)
    expect((await held.customer.order(offerId, 1)).status).toBe(409)
    // Whose money was asked for before gets tickets, and then the money back.
    await sweepOrders(shop.checkout, 0)
    await sweepOrders(shop.checkout, 0)
    expect(await shop.orderState(late.orderId)).toBe('refunded')
    expect(backOf(late.orderId)).toEqual([593])
    expect((await stateOf(offerId)).unsettled).toBe(0)
  })

  test('makes its tickets that nobody paid for void at once', async () => {
    const offerId = await shop.newOffer()
    await shop.pool.query('UPDATE offers SET tickets_sold = 1 WHERE id = $1', [offerId])
    await shop.pool.query(
      `INSERT INTO tickets (id, offer_id, number, user_id, source)
       SELECT gen_random_uuid(), $1, 1, min(id), 'postal' FROM users`,
      [offerId],
    )
    await cancel(offerId)
    const { rows } = await shop.pool.query('SELECT status FROM tickets WHERE offer_id = $1', [offerId])
    expect(rows).toEqual([{ status: 'void' }])
  })

  test('can be cancelled again without anything new, and an unknown one is not found', async () => {
    const offerId = await shop.newOffer()
    const first = await cancel(offerId)
    expect(await cancelContest(shop.checkout, await slugOf(offerId), 'another reason')).toEqual(first)
    await expect(cancelContest(shop.checkout, 'no-such-contest', 'x')).rejects.toMatchObject({ status: 404 })
    const running = await shop.newOffer()
    await expect(stateOf(running)).rejects.toMatchObject({ status: 404 })
  })
})

describe('whatever happens on the way', () => {
  test('a process that dies between two orders, or between the wish and the provider, is taken over', async () => {
    const offerId = await shop.newOffer()
    const buyers = await Promise.all([1, 2, 3].map((quantity) => paidFor([[offerId, quantity]])))
    await cancel(offerId)
    let calls = 0
    const dying = refundsAnswered(async () => {
      calls += 1
      throw calls === 1 ? new ProviderUnknown('the line broke') : new Error('killed')
    })
    await sweepOrders(dying, 0)
    expect(buyers.flatMap(({ orderId }) => backOf(orderId))).toEqual([])
    expect((await stateOf(offerId)).refunds_completed_at).toBeNull()
    await sweepOrders(shop.checkout, 0)
    await sweepOrders(shop.checkout, 0)
    const sums = buyers.map(({ orderId }) => backOf(orderId))
    expect(sums.every((each) => each.length === 1)).toBe(true)
    expect((await stateOf(offerId)).refunds_completed_at).not.toBeNull()
  })

  test('a refund whose answer was lost is the same refund when it is asked for again', async () => {
    const [gone, stays] = [await shop.newOffer(), await shop.newOffer()]
    const { orderId } = await paidFor([
      [gone, 1],
      [stays, 1],
    ])
    await cancel(gone)
    const paypal = shop.client
    const lost: typeof paypal.refundCapture = async (...call) => {
      await paypal.refundCapture(...call)
      throw new ProviderUnknown('the line broke')
    }
    await sweepOrders({ ...shop.checkout, provider: paypalProvider({ ...paypal, refundCapture: lost }) }, 0)
    expect(await stateOf(gone)).toMatchObject({ returning: 1, refunds_completed_at: null })
    await sweepOrders(shop.checkout, 0)
    await sweepOrders(shop.checkout, 0)
    expect(backOf(orderId)).toEqual([593])
    expect(await stateOf(gone)).toMatchObject({ returning: 0, returned: 1 })
  })

  test('many turns at once send a share once', async () => {
    const [gone, stays] = [await shop.newOffer(), await shop.newOffer()]
    const { orderId, customer } = await paidFor([
      [gone, 1],
      [stays, 1],
    ])
    await cancel(gone)
    await Promise.all(Array.from({ length: 6 }, () => sweepOrders(shop.checkout, 0)))
    expect(backOf(orderId)).toEqual([593])
    expect(await emailsTo(customer)).toHaveLength(1)
  })

  test('a part that went back at the provider before is not sent twice', async () => {
    const [gone, stays] = [
      await shop.newOffer({ price_cents: 1000 }),
      await shop.newOffer({ price_cents: 100 }),
    ]
    const { customer, orderId } = await paidFor([
      [gone, 1],
      [stays, 1],
    ])
    const captureId = [...shop.paypal.book.captures.values()].find((one) => one.orderId === orderId)?.id
    await fetch(`${shop.paypal.url}/_emulator/captures/${captureId}/refund`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ amount: { currency_code: 'EUR', value: '13.00' } }),
    })
    await cancel(gone)
    for (let turn = 0; turn < 4; turn += 1) await sweepOrders(shop.checkout, 0)
    // Of 13.31 the share is 12.10, which the provider refuses: it is back, and the other ticket keeps what it cost.
    expect(backOf(orderId)).toEqual([1300])
    expect(await shop.orderState(orderId)).toBe('completed')
    expect([await validOf(customer, gone), await validOf(customer, stays)]).toEqual([0, 1])
  })

  test('an order whose refund the provider refuses waits for staff', async () => {
    const [gone, stays] = [await shop.newOffer(), await shop.newOffer()]
    const { orderId } = await paidFor([
      [gone, 1],
      [stays, 1],
    ])
    await cancel(gone)
    const refused = () =>
      Promise.reject(new PayPalRefused(422, { details: [{ issue: 'REFUND_NOT_ALLOWED' }] }))
    await sweepOrders(refundsAnswered(refused), 0)
    expect(await shop.orderState(orderId)).toBe('review')
    expect(await stateOf(gone)).toMatchObject({ in_review: 1, refunds_completed_at: null })
  })

  test('what is not back after ten of its fourteen days rings [spec 4.60, 9.16]', async () => {
    const offerId = await shop.newOffer()
    await cancel(offerId)
    const slug = await slugOf(offerId)
    const cancelledSince = async (days: number): Promise<void> => {
      const cancelled_at = new Date(Date.now() - days * 86_400_000)
      await shop.db.updateTable('offers').set({ cancelled_at }).where('id', '=', offerId).execute()
      await watchPayments(shop.db, shop.checkout.alerts)
    }
    const alertSubjects = () => shop.checkout.alerts.subjects(shop.db, 'refundLate')
    await cancelledSince(9)
    expect(await alertSubjects()).not.toContain(slug)
    await cancelledSince(11)
    expect(await alertSubjects()).toContain(slug)
    await sweepOrders(shop.checkout, 0)
    await watchPayments(shop.db, shop.checkout.alerts)
    expect(await alertSubjects()).not.toContain(slug)
  })
})
