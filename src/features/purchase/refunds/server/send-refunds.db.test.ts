import { afterEach, describe, expect, test, vi } from 'vitest'
import type { NotificationDeps } from '#features/purchase/payments/server/notifications.ts'
import { openPaymentShop } from '#features/purchase/payments/server/payments.test-support.ts'
import {
  type PaymentProvider,
  type ProviderRefund,
  ProviderRefused,
  ProviderUnknown,
} from '#platform/payment/payment-provider.ts'
import { cents } from '#shared/money.ts'
import { ledgerRepository } from './ledger.repository.ts'

const lab = await openPaymentShop()
const { shop, atProvider, provider, run, withProvider, reconcileOrder, sweep, runJobs, requestRefund } = lab
const { paidForTwo, cancelOffer, refundByStaff, refundsAt, refundsOf, resultOf, invariantsHold } = lab

afterEach(() => invariantsHold())

type RefundCall = Parameters<PaymentProvider['refund']>
const refuse = (reason: ProviderRefused['reason']) => () => Promise.reject(new ProviderRefused(reason))

test('A refund sends only what is left when a part went back at the provider before', async () => {
  const { orderId, captureId } = await shop.paidOrder(2)
  await atProvider.giveBack(captureId, 'refund', '1.86')
  await refundByStaff(orderId)
  await sweep()
  expect(await resultOf(orderId)).toMatchObject({ state: 'refunded', returned: [186, 1000] })
})

test('A refund that meets its own request in progress stays requested until the outcome is clear', async () => {
  const { orderId, ours } = await shop.paidOrder(2)
  await refundByStaff(orderId, withProvider({ refund: refuse('in_progress') }))
  expect(await refundsOf(ours.id)).toEqual(['shop requested 1186'])
  await reconcileOrder(orderId)
  expect(await resultOf(orderId)).toMatchObject({ state: 'refunded', refunds: ['shop completed 1186'] })
})

test('A refund refused as already made, while the provider lists none, goes to staff after five attempts', async () => {
  const { orderId } = await shop.paidOrder(2)
  const deps = withProvider({ refund: refuse('already_refunded') })
  await refundByStaff(orderId, deps)
  for (let time = 0; time < 10; time += 1) await reconcileOrder(orderId, deps)
  const refunds = Array(5).fill('shop failed 1186')
  expect(await resultOf(orderId)).toMatchObject({ state: 'review', refunds })
  await refundByStaff(orderId)
  expect(await resultOf(orderId)).toMatchObject({ state: 'refunded', returned: [1186] })
})

test.each<[string, Partial<ProviderRefund>]>([
  ['another amount', { money: { amount: cents(1), currency: 'EUR' } }],
  ['another currency', { money: { amount: cents(1186), currency: 'USD' } }],
  ['no amount', { money: undefined }],
  ['another capture', { captureId: 'ANOTHER' }],
])(
  'A refund whose response is %s counts as one without a response, and the same request follows',
  async (_, change) => {
    const { orderId } = await shop.paidOrder(2)
    const refund = async (...call: RefundCall) => ({ ...(await provider.refund(...call)), ...change })
    await refundByStaff(orderId, withProvider({ refund }))
    expect(await resultOf(orderId)).toMatchObject({ state: 'refunding', refunds: ['shop requested 1186'] })
    await reconcileOrder(orderId)
    expect(await resultOf(orderId)).toMatchObject({ state: 'refunded', returned: [1186] })
  },
)

describe('A refund whose outcome is open', () => {
  const setAge = async (orderId: string, days: number) => {
    const age = 'UPDATE refunds SET created_at = now() - make_interval(days => $2) WHERE order_id = $1'
    await run(age, [(await shop.orderOf(orderId)).id, days])
  }

  /** A refund by staff that the provider responds to so, through the mock `refund`. */
  async function openRefund(respond: (...call: RefundCall) => Promise<ProviderRefund>) {
    const { orderId } = await shop.paidOrder(2)
    const refund = vi.fn<typeof respond>(respond)
    await refundByStaff(orderId, withProvider({ refund }))
    /** The order's state when it is reconciled so many days after the request. */
    const stateAfter = async (days: number, calls: Partial<PaymentProvider> = {}) => {
      await setAge(orderId, days)
      return reconcileOrder(orderId, withProvider({ refund, ...calls }))
    }
    return { orderId, refund, stateAfter }
  }

  test('is read by its id while it is pending, and never sent again', async () => {
    const { orderId, refund, stateAfter } = await openRefund(async (...call) => {
      const made = await provider.refund(...call)
      shop.paypal.book.refunds.get(made.id)!.status = 'PENDING'
      return { ...made, status: 'pending' }
    })
    expect(await stateAfter(0)).toBe('refunding')
    // Once its id is not readable any more it is found in the order's list.
    expect(await stateAfter(46, { readRefund: refuse('not_found') })).toBe('refunding')
    refundsAt(orderId)[0]!.status = 'COMPLETED'
    expect(await stateAfter(46)).toBe('refunded')
    expect(refund).toHaveBeenCalledTimes(1)
    expect(refundsAt(orderId)).toHaveLength(1)
  })

  test('goes to staff when it was pending and nobody can find it after 44 days', async () => {
    const { orderId, refund, stateAfter } = await openRefund(async ({ captureId, money }) => ({
      id: 'LOSTREFUND',
      captureId,
      money,
      status: 'pending',
    }))
    expect(await stateAfter(43, { readRefund: refuse('other') })).toBe('refunding')
    expect(await stateAfter(45, { readRefund: refuse('other') })).toBe('review')
    expect(refund).toHaveBeenCalledTimes(1)
    await refundByStaff(orderId)
    expect(await shop.orderState(orderId)).toBe('refunded')
  })

  test('is sent once more with the same key for 44 days, and looked up in the list after that', async () => {
    const { orderId, refund, stateAfter } = await openRefund(async (...call) => {
      await provider.refund(...call)
      throw new ProviderUnknown('the connection broke')
    })
    expect(await stateAfter(43)).toBe('refunding')
    expect(refund).toHaveBeenCalledTimes(2)
    expect(await stateAfter(45)).toBe('refunded')
    expect(refund).toHaveBeenCalledTimes(2)
    expect(await resultOf(orderId)).toMatchObject({ refunds: ['shop completed 1186'], returned: [1186] })
    const { id } = await shop.orderOf(orderId)
    expect(await ledgerRepository(shop.db).refundIds(id)).toEqual([refundsAt(orderId)[0]?.id])
  })

  test('goes to staff unsent when its key has expired and the provider lists none', async () => {
    const { captureId, ours, orderId } = await shop.paidOrder(2)
    await requestRefund(ours.id, captureId, 500)
    await setAge(orderId, 45)
    await reconcileOrder(orderId)
    expect(await resultOf(orderId)).toMatchObject({ state: 'review', returned: [] })
    await refundByStaff(orderId)
    expect(await shop.orderState(orderId)).toBe('refunded')
  })
})

describe('A database restored from a backup without its last refunds', () => {
  /** An order of 23.96 of which 5.93 went back for a cancelled offer; the database has lost all of that. */
  async function restored() {
    const paid = await paidForTwo()
    await cancelOffer(paid.first)
    await sweep()
    expect((await resultOf(paid.orderId)).returned).toEqual([593])
    for (const table of ['offer_events', 'tickets', 'draw_voids'])
      await run(`ALTER TABLE ${table} DISABLE TRIGGER USER`)
    for (const statement of [
      'DELETE FROM refunds WHERE order_id = $1',
      `UPDATE captures SET refunded_cents = 0, status = 'completed' WHERE order_id = $1`,
      'UPDATE order_lines SET refund_requested_at = NULL, returned_quantity = 0 WHERE order_id = $1',
      `DELETE FROM draw_voids v USING tickets t
       WHERE t.order_id = $1 AND v.offer_id = t.offer_id AND v.number = t.number`,
      `UPDATE tickets SET status = 'valid', void_reason = NULL WHERE order_id = $1`,
      `UPDATE offers SET cancelled_at = NULL, cancelled_why = NULL, refunds_completed_at = NULL, state = 'open'
       WHERE id IN (SELECT offer_id FROM order_lines WHERE order_id = $1)`,
      `DELETE FROM offer_events
       WHERE event = 'cancel' AND offer_id IN (SELECT offer_id FROM order_lines WHERE order_id = $1)`,
    ])
      await run(statement, [paid.id])
    for (const table of ['tickets', 'draw_voids']) await run(`ALTER TABLE ${table} ENABLE TRIGGER USER`)
    return paid
  }

  /** A provider that responds to a reused request id with the refund that it had served. */
  const respondsWithEarlierRefund = (orderId: string): NotificationDeps =>
    withProvider({
      refund: (...call) =>
        provider.refund(...call).catch((error: unknown) => {
          if (!(error instanceof ProviderRefused && error.reason === 'request_reused')) throw error
          return provider.readRefund(refundsAt(orderId)[0]!.id)
        }),
    })

  test.each([
    ['refuses the reused request id', () => shop.checkout],
    ['responds with the refund of that request id', respondsWithEarlierRefund],
  ])('refunds the rest when the provider %s', async (_, depsFor) => {
    const { orderId } = await restored()
    const deps = depsFor(orderId)
    await refundByStaff(orderId, deps)
    for (let time = 0; time < 2; time += 1) await sweep(deps)
    const refunds = ['shop failed 2396', 'provider completed 593', 'shop completed 1803']
    expect(await resultOf(orderId)).toMatchObject({ state: 'refunded', refunds, returned: [593, 1803] })
  })

  test.each([
    ['before', 0, []],
    ['after', 1, ['provider completed 593']],
  ])('refunds an offer cancelled again %s the reconciliation once', async (_, times, refunds) => {
    const { id, orderId, first } = await restored()
    await runJobs(shop.checkout, times)
    expect(await refundsOf(id)).toEqual(refunds)
    await cancelOffer(first)
    await sweep()
    await runJobs()
    const result = { state: 'completed', refunds: ['shop completed 593'], returned: [593] }
    expect(await resultOf(orderId)).toMatchObject(result)
  })
})
