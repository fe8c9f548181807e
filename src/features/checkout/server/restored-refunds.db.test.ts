import { expect, test } from 'vitest'
import { ProviderRefused } from '#platform/paypal/faults.ts'
import { cancelContest } from './cancelled-contests.ts'
import type { CheckoutDeps } from './checkout-deps.ts'
import { refundWhole } from './staff-orders.ts'
import { sweepOrders } from './sweep.ts'
import { silentProvider } from './silent-provider.test-support.ts'

/** Refunds of a database that was restored from a backup, and forgot some that it had made. */
const { shop, compareAll, paidForAll } = await silentProvider()

const run = (text: string, values: unknown[]) => shop.pool.query(text, values)

async function walk(deps: CheckoutDeps = shop.checkout): Promise<void> {
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
  await run(`UPDATE captures SET refunded_cents = 0, status = 'COMPLETED' WHERE order_id = $1`, [id])
  await run('UPDATE order_lines SET returned_at = NULL WHERE order_id = $1', [id])
  await run(`UPDATE tickets SET status = 'valid' WHERE order_id = $1`, [id])
  await run(
    'UPDATE offers SET cancelled_at = NULL, cancelled_why = NULL, returned_at = NULL, active = true WHERE id = $1',
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
function answeringEarlier(captureId: string): CheckoutDeps {
  const { paypal } = shop.checkout
  const earlier = [...shop.paypal.book.refunds.values()].find((one) => one.captureId === captureId)!
  const refundCapture: typeof paypal.refundCapture = (...call) =>
    paypal.refundCapture(...call).catch((error: unknown) => {
      if (error instanceof ProviderRefused && error.isUnderWay) return paypal.getRefund(earlier.id)
      throw error
    })
  return { ...shop.checkout, paypal: { ...paypal, refundCapture } }
}

test.each([
  ['refuses the request', () => shop.checkout],
  ['answers with the earlier refund', answeringEarlier],
])(
  'a refund whose attempt had served another one goes back all the same, where PayPal %s',
  async (how, answering) => {
    const { id, orderId, captureId } = await restored(`another-${how.replaceAll(' ', '-')}`)
    const deps = answering(captureId)
    await refundWhole(deps, await shop.orderOf(orderId), { staffId: 1, reason: 'asked for' })
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
