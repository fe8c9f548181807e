import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { createPasswords } from '#features/accounts/server/index.ts'
import { reconcileLedger } from '#features/payments/server/index.ts'
import { verifyAuditLog } from '#platform/audit-log.ts'
import { checkInvariants } from '#platform/invariants.ts'
import { shopInvariants, watchForAlerts } from '#server/maintenance.ts'
import { providerSide } from '../../../../test/support/provider-side.ts'
import { openShop } from '../../../../test/support/shop.ts'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { loadDemo } from './load-demo.ts'

const shop = await openShop()
const dataDir = temporaryFolder('volant-history-', 'file')
const passwords = createPasswords({ memoryKiB: 8, passes: 1, parallelism: 1, concurrent: 4, waiting: 100 })
const load = () => loadDemo({ db: shop.db, passwords, dataDir, now: new Date(), history: shop.config })
await load()
const payments = JSON.parse(await readFile(path.join(dataDir, 'demo-payments.json'), 'utf8')) as {
  orders: object[]
}
const tell = async (): Promise<unknown> =>
  (
    await fetch(`${shop.paypal.url}/_emulator/history`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(payments),
    })
  ).json()

const counts = async (): Promise<Record<string, number>> =>
  (
    await shop.pool.query(`SELECT (SELECT count(*)::int FROM orders) AS orders,
      (SELECT count(*)::int FROM tickets) AS tickets, (SELECT count(*)::int FROM users) AS users,
      (SELECT count(*)::int FROM postal_entries) AS cards, (SELECT count(*)::int FROM messages) AS messages`)
  ).rows[0]

test('the provider learns the payments once, the ledgers agree to the cent, and every invariant holds', async () => {
  expect(await tell()).toEqual({ added: payments.orders.length })
  expect(await tell()).toEqual({ added: 0 })
  const book = providerSide(shop).book()
  expect(await checkInvariants(shop.db, await shopInvariants(), book)).toEqual([])
  const { rows } = await shop.pool.query<{ state: string; orders: number }>(
    'SELECT state, count(*)::int AS orders FROM orders GROUP BY state',
  )
  const states = Object.fromEntries(rows.map(({ state, orders }) => [state, orders]))
  expect(states).toMatchObject({ review: 1, refunded: 16 })
  expect(states['completed']).toBeGreaterThan(400)
  expect(states['expired']).toBeGreaterThan(10)
  expect(states['cancelled']).toBeGreaterThan(5)
})

test('loading it again changes nothing', async () => {
  const before = await counts()
  await load()
  expect(await counts()).toEqual(before)
})

test('a pass over both ledgers finds no difference, and the open alerts are those of the story', async () => {
  await shop.pool.query('UPDATE ledger_reconciliation SET ended_at = NULL, after_order = NULL')
  expect([await reconcileLedger(shop.checkout), await reconcileLedger(shop.checkout)]).toEqual([[], []])
  await watchForAlerts(shop.db, shop.checkout.alerts)
  const { rows } = await shop.pool.query('SELECT kind FROM alerts WHERE resolved_at IS NULL ORDER BY kind')
  expect(rows.map(({ kind }) => kind)).toEqual(['messageLate', 'orderInReview', 'vatCountryDiffers'])
})

test('every list of the console has rows, and the chain of the audit log is whole', async () => {
  const owner = await shop.newStaff('owner')
  const rowsOf = async (call: string): Promise<unknown[]> => {
    const { status, body } = await owner.get(`/api/staff/${call}`)
    expect([call, status]).toEqual([call, 200])
    return (Array.isArray(body) ? body : (body['items'] ?? body['contests'])) as unknown[]
  }
  for (const call of [
    'orders/',
    'orders/?state=review',
    'orders/?state=refunded',
    'customers/',
    'customers/?state=suspended',
    'messages/?state=open',
    'messages/?state=answered',
    'messages/?state=closed',
    'post/entries/',
    'post/entries/?status=refused',
    'post/entries/?letter=waiting',
    'alerts/',
    'approvals/',
    'audit/',
    'offers/',
    'people/',
  ])
    expect((await rowsOf(call)).length, call).toBeGreaterThan(0)
  const { body } = await owner.get('/api/staff/today/')
  expect(body['needs']).toMatchObject({ approvals: 1, review: 1 })
  expect(body['days'].filter(({ orders }: { orders: number }) => orders > 0).length).toBeGreaterThan(12)
  expect(await verifyAuditLog(shop.db)).toMatchObject({ brokenAt: null })
})

test('a second person approves the refund that waits, and the order in review is refunded', async () => {
  const owner = await shop.newStaff('owner')
  const { body } = await owner.get('/api/staff/approvals/')
  const waiting = body.find((one: { decision: string | null }) => one.decision === null)
  await owner.post('/api/staff/session/step-up/', { permission: 'orders.refund', password: owner.password })
  expect((await owner.post(`/api/staff/approvals/${waiting.id}/approve/`)).status).toBe(200)
  const review = await owner.get('/api/staff/orders/?state=review')
  const { id, total } = review.body['items'][0]
  await owner.post(`/api/staff/orders/${id}/reconcile/`)
  const refund = await owner.post(`/api/staff/orders/${id}/refund/`, {
    reason: 'Trop tard',
    reason_code: 'error',
    expected_left: total,
  })
  expect([refund.status, refund.body['state']]).toEqual([200, 'refunded'])
  expect(await checkInvariants(shop.db, await shopInvariants(), providerSide(shop).book())).toEqual([])
})
