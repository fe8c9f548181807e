import { sql } from 'kysely'
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { NotificationDeps } from '#features/purchase/payments/server/notifications.ts'
import { openPaymentShop } from '#features/purchase/payments/server/payments.test-support.ts'
import { ProviderRefused, ProviderUnknown } from '#platform/payment/payment-provider.ts'
import { recoverPayments } from '#features/purchase/payments/server/payment-recovery.ts'
import { isExtended, sized } from '../../../../../test/support/tier.ts'
import { shownOrderNumber } from '#shared/order-number.ts'
import { cancelAndRefund, cancellation, refundCancelledOffers } from './cancelled-offers.ts'

const lab = await openPaymentShop()
const { shop, provider, run, refusing, withProvider, withResponses, sweep, runJobs, leaveCapturing } = lab
const {
  atProvider,
  paidForTwo,
  cancelOffer,
  refundsAt,
  refundsOf,
  alertsOf,
  resultOf,
  textsTo,
  invariantsHold,
} = lab

const slugOf = async (offerId: number): Promise<string> =>
  (await run('SELECT slug FROM offers WHERE id = $1', [offerId]))[0]?.slug
const progressOf = async (offerId: number) => cancellation(shop.checkout, await slugOf(offerId))

describe('A cancelled offer', () => {
  afterEach(() => invariantsHold())

  test('refunds every buyer in full, once, and voids the tickets [spec 4.60]', async () => {
    const offerId = await shop.newOffer()
    const orders = [await shop.paidOrder(3, undefined, offerId), await shop.paidOrder(1, undefined, offerId)]
    expect(await cancelOffer(offerId)).toMatchObject({ waiting: 2, returned: 0, returned_at: null })
    await Promise.all(Array.from({ length: 6 }, () => sweep()))
    await sweep()
    const done = { waiting: 0, returning: 0, returned: 2, returned_at: expect.any(String) }
    expect(await progressOf(offerId)).toMatchObject({ reason: 'no car', ...done })
    for (const [index, { orderId, ours }] of orders.entries()) {
      expect(await resultOf(orderId)).toMatchObject({
        state: 'refunded',
        sold: 4,
        held: 0,
        returned: [[1779], [593]][index],
        tickets: [['void', 'void', 'void'], ['void']][index],
        emails: [expect.stringMatching(/^Contest cancelled: we are refunding you €/)],
      })
      const text = expect.stringMatching(/The contest “[^”]+” has been cancelled\./)
      expect(await textsTo(ours.id)).toEqual([text])
      expect((await textsTo(ours.id))[0]).toContain(shownOrderNumber(ours.number))
    }
  })

  test('refunds its share of an order with other offers, and the rest when they are cancelled', async () => {
    const { id, orderId, first, second } = await paidForTwo()
    await cancelOffer(first)
    await sweep()
    const part = { state: 'completed', returned: [593], tickets: ['void', 'valid'] }
    expect(await resultOf(orderId)).toMatchObject(part)
    expect((await progressOf(first)).returned_at).not.toBeNull()
    expect((await textsTo(id))[0]).toContain('those for other contests stay valid')
    await cancelOffer(second)
    await sweep()
    expect(await resultOf(orderId)).toMatchObject({ state: 'refunded', returned: [593, 1803] })
    expect(await textsTo(id)).toHaveLength(2)
  })

  test('sells nothing more before money moves, and refunds money that arrives late', async () => {
    const offerId = await shop.newOffer()
    const held = await shop.approvedOrder(2, 'buyer@buyer.test', offerId)
    const late = await shop.approvedOrder(1, 'buyer@buyer.test', offerId)
    await leaveCapturing(late.orderId)
    expect(await cancelOffer(offerId)).toMatchObject({ payments_in_progress: 2 })
    expect((await held.customer.capture(held.orderId)).body['code']).toBe('offer.ended')
    expect(await shop.orderState(held.orderId)).toBe('cancelled')
    expect(shop.capturesOf(held.orderId)).toEqual([])
    expect((await held.customer.order(offerId, 1)).status).toBe(409)
    await sweep()
    await sweep()
    expect(await resultOf(late.orderId)).toMatchObject({ state: 'refunded', returned: [593] })
    expect((await progressOf(offerId)).payments_in_progress).toBe(0)
  })

  test('voids the tickets that nobody paid for at once', async () => {
    const offerId = await shop.newOffer()
    await run('UPDATE offers SET tickets_sold = 1 WHERE id = $1', [offerId])
    await run(
      `INSERT INTO tickets (id, offer_id, number, user_id, source)
       SELECT gen_random_uuid(), $1, 1, min(id), 'demo' FROM users`,
      [offerId],
    )
    await cancelOffer(offerId)
    const tickets = await run('SELECT status FROM tickets WHERE offer_id = $1', [offerId])
    expect(tickets).toEqual([{ status: 'void' }])
  })

  test('can be cancelled again without effect; an unknown or running one is not found', async () => {
    const offerId = await shop.newOffer()
    const first = await cancelOffer(offerId)
    await cancelAndRefund(shop.checkout, await slugOf(offerId), 'another reason')
    expect(await progressOf(offerId)).toEqual(first)
    const notFound = { status: 404 }
    await expect(cancelAndRefund(shop.checkout, 'no-such-contest', 'x')).rejects.toMatchObject(notFound)
    const draft = await slugOf(await shop.newOffer({ state: 'draft' }))
    await expect(cancelAndRefund(shop.checkout, draft, 'x')).rejects.toMatchObject(notFound)
    await expect(progressOf(await shop.newOffer())).rejects.toMatchObject(notFound)
  })

  test('raises an alert until all money is back once ten of its fourteen days are over [spec 4.60, 9.16]', async () => {
    const offerId = await shop.newOffer()
    await cancelOffer(offerId)
    const setAge = (days: number) =>
      run(`UPDATE offers SET cancelled_at = now() - make_interval(days => $2) WHERE id = $1`, [offerId, days])
    const slug = await slugOf(offerId)
    await setAge(9)
    expect(await alertsOf(slug)).toEqual([])
    await setAge(11)
    expect(await alertsOf(slug)).toEqual(['refundLate'])
    await sweep()
    expect(await alertsOf(slug)).toEqual([])
  })
})

describe('The refund of a cancelled offer', () => {
  afterEach(() => invariantsHold())

  /** The shop with a provider that makes the first refund and loses its response; later calls throw. */
  const losingFirst = (later: Error): NotificationDeps => {
    const lose: typeof provider.refund = async (...call) => {
      await provider.refund(...call)
      throw new ProviderUnknown('the connection broke')
    }
    const refund = vi.fn<typeof lose>().mockRejectedValue(later).mockImplementationOnce(lose)
    return withProvider({ refund })
  }

  test('continues when the process dies between two orders, or between request and provider', async () => {
    const offerId = await shop.newOffer()
    const orders: string[] = []
    for (const tickets of [1, 2, 3]) orders.push((await shop.paidOrder(tickets, undefined, offerId)).orderId)
    const refunds = () => orders.map((orderId) => refundsAt(orderId).length)
    await cancelOffer(offerId)
    await sweep(losingFirst(new Error('killed')))
    expect(refunds().reduce((sum, made) => sum + made)).toBe(1)
    expect(await progressOf(offerId)).toMatchObject({ returning: 3, returned_at: null })
    await sweep()
    await sweep()
    expect(refunds()).toEqual([1, 1, 1])
    expect(await progressOf(offerId)).toMatchObject({ returned: 3, returned_at: expect.any(String) })
  })

  test.runIf(isExtended)(
    'of hundreds of orders continues wherever the process dies, and refunds nobody twice',
    async () => {
      const offerId = await shop.newOffer()
      const orders = await lab.manyPaid(sized({ short: 150, extended: 1_000 }), offerId)
      await cancelOffer(offerId)
      const made = () => orders.map((orderId) => refundsAt(orderId).length)
      const total = () => made().reduce((sum, refunds) => sum + refunds)
      // Deaths before a call, and after one whose response is lost.
      for (let death = 0; total() < orders.length; death += 1) {
        // A loop without an end would outlive its test.
        expect(death).toBeLessThan(orders.length)
        let left = 7 + ((death * 13) % 40)
        const dying = withProvider({
          refund: async (...call) => {
            left -= 1
            if (left < 0) throw new Error('killed')
            const response = await provider.refund(...call)
            if (left === 0 && death % 2 === 0) throw new Error('killed')
            return response
          },
        })
        await recoverPayments(dying, 0).catch(() => undefined)
        expect(Math.max(...made())).toBeLessThanOrEqual(1)
      }
      for (let time = 0; time < 2; time += 1) await sweep()
      expect(new Set(made())).toEqual(new Set([1]))
      expect(await progressOf(offerId)).toMatchObject({
        returned: orders.length,
        returned_at: expect.any(String),
      })
    },
  )

  test('goes to staff when the provider refuses it', async () => {
    const { orderId, first } = await paidForTwo()
    await cancelOffer(first)
    await sweep(withProvider({ refund: () => Promise.reject(new ProviderRefused('other')) }))
    expect(await shop.orderState(orderId)).toBe('review')
    expect(await progressOf(first)).toMatchObject({ in_review: 1, returned_at: null })
  })

  test('is not sent twice when the provider made it, gave no response and then refuses it', async () => {
    const { orderId, second } = await paidForTwo()
    const deps = losingFirst(new ProviderRefused('already_refunded'))
    await cancelOffer(second)
    for (let time = 0; time < 3; time += 1) await sweep(deps)
    await runJobs()
    const result = { state: 'completed', returned: [1803], tickets: ['valid', 'void'] }
    expect(await resultOf(orderId)).toMatchObject(result)
  })

  const stopsAfterRefusal = () => withProvider({ readOrder: () => new Promise(() => {}) })
  const listsNoRefund = () => withResponses((response) => ({ ...response, refunds: [] }))

  test.each([
    ['a part of it, and the process stops after the refusal', '10.00', stopsAfterRefusal, [1000, 803]],
    ['a part of it, in a refund that is listed later', '10.00', listsNoRefund, [1000, 803]],
    ['more than it', '20.00', stopsAfterRefusal, [2000]],
  ])('is sent as far as it is missing when the provider returned %s', async (_, value, depsFor, returned) => {
    const { id, orderId, captureId, second } = await paidForTwo()
    await atProvider.giveBack(captureId, 'refund', value)
    await cancelOffer(second)
    const deps = depsFor()
    const sweeps = sweep(deps).then(() => sweep(deps))
    await expect.poll(() => refundsOf(id)).toEqual(['shop failed 1803'])
    if (depsFor === listsNoRefund) await sweeps
    expect(await refundsOf(id)).toEqual(['shop failed 1803'])
    await runJobs()
    const result = { state: 'completed', returned, tickets: ['valid', 'void'] }
    expect(await resultOf(orderId)).toMatchObject(result)
  })
})

describe('The queue of orders of a cancelled offer', () => {
  /** Orders refunded in one batch. */
  const BATCH = 100

  /** Paid orders of a ticket of each offer, last changed so many minutes ago; the newer ones have the higher ids. */
  async function paidOrders(name: string, count: number, offerIds: readonly number[], minutes: number) {
    const digit = minutes < 20 ? 'f' : '0'
    const { id: userId } = await shop.newCustomer()
    await sql`
      WITH made AS (
        INSERT INTO orders (id, user_id, cart_version, state, country, language, subtotal_cents, tax_percent, tax_cents,
                            total_cents, hold_until, provider_order_id, checked_at)
        SELECT overlay(gen_random_uuid()::text PLACING ${digit} FROM 1)::uuid, ${userId}, 1000 + n, 'completed', 'BE', 'fr', 1000, 0, 0, 1000, now(), ${name} || n,
               now() - make_interval(mins => ${minutes})
        FROM generate_series(1, ${count}::int) AS n
        RETURNING id
      ),
      lines AS (
        INSERT INTO order_lines (order_id, offer_id, quantity, unit_cents, title)
        SELECT made.id, c.id, 1, 500, 'x' FROM made, unnest(${[...offerIds]}::int[]) AS c (id)
      )
      INSERT INTO captures (capture_id, order_id, status, amount_cents, currency)
      SELECT 'C' || id, id, 'completed', 1000, 'EUR' FROM made`.execute(shop.db)
  }

  /** One batch, with a provider that never completes a refund. */
  const refund: typeof provider.refund = async ({ captureId, money }, id) => {
    return { id, captureId, money, status: 'pending' }
  }
  const refundBatch = () => refundCancelledOffers(withProvider({ refund }), BATCH)

  test.runIf(isExtended)('is not blocked by orders whose other refund is still open', async () => {
    const [first, second] = [await shop.newOffer(), await shop.newOffer()]
    await paidOrders('both', BATCH, [first, second], 20)
    await paidOrders('one', 5, [second], 10)
    await cancelOffer(first)
    await refundBatch()
    expect(await progressOf(first)).toMatchObject({ waiting: 0, returning: BATCH })
    await cancelOffer(second)
    await refundBatch()
    expect(await progressOf(second)).toMatchObject({ waiting: BATCH })
    await run(`UPDATE refunds SET status = 'completed' WHERE status = 'pending'`)
    await refundBatch()
    expect(await progressOf(second)).toMatchObject({ waiting: 0 })
  })

  test.runIf(isExtended)('is not blocked by orders that cannot be refunded', async () => {
    const offerId = await shop.newOffer()
    await paidOrders('broken', BATCH, [offerId], 20)
    await paidOrders('whole', 5, [offerId], 10)
    await cancelOffer(offerId)
    await refusing('INSERT ON refunds', 'true', refundBatch)
    expect(await progressOf(offerId)).toMatchObject({ waiting: BATCH + 5 })
    await refundBatch()
    const whole = `SELECT id FROM orders WHERE provider_order_id LIKE 'whole%'`
    expect(await run(`SELECT 1 FROM refunds WHERE order_id IN (${whole})`)).toHaveLength(5)
  })
})
