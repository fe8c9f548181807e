import { expect, test } from 'vitest'
import type { NotificationDeps } from '#features/payments/server/notifications.ts'
import { silentProvider } from '#features/payments/server/silent-provider.test-support.ts'
import { sweepOrders } from '#features/payments/server/sweep.ts'
import { PayPalRefused } from '#platform/payment/paypal/paypal-client.ts'
import { cancelContest } from './cancelled-offers.ts'
import { refundOrder } from './staff-refunds.routes.ts'
import { paypalProvider } from '#platform/payment/paypal/paypal-provider.ts'

/** Refunds of a database that was restored from a backup, and forgot some that it had made. */
const { shop, compareAll, paidForAll } = await silentProvider()

const run = (text: string, values: unknown[]) => shop.pool.query(text, values)

async function walk(deps: NotificationDeps = shop.checkout): Promise<void> {
  await compareAll(deps)
  await sweepOrders(deps, 0)
}

/** A paid order of 23.96 whose share of a cancelled contest, 5.93, went back after the backup, which knows of neither. */
async function restored(slug: string) {
  const offerIds = [
    await shop.newOffer({ price_cents: 490, slug }),
    await shop.newOffer({ price_cents: 1490 }),
  ]
  const { id, orderId, captureId } = await paidForAll(offerIds)
  const cancel = () => cancelContest(shop.checkout, slug, 'no car')
  await cancel()
  await sweepOrders(shop.checkout, 0)
  expect(backOf(captureId)).toEqual([593])

  await run('DELETE FROM refunds WHERE order_id = $1', [id])
  await run(`UPDATE captures SET refunded_cents = 0, status = 'completed' WHERE order_id = $1`, [id])
  await run('UPDATE order_lines SET refund_requested_at = NULL WHERE order_id = $1', [id])
  await run(`UPDATE tickets SET status = 'valid' WHERE order_id = $1`, [id])
  await run(
    'UPDATE offers SET cancelled_at = NULL, cancelled_why = NULL, refunds_completed_at = NULL, active = true WHERE id = $1',
    [offerIds[0]],
  )
  return { id, orderId, captureId, cancel }
}

/** Cents that went back of a capture at the provider, one for each refund. */
function backOf(captureId: string): number[] {
  return [...shop.paypal.book.refunds.values()]
    .filter((one) => one.captureId === captureId)
    .map(({ cents }) => cents)
}
const refundsOf = async (orderId: string) =>
  (await run('SELECT origin, status, amount_cents FROM refunds WHERE order_id = $1 ORDER BY id', [orderId]))
    .rows

/** A checkout whose provider answers a request that served another refund before with that refund. */
function answeringEarlier(captureId: string): NotificationDeps {
  const paypal = shop.client
  const earlier = [...shop.paypal.book.refunds.values()].find((one) => one.captureId === captureId)!
  const refundCapture: typeof paypal.refundCapture = (...call) =>
    paypal.refundCapture(...call).catch((error: unknown) => {
      if (error instanceof PayPalRefused && error.fault.name === 'PAYPAL_REQUEST_ID_PREVIOUSLY_USED')
        return paypal.getRefund(earlier.id)
      throw error
    })
  return { ...shop.checkout, provider: paypalProvider({ ...paypal, refundCapture }) }
}

test.each([
  ['refuses the request', () => shop.checkout],
  ['answers with the earlier refund', answeringEarlier],
])(
  'a refund whose attempt had served another one goes back all the same, where PayPal %s',
  async (how, answering) => {
    const { id, orderId, captureId } = await restored(`another-${how.replaceAll(' ', '-')}`)
    const deps = answering(captureId)
    await refundOrder(deps, await shop.orderOf(orderId), { staffId: 1, note: 'asked for' })
    for (let turn = 0; turn < 2; turn += 1) await sweepOrders(deps, 0)
    expect(backOf(captureId)).toEqual([593, 1803])
    expect(await shop.orderState(orderId)).toBe('refunded')
    expect(await refundsOf(id)).toEqual([
      { origin: 'shop', status: 'failed', amount_cents: 2396 },
      { origin: 'provider', status: 'completed', amount_cents: 593 },
      { origin: 'shop', status: 'completed', amount_cents: 1803 },
    ])
  },
)

test.each([
  ['before', []],
  ['after', ['provider']],
])(
  'a contest that is cancelled once more, %s the walk through both books, returns its share once',
  async (when, known) => {
    const { id, orderId, captureId, cancel } = await restored(`once-more-${when}`)
    if (when === 'after') await walk()
    expect((await refundsOf(id)).map(({ origin }) => origin)).toEqual(known)
    await cancel()
    await sweepOrders(shop.checkout, 0)
    await walk()
    await walk()
    expect(backOf(captureId)).toEqual([593])
    expect(await refundsOf(id)).toEqual([{ origin: 'shop', status: 'completed', amount_cents: 593 }])
    expect(await shop.orderState(orderId)).toBe('completed')
  },
)
