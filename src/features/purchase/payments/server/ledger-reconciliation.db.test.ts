import { beforeEach, describe, expect, test } from 'vitest'
import { withCircuitBreaker } from '#platform/payment/circuit-breaker.ts'
import { type ProviderOrder, ProviderRefused, ProviderUnknown } from '#platform/payment/payment-provider.ts'
import { providerLedger, reconcileLedger } from './ledger-reconciliation.ts'
import type { NotificationDeps } from './notifications.ts'
import { openPaymentShop } from './payments.test-support.ts'

const lab = await openPaymentShop()
const { shop, atProvider, provider, run, setOrder, withProvider, withResponses, sweep, runJobs, payAgain } =
  lab
const { reconcileOrder, captureAt, alertsOf, resultOf, breaches } = lab

// Orders of an earlier test are not reconciled again.
beforeEach(async () => {
  await run('UPDATE orders SET capture_started_at = NULL, reconciled_at = now()')
  await run('DELETE FROM unreconciled_orders')
  await run('UPDATE ledger_reconciliation SET after_order = NULL, ended_at = NULL')
})

/** A cancelled order whose capture request reached the provider after all. */
async function cancelledButPaid() {
  const { customer, orderId } = await shop.approvedOrder(1)
  const { id } = await shop.orderOf(orderId)
  await setOrder(orderId, 'capture_started_at = now(), capture_attempt = 2')
  await customer.post('/api/paypal/cancel-order/', { order_id: orderId })
  await provider.captureOrder(orderId, `${id}:cap:1`)
  return { orderId, id }
}

const unreconciled = async (): Promise<string[]> =>
  (await run('SELECT order_id FROM unreconciled_orders')).map((row) => row.order_id)
const progress = async () =>
  (await run('SELECT after_order, ended_at IS NOT NULL AS ended FROM ledger_reconciliation'))[0]
/** Lets so many hours of the pause before the next attempt pass. */
const pass = (hours: number) =>
  run(`UPDATE unreconciled_orders
       SET since = since - interval '${hours} hours', tried_at = tried_at - interval '${hours} hours'`)
/** The shop with a provider that responds about some orders in another way. */
const responding = (orderIds: readonly string[], respond: typeof provider.readOrder): NotificationDeps =>
  withProvider({ readOrder: (id) => (orderIds.includes(id) ? respond(id) : provider.readOrder(id)) })
const broken = () => Promise.reject(new ProviderUnknown('the connection broke'))
const notFound = () => Promise.reject(new ProviderRefused('not_found'))

test('A refund without a notification is found by the daily reconciliation', async () => {
  const { orderId, captureId } = await shop.paidOrder(1)
  await atProvider.giveBack(captureId, 'refund')
  await run(`UPDATE ledger_reconciliation SET started_at = now() - interval '23 hours', ended_at = now()`)
  await reconcileLedger(shop.checkout)
  expect(await shop.orderState(orderId)).toBe('completed')
  await run(`UPDATE ledger_reconciliation SET started_at = now() - interval '25 hours'`)
  expect(await reconcileLedger(shop.checkout)).toEqual([])
  expect(await shop.orderState(orderId)).toBe('refunded')
})

describe('An order that cannot be reconciled', () => {
  const anotherOrder = async (id: string) => ({ ...(await provider.readOrder(id)), id: 'ANOTHER' })
  const noAmount = async (id: string) => {
    const response = await provider.readOrder(id)
    return { ...response, captures: response.captures.map((one) => ({ ...one, money: undefined })) }
  }

  test.each<[string, typeof provider.readOrder]>([
    ['responds with a fault', broken],
    ['refuses to respond', () => Promise.reject(new ProviderRefused('other'))],
    ['responds about another order', anotherOrder],
    ['names no amount', noAmount],
  ])('because the provider %s is retried, delays no other, and raises an alert', async (_, response) => {
    const [bad, good] = [await cancelledButPaid(), await cancelledButPaid()]
    const [badPaid, last] = [await shop.paidOrder(1), await shop.paidOrder(1)]
    const ids = [bad.id, badPaid.ours.id].toSorted()
    const deps = responding([bad.orderId, badPaid.orderId], response)

    await sweep(deps)
    expect(await shop.orderState(good.orderId)).toBe('completed')
    expect(await unreconciled()).toEqual([bad.id])
    expect((await shop.orderOf(bad.orderId)).reconciled_at).toBeNull()
    expect((await reconcileLedger(deps)).toSorted()).toEqual(ids)
    expect(await progress()).toEqual({ after_order: last.ours.id, ended: true })
    expect((await unreconciled()).toSorted()).toEqual(ids)

    await pass(7)
    await reconcileLedger(deps)
    for (const id of ids) expect(await alertsOf(id)).toEqual(['orderUnreconciled'])
    await pass(1)
    expect(await reconcileLedger(shop.checkout)).toEqual([])
    for (const id of ids) expect(await alertsOf(id)).toEqual([])
    expect(await unreconciled()).toEqual([])
    expect(await shop.orderState(bad.orderId)).toBe('completed')
  })

  test('because the provider does not know it is tried again for a day after the capture request', async () => {
    const { id, orderId } = await cancelledButPaid()
    const deps = responding([orderId], notFound)
    const sweepAfter = async (hours: number) => {
      await setOrder(orderId, `capture_started_at = now() - interval '${hours} hours'`)
      await sweep(deps)
      return (await shop.orderOf(orderId)).reconciled_at
    }
    expect(await sweepAfter(23)).toBeNull()
    expect(await unreconciled()).toEqual([id])
    await pass(7)
    expect(await alertsOf(id)).toEqual(['orderUnreconciled'])
    expect(await sweepAfter(25)).not.toBeNull()
    expect(await unreconciled()).toEqual([])
  })

  test('because the provider is unavailable is not counted, and all are reconciled once it responds', async () => {
    const orders: string[] = []
    for (let order = 0; order < 12; order += 1) orders.push((await cancelledButPaid()).orderId)
    const deps = withProvider({ readOrder: broken })
    deps.provider = withCircuitBreaker(deps.provider)
    for (let time = 0; time < 5; time += 1) {
      await sweep(deps)
      await reconcileLedger(deps)
    }
    // The circuit breaker opens after eight calls.
    expect((await unreconciled()).length).toBeLessThanOrEqual(8)
    expect((await progress())?.ended).toBe(false)
    for (const orderId of orders) expect((await shop.orderOf(orderId)).reconciled_at).toBeNull()
    await pass(1)
    await reconcileLedger(shop.checkout)
    await sweep()
    for (const orderId of orders) expect(await shop.orderState(orderId)).toBe('completed')
    expect(await unreconciled()).toEqual([])
    expect((await progress())?.ended).toBe(true)
  })
})

test('A reconciliation that does not end within two days raises an alert', async () => {
  const { ours } = await shop.paidOrder(1)
  await run(`UPDATE orders SET created_at = now() - interval '49 hours' WHERE id = $1`, [ours.id])
  const alertsAfter = async (hours: number) => {
    await run('UPDATE ledger_reconciliation SET started_at = now() - make_interval(hours => $1)', [hours])
    return alertsOf('')
  }
  expect(await alertsAfter(47)).toEqual([])
  expect(await alertsAfter(49)).toEqual(['reconciliationLate'])
  // All orders are reconciled; only the end of the round is missing.
  await run('UPDATE ledger_reconciliation SET after_order = $1', [ours.id])
  expect(await alertsAfter(49)).toEqual([])
  await reconcileLedger(shop.checkout)
  expect(await alertsAfter(49)).toEqual(['reconciliationLate'])
  await reconcileLedger(shop.checkout)
  expect(await alertsOf('')).toEqual([])
})

test('A paid order that the provider does not know differs and raises an alert', async () => {
  const { ours, orderId } = await shop.paidOrder(1)
  shop.paypal.book.remove('order', orderId)
  expect(await reconcileLedger(shop.checkout)).toEqual([ours.id])
  const alerts = await run(`SELECT kind, details FROM alerts WHERE subject = $1`, [ours.id])
  expect(alerts).toEqual([
    { kind: 'ledgerDiffers', details: { ours_cents: ours.total_cents, theirs_cents: 0 } },
  ])
})

test.each([
  ['refunded in full', 'REFUNDED', undefined, 'refunded', 'refunded 1186'],
  ['refunded in part', 'PARTIALLY_REFUNDED', '1.86', 'completed', 'partially_refunded 1186'],
  ['not refunded after all', 'REFUNDED', null, 'completed', 'completed 1186'],
] as const)('An unlisted refund raises an alert until it is %s', async (_, status, value, state, stored) => {
  const { orderId, captureId, ours } = await shop.paidOrder(2)
  captureAt(orderId).status = status
  await reconcileOrder(orderId)
  expect(await unreconciled()).toEqual([ours.id])
  expect(await reconcileLedger(shop.checkout)).toEqual([ours.id])
  expect(await unreconciled()).toEqual([ours.id])
  expect(await resultOf(orderId)).toMatchObject({ state: 'completed', alerts: ['ledgerDiffers'] })
  const rows = expect.arrayContaining([expect.objectContaining({ order_id: ours.id })])
  expect(await breaches()).toContainEqual(expect.objectContaining({ name: 'I5', rows }))

  captureAt(orderId).status = 'COMPLETED'
  if (value !== null) await atProvider.giveBack(captureId, 'reverse', value)
  await pass(1)
  expect(await reconcileLedger(shop.checkout)).toEqual([])
  expect(await resultOf(orderId)).toMatchObject({ state, captures: [stored], alerts: [] })
  expect(await unreconciled()).toEqual([])
})

test('The provider’s ledger counts a refund for its capture, or for the only one that took money', async () => {
  const { orderId, captureId: first } = await shop.paidOrder(2)
  const second = payAgain(orderId)
  await runJobs()
  const refundedBy = async (change: (response: ProviderOrder) => ProviderOrder) => {
    const { provider: changed } = withResponses((response) =>
      response.id === orderId ? change(response) : response,
    )
    const { captures } = await providerLedger(shop.db, changed, { hours: 1, most: 100 })
    const ours = captures.filter((one) => one.provider_order_id === orderId)
    return Object.fromEntries(ours.map((one) => [one.capture_id, one.refunded_cents]))
  }
  const unassigned = (response: ProviderOrder): ProviderOrder => {
    return { ...response, refunds: response.refunds.map((one) => ({ ...one, captureId: undefined })) }
  }
  expect(await refundedBy((response) => response)).toEqual({ [first]: 0, [second]: 1186 })
  // Of two captures nobody can tell which: both are reported.
  expect(await refundedBy(unassigned)).toEqual({ [first]: -1, [second]: -1 })
  const withDecline = await refundedBy((response) => ({
    ...unassigned(response),
    captures: response.captures.map((one) => (one.id === first ? { ...one, status: 'declined' } : one)),
  }))
  expect(withDecline).toEqual({ [first]: 0, [second]: 1186 })
})
