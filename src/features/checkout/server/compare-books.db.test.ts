import path from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { checkInvariants, readInvariants } from '#platform/invariants.ts'
import { withBreaker } from '#platform/paypal/breaker.ts'
import type { PayPalClient } from '#platform/paypal/client.ts'
import { ProviderRefused, ProviderUnknown } from '#platform/paypal/faults.ts'
import { providerSide } from '../../../../test/support/provider-side.ts'
import { type TestShop, testShop } from '../../../../test/support/shop.ts'
import type { CheckoutDeps } from './checkout-deps.ts'
import { compareBooks } from './compare-books.ts'
import { watchPayments } from './payment-troubles.ts'
import { reconcile } from './reconcile.ts'
import { sweepOrders } from './sweep.ts'

let shop: TestShop

// A shop for each: what one leaves uncompared would be asked about by the next.
beforeEach(async () => {
  shop = await testShop()
  shop.paypal.faults.change({ missingWebhooks: 1 })
  return () => shop.close()
})

const run = (statement: string, values: unknown[] = []) => shop.pool.query(statement, values)

/** An order that was given up for lack of an answer; at the provider it is paid. */
async function givenUpButPaid() {
  const { customer, orderId } = await shop.approvedOrder(1)
  const { id } = await shop.orderOf(orderId)
  await run('UPDATE orders SET capture_started_at = now(), capture_attempt = 2 WHERE id = $1', [id])
  await customer.post('/api/paypal/cancel-order/', { order_id: orderId })
  await shop.checkout.paypal.captureOrder(orderId, `${id}:cap:1`)
  return { orderId, id }
}

/** A checkout whose provider answers questions about orders its own way; undefined leaves the answer as it is. */
function asking(answer: (id: string) => ReturnType<PayPalClient['getOrder']> | undefined): CheckoutDeps {
  const { paypal } = shop.checkout
  return { ...shop.checkout, paypal: { ...paypal, getOrder: (id) => answer(id) ?? paypal.getOrder(id) } }
}

const uncompared = async (): Promise<string[]> =>
  (await run('SELECT order_id FROM uncompared_orders ORDER BY order_id')).rows.map((row) => row.order_id)
const walk = async () =>
  (await run('SELECT after_order, ended_at IS NOT NULL AS ended FROM book_comparison')).rows[0]
/** Lets the pause before those that could not be compared are asked about again go by. */
const later = (hours: number) =>
  run(
    `UPDATE uncompared_orders SET since = since - make_interval(hours => $1), tried_at = tried_at - make_interval(hours => $1)`,
    [hours],
  )

const FAULTS: [string, () => Error][] = [
  ['answers with 500', () => new ProviderUnknown('GET answered 500')],
  ['refuses to tell', () => new ProviderRefused(403, { name: 'NOT_AUTHORIZED' })],
]

describe.each(FAULTS)('an order about which the provider %s', (_, fault) => {
  test('holds up neither walk, is asked about again, and rings while it stays so', async () => {
    const [bad, good] = [await givenUpButPaid(), await givenUpButPaid()]
    const { orderId: paidBad, ours } = await shop.paidOrder(1)
    const { ours: last } = await shop.paidOrder(1)
    const badOnes = [bad.orderId, paidBad]
    const deps = asking((id) => (badOnes.includes(id) ? Promise.reject(fault()) : undefined))

    await sweepOrders(deps, 0)
    expect(await shop.orderState(good.orderId)).toBe('completed')
    expect(await uncompared()).toEqual([bad.id])
    expect((await shop.orderOf(bad.orderId)).compared_at).toBeNull()
    expect((await compareBooks(deps)).toSorted()).toEqual([bad.id, ours.id].toSorted())
    expect(await walk()).toEqual({ after_order: last.id, ended: true })
    expect(await uncompared()).toEqual([bad.id, ours.id].toSorted())

    await later(7)
    await compareBooks(deps)
    await watchPayments(shop.db, deps.bell)
    expect((await deps.bell.subjects(shop.db, 'orderUncompared')).toSorted()).toEqual(
      [bad.id, ours.id].toSorted(),
    )
    await later(1)
    expect(await compareBooks(shop.checkout)).toEqual([])
    await watchPayments(shop.db, deps.bell)
    expect(await deps.bell.subjects(shop.db, 'orderUncompared')).toEqual([])
    expect(await uncompared()).toEqual([])
    expect(await shop.orderState(bad.orderId)).toBe('completed')
  })
})

test('an order that was given up is not known to the provider at first: it is asked about again, and rings', async () => {
  const { id, orderId } = await givenUpButPaid()
  const deps = asking(() => Promise.reject(new ProviderRefused(404, { name: 'RESOURCE_NOT_FOUND' })))
  await sweepOrders(deps, 0)
  expect(await uncompared()).toEqual([id])
  expect((await shop.orderOf(orderId)).compared_at).toBeNull()
  await later(7)
  await watchPayments(shop.db, deps.bell)
  expect(await deps.bell.subjects(shop.db, 'orderUncompared')).toEqual([id])
  await sweepOrders(shop.checkout, 0)
  expect(await shop.orderState(orderId)).toBe('completed')
  expect(await uncompared()).toEqual([])
})

test('an order that stays unknown for a day after its capture was asked for is believed to be', async () => {
  const { id, orderId } = await givenUpButPaid()
  const deps = asking(() => Promise.reject(new ProviderRefused(404, { name: 'RESOURCE_NOT_FOUND' })))
  const askedAgo = (hours: number) =>
    run('UPDATE orders SET capture_started_at = now() - make_interval(hours => $2) WHERE id = $1', [
      id,
      hours,
    ])
  await askedAgo(23)
  await sweepOrders(deps, 0)
  expect((await shop.orderOf(orderId)).compared_at).toBeNull()
  await askedAgo(25)
  await later(1)
  await sweepOrders(deps, 0)
  expect((await shop.orderOf(orderId)).compared_at).not.toBeNull()
  expect(await uncompared()).toEqual([])
})

test('an amount that cannot be read is no difference: the order is asked about again', async () => {
  const { orderId, ours } = await shop.paidOrder(1)
  const deps = asking((id) =>
    id === orderId
      ? shop.checkout.paypal.getOrder(id).then((told) => {
          told.purchase_units![0]!.payments!.captures![0]!.amount!.value = 'NaN'
          return told
        })
      : undefined,
  )
  await compareBooks(deps)
  expect(await uncompared()).toEqual([ours.id])
  expect(await deps.bell.subjects(shop.db, 'booksDiffer')).toEqual([])
})

test('while the provider is away nothing counts as looked at, and all is compared once it is back', async () => {
  const given = []
  for (let orders = 0; orders < 12; orders += 1) given.push(await givenUpButPaid())
  const away = asking(() => Promise.reject(new ProviderUnknown('the line broke')))
  const deps = { ...away, paypal: withBreaker(away.paypal) }
  for (let turn = 0; turn < 5; turn += 1) {
    await sweepOrders(deps, 0)
    await compareBooks(deps)
  }
  // Until it was left alone, some were asked about in vain.
  expect((await uncompared()).length).toBeLessThanOrEqual(8)
  expect((await walk()).ended).toBe(false)
  const { rows } = await run('SELECT id FROM orders WHERE compared_at IS NOT NULL')
  expect(rows).toEqual([])
  await later(1)
  await compareBooks(shop.checkout)
  await sweepOrders(shop.checkout, 0)
  for (const { orderId } of given) expect(await shop.orderState(orderId)).toBe('completed')
  expect(await uncompared()).toEqual([])
  expect((await walk()).ended).toBe(true)
})

test('a walk that does not come to its end within two days rings', async () => {
  const { ours } = await shop.paidOrder(1)
  await run(`UPDATE orders SET created_at = now() - interval '49 hours' WHERE id = $1`, [ours.id])
  const ringsAfter = async (hours: number): Promise<boolean> => {
    await run('UPDATE book_comparison SET begun_at = now() - make_interval(hours => $1)', [hours])
    await watchPayments(shop.db, shop.checkout.bell)
    return (await shop.checkout.bell.subjects(shop.db, 'comparisonLate')).length > 0
  }
  expect(await ringsAfter(47)).toBe(false)
  expect(await ringsAfter(49)).toBe(true)
  // Nothing is left to compare: the walk only has to be called to its end.
  await run('UPDATE book_comparison SET after_order = $1', [ours.id])
  expect(await ringsAfter(49)).toBe(false)
  await compareBooks(shop.checkout)
  expect(await ringsAfter(49)).toBe(true)
  await compareBooks(shop.checkout)
  await watchPayments(shop.db, shop.checkout.bell)
  expect(await shop.checkout.bell.subjects(shop.db, 'comparisonLate')).toEqual([])
})

test('a paid order that the provider does not know differs, and rings', async () => {
  const { ours, orderId } = await shop.paidOrder(1)
  shop.paypal.book.remove('order', orderId)
  expect(await compareBooks(shop.checkout)).toEqual([ours.id])
  const { rows } = await run(`SELECT subject, details FROM alarms WHERE kind = 'booksDiffer'`)
  expect(rows).toEqual([{ subject: ours.id, details: { ours: ours.total_cents, theirs: 0 } }])
})

describe.each(['REFUNDED', 'PARTIALLY_REFUNDED'] as const)('a payment that is said to be %s', (status) => {
  test('without the refunds that did it rings at once and is asked about again until they are told', async () => {
    const { orderId, captureId, ours } = await shop.paidOrder(2)
    const there = providerSide(shop)
    const payment = shop.paypal.book.captures.get(captureId)!
    payment.status = status
    await reconcile(shop.checkout, ours.id, { closedToo: true })
    expect(await shop.checkout.bell.subjects(shop.db, 'booksDiffer')).toEqual([ours.id])
    expect(await uncompared()).toEqual([ours.id])
    expect(await compareBooks(shop.checkout)).toEqual([ours.id])
    expect(await uncompared()).toEqual([ours.id])
    expect(await shop.orderState(orderId)).toBe('completed')
    const file = path.resolve(import.meta.dirname, '../../../../db/invariants.sql')
    const broken = await checkInvariants(shop.db, await readInvariants(file), there.book())
    expect(broken).toMatchObject([
      { name: 'I5', rows: [{ order_id: ours.id, fault: 'it went back, and by which refund is not told' }] },
    ])

    payment.status = 'COMPLETED'
    await there.giveBack(captureId, 'reverse', status === 'REFUNDED' ? undefined : '1.86')
    await later(1)
    expect(await compareBooks(shop.checkout)).toEqual([])
    expect(await shop.orderState(orderId)).toBe(status === 'REFUNDED' ? 'refunded' : 'completed')
    expect(await shop.checkout.bell.subjects(shop.db, 'booksDiffer')).toEqual([])
    expect(await uncompared()).toEqual([])
  })
})

test('a payment that was said to have gone back, and has not, is as it was', async () => {
  const { orderId, captureId, ours } = await shop.paidOrder(2)
  const payment = shop.paypal.book.captures.get(captureId)!
  payment.status = 'REFUNDED'
  await compareBooks(shop.checkout)
  payment.status = 'COMPLETED'
  await later(1)
  expect(await compareBooks(shop.checkout)).toEqual([])
  expect(await shop.orderState(orderId)).toBe('completed')
  expect((await run('SELECT status FROM captures WHERE order_id = $1', [ours.id])).rows).toEqual([
    { status: 'COMPLETED' },
  ])
  expect(await shop.checkout.bell.subjects(shop.db, 'booksDiffer')).toEqual([])
})
