import { describe, expect, test } from 'vitest'
import { watchPayments } from '#features/payments/server/payment-alerts.repository.ts'
import { reconcile } from '#features/payments/server/reconcile.ts'
import { silentProvider } from '#features/payments/server/silent-provider.test-support.ts'
import { sweepOrders } from '#features/payments/server/sweep.ts'
import { cancelContest } from './cancelled-offers.ts'
import { importRefunds } from './import-refunds.ts'
import { refundOrder } from './staff-refunds.routes.ts'
import { paypalProvider, readOrder } from '#platform/payment/paypal/paypal-provider.ts'
import { refundsOf as refundsOfTold } from '../../../../test/support/provider-side.ts'

/** A refund that was done may fail days later: the money is here again. */
const { shop, there, compareAll, emailsOf, paidForAll } = await silentProvider()

/** Has the last refund of a capture fail at the provider. */
async function failLast(captureId: string): Promise<void> {
  const { id } = [...shop.paypal.book.refunds.values()].findLast((one) => one.captureId === captureId)!
  const answer = await fetch(`${shop.paypal.url}/_emulator/refunds/${id}/fail`, { method: 'POST' })
  expect(answer.status).toBe(200)
}

const refundsOf = async (orderId: string) =>
  (
    await shop.pool.query(
      'SELECT attempt, status, amount_cents FROM refunds WHERE order_id = $1 ORDER BY id',
      [orderId],
    )
  ).rows
const movesOf = async (orderId: string): Promise<string[]> =>
  (
    await shop.pool.query('SELECT to_state FROM order_events WHERE order_id = $1 ORDER BY id', [orderId])
  ).rows.map((row) => row.to_state)
const hasAlert = async (kind: 'ledgerDiffers' | 'orderInReview', orderId: string): Promise<boolean> =>
  (await shop.checkout.alerts.subjects(shop.db, kind)).includes(orderId)

test('a refund of ours that fails after it was done is made anew, and rings until the money is back', async () => {
  const { captureId, ours } = await shop.paidOrder(2)
  await refundOrder(shop.checkout, ours, { staffId: 1, note: 'asked for' })
  await failLast(captureId)
  await compareAll()
  expect(await movesOf(ours.id)).toEqual([
    'held',
    'capturing',
    'completed',
    'refunding',
    'refunded',
    'refunding',
    'refunded',
  ])
  expect(await refundsOf(ours.id)).toEqual([
    { attempt: 1, status: 'failed', amount_cents: 1186 },
    { attempt: 2, status: 'completed', amount_cents: 1186 },
  ])
  expect(shop.paypal.book.captures.get(captureId)).toMatchObject({ status: 'REFUNDED', refunded: 1186 })
  expect(await hasAlert('ledgerDiffers', ours.id)).toBe(false)
})

test('its buyer is told once when the new one is done, and not while nobody knows', async () => {
  const { captureId, ours } = await shop.paidOrder(2)
  await refundOrder(shop.checkout, ours, { staffId: 1, note: 'asked for' })
  const first = 'Your payment of €11.86 was returned: your tickets are void'
  await failLast(captureId)
  expect(await emailsOf(ours.id)).toEqual([first])
  const paypal = shop.client
  const refundCapture: typeof paypal.refundCapture = async (...wish) => ({
    ...(await paypal.refundCapture(...wish)),
    status: 'PENDING',
  })
  await reconcile({ ...shop.checkout, provider: paypalProvider({ ...paypal, refundCapture }) }, ours.id, {
    closedToo: true,
  })
  expect(await refundsOf(ours.id)).toMatchObject([{ status: 'failed' }, { status: 'pending' }])
  expect(await emailsOf(ours.id), 'while it is pending').toEqual([first])
  for (let again = 0; again < 2; again += 1) {
    await sweepOrders(shop.checkout, 0)
    await compareAll()
    expect(await emailsOf(ours.id)).toEqual([first, 'We have sent your refund of €11.86 again'])
  }
})

test('it rings as long as the provider takes no other', async () => {
  const { captureId, ours } = await shop.paidOrder(1)
  await refundOrder(shop.checkout, ours, { staffId: 1, note: 'asked for' })
  await failLast(captureId)
  const paypal = shop.client
  const refundCapture: typeof paypal.refundCapture = () => new Promise(() => {})
  // The process stands still before it is answered, and then no more is heard of it.
  void reconcile({ ...shop.checkout, provider: paypalProvider({ ...paypal, refundCapture }) }, ours.id, {
    closedToo: true,
  })
  await expect.poll(() => shop.orderState(ours.provider_order_id ?? '')).toBe('refunding')
  expect(await hasAlert('ledgerDiffers', ours.id)).toBe(true)
  await sweepOrders(shop.checkout, 0)
  expect(await shop.orderState(ours.provider_order_id ?? '')).toBe('refunded')
  await compareAll()
  expect(await hasAlert('ledgerDiffers', ours.id)).toBe(false)
})

test('one that fails again and again is for staff in the end', async () => {
  const { captureId, ours, orderId } = await shop.paidOrder(1)
  await refundOrder(shop.checkout, ours, { staffId: 1, note: 'asked for' })
  for (let fails = 0; fails < 5; fails += 1) {
    expect(await shop.orderState(orderId)).toBe('refunded')
    await failLast(captureId)
    await compareAll()
  }
  expect(await shop.orderState(orderId)).toBe('review')
  expect(await refundsOf(ours.id)).toHaveLength(5)
  // Staff send it on the provider's site instead.
  await there.giveBack(captureId, 'refund')
  await compareAll()
  expect(await shop.orderState(orderId)).toBe('refunded')
})

test('a chargeback that the shop wins leaves its void tickets and its money to staff', async () => {
  const { captureId, ours, orderId } = await shop.paidOrder(2)
  await there.giveBack(captureId, 'reverse')
  await compareAll()
  expect(await shop.orderState(orderId)).toBe('refunded')
  await failLast(captureId)
  await compareAll()
  expect(await shop.orderState(orderId)).toBe('review')
  await watchPayments(shop.db, shop.checkout.alerts)
  expect(await hasAlert('orderInReview', ours.id)).toBe(true)
  const { rows } = await shop.pool.query('SELECT DISTINCT status FROM tickets WHERE order_id = $1', [ours.id])
  expect(rows).toEqual([{ status: 'void' }])

  const review = await shop.orderOf(orderId)
  await refundOrder(shop.checkout, review, { staffId: 1, note: 'no tickets, no money' })
  expect(await shop.orderState(orderId)).toBe('refunded')
  expect(shop.paypal.book.captures.get(captureId)).toMatchObject({ status: 'REFUNDED', refunded: 1186 })
})

/** An order of two contests, of which one was cancelled: its share, 5.93 of 23.96, is back. */
async function shareBack(slug: string, before: (captureId: string) => Promise<void> = async () => {}) {
  const cancelled = await shop.newOffer({ price_cents: 490, slug })
  const slugOfOther = `${slug}-other`
  const other = await shop.newOffer({ price_cents: 1490, slug: slugOfOther })
  const { id, orderId, captureId } = await paidForAll([cancelled, other])
  await before(captureId)
  await cancelContest(shop.checkout, slug, 'no car')
  await sweepOrders(shop.checkout, 0)
  expect((await refundsOf(id)).at(-1)).toMatchObject({ attempt: 1, status: 'completed', amount_cents: 593 })
  return { id, orderId, captureId, cancelled, other, slugOfOther }
}

/** Cents of a capture that have gone back, by the provider's book. */
const backOf = (captureId: string) => shop.paypal.book.captures.get(captureId)?.refunded

test('one that somebody sends on the provider’s site instead is told in the same words', async () => {
  const { captureId, ours, orderId } = await shop.paidOrder(1)
  await refundOrder(shop.checkout, ours, { staffId: 1, note: 'asked for' })
  await failLast(captureId)
  await there.giveBack(captureId, 'refund')
  await compareAll()
  expect(await shop.orderState(orderId)).toBe('refunded')
  expect(await emailsOf(ours.id)).toEqual([
    'Your payment of €5.93 was returned: your tickets are void',
    'We have sent your refund of €5.93 again',
  ])
})

describe('the share of a cancelled contest that fails after it was done', () => {
  test('is sent anew, and the other tickets stay', async () => {
    const { id, orderId, captureId, cancelled, other } = await shareBack('cancelled-then-failed')
    await failLast(captureId)
    await compareAll()
    await sweepOrders(shop.checkout, 0)
    expect(await refundsOf(id)).toMatchObject([
      { attempt: 1, status: 'failed' },
      { attempt: 2, status: 'completed', amount_cents: 593 },
    ])
    expect(await shop.orderState(orderId)).toBe('completed')
    expect(await emailsOf(id)).toEqual([
      'Contest cancelled: we are refunding you €5.93',
      'We have sent your refund of €5.93 again',
    ])
    const { rows } = await shop.pool.query(
      'SELECT offer_id, status FROM tickets WHERE order_id = $1 ORDER BY offer_id',
      [id],
    )
    expect(rows).toEqual([
      { offer_id: cancelled, status: 'void' },
      { offer_id: other, status: 'valid' },
    ])
  })

  test.each([
    ['whole', '5.93', [{ attempt: null, status: 'completed', amount_cents: 593 }]],
    [
      'in part',
      '2.00',
      [
        { attempt: null, status: 'completed', amount_cents: 200 },
        { attempt: 2, status: 'completed', amount_cents: 393 },
      ],
    ],
  ])('is not sent twice when somebody has sent it there, %s', async (how, value, made) => {
    const { id, captureId } = await shareBack(`sent-there-${value.replace('.', '-')}`)
    await failLast(captureId)
    await there.giveBack(captureId, 'refund', value)
    await compareAll()
    await sweepOrders(shop.checkout, 0)
    expect(await refundsOf(id), how).toEqual([{ attempt: 1, status: 'failed', amount_cents: 593 }, ...made])
    expect(backOf(captureId)).toBe(593)
  })

  test('is told as sent anew once, and not when the other contest is cancelled, too', async () => {
    const { id, orderId, captureId, slugOfOther } = await shareBack('first-of-two')
    await failLast(captureId)
    await compareAll()
    await sweepOrders(shop.checkout, 0)
    await cancelContest(shop.checkout, slugOfOther, 'no car either')
    await sweepOrders(shop.checkout, 0)
    expect(await shop.orderState(orderId)).toBe('refunded')
    expect(await emailsOf(id)).toEqual([
      'Contest cancelled: we are refunding you €5.93',
      'We have sent your refund of €5.93 again',
      'Contest cancelled: we are refunding you €18.03',
    ])
  })

  test('is sent anew though some of the payment had gone back before it', async () => {
    const { captureId } = await shareBack('courtesy-first', async (paid) => {
      await there.giveBack(paid, 'refund', '2.00')
      await compareAll()
    })
    await failLast(captureId)
    await compareAll()
    await sweepOrders(shop.checkout, 0)
    expect(backOf(captureId)).toBe(793)
  })

  test('is not sent once more because an older word comes late', async () => {
    const { id, orderId, captureId } = await shareBack('older-word')
    const older = await shop.client.getOrder(orderId)
    await failLast(captureId)
    await compareAll()
    await sweepOrders(shop.checkout, 0)
    const settled = await refundsOf(id)
    expect(settled).toMatchObject([{ status: 'failed' }, { status: 'completed', amount_cents: 593 }])
    for (let again = 0; again < 2; again += 1) {
      await importRefunds(shop.checkout, id, readOrder(older))
      await compareAll()
      await sweepOrders(shop.checkout, 0)
    }
    expect(await refundsOf(id)).toEqual(settled)
    expect(backOf(captureId)).toBe(593)
  })

  test('rings when the provider says later that it was done after all', async () => {
    const { id, captureId } = await shareBack('done-after-all')
    await failLast(captureId)
    await compareAll()
    await sweepOrders(shop.checkout, 0)
    const paypal = shop.client
    const getOrder: typeof paypal.getOrder = async (asked) => {
      const told = structuredClone(await paypal.getOrder(asked))
      for (const refund of refundsOfTold(told)) refund.status = 'COMPLETED'
      return told
    }
    expect(
      await compareAll({ ...shop.checkout, provider: paypalProvider({ ...paypal, getOrder }) }),
    ).toContain(id)
    expect(await hasAlert('ledgerDiffers', id)).toBe(true)
    expect(await refundsOf(id)).toMatchObject([{ status: 'failed' }, { status: 'completed' }])
    await compareAll()
    expect(await hasAlert('ledgerDiffers', id)).toBe(false)
  })
})
