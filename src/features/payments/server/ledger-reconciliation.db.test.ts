import path from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { checkInvariants, readInvariants } from '#platform/invariants.ts'
import { providerSide } from '../../../../test/support/provider-side.ts'
import { type TestShop, testShop } from '../../../../test/support/shop.ts'
import { withCircuitBreaker } from '#platform/payment/circuit-breaker.ts'
import { ProviderUnknown } from '#platform/payment/payment-provider.ts'
import { type PayPalClient, PayPalRefused } from '#platform/payment/paypal/paypal-client.ts'
import { reconcileLedger } from './ledger-reconciliation.ts'
import type { NotificationDeps } from './notifications.ts'
import { watchPayments } from './payment-alerts.repository.ts'
import { reconcile } from './reconcile.ts'
import { sweepOrders } from './sweep.ts'
import { paypalProvider } from '#platform/payment/paypal/paypal-provider.ts'

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
  await shop.client.captureOrder(orderId, `${id}:cap:1`)
  return { orderId, id }
}

/** A checkout whose provider answers questions about orders its own way; undefined leaves the answer as it is. */
function asking(answer: (id: string) => ReturnType<PayPalClient['getOrder']> | undefined): NotificationDeps {
  const paypal = shop.client
  return {
    ...shop.checkout,
    provider: paypalProvider({ ...paypal, getOrder: (id) => answer(id) ?? paypal.getOrder(id) }),
  }
}

const uncompared = async (): Promise<string[]> =>
  (await run('SELECT order_id FROM unreconciled_orders ORDER BY order_id')).rows.map((row) => row.order_id)
const walk = async () =>
  (await run('SELECT after_order, ended_at IS NOT NULL AS ended FROM ledger_reconciliation')).rows[0]
/** Lets the pause before those that could not be compared are asked about again go by. */
const later = (hours: number) =>
  run(
    `UPDATE unreconciled_orders SET since = since - make_interval(hours => $1), tried_at = tried_at - make_interval(hours => $1)`,
    [hours],
  )

const FAULTS: [string, () => Error][] = [
  ['answers with 500', () => new ProviderUnknown('GET answered 500')],
  ['refuses to tell', () => new PayPalRefused(403, { name: 'NOT_AUTHORIZED' })],
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
    expect((await shop.orderOf(bad.orderId)).reconciled_at).toBeNull()
    expect((await reconcileLedger(deps)).toSorted()).toEqual([bad.id, ours.id].toSorted())
    expect(await walk()).toEqual({ after_order: last.id, ended: true })
    expect(await uncompared()).toEqual([bad.id, ours.id].toSorted())

    await later(7)
    await reconcileLedger(deps)
    await watchPayments(shop.db, deps.alerts)
    expect((await deps.alerts.subjects(shop.db, 'orderUnreconciled')).toSorted()).toEqual(
      [bad.id, ours.id].toSorted(),
    )
    await later(1)
    expect(await reconcileLedger(shop.checkout)).toEqual([])
    await watchPayments(shop.db, deps.alerts)
    expect(await deps.alerts.subjects(shop.db, 'orderUnreconciled')).toEqual([])
    expect(await uncompared()).toEqual([])
    expect(await shop.orderState(bad.orderId)).toBe('completed')
  })
})

test('an order that was given up is not known to the provider at first: it is asked about again, and rings', async () => {
  const { id, orderId } = await givenUpButPaid()
  const deps = asking(() => Promise.reject(new PayPalRefused(404, { name: 'RESOURCE_NOT_FOUND' })))
  await sweepOrders(deps, 0)
  expect(await uncompared()).toEqual([id])
  expect((await shop.orderOf(orderId)).reconciled_at).toBeNull()
  await later(7)
  await watchPayments(shop.db, deps.alerts)
  expect(await deps.alerts.subjects(shop.db, 'orderUnreconciled')).toEqual([id])
  await sweepOrders(shop.checkout, 0)
  expect(await shop.orderState(orderId)).toBe('completed')
  expect(await uncompared()).toEqual([])
})

test('an order that stays unknown for a day after its capture was asked for is believed to be', async () => {
  const { id, orderId } = await givenUpButPaid()
  const deps = asking(() => Promise.reject(new PayPalRefused(404, { name: 'RESOURCE_NOT_FOUND' })))
  const askedAgo = (hours: number) =>
    run('UPDATE orders SET capture_started_at = now() - make_interval(hours => $2) WHERE id = $1', [
      id,
      hours,
    ])
  await askedAgo(23)
  await sweepOrders(deps, 0)
  expect((await shop.orderOf(orderId)).reconciled_at).toBeNull()
  await askedAgo(25)
  await later(1)
  await sweepOrders(deps, 0)
  expect((await shop.orderOf(orderId)).reconciled_at).not.toBeNull()
  expect(await uncompared()).toEqual([])
})

test('an amount that cannot be read is no difference: the order is asked about again', async () => {
  const { orderId, ours } = await shop.paidOrder(1)
  const deps = asking((id) =>
    id === orderId
      ? shop.client.getOrder(id).then((told) => {
          told.purchase_units![0]!.payments!.captures![0]!.amount!.value = 'NaN'
          return told
        })
      : undefined,
  )
  await reconcileLedger(deps)
  expect(await uncompared()).toEqual([ours.id])
  expect(await deps.alerts.subjects(shop.db, 'ledgerDiffers')).toEqual([])
})

test('while the provider is away nothing counts as looked at, and all is compared once it is back', async () => {
  const given = []
  for (let orders = 0; orders < 12; orders += 1) given.push(await givenUpButPaid())
  const away = asking(() => Promise.reject(new ProviderUnknown('the line broke')))
  const deps = { ...away, provider: withCircuitBreaker(away.provider) }
  for (let turn = 0; turn < 5; turn += 1) {
    await sweepOrders(deps, 0)
    await reconcileLedger(deps)
  }
  // Until it was left alone, some were asked about in vain.
  expect((await uncompared()).length).toBeLessThanOrEqual(8)
  expect((await walk()).ended).toBe(false)
  const { rows } = await run('SELECT id FROM orders WHERE reconciled_at IS NOT NULL')
  expect(rows).toEqual([])
  await later(1)
  await reconcileLedger(shop.checkout)
  await sweepOrders(shop.checkout, 0)
  for (const { orderId } of given) expect(await shop.orderState(orderId)).toBe('completed')
  expect(await uncompared()).toEqual([])
  expect((await walk()).ended).toBe(true)
})

test('a walk that does not come to its end within two days rings', async () => {
  const { ours } = await shop.paidOrder(1)
  await run(`UPDATE orders SET created_at = now() - interval '49 hours' WHERE id = $1`, [ours.id])
  const ringsAfter = async (hours: number): Promise<boolean> => {
    await run('UPDATE ledger_reconciliation SET started_at = now() - make_interval(hours => $1)', [hours])
    await watchPayments(shop.db, shop.checkout.alerts)
    return (await shop.checkout.alerts.subjects(shop.db, 'reconciliationLate')).length > 0
  }
  expect(await ringsAfter(47)).toBe(false)
  expect(await ringsAfter(49)).toBe(true)
  // Nothing is left to compare: the walk only has to be called to its end.
  await run('UPDATE ledger_reconciliation SET after_order = $1', [ours.id])
  expect(await ringsAfter(49)).toBe(false)
  await reconcileLedger(shop.checkout)
  expect(await ringsAfter(49)).toBe(true)
  await reconcileLedger(shop.checkout)
  await watchPayments(shop.db, shop.checkout.alerts)
  expect(await shop.checkout.alerts.subjects(shop.db, 'reconciliationLate')).toEqual([])
})

test('a paid order that the provider does not know differs, and rings', async () => {
  const { ours, orderId } = await shop.paidOrder(1)
  shop.paypal.book.remove('order', orderId)
  expect(await reconcileLedger(shop.checkout)).toEqual([ours.id])
  const { rows } = await run(`SELECT subject, details FROM alerts WHERE kind = 'ledgerDiffers'`)
  expect(rows).toEqual([{ subject: ours.id, details: { ours: ours.total_cents, theirs: 0 } }])
})

describe.each(['REFUNDED', 'PARTIALLY_REFUNDED'] as const)('a payment that is said to be %s', (status) => {
  test('without the refunds that did it rings at once and is asked about again until they are told', async () => {
    const { orderId, captureId, ours } = await shop.paidOrder(2)
    const there = providerSide(shop)
    const payment = shop.paypal.book.captures.get(captureId)!
    payment.status = status
    await reconcile(shop.checkout, ours.id, { closedToo: true })
    expect(await shop.checkout.alerts.subjects(shop.db, 'ledgerDiffers')).toEqual([ours.id])
    expect(await uncompared()).toEqual([ours.id])
    expect(await reconcileLedger(shop.checkout)).toEqual([ours.id])
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
    expect(await reconcileLedger(shop.checkout)).toEqual([])
    expect(await shop.orderState(orderId)).toBe(status === 'REFUNDED' ? 'refunded' : 'completed')
    expect(await shop.checkout.alerts.subjects(shop.db, 'ledgerDiffers')).toEqual([])
    expect(await uncompared()).toEqual([])
  })
})

test('a payment that was said to have gone back, and has not, is as it was', async () => {
  const { orderId, captureId, ours } = await shop.paidOrder(2)
  const payment = shop.paypal.book.captures.get(captureId)!
  payment.status = 'REFUNDED'
  await reconcileLedger(shop.checkout)
  payment.status = 'COMPLETED'
  await later(1)
  expect(await reconcileLedger(shop.checkout)).toEqual([])
  expect(await shop.orderState(orderId)).toBe('completed')
  expect((await run('SELECT status FROM captures WHERE order_id = $1', [ours.id])).rows).toEqual([
    { status: 'completed' },
  ])
  expect(await shop.checkout.alerts.subjects(shop.db, 'ledgerDiffers')).toEqual([])
})
