import { afterEach, describe, expect, test } from 'vitest'
import { openPaymentShop } from '#features/purchase/payments/server/payments.test-support.ts'
import { ProviderRefused } from '#platform/payment/payment-provider.ts'
import { cents } from '#shared/money.ts'
import { importRefunds, unlistedReturns } from './import-refunds.ts'

const lab = await openPaymentShop()
const { shop, atProvider, provider, run, withProvider, withResponses, reconcileOrder, reconcileAll } = lab
const { sweep, runJobs, leaveCapturing, paidForTwo, cancelOffer, refundByStaff } = lab
const { refundsAt, failLastRefund, payAgain, refundsOf, resultOf, requestRefund, invariantsHold } = lab

const VOID = ['void', 'void']
const VALID = ['valid', 'valid']
const ALL_RETURNED = 'Your payment of €11.86 was refunded: your tickets are cancelled'
const SENT_AGAIN = 'We have sent your refund of €11.86 again'
const SECOND_RETURNED = 'We have refunded your second payment of €11.86'
const partReturned = (euros: string) => `€${euros} of your payment was refunded`

/** The shop with a provider that refuses refunds. */
const refusing = withProvider({ refund: () => Promise.reject(new ProviderRefused('other')) })

describe('A refund made at the provider', () => {
  afterEach(() => invariantsHold())

  const HOW = ['refund', 'reverse'] as const
  test.each(HOW)('(%s) voids the tickets; their numbers stay issued', async (how) => {
    const offerId = await shop.newOffer({ total_tickets: 3 })
    const { orderId, captureId } = await shop.paidOrder(2, 'buyer@buyer.test', offerId)
    await atProvider.giveBack(captureId, how)
    await reconcileOrder(orderId)
    const result = { state: 'refunded', tickets: VOID, emails: [ALL_RETURNED] }
    expect(await resultOf(orderId)).toMatchObject({ ...result, sold: 2 })
    await shop.paidOrder(1, 'buyer@buyer.test', offerId)
    expect(await run('SELECT DISTINCT number FROM tickets WHERE offer_id = $1', [offerId])).toHaveLength(3)
    expect(await resultOf(orderId)).toMatchObject({ ...result, sold: 3 })
  })

  test('in part leaves the tickets valid until the parts make the whole', async () => {
    const { orderId, captureId } = await shop.paidOrder(2)
    await atProvider.giveBack(captureId, 'refund', '4.20')
    await reconcileOrder(orderId)
    const emails = [partReturned('4.20')]
    expect(await resultOf(orderId)).toMatchObject({ state: 'completed', tickets: VALID, emails })
    await atProvider.giveBack(captureId, 'reverse')
    await reconcileOrder(orderId)
    const refunds = ['provider completed 420', 'provider completed 766']
    emails.push(expect.any(String))
    expect(await resultOf(orderId)).toMatchObject({ state: 'refunded', tickets: VOID, refunds, emails })
  })

  test.each([
    ['of all money completes', undefined, true, 'refunded', [ALL_RETURNED]],
    ['of a part completes', '2.00', true, 'completed', [partReturned('2.00')]],
    ['fails', undefined, false, 'completed', []],
  ] as const)('is reported to the buyer once a pending one %s', async (_, value, isDone, state, emails) => {
    const { orderId, captureId } = await shop.paidOrder(2)
    await atProvider.giveBack(captureId, 'refund', value)
    const [refund] = refundsAt(orderId)
    refund!.status = 'PENDING'
    await reconcileAll()
    expect(await resultOf(orderId)).toMatchObject({ emails: [], alerts: [] })
    refund!.status = 'COMPLETED'
    if (!isDone) await failLastRefund(orderId)
    await reconcileAll()
    await reconcileAll()
    expect(await resultOf(orderId)).toMatchObject({ state, emails, alerts: [] })
  })

  test('closes an order that waits for staff, whose tickets stay valid until then', async () => {
    const { orderId, captureId } = await shop.paidOrder(2)
    await refundByStaff(orderId, refusing)
    expect(await resultOf(orderId)).toMatchObject({ state: 'review', tickets: VALID })
    await atProvider.giveBack(captureId, 'refund')
    await reconcileOrder(orderId)
    expect(await resultOf(orderId)).toMatchObject({ state: 'refunded', tickets: VOID })
  })

  test('is imported after our own open refund', async () => {
    const { orderId, captureId, ours } = await shop.paidOrder(2)
    await requestRefund(ours.id, captureId, 500)
    await atProvider.giveBack(captureId, 'refund', '2.10')
    await importRefunds(shop.checkout, ours.id, await provider.readOrder(orderId))
    expect(await refundsOf(ours.id)).toEqual(['shop requested 500'])
    await reconcileOrder(orderId)
    expect(await refundsOf(ours.id)).toEqual(['shop completed 500', 'provider completed 210'])
  })

  test.each([
    ['in part while the order is captured', true, '5.00', ['provider completed 500', 'shop completed 686']],
    ['after a capture that was not requested', false, undefined, ['provider completed 1186']],
  ])('%s leaves no ticket to issue, and the rest follows', async (_, isCapturing, value, refunds) => {
    const { orderId } = await shop.approvedOrder(2)
    if (isCapturing) await leaveCapturing(orderId)
    await provider.captureOrder(orderId, `${(await shop.orderOf(orderId)).id}:cap:1`)
    await atProvider.giveBack(atProvider.captureIdOf(orderId), 'refund', value)
    await reconcileOrder(orderId)
    await sweep()
    const result = { state: 'refunded', sold: 0, held: 0, tickets: [], refunds }
    expect(await resultOf(orderId)).toMatchObject(result)
  })
})

describe('A completed refund that fails later', () => {
  afterEach(() => invariantsHold())

  /** A refunded order of 11.86 whose refund has failed at the provider since. */
  async function failedRefund() {
    const paid = await shop.paidOrder(2)
    await refundByStaff(paid.orderId)
    await failLastRefund(paid.orderId)
    return paid
  }

  test('is sent again, with an alert and one email for its buyer once it is done', async () => {
    const { orderId } = await failedRefund()
    const refund: typeof provider.refund = async (...call) => {
      return { ...(await provider.refund(...call)), status: 'pending' }
    }
    await reconcileOrder(orderId, withProvider({ refund }))
    const refunds = ['shop failed 1186', 'shop pending 1186']
    const waits = { state: 'refunding', refunds, alerts: ['ledgerDiffers'], emails: [ALL_RETURNED] }
    expect(await resultOf(orderId)).toMatchObject(waits)
    await sweep()
    await runJobs()
    expect(await resultOf(orderId)).toMatchObject({
      state: 'refunded',
      moves: ['held', 'capturing', 'completed', 'refunding', 'refunded', 'refunding', 'refunded'],
      refunds: ['shop failed 1186', 'shop completed 1186'],
      alerts: [],
      emails: [ALL_RETURNED, SENT_AGAIN],
    })
  })

  test('is sent by the sweep when the process stops before the response', async () => {
    const { orderId } = await failedRefund()
    void reconcileOrder(orderId, withProvider({ refund: () => new Promise(() => {}) }))
    await expect.poll(() => shop.orderState(orderId)).toBe('refunding')
    expect((await resultOf(orderId)).alerts).toEqual(['ledgerDiffers'])
    await sweep()
    await reconcileAll()
    expect(await resultOf(orderId)).toMatchObject({ state: 'refunded', alerts: [] })
  })

  test('is not sent again when somebody has sent it at the provider', async () => {
    const { captureId, orderId } = await failedRefund()
    await atProvider.giveBack(captureId, 'refund')
    await reconcileAll()
    const refunds = ['shop failed 1186', 'provider completed 1186']
    const emails = [ALL_RETURNED, SENT_AGAIN]
    expect(await resultOf(orderId)).toMatchObject({ state: 'refunded', refunds, emails })
  })

  test('of the provider, as in a chargeback that the shop wins, leaves void tickets and money to staff', async () => {
    const { captureId, orderId } = await shop.paidOrder(2)
    await atProvider.giveBack(captureId, 'reverse')
    await reconcileAll()
    expect(await shop.orderState(orderId)).toBe('refunded')
    await failLastRefund(orderId)
    await reconcileAll()
    const undecided = { state: 'review', tickets: VOID, alerts: ['orderInReview'] }
    expect(await resultOf(orderId)).toMatchObject(undecided)
    await refundByStaff(orderId)
    const refunds = ['provider failed 1186', 'shop completed 1186']
    expect(await resultOf(orderId)).toMatchObject({ state: 'refunded', refunds })
  })
})

describe('The refunded share of a cancelled offer that fails later', () => {
  afterEach(() => invariantsHold())

  /** An order of 23.96 whose refund of 5.93 for a cancelled offer has failed; `before` runs before the cancellation. */
  async function failedShare(before: (captureId: string) => Promise<void> = async () => {}) {
    const paid = await paidForTwo()
    await before(paid.captureId)
    await cancelOffer(paid.first)
    await sweep()
    const outdated = await provider.readOrder(paid.orderId)
    await failLastRefund(paid.orderId)
    return { ...paid, outdated }
  }
  const sendPart = async (captureId: string) => {
    await atProvider.giveBack(captureId, 'refund', '2.00')
    await reconcileAll()
  }

  test('is sent again; the other ticket stays, and its offer can be cancelled as well', async () => {
    const { orderId, second } = await failedShare()
    await runJobs()
    const cancelled = (euros: string) => `Contest cancelled: we are refunding you €${euros}`
    const emails = [cancelled('5.93'), 'We have sent your refund of €5.93 again']
    expect(await resultOf(orderId)).toMatchObject({ state: 'completed', tickets: ['void', 'valid'], emails })
    await cancelOffer(second)
    await sweep()
    emails.push(cancelled('18.03'))
    expect(await resultOf(orderId)).toMatchObject({ state: 'refunded', emails })
  })

  const FAILED = 'shop failed 593'
  const DONE = 'shop completed 593'
  const PART = 'provider completed 200'

  test.each([
    ['by us', undefined, undefined, [FAILED, DONE]],
    ['by nobody when it was sent at the provider', undefined, '5.93', [FAILED, 'provider completed 593']],
    ['less a part that was sent at the provider', undefined, '2.00', [FAILED, PART, 'shop completed 393']],
    ['in full when a part went back before it', sendPart, undefined, [PART, FAILED, DONE]],
  ])('is sent again %s, and once, also after an outdated response', async (_, before, value, refunds) => {
    const { id, captureId, outdated } = await failedShare(before)
    if (value) await atProvider.giveBack(captureId, 'refund', value)
    await runJobs(shop.checkout, 1)
    expect(await refundsOf(id)).toEqual(refunds)
    await importRefunds(shop.checkout, id, outdated)
    await runJobs()
    expect(await refundsOf(id)).toEqual(refunds)
  })
})

describe('A second payment of an order', () => {
  afterEach(() => invariantsHold())

  test('goes back once; a refusal raises an alert and leaves the tickets valid', async () => {
    const { orderId, ours } = await shop.paidOrder(2)
    const second = payAgain(orderId)
    await runJobs(refusing, 1)
    // Both ledgers agree on two payments, which does not end the alert.
    expect(await reconcileAll(refusing)).toContain(ours.id)
    const paid = { state: 'completed', tickets: VALID }
    const refused = { ...paid, returned: [], emails: [], alerts: ['ledgerDiffers'] }
    expect(await resultOf(orderId)).toMatchObject(refused)
    await runJobs()
    const done = { ...paid, returned: [1186], emails: [SECOND_RETURNED], alerts: [] }
    expect(await resultOf(orderId)).toMatchObject(done)
    expect(refundsAt(orderId)[0]?.captureId).toBe(second)
  })

  test('that somebody refunds at the provider is reported to the buyer in the same words', async () => {
    const { orderId } = await shop.paidOrder(2)
    await atProvider.giveBack(payAgain(orderId), 'refund')
    await runJobs()
    const refunds = ['provider completed 1186']
    expect(await resultOf(orderId)).toMatchObject({ state: 'completed', refunds, emails: [SECOND_RETURNED] })
  })
})

test('More money back than was taken voids the tickets, closes the order and raises an alert that stays', async () => {
  const { orderId, captureId, ours } = await shop.paidOrder(2)
  // Staff refund a part at the provider, then a chargeback takes the whole.
  const refunds = [200, 1186].map((amount) => {
    const money = { amount: cents(amount), currency: 'EUR' }
    return { id: `R-${amount}`, captureId, status: 'completed' as const, money }
  })
  const deps = withResponses((response) => (response.id === orderId ? { ...response, refunds } : response))
  await reconcileOrder(orderId, deps)
  // Both ledgers agree, which does not end the alert.
  expect(await reconcileAll(deps)).toContain(ours.id)
  const both = ['provider completed 200', 'provider completed 1186']
  const result = { state: 'refunded', tickets: VOID, refunds: both, alerts: ['ledgerDiffers'] }
  expect(await resultOf(orderId)).toMatchObject(result)
})

test('A refund that names none of several captures counts for none of them', async () => {
  const { orderId } = await shop.paidOrder(2)
  const response = await provider.readOrder(orderId)
  const [capture] = response.captures
  const captures = ['C1', 'C2'].map((id) => ({ ...capture!, id, status: 'refunded' as const }))
  const refund = { id: 'R', captureId: undefined, status: 'completed' as const, money: capture!.money }
  expect(unlistedReturns({ ...response, captures, refunds: [refund] })).toEqual(captures)
  expect(unlistedReturns({ ...response, captures: captures.slice(1), refunds: [refund] })).toEqual([])
})
