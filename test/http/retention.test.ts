import { expect, test } from 'vitest'
import { applyRetention } from '#server/maintenance.ts'
import { openShop } from '../support/shop.ts'

const lines: Record<string, unknown>[] = []
const shop = await openShop({
  env: {
    KEEP_EMAIL_DAYS: '30',
    KEEP_MESSAGE_MONTHS: '12',
    KEEP_NOTIFICATION_DAYS: '20',
    KEEP_ORDER_YEARS: '6',
  },
  logLine: (line) => lines.push(line),
})

const erase = () => applyRetention(shop.db, shop.checkout.log, shop.config)
const rows = async (statement: string) => (await shop.pool.query(statement)).rows
const daysAgo = (days: number | null): string => (days === null ? 'NULL' : `now() - interval '${days} days'`)

test('texts and addresses of old emails are erased; young and waiting emails stay', async () => {
  const email = (key: string, state: string, days: number) =>
    rows(`INSERT INTO emails (id, key, kind, recipient, reply_to, language, subject, body_text, body_html, attachments,
                            secret_link, state, last_error, queued_at, closed_at)
         VALUES (gen_random_uuid(), '${key}', 'contact', 'ann@person.test', 'bob@person.test', 'fr', 'Ann asks', 'Ann',
                 'Ann', '[{"kind":"x","ref":"ann"}]', '{"kind":"x","ref":"ann"}', '${state}', 'ann@person.test refused',
                 ${daysAgo(days)}, ${daysAgo(state === 'queued' ? null : days)})`)
  await email('young', 'sent', 29)
  await email('waiting', 'queued', 40)
  for (const state of ['sent', 'kept', 'failed']) await email(`old ${state}`, state, 31)
  await email('old unwritten', 'sent', 31)
  await rows(`UPDATE emails SET body_text = '', body_html = '', body_ref = '{"kind":"x","ref":"ann"}'
              WHERE key = 'old unwritten'`)
  expect(await erase()).toMatchObject({ emails: 4 })

  const left = `(to_jsonb(emails) - 'key')::text`
  const personal = await rows(`SELECT key FROM emails WHERE ${left} ~* 'ann|bob' ORDER BY key`)
  expect(personal).toEqual([{ key: 'waiting' }, { key: 'young' }])
  expect(await rows('SELECT 1 FROM emails')).toHaveLength(6)
  expect(await erase()).toMatchObject({ emails: 0 })
})

test('messages are deleted a year after the last answer, with their answers', async () => {
  const staff = await shop.newStaff('support')
  const message = async (name: string, handled: string | null, received: string) => {
    const id = crypto.randomUUID()
    await shop.pool.query(
      `INSERT INTO messages (id, name, email, message, language, received_at, state, handled_at, handled_by)
       VALUES ($1, $2, 'ann@person.test', 'Ann asks', 'fr', now() - $3::interval, $4, now() - $5::interval, $6)`,
      [id, name, received, handled ? 'answered' : 'open', handled, handled ? staff.id : null],
    )
    await shop.pool.query(
      `INSERT INTO message_answers (id, message_id, template, language, subject, text, answered_by)
       VALUES (gen_random_uuid(), $1, 'own', 'fr', 'Ann', 'Ann', $2)`,
      [id, staff.id],
    )
  }
  await message('old', '12 months 1 hour', '30 months')
  await message('young', '12 months -1 hour', '30 months')
  await message('old and open', null, '12 months 1 hour')
  await message('young and open', null, '12 months -1 hour')
  expect(await erase()).toMatchObject({ messages: 2 })
  expect(await rows('SELECT name FROM messages ORDER BY name')).toEqual([
    { name: 'young' },
    { name: 'young and open' },
  ])
  expect(await rows('SELECT 1 FROM message_answers')).toHaveLength(2)
})

test('payloads of old notifications are erased; their ids and unhandled notifications stay', async () => {
  for (const [id, handled] of [
    ['old', 21],
    ['young', 19],
    ['unhandled', null],
  ] as const)
    await rows(`INSERT INTO webhook_inbox (event_id, event_type, payload, received_at, handled_at)
                VALUES ('${id}', 'TEST', '{"payer": "ann@person.test"}', ${daysAgo(100)}, ${daysAgo(handled)})`)
  expect(await erase()).toMatchObject({ notifications: 1 })
  expect(
    await rows(
      `SELECT event_id FROM webhook_inbox WHERE event_type = 'TEST' ORDER BY payload = '{}', event_id`,
    ),
  ).toEqual([{ event_id: 'unhandled' }, { event_id: 'young' }, { event_id: 'old' }])
})

test('old orders and their tickets lose their buyer; counters and amounts stay', async () => {
  const bought = async (createdAt: string) => {
    const { customer, orderId, offerId, ours } = await shop.paidOrder(2)
    await rows(`UPDATE order_lines SET answer = 'mine' WHERE order_id = '${ours.id}'`)
    await rows(`UPDATE orders SET created_at = ${createdAt} WHERE id = '${ours.id}'`)
    await rows(`INSERT INTO refunds (capture_id, order_id, amount_cents, status, reason, note)
                SELECT capture_id, order_id, 10, 'failed', 'staff_request', 'Ann' FROM captures WHERE order_id = '${ours.id}'`)
    return { customer, orderId, offerId }
  }
  // The first moment that is kept, and the last that is not.
  const boundary = `date_trunc('year', now()) - interval '6 years'`
  const young = await bought(boundary)
  const old = await bought(`${boundary} - interval '1 second'`)
  const inReview = await bought(`now() - interval '20 years'`)
  await rows(`UPDATE orders SET state = 'review' WHERE provider_order_id = '${inReview.orderId}'`)
  expect(await erase()).toMatchObject({ orders: 1 })

  const stored = (orderId: string) =>
    rows(`SELECT u.email, u.is_active, l.answer, o.payer_country, o.funding_country, o.total_cents, count(t.id)::int AS tickets, min(h.email) AS holder
          FROM orders o JOIN users u ON u.id = o.user_id JOIN order_lines l ON l.order_id = o.id
          JOIN tickets t ON t.order_id = o.id JOIN users h ON h.id = t.user_id
          WHERE o.provider_order_id = '${orderId}' GROUP BY 1, 2, 3, 4, 5, 6`)
  const row = (email: string, is_active: boolean, answer: string | null, payer_country: string | null) => [
    {
      email,
      is_active,
      answer,
      payer_country,
      funding_country: payer_country,
      total_cents: 1186,
      tickets: 2,
      holder: email,
    },
  ]
  expect(await stored(old.orderId)).toEqual(row('erased@erased.invalid', false, null, null))
  expect(await rows(`SELECT 1 FROM refunds WHERE note IS NOT NULL`)).toHaveLength(2)
  for (const { orderId, customer } of [young, inReview])
    expect(await stored(orderId)).toEqual(row(customer.email, true, 'mine', 'BE'))
  expect([await shop.ticketCount(old.customer), await shop.ticketCount(young.customer)]).toEqual([0, 2])
  expect(await shop.counters(old.offerId)).toEqual({ tickets_sold: 2, tickets_held: 0 })
  expect(await erase()).toMatchObject({ orders: 0 })
})

test('old security events are deleted; what staff did stays as long as orders', async () => {
  const event = (name: string, detail: string, at: string) =>
    rows(`INSERT INTO security_events (event, detail, at) VALUES ('${name}', '${detail}', ${at})`)
  const endOfYear = `date_trunc('year', now()) - interval '6 years'`
  await event('login', 'young', daysAgo(179))
  await event('login', 'old', daysAgo(181))
  await event('staff_action', 'young', endOfYear)
  await event('staff_action', 'old', `${endOfYear} - interval '1 second'`)
  expect(await erase()).toMatchObject({ securityEvents: 2 })
  expect(await rows(`SELECT detail FROM security_events WHERE detail IN ('old', 'young')`)).toEqual(
    Array(2).fill({ detail: 'young' }),
  )
})

test('old resolved alerts and old checks are deleted; open alerts stay; each run logs what it erased', async () => {
  await rows(`INSERT INTO alerts (kind, subject, since, resolved_at) VALUES
    ('emailsFailed', 'old', ${daysAgo(500)}, ${daysAgo(401)}),
    ('emailsFailed', 'young', ${daysAgo(500)}, ${daysAgo(399)}),
    ('emailsFailed', 'open', ${daysAgo(500)}, NULL)`)
  const noted = (subject: string, days: number) =>
    rows(`UPDATE alerts SET taken_by = (SELECT min(id) FROM users), taken_at = ${daysAgo(days)}, note = 'Anna called'
      WHERE subject = '${subject}'`)
  await noted('open', 91)
  await noted('young', 89)
  await rows(`INSERT INTO invariant_checks (took_ms, broken, unknown, checked_at) VALUES
    (1, '{}', '{}', ${daysAgo(401)}), (1, '{}', '{}', ${daysAgo(399)})`)
  const erased = {
    emails: 0,
    messages: 0,
    notifications: 0,
    orders: 0,
    pictures: 0,
    claims: 0,
    postalEntries: 0,
    securityEvents: 0,
    alerts: 1,
    alertNotes: 1,
    checks: 1,
    favourites: 0,
    reminders: 0,
    rehearsals: 0,
    objections: 0,
  }
  expect(await erase()).toEqual(erased)
  expect(await rows('SELECT subject, note FROM alerts ORDER BY 1')).toEqual([
    { subject: 'open', note: null },
    { subject: 'young', note: 'Anna called' },
  ])
  expect(lines.filter((line) => 'erased' in line).at(-1)?.['erased']).toEqual(erased)
})

test('the rules of the shop name the same periods', async () => {
  const { body } = await shop.anonymous('GET', '/api/policies/terms/', undefined, { language: 'en' })
  for (const period of [
    '30 days after sending',
    '12 months after the last answer',
    'erased after 20 days',
    '6 years after the end of the year',
  ])
    expect(JSON.stringify(body)).toContain(period)
})
