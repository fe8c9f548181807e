import { describe, expect, test } from 'vitest'
import { QUEUES } from '#features/system/system.contract.ts'
import { translate } from '#i18n/server-translator.ts'
import { JOBS } from '#server/jobs.ts'
import { shopInvariants } from '#server/maintenance.ts'
import { LANGUAGES } from '#shared/languages.ts'
import { postcard } from '../../../../test/support/postcards.ts'
import { type Staff, openShop } from '../../../../test/support/shop.ts'

const shop = await openShop({ env: { LIMITS_FACTOR: '1000' } })

interface Told {
  orders: number
  revenue: string | null
}

/** What somebody who watches the sales is told, one message after the other; undefined once the connection has ended. */
async function watch({ cookie }: Staff) {
  const stop = new AbortController()
  const response = await fetch(`${shop.config.publicUrl}/api/staff/today/live/`, {
    headers: { cookie },
    signal: stop.signal,
  })
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  const next = async (): Promise<Told | undefined> => {
    for (;;) {
      const { value = '', done } = await reader.read()
      if (done) return undefined
      const data = /^data: (.*)$/m.exec(value)?.[1]
      if (data !== undefined) return JSON.parse(data) as Told
    }
  }
  return { response, next, stop: () => stop.abort() }
}

describe('Today', () => {
  test('shows what waits, the day’s sales, fourteen days, and the pace of running contests', async () => {
    const staff = await shop.newStaff('owner')
    const offer = await shop.newOffer({ total_tickets: 100 })
    await shop.paidOrder(3, undefined, offer)
    await shop.pool.query(`INSERT INTO alerts (kind) VALUES ('jobMissing')`)
    await shop.newOffer({ state: 'draft' })
    await shop.anonymous('POST', '/api/v1.0/email/send', {
      user_id: 'volant',
      service_id: 'volant',
      template_id: 'contact-en',
      template_params: { user_name: 'Jo', user_email: 'jo@person.test', message: 'Where are my tickets?' },
    })
    const { body } = await staff.get('/api/staff/today/')
    expect(body['needs']).toEqual({ alerts: 1, approvals: 0, review: 0, messages: 1, drafts: 1, letters: 0 })
    expect(body['today']).toMatchObject({ orders: 1, tickets: 3, revenue: '17.79' })
    expect(body['days']).toHaveLength(14)
    expect(body['days'][0]).toEqual(body['today'])
    const contest = body['contests'].find(({ total }: { total: number }) => total === 100)
    expect(contest).toMatchObject({ sold: 3 })
    expect(contest.pace_percent).toBeGreaterThan(3)
    // It opened today: its days are this one.
    expect([contest.days, contest.opened_at < contest.ends_at]).toEqual([[3], true])
    expect(body['sold']).toEqual([
      { offer_id: offer, title: contest.title, orders: 1, tickets: 3, revenue: '17.79' },
    ])
    expect([body['sold_more'], body['contests_more']]).toEqual([0, false])
  })

  test('ends the oldest connection of somebody who opens too many, in whichever session, and nobody else’s', async () => {
    const [staff, other] = [await shop.newStaff('support'), await shop.newStaff('support')]
    const others = await watch(other)
    const all: Awaited<ReturnType<typeof watch>>[] = []
    for (let index = 0; index < 12; index += 1) all.push(await watch(staff))
    for (const oldest of all.slice(0, 2)) while (await oldest.next());
    for (const open of [...all.slice(2), others]) {
      expect(await open.next()).toBeDefined()
      open.stop()
    }
  })

  test('hides from a role what it may not see', async () => {
    const clerk = await shop.newStaff('postal')
    const { body } = await clerk.get('/api/staff/today/')
    const { letters, ...needs } = body['needs'] as Record<string, number | null>
    expect([letters, new Set(Object.values(needs))]).toEqual([0, new Set([null])])
    expect(body['sold']).toMatchObject([{ orders: 1, tickets: 3, revenue: null }])
    expect(body['today']).toMatchObject({ orders: 1, revenue: null })
    expect(new Set(body['days'].map(({ revenue }: { revenue: string | null }) => revenue))).toEqual(
      new Set([null]),
    )
    const { next, stop } = await watch(clerk)
    expect(await next()).toMatchObject({ orders: 1, revenue: null })
    stop()
  })

  test('an open connection ends as soon as the session does: role taken, suspended, logged out', async () => {
    const ends: ((staff: Staff) => Promise<unknown>)[] = [
      ({ id }) => shop.pool.query('UPDATE users SET role = NULL WHERE id = $1', [id]),
      ({ id }) => shop.pool.query('UPDATE users SET is_active = false WHERE id = $1', [id]),
      (staff) => staff.post('/api/staff/session/end/'),
    ]
    const stays = await watch(await shop.newStaff('manager'))
    const told = await stays.next()
    const ended = await Promise.all(
      ends.map(async (end) => {
        const staff = await shop.newStaff('manager')
        const { next } = await watch(staff)
        expect(await next()).toEqual(told)
        await end(staff)
        return next
      }),
    )
    // They are told nothing of what is sold from now on.
    await shop.paidOrder(1)
    expect(await Promise.all(ended.map((next) => next()))).toEqual([undefined, undefined, undefined])
    expect((await stays.next())?.orders).toBeGreaterThan(told?.orders ?? 0)
    stays.stop()
  })

  test('counts orders as the reports do: by their receipts, in review too, and none that was refused late', async () => {
    const staff = await shop.newStaff('accountant')
    const figures = async () => (await staff.get('/api/staff/today/')).body['today']
    const before = await figures()
    const late = await shop.orderOf((await shop.approvedOrder(1)).orderId)
    const { ours } = await shop.paidOrder(2)
    const set = (id: string, values: string) =>
      shop.pool.query(`UPDATE orders SET ${values} WHERE id = $1`, [id])
    await set(late.id, `state = 'refunded'`)
    await set(
      ours.id,
      `state = 'review', subtotal_cents = subtotal_cents + 1200000000, total_cents = total_cents + 1200000000`,
    )
    expect(await figures()).toMatchObject({
      orders: before.orders + 1,
      tickets: before.tickets + 2,
      revenue: (12_000_011.86 + Number(before.revenue)).toFixed(2),
    })
    const { body } = await staff.get('/api/staff/reports/sales/')
    expect(body['total']).toMatchObject({ orders: before.orders + 1, tickets: before.tickets + 2 })
    await set(late.id, `state = 'held'`)
    await set(
      ours.id,
      `state = 'completed', subtotal_cents = subtotal_cents - 1200000000, total_cents = total_cents - 1200000000`,
    )
  })

  test('sends the sales as they come, to all who watch', async () => {
    const staff = await shop.newStaff('manager')
    const { response, next, stop } = await watch(staff)
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/)
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    const before = (await next())?.orders ?? 0
    await shop.paidOrder(1)
    expect((await next())?.orders).toBe(before + 1)
    stop()
  })
})

describe('System', () => {
  test('shows versions, jobs, queues and settings without secrets, and checks the invariants', async () => {
    const staff = await shop.newStaff('manager')
    const { body } = await staff.get('/api/staff/system/')
    expect(body['versions']).toMatchObject({ mode: 'demo', migration: expect.any(Number) })
    expect(body['jobs'].length).toBeGreaterThan(5)
    expect(body['queues'].map(({ name }: { name: string }) => name)).toEqual([...QUEUES])
    const shown = JSON.stringify(body)
    expect(shown).not.toContain(shop.config.paypalClientSecret)
    const named = (name: string) => body['settings'].find((one: { name: string }) => one.name === name)
    expect(named('PAYPAL_CLIENT_SECRET')).toMatchObject({ value: null, is_secret: true })
    expect(named('LIMITS_FACTOR')).toMatchObject({ value: '1000', is_set: true })
    const checked = await staff.post('/api/staff/system/check-invariants/')
    expect(checked.body).toEqual({ broken: [], unknown: [] })
    expect((await staff.get('/api/staff/system/')).body['invariants']).toMatchObject({ broken: [] })
  })

  test('says of a broken invariant how many rows break it, and which come first', async () => {
    const staff = await shop.newStaff('manager')
    const offerId = await shop.newOffer()
    await shop.pool.query('UPDATE offers SET tickets_held = 1 WHERE id = $1', [offerId])
    await staff.post('/api/staff/system/check-invariants/')
    const { body } = await staff.get('/api/staff/system/')
    const first = [expect.stringMatching(new RegExp(`^offer_id ${offerId}, slug contest-`))]
    expect(body['invariants'].broken).toEqual([{ name: 'I1', rows: 1, more: false, first }])
    expect(body['invariant_names']).toContain('I1')
    await shop.pool.query('UPDATE offers SET tickets_held = 0 WHERE id = $1', [offerId])
  })

  test.each(LANGUAGES)('has words for each job, queue and invariant in %s', async (language) => {
    const names = (await shopInvariants()).map(({ name }) => name)
    const keys = [
      ...Object.keys(JOBS).map((job) => `jobs.${job.replaceAll(' ', '_') as 'send_reports'}` as const),
      ...QUEUES.map((queue) => `queueNames.${queue}` as const),
      ...names.map((name) => `sentences.${name as 'I1'}` as const),
    ]
    for (const key of keys) expect(translate(language, `consoleSystem.${key}`)).toMatch(/\S/)
  })

  test('counts what waits', async () => {
    const staff = await shop.newStaff('manager')
    const waiting = async () =>
      Object.fromEntries(
        (await staff.get('/api/staff/system/')).body['queues'].map(
          ({ name, waiting: count }: { name: string; waiting: number }) => [name, count],
        ),
      )
    const before = await waiting()
    const { ours, offerId } = await shop.paidOrder(1)
    const { ours: late } = await shop.paidOrder(1)
    const run = (statement: string, values: unknown[] = []) => shop.pool.query(statement, values)
    await run(
      `INSERT INTO approvals (permission, subject_kind, subject, input, reason, requested_by, decided_by, decided_at, decision)
       VALUES ('orders.refund', 'order', $1, '{}', 'x', $2, $3, now(), 'approved')`,
      [ours.id, staff.id, (await shop.newStaff('owner')).id],
    )
    await run(
      `UPDATE offers SET state = 'cancelled', cancelled_at = now(), cancelled_why = 'x' WHERE id = $1`,
      [offerId],
    )
    await run(
      `UPDATE orders SET reconciled_at = NULL, state = 'capturing', capture_started_at = now() WHERE id = $1`,
      [late.id],
    )
    const after = await waiting()
    const more = Object.fromEntries(QUEUES.map((name) => [name, after[name] - before[name]]))
    expect(more).toMatchObject({ approvals: 1, cancelledRefunds: 1, payments: 1, refunds: 0, pictures: 0 })
    await run('DELETE FROM approvals')
  })

  test('sends a failed email again, and none whose text is gone', async () => {
    const staff = await shop.newStaff('manager')
    await shop.newCustomer()
    const add = async (key: string, erased: string): Promise<string> =>
      (
        await shop.pool.query(
          `INSERT INTO emails (id, key, kind, recipient, language, subject, body_text, body_html, state, closed_at, erased_at)
           VALUES (gen_random_uuid(), $1, 'test', 'a@b.test', 'en', 'Lost', 'x', 'x', 'failed', now(), ${erased})
           RETURNING id`,
          [key],
        )
      ).rows[0].id
    const lost = await add('lost', 'NULL')
    const erased = await add('erased', 'now()')
    const resend = async (id: string) => (await staff.post(`/api/staff/system/emails/${id}/resend/`)).status
    expect(await resend(lost)).toBe(204)
    expect(await resend(lost)).toBe(404)
    expect(await resend(erased)).toBe(404)
    expect(await resend('nothing')).toBe(404)
    const { rows } = await shop.pool.query('SELECT state FROM emails WHERE id = $1', [lost])
    expect(rows).toEqual([{ state: 'queued' }])
  })

  test('lists failed emails with their recipients and what they are about, and sends all again that can be', async () => {
    const staff = await shop.newStaff('manager')
    await shop.pool.query(`DELETE FROM emails WHERE state = 'failed'`)
    const { customer, ours } = await shop.paidOrder(1)
    const fail = (condition: string, id: unknown) =>
      shop.pool.query(
        `UPDATE emails SET state = 'failed', closed_at = now(), last_error = '550 no such mailbox' WHERE ${condition}`,
        [id],
      )
    await fail('key = $1', `receipt:${ours.id}`)
    const card = postcard(await shop.newOffer(), { email: 'poster@example.test' })
    const desk = await shop.newStaff('postal')
    expect((await desk.post('/api/staff/post/entries/', card)).status).toBe(201)
    await fail('key = $1', `postal-entry:${card.id}`)
    const page = async (query = '') => (await staff.get(`/api/staff/system/emails/${query}`)).body
    const first = await page('?limit=1')
    expect(first).toMatchObject({
      items: [
        { kind: 'postal-entry', recipient: 'poster@example.test', entry_id: card.id, customer_id: null },
      ],
      resendable: 2,
    })
    expect(await page(`?limit=1&after=${first['next']}`)).toMatchObject({
      items: [
        {
          kind: 'receipt',
          recipient: customer.email,
          customer_id: customer.id,
          order_id: ours.id,
          error: '550 no such mailbox',
          can_resend: true,
        },
      ],
      next: null,
    })
    const support = await shop.newStaff('support')
    const { body } = await support.get(`/api/staff/customers/${customer.id}/history/`)
    expect(body['items']).toMatchObject([{ action: 'system.readEmails', by: staff.name }])
    expect((await staff.post('/api/staff/system/emails/resend/')).body).toEqual({ emails: 2 })
    expect((await staff.post('/api/staff/system/emails/resend/')).body).toEqual({ emails: 0 })
    expect(await page()).toEqual({ items: [], next: null, resendable: 0 })
  })
})
