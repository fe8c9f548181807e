import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openPaymentShop } from '#features/purchase/payments/server/payments.test-support.ts'
import type { Trx } from '#platform/database.ts'
import { ProviderUnknown } from '#platform/payment/payment-provider.ts'
import { cents } from '#shared/money.ts'
import { closeGate, waitBehind } from '../../../../../test/support/races.ts'
import { withoutLock } from '../../../../../test/support/statements.ts'
import { type ExternalRefund, ledgerRepository, ledgerWrites } from './ledger.repository.ts'

/** Writes to the ledger of refunds: under the order's lock, and within the database's constraints. */
const lab = await openPaymentShop()
const { shop, atProvider, withProvider, reconcileOrder, refundByStaff, refundsOf, locked, requestRefund } =
  lab

test('Concurrent requests create one refund', async () => {
  const { captureId, ours } = await shop.paidOrder(2)
  await Promise.all(Array.from({ length: 5 }, () => requestRefund(ours.id, captureId, 1186)))
  expect(await refundsOf(ours.id)).toEqual(['shop requested 1186'])
  expect(await ledgerRepository(shop.db).balances(ours.id)).toMatchObject([{ refunded: 1186, returned: 0 }])
})

const LOCKED_ORDER = /select \* from "orders" where "id" = \$1 for update/

/** Imports a refund while a request for another part is being written. @returns cents counted as refunded */
async function requestAndImport(): Promise<number> {
  const { captureId, ours } = await shop.paidOrder(2)
  const [isWritten, importWaits] = [Promise.withResolvers<number>(), Promise.withResolvers<void>()]
  const requested = locked(ours.id, async (trx) => {
    await ledgerWrites(trx).requestRefund(ours.id, {
      captureId,
      amount: cents(300),
      reason: 'offer_cancelled',
    })
    const { rows } = await sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`.execute(trx)
    isWritten.resolve(rows[0]!.pid)
    await importWaits.promise
  })
  const pid = await isWritten.promise
  const refund: ExternalRefund = { id: `R-${captureId}`, captureId, amount: 200, status: 'completed' }
  const imported = locked(ours.id, (trx) => ledgerWrites(trx).importRefunds(ours.id, [refund]))
  await waitBehind(shop.pool, pid, 1)
  importWaits.resolve()
  await Promise.all([requested, imported])
  const [capture] = await ledgerRepository(shop.db).captures(ours.id)
  return capture?.refunded_cents ?? 0
}

test('The lock on an order counts a request and a concurrent import; without it one of them is lost', async () => {
  expect(await requestAndImport()).toBe(500)
  expect(await withoutLock(LOCKED_ORDER, requestAndImport)).toBe(200)
})

type Paid = Awaited<ReturnType<typeof shop.paidOrder>>
const noResponse = () => Promise.reject(new ProviderUnknown('the connection broke'))

test.each<[string, (paid: Paid) => Promise<unknown>]>([
  ['A refund made at the provider', ({ captureId }) => atProvider.giveBack(captureId, 'refund', '1.00')],
  [
    'The outcome of our refund',
    ({ orderId }) => refundByStaff(orderId, withProvider({ refund: noResponse })),
  ],
])('%s is stored behind the lock of its order', async (_, prepare) => {
  const paid = await shop.paidOrder(2)
  await prepare(paid)
  // Rows that only refer to the order do not wait for this lock.
  const row = `SELECT 1 FROM orders WHERE id = '${paid.ours.id}' FOR NO KEY UPDATE`
  const gate = await closeGate(shop.url, row)
  const reconciled = reconcileOrder(paid.orderId)
  await gate.waiting(1)
  const isFree = await gate.gets(`SELECT 1 FROM captures WHERE order_id = '${paid.ours.id}' FOR UPDATE`)
  await gate.open()
  await reconciled
  expect(isFree).toBe(true)
})

test('The outcome of a refund is stored once', async () => {
  const { captureId, ours } = await shop.paidOrder(2)
  await requestRefund(ours.id, captureId, 100)
  const open = (await ledgerRepository(shop.db).openRefund(ours.id))!
  const store = (status: Status, id: string | null) =>
    locked(ours.id, (trx) => ledgerWrites(trx).recordOutcome(open, status, id))
  expect(await store('completed', 'R-ONCE')).toBe(true)
  expect(await store('failed', null)).toBe(false)
  expect(await refundsOf(ours.id)).toEqual(['shop completed 100'])
})

type Status = ExternalRefund['status']

test.each<[Status, Status, Status]>([
  ['pending', 'completed', 'completed'],
  ['completed', 'pending', 'completed'],
  ['completed', 'failed', 'failed'],
  ['failed', 'pending', 'failed'],
  ['failed', 'completed', 'failed'],
])('An imported refund that was %s and is reported as %s is stored as %s', async (before, now, stored) => {
  const [{ captureId, ours }, other] = [await shop.paidOrder(2), await shop.paidOrder(2)]
  const refund = { id: `R-${captureId}`, captureId, amount: 100 }
  const report = (orderId: string, status: Status) =>
    locked(orderId, (trx) => ledgerWrites(trx).importRefunds(orderId, [{ ...refund, status }]))
  await report(ours.id, before)
  await report(ours.id, now)
  expect(await refundsOf(ours.id)).toEqual([`provider ${stored} 100`])
  // The same refund in a response about another order stays with the first.
  expect(await report(other.ours.id, 'completed')).toEqual([])
  expect(await refundsOf(other.ours.id)).toEqual([])
})

/** Does what a constraint refuses, then again without the constraint, and rolls both back. */
async function withAndWithout(table: string, constraint: string, act: (trx: Trx) => Promise<unknown>) {
  const refused = shop.db.transaction().execute(act)
  await expect(refused).rejects.toMatchObject({ constraint })
  const rollback = new Error('rollback')
  let seen: unknown
  const accepted = shop.db.transaction().execute(async (trx) => {
    await sql`ALTER TABLE ${sql.table(table)} DROP CONSTRAINT ${sql.ref(constraint)}`.execute(trx)
    seen = await act(trx)
    throw rollback
  })
  await expect(accepted).rejects.toBe(rollback)
  return seen
}

test('Without its constraint a capture is refunded twice', async () => {
  const { captureId, ours } = await shop.paidOrder(2)
  const twice = async (trx: Trx) => {
    const refund = { id: 'R-1', captureId, amount: 1186, status: 'completed' as const }
    await ledgerWrites(trx).importRefunds(ours.id, [refund])
    await ledgerWrites(trx).requestRefund(ours.id, {
      captureId,
      amount: cents(1186),
      reason: 'staff_request',
    })
    return ledgerRepository(trx).balances(ours.id)
  }
  const balances = [{ captured: 1186, returned: 1186, refunded: 2372 }]
  expect(await withAndWithout('captures', 'captures_never_refunded_twice', twice)).toMatchObject(balances)
})

test('Without its constraint one refund of the provider is stored twice', async () => {
  const { captureId, ours } = await shop.paidOrder(2)
  const twice = sql`
    INSERT INTO refunds (capture_id, order_id, attempt, amount_cents, reason, origin, refund_id)
    SELECT ${captureId}, ${ours.id}, NULL, 100, 'x', 'provider', 'R-SAME' FROM generate_series(1, 2)`
  const result = await withAndWithout('refunds', 'refunds_refund_id_key', (trx) => twice.execute(trx))
  expect(result).toMatchObject({ numAffectedRows: 2n })
})
