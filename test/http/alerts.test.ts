import { expect, test } from 'vitest'
import { ALERT_REASONS } from '#features/alerts/alerts.rules.ts'
import { ORDER_EVENTS } from '#features/purchase/orders/order-machine.rules.ts'
import { orderWrites } from '#features/purchase/orders/server/index.ts'
import { transact } from '#platform/transaction.ts'
import { recoverPayments } from '#features/purchase/payments/server/index.ts'
import { checkShopInvariants, watchForAlerts } from '#server/maintenance.ts'
import { openShop } from '../support/shop.ts'

const shop = await openShop({ env: { ALERT_EMAIL: 'operator@shop.test' } })
// A notification would refund an order before a test has looked.
shop.paypal.faults.change({ missingWebhooks: 1 })

const run = (statement: string) => shop.pool.query(statement)
const sender = shop.alertSender()
const watch = async (secondsUp?: number): Promise<void> => {
  await watchForAlerts(shop.db, shop.checkout.alerts, secondsUp)
  await sender.send()
}

const staff = await shop.newStaff('support')

interface Alert {
  id: number
  order_number: string | null
  kind: string
  subject: string
  title: string
  details: Record<string, unknown>
  times: number
  resolved_at: string | null
  taken: { by_id: number; note: string | null } | null
  closed_by: string | null
}
const LIST = '/api/staff/alerts/'
const listed = async (): Promise<Alert[]> => (await staff.get(`${LIST}?limit=200`)).body['items'] as Alert[]
const open = async (kind: string): Promise<Alert[]> =>
  (await listed()).filter((one) => one.kind === kind && one.resolved_at === null)
/** The alert emails since a position, the oldest first. */
const alertEmails = async (from = 0): Promise<{ subject: string; body_text: string }[]> =>
  (await run(`SELECT * FROM emails WHERE recipient = 'operator@shop.test' ORDER BY queued_at`)).rows.slice(
    from,
  )

test('another amount than ordered raises an alert with one email, until the money is refunded', async () => {
  const before = (await alertEmails()).length
  const { customer, orderId } = await shop.approvedOrder(2, 'tampered@buyer.test')
  await customer.capture(orderId)
  const { id } = await shop.orderOf(orderId)
  const alert = (await listed()).find(({ subject }) => subject === id)
  expect(alert).toMatchObject({
    kind: 'wrongAmount',
    order_number: expect.stringMatching(/^[\dA-Z]{4}-[\dA-Z]{4}$/),
    times: 1,
    details: { ordered_cents: 1186, taken_cents: expect.any(Number) },
  })
  expect(alert?.title).not.toMatch(/^emails\./)
  await sender.send()
  await recoverPayments(shop.checkout, 0)
  expect(await shop.orderState(orderId)).toBe('refunded')
  await watch()
  expect(await open('wrongAmount')).toEqual([])
  const subject = expect.stringContaining('autre montant')
  // Sums have words and a currency.
  const body_text = expect.stringMatching(/Commandé\s: 11,86\s€[^]*Débité\s: [\d,]+\s€/)
  const over = expect.stringContaining('terminé')
  expect(await alertEmails(before)).toMatchObject([{ subject, body_text }, { subject: over }])
})

type Approval = Parameters<typeof shop.paypal.approve>[3]
test.each<[string, string | null, string | null, Approval, string, boolean]>([
  ['pays from the billing country', 'BE', 'BE', {}, 'BE', false],
  ['has an account in another country', 'FR', 'FR', { country: 'FR' }, 'BE', true],
  ['pays by a bank of another country', 'FR', 'BE', { country: 'FR', funding: 'bancontact' }, 'FR', true],
  ['has an account whose country is not told', null, null, { country: null }, 'BE', false],
  ['is told of by the bank only', null, 'BE', { country: null, funding: 'bancontact' }, 'BE', false],
])('a buyer who %s gets the tickets; staff see countries %s and %s', async (...row) => {
  const [, payer_country, funding_country, approval, country, differs] = row
  const customer = await shop.newCustomer()
  await customer.add(await shop.newOffer(), 1)
  const orderId = (await customer.create(country)).body['order_id'] as string
  await shop.paypal.approve(orderId, 'buyer@buyer.test', 'default', approval)
  expect((await customer.capture(orderId)).status).toBe(200)
  await watch()
  const { body } = await staff.get(`/api/staff/orders/${orderId}/`)
  expect(body).toMatchObject({ state: 'completed', country, payer_country, funding_country })
  const raised = { subject: body['id'], details: { country, payer_country, funding_country } }
  const found = (await open('vatCountryDiffers')).filter(({ subject }) => subject === body['id'])
  expect(found).toMatchObject(differs ? [raised] : [])
  await run(`UPDATE orders SET state_changed_at = now() - interval '8 days' WHERE id = '${body['id']}'`)
  await watch()
  expect(await open('vatCountryDiffers')).toEqual([])
})

test('every reason for which an order comes to review has words', () => {
  const toReview = Object.values(ORDER_EVENTS).filter(({ to }) => to === 'review')
  expect(new Set(toReview.flatMap(({ reasons }) => [...reasons]))).toEqual(new Set(ALERT_REASONS))
})

test('an order in review raises one alert with one email until staff decide, and a new one when it returns', async () => {
  const { id } = (await shop.paidOrder(1)).ours
  const before = (await alertEmails()).length
  const watchIn = async (state: string) => {
    await run(`UPDATE orders SET state = '${state}' WHERE id = '${id}'`)
    await watch()
    await watch()
    const subjects = (await alertEmails(before)).map(({ subject }) => subject)
    const over = subjects.filter((subject) => subject.includes('terminé')).length
    return [await open('orderInReview'), subjects.length - over, over]
  }
  const raised = [expect.objectContaining({ subject: id, times: 2 })]
  expect(await watchIn('review')).toEqual([raised, 1, 0])
  expect(await watchIn('completed')).toEqual([[], 1, 1])
  expect(await watchIn('review')).toEqual([raised, 2, 1])
  expect(await watchIn('completed')).toEqual([[], 2, 2])
})

test('old refunds, waiting notifications, and queued or failed emails raise alerts after their limits', async () => {
  const { id } = (await shop.paidOrder(1)).ours
  const ago = (minutes: number): string => `now() - interval '${minutes} minutes'`
  const DAY = 24 * 60
  const stored = async (refundAge: number, notificationAge: number, queuedAge: number, failedAge: number) => {
    await run(`DELETE FROM refunds WHERE order_id = '${id}';
      DELETE FROM webhook_inbox WHERE event_type = 'TEST';
      DELETE FROM emails WHERE kind = 'test';
      INSERT INTO refunds (capture_id, order_id, attempt, amount_cents, reason, created_at)
        SELECT capture_id, order_id, 1, 1, 'a_test', ${ago(refundAge)} FROM captures WHERE order_id = '${id}';
      INSERT INTO webhook_inbox (event_id, event_type, payload, received_at)
        VALUES ('E', 'TEST', '{}', ${ago(notificationAge)});
      INSERT INTO emails (id, key, kind, recipient, language, subject, body_text, body_html, state, queued_at, closed_at)
        SELECT gen_random_uuid(), state, 'test', 'a@b.test', 'fr', 'x', 'x', 'x', state, at,
               CASE WHEN state = 'failed' THEN at END
        FROM (VALUES ('queued', ${ago(queuedAge)}), ('failed', ${ago(failedAge)})) AS v (state, at)`)
    await watch()
    const kinds = ['refundLate', 'notificationsWaiting', 'emailsWaiting', 'emailsFailed']
    const found = await Promise.all(kinds.map(open))
    return found.map((alerts) => alerts.map(({ subject, details }) => ({ subject, details })))
  }
  await run(`UPDATE emails SET state = 'kept', closed_at = now() WHERE state = 'queued'`)

  expect(await stored(9 * DAY, 9, 29, 8 * DAY)).toEqual([[], [], [], []])
  expect(await stored(11 * DAY, 11, 31, 6 * DAY)).toMatchObject([
    [{ subject: id }],
    [{ details: { waiting: 1 } }],
    [{ details: { oldest_minutes: 31 } }],
    [{ details: { last_week: 1 } }],
  ])
  expect(await stored(1, 1, 1, 8 * DAY)).toEqual([[], [], [], []])
  // Staff cannot hasten a refund that was made at the provider.
  const age = `created_at = ${ago(11 * DAY)}`
  const lateFrom = async (origin: string) => {
    await run(`UPDATE refunds SET origin = '${origin}', attempt = ${origin === 'shop' ? 1 : 'NULL'},
      refund_id = 'R-late', ${age} WHERE order_id = '${id}'`)
    await watch()
    return (await open('refundLate')).map(({ subject }) => subject)
  }
  expect(await lateFrom('provider')).toEqual([])
  expect(await lateFrom('shop')).toEqual([id])
  await run(`DELETE FROM refunds WHERE order_id = '${id}'`)
})

test('an order that stays in refunding without a refund raises an alert until it is refunded', async () => {
  const { orderId, ours } = await shop.paidOrder(1)
  await run(`DROP TRIGGER order_events_only_grow ON order_events;
    UPDATE orders SET state = 'refunding' WHERE id = '${ours.id}';
    INSERT INTO order_events (order_id, from_state, to_state, reason)
      VALUES ('${ours.id}', 'completed', 'refunding', 'a_test')`)
  const alertsAfter = async (days: number) => {
    await run(`UPDATE order_events SET at = now() - interval '${days} days'
               WHERE order_id = '${ours.id}' AND to_state = 'refunding'`)
    await watch()
    return open('refundLate')
  }
  expect(await alertsAfter(9)).toEqual([])
  expect(await alertsAfter(11)).toMatchObject([{ subject: ours.id, details: { cents: 593 } }])
  await recoverPayments(shop.checkout, 0)
  await recoverPayments(shop.checkout, 0)
  expect(await shop.orderState(orderId)).toBe('refunded')
  expect(await alertsAfter(11)).toEqual([])
})

const check = (): Promise<boolean> => checkShopInvariants(shop.checkout, 60)
const lastCheck = async () => (await run('SELECT * FROM invariant_checks ORDER BY id DESC')).rows[0]

test('the hourly check runs once for all processes, and a violation raises an alert until it is gone', async () => {
  const checkAfterHour = async () => {
    await run(`UPDATE invariant_checks SET checked_at = checked_at - interval '61 minutes'`)
    expect(await check()).toBe(true)
    return lastCheck()
  }
  const turns = await Promise.all([check(), check(), check()])
  expect(turns.filter(Boolean)).toHaveLength(1)
  expect(await check()).toBe(false)
  expect(await lastCheck()).toMatchObject({ broken: [], unknown: [] })
  expect(await open('invariant')).toEqual([])

  const offerId = await shop.newOffer()
  await run(`UPDATE offers SET tickets_held = tickets_held + 1 WHERE id = ${offerId}`)
  expect(await checkAfterHour()).toMatchObject({ broken: ['I1'] })
  expect(await open('invariant')).toMatchObject([
    { subject: 'I1', details: { count: 1, rows: [{ offer_id: offerId, tickets_held: 1 }] } },
  ])
  await run(`UPDATE offers SET tickets_held = tickets_held - 1 WHERE id = ${offerId}`)
  expect(await checkAfterHour()).toMatchObject({ broken: [] })
  expect(await open('invariant')).toEqual([])
})

test('a check without a response of the provider leaves I5 unknown', async () => {
  await run('DELETE FROM invariant_checks')
  const provider = {
    ...shop.checkout.provider,
    readOrder: () => Promise.reject(new Error('no connection')),
  }
  expect(await checkShopInvariants({ ...shop.checkout, provider }, 60)).toBe(true)
  expect(await lastCheck()).toMatchObject({ broken: [], unknown: ['I5'] })
})

test('an invariant that two consecutive checks could not verify raises an alert until one can', async () => {
  await run('DELETE FROM invariant_checks')
  const subjects: string[][] = []
  for (const unknown of ['{I5}', '{I5}', '{}', '{I5}']) {
    await run(`INSERT INTO invariant_checks (took_ms, broken, unknown) VALUES (1, '{}', '${unknown}')`)
    await watch()
    subjects.push((await open('invariantsUnchecked')).map(({ subject }) => subject))
  }
  expect(subjects).toEqual([[], ['I5'], [], []])
})

test('two hours without a check raise an alert, except in a shop that has just started', async () => {
  const subjectsAfter = async (hoursUp: number) => {
    await watch(hoursUp * 3600)
    return (await open('invariantsUnchecked')).map(({ subject }) => subject)
  }
  await run(`UPDATE invariant_checks SET checked_at = now() - interval '119 minutes', unknown = '{}'`)
  expect(await subjectsAfter(3)).toEqual([])
  await run(`UPDATE invariant_checks SET checked_at = now() - interval '121 minutes'`)
  expect([await subjectsAfter(1), await subjectsAfter(3)]).toEqual([[], ['']])
  await run('DELETE FROM invariant_checks')
  expect(await subjectsAfter(3)).toEqual([''])
  expect(await check()).toBe(true)
  expect(await subjectsAfter(3)).toEqual([])
})

/** An alert of a kind, raised as the shop does. */
async function raised(kind: 'ledgerDiffers' | 'jobMissing', subject: string): Promise<number> {
  await shop.checkout.alerts.raise(shop.db, { kind, subject })
  return (await run(`SELECT max(id) AS id FROM alerts WHERE subject = '${subject}'`)).rows[0].id
}
const audited = async (id: number) =>
  (
    await run(
      `SELECT entry::jsonb - 'at_ms' AS entry FROM audit_log WHERE subject_kind = 'alert' AND subject = '${id}' ORDER BY id`,
    )
  ).rows.map(({ entry }) => entry)

test('the list goes on page by page, open alerts first', async () => {
  for (const name of ['one', 'two', 'three']) await raised('jobMissing', `paged ${name}`)
  await run(`UPDATE alerts SET resolved_at = now() WHERE subject = 'paged two'`)
  const all = (await listed()).map(({ id }) => id)
  const paged: number[] = []
  for (let after = ''; ;) {
    const { body } = await staff.get(`${LIST}?limit=2${after}`)
    paged.push(...(body['items'] as Alert[]).map(({ id }) => id))
    if (body['next'] === null) break
    after = `&after=${String(body['next'])}`
  }
  expect(paged).toEqual(all)
  const isOver = (await listed()).map(({ resolved_at: at }) => at !== null)
  expect(isOver).toEqual(isOver.toSorted((one, other) => Number(one) - Number(other)))
})

test('the list has one kind, or a few of each kind, so that many of one hide no other', async () => {
  for (let at = 1; at <= 7; at += 1) await raised('ledgerDiffers', `many ${at}`)
  const asked = async (query: string) => {
    const { status, body } = await staff.get(`${LIST}?${query}`)
    const items = (body['items'] ?? []) as Alert[]
    const isOpen = items.filter(({ resolved_at: at }) => at === null)
    return {
      status,
      body,
      kinds: new Set(isOpen.map(({ kind }) => kind)),
      subjects: isOpen.map(({ subject }) => subject),
    }
  }
  const few = await asked('each=3&limit=200')
  expect(few.subjects.filter((subject) => subject.startsWith('many'))).toEqual(['many 7', 'many 6', 'many 5'])
  expect(few.body['open']['ledgerDiffers']).toBeGreaterThanOrEqual(7)
  expect(few.kinds).toEqual(
    new Set((await listed()).filter((one) => one.resolved_at === null).map(({ kind }) => kind)),
  )
  const [{ id }] = (await run(`SELECT id FROM alerts WHERE subject = 'many 1'`)).rows
  const among = await asked(`each=3&with=${id}&limit=200`)
  expect(among.subjects.filter((subject) => subject.startsWith('many'))).toEqual([
    'many 7',
    'many 6',
    'many 5',
    'many 1',
  ])
  const one = await asked('kind=ledgerDiffers&limit=200')
  expect([...one.kinds]).toEqual(['ledgerDiffers'])
  expect(one.subjects.filter((subject) => subject.startsWith('many'))).toHaveLength(7)
  expect((await asked('kind=nothing')).status).toBe(400)
  await shop.checkout.alerts.settle(shop.db, 'ledgerDiffers', [])
})

test('somebody looks after an alert, with a note, gives it over or leaves it; each change is audited without the note', async () => {
  const id = await raised('jobMissing', 'a job that is taken')
  const other = await shop.newStaff('manager')
  const mine = await staff.post(`${LIST}${id}/take/`, { note: '  Called Anna. ' })
  expect(mine.status).toBe(200)
  expect(mine.body['taken']).toMatchObject({ by_id: staff.id, note: 'Called Anna.' })
  // Whoever takes it over says from whom.
  for (const seen of [{}, { taken_by: other.id }])
    expect(await other.post(`${LIST}${id}/take/`, seen)).toMatchObject({
      status: 409,
      body: { code: 'alerts.takenMeanwhile', detail: expect.stringContaining(staff.name) },
    })
  const kept = await listed()
  expect(kept.find((one) => one.subject === 'a job that is taken')?.taken?.note).toBe('Called Anna.')
  const theirs = await other.post(`${LIST}${id}/take/`, { taken_by: staff.id })
  expect(theirs.body['taken']).toMatchObject({ by_id: other.id, note: null })
  // It is found again while somebody looks after it.
  await raised('jobMissing', 'a job that is taken')
  expect((await listed()).find((one) => one.subject === 'a job that is taken')).toMatchObject({
    times: 2,
    taken: { by_id: other.id },
  })
  expect((await staff.post(`${LIST}${id}/release/`)).body['code']).toBe('alerts.takenMeanwhile')
  expect((await other.post(`${LIST}${id}/release/`)).body['taken']).toBeNull()
  expect((await other.post(`${LIST}${id}/take/`, { taken_by: staff.id })).body['code']).toBe(
    'alerts.leftMeanwhile',
  )
  const entries = await audited(id)
  expect(entries).toMatchObject([
    { action: 'alerts.take', actor_id: staff.id, before: { taken_by: null }, after: { taken_by: staff.id } },
    {
      action: 'alerts.take',
      actor_id: other.id,
      before: { taken_by: staff.id },
      after: { taken_by: other.id },
    },
    { action: 'alerts.release', before: { taken_by: other.id }, after: { taken_by: null } },
  ])
  expect(JSON.stringify(entries)).not.toContain('Anna')
  expect((await staff.post(`${LIST}${id}/take/`, { note: 'x'.repeat(501) })).status).toBe(400)
})

test('an alert that the shop does not resolve itself is closed by hand once, and the same matter opens a new one', async () => {
  await sender.send()
  const before = (await alertEmails()).length
  const id = await raised('ledgerDiffers', 'an order that differs')
  await sender.send()
  const close = (body: object) => staff.post(`${LIST}${id}/close/`, body)
  expect((await close({ reason: ' ' })).status).toBe(400)
  const closed = await Promise.all([close({ reason: 'Refunded at PayPal' }), close({ reason: 'Twice' })])
  expect(closed.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409])
  expect(await open('ledgerDiffers')).toEqual([])
  const [row] = (await listed()).filter(({ subject }) => subject === 'an order that differs')
  expect(row).toMatchObject({ resolved_at: expect.any(String), closed_by: expect.stringMatching(/./) })
  expect(await audited(id)).toMatchObject([
    { action: 'alerts.close', after: { kind: 'ledgerDiffers', subject: 'an order that differs' } },
  ])
  expect(row?.taken?.note).toMatch(/^(?:Refunded at PayPal|Twice)$/)
  expect(JSON.stringify(await audited(id))).not.toMatch(/PayPal|Twice/)
  expect((await staff.post(`${LIST}${id}/take/`, {})).body['code']).toBe('alerts.over')

  const next = await raised('ledgerDiffers', 'an order that differs')
  expect(next).toBeGreaterThan(id)
  expect(await open('ledgerDiffers')).toMatchObject([{ times: 1, taken: null, closed_by: null }])
  await sender.send()
  const told = (await alertEmails(before)).filter(({ subject }) => subject.includes('PayPal diffèrent'))
  // The first one, its successor; who closed the first one knows that it is over.
  expect(told.length).toBe(2)
  await shop.checkout.alerts.clear(shop.db, 'ledgerDiffers', 'an order that differs')
})

test('an alert that the shop resolves itself is not closed by hand', async () => {
  const id = await raised('jobMissing', 'a job that stays away')
  const { status, body } = await staff.post(`${LIST}${id}/close/`, { reason: 'Seen' })
  expect([status, body['code']]).toEqual([409, 'alerts.closesItself'])
  expect(await open('jobMissing')).toContainEqual(
    expect.objectContaining({ subject: 'a job that stays away' }),
  )
  await shop.checkout.alerts.settle(shop.db, 'jobMissing', [])
  expect((await staff.post(`${LIST}999999999/take/`, {})).status).toBe(404)
  const accountant = await shop.newStaff('accountant')
  expect((await accountant.post(`${LIST}${id}/take/`, {})).status).toBe(403)
})

test('the email about an order in review says the reason in words', async () => {
  const { id } = (await shop.paidOrder(1)).ours
  await transact(shop.db, (trx) => orderWrites(trx).move(id, 'sendToReview', 'nothing_was_taken'))
  await watch()
  expect((await alertEmails()).at(-1)?.body_text).toContain('PayPal indique qu’aucun montant n’a été débité')
})
