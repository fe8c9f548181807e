import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { sweepOrders } from '#features/payments/server/index.ts'
import { checkShopInvariants, watchForAlerts } from '#server/maintenance.ts'
import { openShop } from '../support/shop.ts'

const shop = await openShop({ env: { ALERT_EMAIL: 'operator@shop.test' } })
let staffToken: string

beforeAll(async () => {
  const staff = await shop.newCustomer()
  await run(`UPDATE users SET is_staff = true WHERE id = ${staff.id}`)
  staffToken = (await shop.sessionOf(staff))['access'] ?? ''
})

const run = (statement: string): Promise<unknown> => sql.raw(statement).execute(shop.db)
const watch = (): Promise<void> => watchForAlerts(shop.db, shop.checkout.alerts)

interface Listed {
  kind: string
  subject: string
  title: string
  details: Record<string, unknown>
  times: number
  resolved_at: string | null
}
const listed = async (): Promise<Listed[]> =>
  (await shop.withToken(staffToken, 'GET', '/api/staff/alerts/')).body as unknown as Listed[]
const open = async (kind: string): Promise<Listed[]> =>
  (await listed()).filter((one) => one.kind === kind && one.resolved_at === null)
const emailsTold = async (): Promise<string[]> =>
  (
    await shop.db
      .selectFrom('emails')
      .select('subject')
      .where('recipient', '=', 'operator@shop.test')
      .orderBy('queued_at')
      .execute()
  ).map(({ subject }) => subject)

const ourIdOf = async (providerId: string): Promise<string> => (await shop.orderOf(providerId)).id

test('alerts are for staff', async () => {
  const customer = await shop.newCustomer()
  expect((await shop.anonymous('GET', '/api/staff/alerts/')).status).toBe(401)
  expect(await customer.get('/api/staff/alerts/')).toMatchObject({
    status: 403,
    body: { code: 'auth.staffOnly', detail: 'This address is for staff only.' },
  })
  expect((await shop.withToken(staffToken, 'GET', '/api/staff/alerts/')).status).toBe(200)
})

test('another amount than ordered rings at once, is mailed once, and is over when the money is back', async () => {
  const before = (await emailsTold()).length
  const { customer, orderId } = await shop.approvedOrder(2, 'tampered@buyer.test')
  await customer.capture(orderId)
  const subject = await ourIdOf(orderId)
  const alert = (await listed()).find((one) => one.subject === subject)
  expect(alert).toMatchObject({ kind: 'wrongAmount', times: 1, details: { ordered_cents: 1186 } })
  expect(alert?.title).not.toMatch(/^mail\./)
  await sweepOrders(shop.checkout, 0)
  expect(await shop.orderState(orderId)).toBe('refunded')
  await watch()
  expect((await open('wrongAmount')).map((one) => one.subject)).not.toContain(subject)
  expect((await emailsTold()).slice(before)).toEqual([expect.stringContaining('autre montant')])
})

test('an order in review rings until somebody has decided, with one mail however often it is seen', async () => {
  const { customer, orderId } = await shop.approvedOrder(1)
  await customer.capture(orderId)
  const id = await ourIdOf(orderId)
  const before = (await emailsTold()).length
  await run(`UPDATE orders SET state = 'review' WHERE id = '${id}'`)
  await watch()
  await watch()
  expect(await open('orderInReview')).toEqual([expect.objectContaining({ subject: id, times: 2 })])
  expect(await emailsTold()).toHaveLength(before + 1)
  await run(`UPDATE orders SET state = 'completed' WHERE id = '${id}'`)
  await watch()
  expect(await open('orderInReview')).toEqual([])
  // The same matter again is a new alert.
  await run(`UPDATE orders SET state = 'review' WHERE id = '${id}'`)
  await watch()
  expect(await emailsTold()).toHaveLength(before + 2)
  await run(`UPDATE orders SET state = 'completed' WHERE id = '${id}'`)
  await watch()
})

test('a refund near its last day, notifications that wait, emails that do not leave', async () => {
  const { customer, orderId } = await shop.approvedOrder(1)
  await customer.capture(orderId)
  const id = await ourIdOf(orderId)
  const refund = async (days: number): Promise<unknown> => {
    await run(`DELETE FROM refunds WHERE order_id = '${id}'`)
    return run(`INSERT INTO refunds (capture_id, order_id, attempt, amount_cents, reason, created_at)
         SELECT capture_id, order_id, ${days}, 1, 'a_test', now() - interval '${days} days' FROM captures
         WHERE order_id = '${id}'`)
  }
  const notification = (minutes: number): Promise<unknown> =>
    run(`INSERT INTO webhook_inbox (event_id, event_type, payload, received_at)
         VALUES ('E${minutes}', 'TEST', '{}', now() - interval '${minutes} minutes')`)
  const mail = (state: string, minutes: number): Promise<unknown> =>
    run(`INSERT INTO emails (id, key, kind, recipient, language, subject, body_text, body_html, state, queued_at, closed_at)
         VALUES (gen_random_uuid(), '${state}:${minutes}', 'test', 'a@b.test', 'fr', 'x', 'x', 'x', '${state}',
                 now() - interval '${minutes} minutes',
                 ${state === 'queued' ? 'NULL' : `now() - interval '${minutes} minutes'`})`)
  await run(`UPDATE emails SET state = 'kept', closed_at = now() WHERE state = 'queued'`)

  await refund(9)
  await notification(9)
  await mail('queued', 29)
  await mail('failed', 8 * 24 * 60)
  await watch()
  for (const kind of ['refundLate', 'notificationsWaiting', 'emailsWaiting', 'emailsFailed'])
    expect(await open(kind)).toEqual([])

  await refund(11)
  await notification(11)
  await mail('queued', 31)
  await mail('failed', 6 * 24 * 60)
  await watch()
  expect(await open('refundLate')).toEqual([expect.objectContaining({ subject: id })])
  expect(await open('notificationsWaiting')).toMatchObject([{ details: { waiting: 1 } }])
  expect(await open('emailsWaiting')).toMatchObject([{ details: { oldest_minutes: 31 } }])
  expect(await open('emailsFailed')).toMatchObject([{ details: { last_week: 1 } }])

  await run(`DELETE FROM refunds WHERE order_id = '${id}'`)
  await run(`DELETE FROM webhook_inbox WHERE event_type = 'TEST'`)
  await run(`DELETE FROM emails WHERE kind = 'test'`)
  await watch()
  for (const kind of ['refundLate', 'notificationsWaiting', 'emailsWaiting', 'emailsFailed'])
    expect(await open(kind)).toEqual([])
})

test('an order that stays on its way back without a refund rings too', async () => {
  // A notification would have the money sent back before this test has looked.
  shop.paypal.faults.change({ missingWebhooks: 1 })
  const { customer, orderId } = await shop.approvedOrder(1)
  await customer.capture(orderId)
  const id = await ourIdOf(orderId)
  const backSince = (days: number): Promise<unknown> =>
    run(
      `UPDATE order_events SET at = now() - interval '${days} days' WHERE order_id = '${id}' AND to_state = 'refunding'`,
    )
  await run('DROP TRIGGER order_events_only_grow ON order_events')
  await run(`UPDATE orders SET state = 'refunding' WHERE id = '${id}'`)
  await run(`INSERT INTO order_events (order_id, from_state, to_state, reason)
             VALUES ('${id}', 'completed', 'refunding', 'a_test')`)
  await backSince(9)
  await watch()
  expect(await open('refundLate')).toEqual([])
  await backSince(11)
  await watch()
  expect(await open('refundLate')).toMatchObject([{ subject: id, details: { cents: 593 } }])
  await sweepOrders(shop.checkout, 0)
  await sweepOrders(shop.checkout, 0)
  expect(await shop.orderState(orderId)).toBe('refunded')
  await watch()
  expect(await open('refundLate')).toEqual([])
  shop.paypal.faults.change({ missingWebhooks: 0 })
})

test('the hourly check runs once for all processes, and a broken promise rings until it holds again', async () => {
  const check = (): Promise<boolean> => checkShopInvariants(shop.checkout, 60)
  const anHourLater = (): Promise<unknown> =>
    run(`UPDATE invariant_checks SET checked_at = checked_at - interval '61 minutes'`)
  const last = () =>
    shop.db.selectFrom('invariant_checks').selectAll().orderBy('id', 'desc').executeTakeFirstOrThrow()

  const turns = await Promise.all([check(), check(), check()])
  expect(turns.filter(Boolean)).toHaveLength(1)
  expect(await check()).toBe(false)
  expect(await last()).toMatchObject({ broken: [], unknown: [] })
  expect(await open('invariant')).toEqual([])

  const offerId = await shop.newOffer()
  await run(`UPDATE offers SET tickets_held = tickets_held + 1 WHERE id = ${offerId}`)
  await anHourLater()
  expect(await check()).toBe(true)
  expect(await last()).toMatchObject({ broken: ['I1'] })
  expect(await open('invariant')).toMatchObject([
    { subject: 'I1', details: { count: 1, rows: [{ offer_id: offerId, tickets_held: 1 }] } },
  ])

  await run(`UPDATE offers SET tickets_held = tickets_held - 1 WHERE id = ${offerId}`)
  await anHourLater()
  expect(await check()).toBe(true)
  expect(await open('invariant')).toEqual([])
})

test('a check without an answer of the provider leaves I5 open, neither right nor wrong', async () => {
  await run('DELETE FROM invariant_checks')
  const silent = {
    ...shop.checkout.provider,
    readOrder: () => Promise.reject(new Error('not here')),
  }
  expect(await checkShopInvariants({ ...shop.checkout, provider: silent }, 60)).toBe(true)
  const { rows } = await sql`SELECT broken, unknown FROM invariant_checks`.execute(shop.db)
  expect(rows).toEqual([{ broken: [], unknown: ['I5'] }])
})

test('what two checks in a row could not ask rings, until one can', async () => {
  await run('DELETE FROM invariant_checks')
  const subjectsAfter = async (unknown: string): Promise<string[]> => {
    await run(`INSERT INTO invariant_checks (took_ms, broken, unknown) VALUES (1, '{}', '${unknown}')`)
    await watch()
    return (await open('promisesUnchecked')).map((one) => one.subject)
  }
  expect(await subjectsAfter('{I5}')).toEqual([])
  expect(await subjectsAfter('{I5}')).toEqual(['I5'])
  expect(await subjectsAfter('{}')).toEqual([])
  expect(await subjectsAfter('{I5}')).toEqual([])
})

test('promises that nobody has checked for two hours ring, but not in a shop that has just started', async () => {
  const subjectsAfter = async (hoursUp: number): Promise<string[]> => {
    await watchForAlerts(shop.db, shop.checkout.alerts, hoursUp * 3600)
    return (await open('promisesUnchecked')).map((one) => one.subject)
  }
  await run(`UPDATE invariant_checks SET checked_at = now() - interval '119 minutes', unknown = '{}'`)
  expect(await subjectsAfter(3)).toEqual([])
  await run(`UPDATE invariant_checks SET checked_at = now() - interval '121 minutes'`)
  expect(await subjectsAfter(1)).toEqual([])
  expect(await subjectsAfter(3)).toEqual([''])
  await run('DELETE FROM invariant_checks')
  expect(await subjectsAfter(3)).toEqual([''])
  expect(await checkShopInvariants(shop.checkout, 60)).toBe(true)
  expect(await subjectsAfter(3)).toEqual([])
})
