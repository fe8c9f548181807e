import { expect, test } from 'vitest'
import type { NotificationDeps } from '#features/payments/server/notifications.ts'
import { silentProvider } from '#features/payments/server/silent-provider.test-support.ts'
import { sweepOrders } from '#features/payments/server/sweep.ts'
import { ProviderUnknown } from '#platform/payment/payment-provider.ts'
import { type PayPalClient, PayPalRefused } from '#platform/payment/paypal/paypal-client.ts'
import { cancelContest } from './cancelled-offers.ts'
import { paypalProvider } from '#platform/payment/paypal/paypal-provider.ts'

/** The share of a cancelled contest that the provider refuses because some of the payment is back already. */
const { shop, there, compareAll, paidForAll } = await silentProvider()

/** A paid order of two contests, 23.96 with tax; the share of the one that `cancel` cancels is 18.03. */
async function bothPaid(slug: string) {
  const cancelled = await shop.newOffer({ price_cents: 1490, slug })
  const other = await shop.newOffer({ price_cents: 490 })
  const paid = await paidForAll([cancelled, other])
  return {
    ...paid,
    cancel: () => cancelContest(shop.checkout, slug, 'no car'),
    validOf: async () =>
      (
        await shop.pool.query(`SELECT offer_id FROM tickets WHERE order_id = $1 AND status = 'valid'`, [
          paid.id,
        ])
      ).rows.map((row) => row.offer_id === other),
  }
}

const withPaypal = (paypal: Partial<PayPalClient>): NotificationDeps => ({
  ...shop.checkout,
  provider: paypalProvider({ ...shop.client, ...paypal }),
})

async function walk(): Promise<void> {
  await compareAll()
  await sweepOrders(shop.checkout, 0)
}

/** Cents that went back of a capture at the provider, one for each refund. */
const backOf = (captureId: string): number[] =>
  [...shop.paypal.book.refunds.values()]
    .filter((one) => one.captureId === captureId)
    .map(({ cents }) => cents)
const statusesOf = async (orderId: string): Promise<string[]> =>
  (await shop.pool.query('SELECT status FROM refunds WHERE order_id = $1 ORDER BY id', [orderId])).rows.map(
    (row) => row.status,
  )

test('whose own request had sent it, unheard, is not sent from what the other tickets cost', async () => {
  const { orderId, captureId, cancel, validOf } = await bothPaid('unheard-share')
  let asked = 0
  // The provider has forgotten the request when it comes again.
  const refundCapture: PayPalClient['refundCapture'] = async (...call) => {
    asked += 1
    if (asked > 1) throw new PayPalRefused(422, { name: 'REFUND_AMOUNT_EXCEEDED' })
    await shop.client.refundCapture(...call)
    throw new ProviderUnknown('the line broke')
  }
  await cancel()
  for (let turn = 0; turn < 3; turn += 1) await sweepOrders(withPaypal({ refundCapture }), 0)
  await walk()
  await walk()
  expect(backOf(captureId)).toEqual([1803])
  expect(await shop.orderState(orderId)).toBe('completed')
  expect(await validOf()).toEqual([true])
})

test('is sent as far as it is not back, also when the process dies right after the refusal', async () => {
  const { id, orderId, captureId, cancel, validOf } = await bothPaid('killed-after-refusal')
  await there.giveBack(captureId, 'refund', '10.00')
  await cancel()
  const getOrder: PayPalClient['getOrder'] = () => new Promise(() => {})
  void sweepOrders(withPaypal({ getOrder }), 0)
  await expect.poll(() => statusesOf(id)).toEqual(['failed'])
  await walk()
  await walk()
  expect(backOf(captureId)).toEqual([1000, 803])
  expect(await shop.orderState(orderId)).toBe('completed')
  expect(await validOf()).toEqual([true])
})

test('is for staff when it is refused again and again, while nothing is told to be back', async () => {
  const { id, orderId, captureId, cancel } = await bothPaid('never-sent')
  const refundCapture: PayPalClient['refundCapture'] = () =>
    Promise.reject(new PayPalRefused(422, { name: 'REFUND_AMOUNT_EXCEEDED' }))
  await cancel()
  for (let turn = 0; turn < 7; turn += 1) await sweepOrders(withPaypal({ refundCapture }), 0)
  expect(await statusesOf(id)).toEqual(Array(5).fill('failed'))
  expect(await shop.orderState(orderId)).toBe('review')
  expect(backOf(captureId)).toEqual([])
})

test('waits while PayPal says that some is back and lists no refund that did it', async () => {
  const { id, orderId, captureId, cancel } = await bothPaid('listed-later')
  await there.giveBack(captureId, 'refund', '10.00')
  const getOrder: PayPalClient['getOrder'] = async (asked) => {
    const told = structuredClone(await shop.client.getOrder(asked))
    told.purchase_units![0]!.payments!.refunds = []
    return told
  }
  await cancel()
  for (let turn = 0; turn < 3; turn += 1) await sweepOrders(withPaypal({ getOrder }), 0)
  expect(await statusesOf(id)).toEqual(['failed'])
  await walk()
  await walk()
  expect(backOf(captureId)).toEqual([1000, 803])
  expect(await shop.orderState(orderId)).toBe('completed')
})

test('is due of the second payment where the first one is wholly back', async () => {
  const { orderId, captureId, cancel, validOf } = await bothPaid('paid-by-the-second')
  const second = { ...shop.paypal.book.captures.get(captureId)!, id: 'SECONDPAYMENT' }
  shop.paypal.book.insert('capture', second.id, second)
  shop.paypal.book.orders.get(orderId)!.captureIds.push(second.id)
  await there.giveBack(captureId, 'reverse')
  await cancel()
  await sweepOrders(shop.checkout, 0)
  await walk()
  await walk()
  expect(backOf(captureId)).toEqual([2396])
  expect(backOf(second.id)).toEqual([1803])
  expect(await shop.orderState(orderId)).toBe('completed')
  expect(await validOf()).toEqual([true])
})
