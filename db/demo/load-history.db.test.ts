import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { createPasswords } from '#features/accounts/server/index.ts'
import { logKeyOf, noteCancellation } from '#features/draws/server/index.ts'
import { reconcileLedger, recoverPayments } from '#features/purchase/payments/server/index.ts'
import { verifyAuditLog } from '#platform/audit-log.ts'
import { checkInvariants } from '#platform/invariants.ts'
import { shopInvariants, watchForAlerts } from '#server/maintenance.ts'
import { providerSide } from '../../test/support/provider-side.ts'
import { openShop } from '../../test/support/shop.ts'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { demoContests } from './contests.ts'
import { loadDemo } from './load-demo.ts'
import { planHistory } from './load-history.ts'

const shop = await openShop()
const dataDir = temporaryFolder('volant-history-', 'file')
const passwords = createPasswords({ memoryKiB: 8, passes: 1, parallelism: 1, concurrent: 4, waiting: 100 })
const load = () =>
  loadDemo({
    db: shop.db,
    passwords,
    dataDir,
    now: new Date(),
    drawRoomMinutes: 3,
    history: {
      ...shop.config,
      noteCancellation: (trx, offerId) =>
        noteCancellation(trx, { key: logKeyOf('5e'.repeat(32)), host: 'shop.example' }, offerId),
    },
  })
await load()
const payments = JSON.parse(await readFile(path.join(dataDir, 'demo-payments.json'), 'utf8')) as {
  orders: object[]
}
const sendPayments = async (): Promise<unknown> =>
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
  expect(await sendPayments()).toEqual({ added: payments.orders.length })
  expect(await sendPayments()).toEqual({ added: 0 })
  const book = providerSide(shop).book()
  expect(await checkInvariants(shop.db, await shopInvariants(), book)).toEqual([])
  const { rows } = await shop.pool.query<{ state: string; orders: number }>(
    'SELECT state, count(*)::int AS orders FROM orders GROUP BY state',
  )
  const states = Object.fromEntries(rows.map(({ state, orders }) => [state, orders]))
  expect(states).toMatchObject({ review: 1, refunded: 17, pending: 1 })
  expect(states['completed']).toBeGreaterThan(400)
  expect(states['expired']).toBeGreaterThan(10)
  expect(states['cancelled']).toBeGreaterThan(5)
})

test('the cancelled contest stands in the register of draws', async () => {
  const { rows } = await shop.pool.query('SELECT leaf FROM draw_leaves')
  expect(rows).toEqual([{ leaf: 'volant-cancel-v1\tlumo-e-et-un-an-de-recharge\tshop' }])
})

test('loading it again changes nothing', async () => {
  const before = await counts()
  await load()
  expect(await counts()).toEqual(before)
})

test('accounts are numbered in the order of their registration, and nobody acts before it', async () => {
  const { rows } = await shop.pool.query<{ id: number; created_at: Date; kind: string; first: Date | null }>(`
    SELECT id, created_at, CASE WHEN is_staff THEN 'staff' ELSE 'customer' END AS kind, (
      SELECT min(at) FROM (
        SELECT created_at FROM orders WHERE user_id = u.id
        UNION ALL SELECT registered_at FROM postal_entries WHERE registered_by = u.id
        UNION ALL SELECT requested_at FROM approvals WHERE u.id IN (requested_by, decided_by)
        UNION ALL SELECT answered_at FROM message_answers WHERE answered_by = u.id
      ) AS acts (at)
    ) AS first FROM users u WHERE email NOT LIKE '%@example.test' ORDER BY id`)
  expect(rows.filter(({ kind }) => kind === 'staff')).toHaveLength(3)
  const dates = rows.map(({ created_at }) => +created_at)
  expect(dates).toEqual(dates.toSorted((one, other) => one - other))
  expect(rows.filter(({ created_at, first }) => first && first < created_at)).toEqual([])
  const idle = rows.filter(({ kind, first }) => kind === 'customer' && first === null)
  const days = idle.map(({ created_at }) => created_at.toISOString().slice(0, 10))
  expect(new Set(days).size).toBeGreaterThan(idle.length / 3)
})

test('a suspended customer has bought, and does nothing after the suspension', async () => {
  const { rows } = await shop.pool.query(`
    SELECT u.created_at < s.suspended_at AS registered_before,
      (SELECT count(*)::int FROM orders WHERE user_id = u.id) AS orders,
      (SELECT count(*)::int FROM order_events e JOIN orders o ON o.id = e.order_id
       WHERE o.user_id = u.id AND e.at > s.suspended_at)
      + (SELECT count(*)::int FROM messages WHERE user_id = u.id AND received_at > s.suspended_at) AS later
    FROM account_suspensions s JOIN users u ON u.id = s.user_id WHERE NOT u.is_active`)
  expect(rows).toEqual([{ registered_before: true, orders: expect.toSatisfy((n) => n > 0), later: 0 }])
  for (let hour = 0; hour < 24 * 7; hour += 5) {
    const now = new Date(Date.UTC(2026, 9, 20, hour))
    const { suspended, orders } = planHistory(demoContests(now), now, 'Europe/Brussels')
    const theirs = orders.filter(({ buyer }) => buyer === suspended)
    expect(theirs.length).toBeGreaterThan(0)
    expect(theirs.filter(({ at }) => +now - +at < 3.4 * 24 * 3_600_000)).toEqual([])
  }
})

test('one statement is imported: its fees are known, and one payment at its edge differs', async () => {
  const owner = await shop.newStaff('owner')
  const { body } = await owner.get('/api/staff/reports/statements/')
  expect(body['items']).toHaveLength(1)
  const { id, from, to } = body['items'][0]
  const statement = (await owner.get(`/api/staff/reports/statements/${id}/`)).body
  expect(statement['items']).toMatchObject([{ difference: 'missing_there', entry: 'payment', theirs: null }])
  // As the report of the same days has it.
  const report = (await owner.get(`/api/staff/reports/sales/?from=${from}&to=${to}`)).body
  const { rows } = await shop.pool.query(`SELECT sum(fee_cents)::int AS fees, count(fee_cents)::int AS known,
    count(*)::int AS captures FROM captures`)
  const [sum] = statement['sums']
  expect(sum).toMatchObject({ kind: 'payment', count: rows[0].known, fee: (-rows[0].fees / 100).toFixed(2) })
  expect(rows[0].captures).toBeGreaterThan(rows[0].known)
  expect(JSON.stringify(report)).toContain((rows[0].fees / 100).toFixed(2))
})

test('the email about refunded tickets names each of them', async () => {
  const { rows } = await shop.pool.query<{ body_text: string; subject: string; numbers: number[] }>(`
    SELECT e.body_text, e.subject, (
      SELECT array_agg(t.number) FROM tickets t WHERE t.order_id = r.order_id AND t.status = 'void'
    ) AS numbers
    FROM refunds r JOIN emails e ON e.key = 'refund:' || r.order_id || ':part:' || r.id WHERE r.part = 'lines'`)
  expect(rows).toHaveLength(1)
  const { body_text, numbers } = rows[0] ?? { body_text: '', numbers: [] }
  expect(numbers).toHaveLength(4)
  for (const number of numbers) expect(body_text).toContain(String(number))
  expect(body_text).toMatch(/\b4 (?:billets|tickets|loten)/)
})

test('the audit log tells of the story as the calls of staff do', async () => {
  const { rows } = await shop.pool.query<{ entry: string }>('SELECT entry FROM audit_log ORDER BY id')
  const entries = rows.map(({ entry }) => JSON.parse(entry))
  const of = (action: string, actor: string) =>
    entries.filter((one) => one.action === action && one.actor === actor)
  // Words about a buyer are in the refund and in the request (ADR 0047).
  const refund = { before: { state: 'completed' }, reason: null }
  expect(of('orders.refund', 'system')).toMatchObject([
    {
      ...refund,
      after: { kind: 'whole', left: '0.00', approval: expect.any(Number), requested_by: expect.any(Number) },
    },
  ])
  expect(of('orders.refund', 'helene')).toMatchObject([
    { ...refund, after: { kind: 'whole' } },
    { ...refund, after: { kind: 'lines', tickets: [{ quantity: 4 }] } },
  ])
  expect(of('orders.refund', 'equipe')).toMatchObject([
    { ...refund, after: { kind: 'whole' } },
    { ...refund, after: { kind: 'amount', amount: '5.00' } },
  ])
  expect(of('offers.cancel', 'system')).toMatchObject([
    { after: { approval: expect.any(Number) }, reason: expect.any(String) },
  ])
  const asked = of('approvals.ask', 'helene')
  for (const one of asked) expect(one).toMatchObject({ after: { preview: { amount: expect.any(String) } } })
  expect(asked.map((one) => `${one.subject_kind} ${typeof one.reason}`).toSorted()).toEqual([
    'offer string',
    'order object',
    'order object',
  ])
  expect(of('approvals.approved', 'equipe')).toHaveLength(2)
  expect(of('customers.suspend', 'equipe')).toMatchObject([
    { before: { state: 'active' }, after: { state: 'suspended', reason: 'multiple_accounts' } },
  ])
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

test('the customer has paid, was refunded, and gets tickets once the payment that is examined is released', async () => {
  const own = `u.email = 'client@volant.example'`
  const orders = async (): Promise<Record<string, string>[]> =>
    (
      await shop.pool.query(`
        SELECT o.state, l.quantity, c.status, c.capture_id,
          (SELECT count(*)::int FROM tickets t WHERE t.order_id = o.id AND t.status = 'valid') AS valid
        FROM orders o JOIN users u ON u.id = o.user_id JOIN order_lines l ON l.order_id = o.id
          JOIN captures c ON c.order_id = o.id
        WHERE ${own} ORDER BY o.created_at`)
    ).rows
  const refunded = { state: 'refunded', quantity: 3, status: 'refunded', valid: 0 }
  const paid = { state: 'completed', quantity: 5, status: 'completed', valid: 5 }
  const before = await orders()
  expect(before).toMatchObject([
    refunded,
    paid,
    { state: 'pending', quantity: 2, status: 'pending', valid: 0 },
  ])
  const { rows: cart } = await shop.pool.query(`
    SELECT f.slug, i.quantity, i.answer IS NOT DISTINCT FROM f.correct_choice AS right FROM cart_items i
    JOIN carts c ON c.id = i.cart_id JOIN users u ON u.id = c.user_id JOIN offers f ON f.id = i.offer_id WHERE ${own}`)
  expect(cart).toEqual([{ slug: 'un-week-end-a-la-mer-en-solane-spider', quantity: 2, right: true }])

  // No job asks the provider at once, which may not know it yet.
  await recoverPayments(shop.checkout, 0)
  expect(await orders()).toEqual(before)
  await shop.pool.query(`UPDATE orders SET checked_at = created_at WHERE state = 'pending'`)
  await providerSide(shop).act(before[2]?.['capture_id'], 'release')
  await recoverPayments(shop.checkout, 0)
  expect(await orders()).toMatchObject([refunded, paid, { ...paid, quantity: 2, valid: 2 }])
  expect(await checkInvariants(shop.db, await shopInvariants(), providerSide(shop).book())).toEqual([])
})
