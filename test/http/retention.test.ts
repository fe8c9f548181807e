import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { applyRetention } from '#server/maintenance.ts'
import { openShop } from '../support/shop.ts'

const lines: Record<string, unknown>[] = []
const shop = await openShop({
  env: { KEEP_EMAIL_DAYS: '30', KEEP_NOTIFICATION_DAYS: '20', KEEP_ORDER_YEARS: '6' },
  logLine: (line) => lines.push(line),
})

const run = (statement: string): Promise<unknown> => sql.raw(statement).execute(shop.db)
const erase = () => applyRetention(shop.db, shop.checkout.log, shop.config)
const rows = async <Row>(statement: string): Promise<Row[]> =>
  (await sql.raw<Row>(statement).execute(shop.db)).rows

test('a mail’s text and address are erased after its time; younger and waiting ones stay, and none leaves again', async () => {
  const mail = (key: string, state: string, days: number): Promise<unknown> =>
    run(`INSERT INTO emails (id, key, kind, recipient, reply_to, language, subject, body_text, body_html, attachments,
                            secret_link, state, last_error, queued_at, closed_at)
         VALUES (gen_random_uuid(), '${key}', 'contact', 'ann@person.test', 'bob@person.test', 'fr', 'Ann asks', 'Ann',
                 'Ann', '[{"kind":"x","ref":"ann"}]', '{"kind":"x","ref":"ann"}', '${state}', 'ann@person.test refused',
                 now() - interval '${days} days', ${state === 'queued' ? 'NULL' : `now() - interval '${days} days'`})`)
  await mail('young', 'sent', 29)
  await mail('waiting', 'queued', 40)
  for (const state of ['sent', 'kept', 'failed']) await mail(`old ${state}`, state, 31)
  await mail('old unwritten', 'sent', 31)
  await run(`UPDATE emails SET body_text = '', body_html = '', body_ref = '{"kind":"x","ref":"ann"}'
             WHERE key = 'old unwritten'`)
  expect(await erase()).toMatchObject({ emails: 4 })

  const kept = await rows<{ key: string; text: string }>(
    `SELECT key, (to_jsonb(emails) - 'key')::text AS text FROM emails ORDER BY key`,
  )
  expect(kept.map(({ key }) => key)).toEqual([
    'old failed',
    'old kept',
    'old sent',
    'old unwritten',
    'waiting',
    'young',
  ])
  for (const { key, text } of kept) expect(/ann|bob/i.test(text), key).toBe(!key.startsWith('old'))
  expect(await erase()).toMatchObject({ emails: 0 })
})

test('what a notification said is erased after its time; it is still known, and an unhandled one stays', async () => {
  const notification = (id: string, handledDays: number | null): Promise<unknown> =>
    run(`INSERT INTO webhook_inbox (event_id, event_type, payload, received_at, handled_at)
         VALUES ('${id}', 'TEST', '{"payer": "ann@person.test"}', now() - interval '100 days',
                 ${handledDays === null ? 'NULL' : `now() - interval '${handledDays} days'`})`)
  await notification('old', 21)
  await notification('young', 19)
  await notification('unhandled', null)
  expect(await erase()).toMatchObject({ notifications: 1 })
  expect(
    await rows(
      `SELECT event_id, payload <> '{}' AS said FROM webhook_inbox WHERE event_type = 'TEST' ORDER BY 1`,
    ),
  ).toEqual([
    { event_id: 'old', said: false },
    { event_id: 'unhandled', said: true },
    { event_id: 'young', said: true },
  ])
})

test('an old order and its tickets name no buyer any more; the books stay and hold', async () => {
  const bought = async (createdAt: string) => {
    const { customer, orderId, offerId } = await shop.approvedOrder(2)
    await customer.capture(orderId)
    await run(`UPDATE order_lines SET answer = 'mine' FROM orders o
               WHERE o.id = order_id AND o.provider_order_id = '${orderId}'`)
    await run(`UPDATE orders SET created_at = ${createdAt} WHERE provider_order_id = '${orderId}'`)
    return { customer, orderId, offerId }
  }
  // The first moment that is still kept, and the last one that is not.
  const boundary = `date_trunc('year', now()) - interval '6 years'`
  const young = await bought(boundary)
  const old = await bought(`${boundary} - interval '1 second'`)
  const waiting = await bought(`now() - interval '20 years'`)
  await run(`UPDATE orders SET state = 'review' WHERE provider_order_id = '${waiting.orderId}'`)
  expect(await erase()).toMatchObject({ orders: 1 })

  const held = (orderId: string) =>
    rows(`SELECT u.email, u.is_active, l.answer, o.total_cents, count(t.id)::int AS tickets, min(h.email) AS holder
          FROM orders o JOIN users u ON u.id = o.user_id JOIN order_lines l ON l.order_id = o.id
          JOIN tickets t ON t.order_id = o.id JOIN users h ON h.id = t.user_id
          WHERE o.provider_order_id = '${orderId}' GROUP BY 1, 2, 3, 4`)
  const nobody = 'erased@erased.invalid'
  expect(await held(old.orderId)).toEqual([
    { email: nobody, is_active: false, answer: null, total_cents: 1186, tickets: 2, holder: nobody },
  ])
  for (const { orderId, customer } of [young, waiting]) {
    const { email } = customer
    expect(await held(orderId)).toEqual([
      { email, is_active: true, answer: 'mine', total_cents: 1186, tickets: 2, holder: email },
    ])
  }
  expect(await shop.ticketCount(old.customer)).toBe(0)
  expect(await shop.ticketCount(young.customer)).toBe(2)
  expect(await shop.counters(old.offerId)).toEqual({ tickets_sold: 2, tickets_held: 0 })
  expect(await erase()).toMatchObject({ orders: 0 })
})

test('ended alerts and old reports are deleted; open ones stay', async () => {
  await run(`INSERT INTO alerts (kind, subject, since, resolved_at) VALUES
    ('emailsFailed', 'old', now() - interval '500 days', now() - interval '401 days'),
    ('emailsFailed', 'young', now() - interval '500 days', now() - interval '399 days'),
    ('emailsFailed', 'open', now() - interval '500 days', NULL)`)
  await run(`INSERT INTO invariant_checks (took_ms, broken, unknown, checked_at) VALUES
    (1, '{}', '{}', now() - interval '401 days'), (1, '{}', '{}', now() - interval '399 days')`)
  expect(await erase()).toMatchObject({ alerts: 1, checks: 1 })
  expect(await rows(`SELECT subject FROM alerts ORDER BY 1`)).toEqual([
    { subject: 'open' },
    { subject: 'young' },
  ])
})

test('every run reports what it erased', async () => {
  await erase()
  expect(lines.filter((line) => 'erased' in line).at(-1)?.['erased']).toEqual({
    emails: 0,
    notifications: 0,
    orders: 0,
    alerts: 0,
    checks: 0,
  })
})

test('the rules promise the same periods', async () => {
  const { body } = await shop.anonymous('GET', '/api/policies/terms/', undefined, { language: 'en' })
  const words = JSON.stringify(body)
  expect(words).toContain('30 days after sending')
  expect(words).toContain('erased after 20 days')
  expect(words).toContain('6 years after the end of the year')
})
