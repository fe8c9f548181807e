import { beforeAll, describe, expect, test } from 'vitest'
import { cents } from '#shared/money.ts'
import { openPaymentShop } from '#features/purchase/payments/server/payments.test-support.ts'
import { newId } from '#platform/ids.ts'
import { shownOrderNumber } from '#shared/order-number.ts'
import type { StaffRole } from '#shared/staff-permissions.ts'
import type { SearchHit } from '#shared/staff-search.ts'
import { postcard } from '../../../../../test/support/postcards.ts'
import { statuses } from '../../../../../test/support/races.ts'
import type { Staff } from '../../../../../test/support/shop.ts'
import { csvCell } from '#platform/documents/csv.ts'
import { paidOrders } from './staff-receipts.ts'
import { StaffOrder, StaffOrders } from '../staff-orders.contract.ts'
import type { Language } from '#shared/languages.ts'

const lab = await openPaymentShop({ notifies: true })
const { shop, run, atProvider } = lab

const people = {} as Record<'support' | 'accountant' | 'manager', Staff>
type Paid = Awaited<ReturnType<typeof shop.paidOrder>>
let paid: Paid
let slug: string
beforeAll(async () => {
  for (const role of ['support', 'accountant', 'manager'] as const) people[role] = await shop.newStaff(role)
  paid = await shop.paidOrder(2)
  slug = (await run('SELECT slug FROM offers WHERE id = $1', [paid.offerId]))[0].slug
  await run(`UPDATE users SET username = 'Zoé Lambert', phone = '+32470123456' WHERE id = $1`, [
    paid.customer.id,
  ])
})

const page = async (id: string, by = people.support) => (await by.get(`/api/staff/orders/${id}/`)).body
const auditOf = async (action: string, subject: string | null = paid.ours.id) =>
  (
    await run(
      `SELECT entry::jsonb AS entry FROM audit_log WHERE action = $1 AND subject IS NOT DISTINCT FROM $2 ORDER BY id`,
      [action, subject],
    )
  ).map(({ entry }) => entry)

describe('The search box', () => {
  const search = async (q: string, by = people.support): Promise<SearchHit[]> => {
    const { status, body } = await by.get(`/api/staff/search/?q=${encodeURIComponent(q)}`)
    expect(status).toBe(200)
    return body['items']
  }
  /** Kinds, with what they were found by. */
  const found = async (q: string, by?: Staff) =>
    (await search(q, by)).map((one) => `${one.kind} by ${one.matched}`)

  test('finds an order by anything that is written on its receipt', async () => {
    const { ours, captureId, orderId } = paid
    for (const [text, by] of [
      [ours.id, 'id'],
      [shownOrderNumber(ours.number), 'number'],
      [ours.number.toLowerCase(), 'number'],
      [orderId, 'provider'],
      [orderId.toLowerCase(), 'provider'],
      [captureId, 'capture'],
    ])
      expect(await search(text!), text).toEqual([
        expect.objectContaining({
          kind: 'order',
          id: ours.id,
          matched: by,
          total: '11.86',
          state: 'completed',
        }),
      ])
    const refunded = await shop.paidOrder(1)
    await atProvider.giveBack(refunded.captureId, 'refund')
    await lab.reconcileOrder(refunded.orderId)
    const [{ refund_id: refundId }] = await run('SELECT refund_id FROM refunds WHERE order_id = $1', [
      refunded.ours.id,
    ])
    expect(await search(refundId)).toEqual([
      expect.objectContaining({ id: refunded.ours.id, matched: 'refund' }),
    ])
  })

  test('finds a customer with the newest orders by address, name and phone, or the beginning of them', async () => {
    const { email } = paid.customer
    const both = (by: string) => [`customer by ${by}`, 'order by buyer']
    expect(await found(email)).toEqual(both('email'))
    expect(await found(email.toUpperCase().slice(0, -4))).toEqual(both('email'))
    for (const name of ['zoé', 'zoe', 'lambert', 'LAMBÉRT', 'Lambert zo'])
      expect(await found(name), name).toEqual(both('username'))
    for (const phone of ['+32 470 12 34 56', '0470/12.34.56', '0032470123456', '123456'])
      expect(await found(phone), phone).toEqual(expect.arrayContaining(both('phone')))
    expect(await search('zoé')).toMatchObject([
      { title: 'Zoé Lambert', customer: { email: expect.stringMatching(/^buy…@example.test$/) } },
      { id: paid.ours.id },
    ])
  })

  test('shows those who may not open customers their orders only', async () => {
    expect(await found('zoé', people.accountant)).toEqual(['order by buyer'])
  })

  test('finds a ticket by its number, alone or with words of its contest, and by its id', async () => {
    const [ticket] = await run('SELECT id, number FROM tickets WHERE order_id = $1 ORDER BY number', [
      paid.ours.id,
    ])
    for (const text of [
      `#${ticket.number}`,
      `${ticket.number}`.padStart(4, '0'),
      `${slug} #${ticket.number}`,
    ])
      expect(await search(text), text).toContainEqual(
        expect.objectContaining({
          kind: 'ticket',
          id: ticket.id,
          title: String(ticket.number).padStart(4, '0'),
          contest: { slug, title: expect.any(String) },
          order: { id: paid.ours.id, number: shownOrderNumber(paid.ours.number) },
        }),
      )
    expect(await found(ticket.id)).toEqual(['ticket by id'])
    expect(await search(`#${ticket.number} no-such-contest`)).toEqual([])
  })

  test('finds the card of a number that was given by post, with an account or without', async () => {
    const desk = await shop.newStaff('postal')
    const offerId = await shop.newOffer()
    const [contest] = await run('SELECT slug FROM offers WHERE id = $1', [offerId])
    const card = postcard(offerId, { name: 'Odile Verhaegen' })
    const { body: entry } = await desk.post('/api/staff/post/entries/', card)
    const number = Number(entry['ticket_number'])
    const hit = (matched: string) =>
      expect.objectContaining({
        kind: 'entry',
        id: card.id,
        matched,
        title: expect.stringMatching(/^P-\w{4}-\w{4} Odi… Ver…$/),
        contest: expect.objectContaining({ slug: contest.slug }),
      })
    for (const by of [people.support, desk]) {
      expect(await search(`#${number}`, by)).toContainEqual(hit('ticket'))
      expect(await search(`${contest.slug} #${number}`, by)).toEqual([hit('ticket')])
      expect(await search(entry['ticket_id'], by)).toEqual([hit('id')])
    }
    expect(await search(`#${number} no-such-contest`)).toEqual([])
    expect(await search(entry['ticket_id'], people.accountant)).toEqual([])
    await run('UPDATE tickets SET user_id = $2 WHERE id = $1', [entry['ticket_id'], paid.customer.id])
    expect(await search(entry['ticket_id'])).toEqual([hit('id')])
  })

  test('finds contests, messages and cards, each for those who may see them, without whole names', async () => {
    const [postal, witness] = [await shop.newStaff('postal'), await shop.newStaff('witness')]
    const id = await shop.newOffer()
    const [offer] = await run('SELECT slug FROM offers WHERE id = $1', [id])
    await run(
      `INSERT INTO messages (id, name, email, message, language)
       VALUES (gen_random_uuid(), 'Wilhelmina Quist', 'quist.w@writers.test', 'Hello', 'en')`,
    )
    await run(
      `INSERT INTO postal_entries (id, offer_id, bag, status, refusal, name, words, language, received_on, registered_by)
       VALUES (gen_random_uuid(), $1, gen_random_uuid(), 'refused', 'illegible', 'Wilhelmina Quist', 'wilhelmina quist', 'nl', now(), 1)`,
      [id],
    )
    const contest = expect.objectContaining({ kind: 'offer', id: String(id), matched: 'title' })
    for (const by of [people.support, postal]) expect(await search(offer.slug, by)).toEqual([contest])
    expect(await search(offer.slug, witness)).toEqual([])
    for (const text of ['WILHELMINA q', 'quist.w@'])
      expect(await search(text), text).toContainEqual(
        expect.objectContaining({ kind: 'message', title: 'Wil… Qui… qui…@writers.test' }),
      )
    expect(await search('quist')).toContainEqual(
      expect.objectContaining({
        kind: 'entry',
        title: expect.stringMatching(/^P-\w{4}-\w{4} Wil… Qui…$/),
        contest: expect.objectContaining({ slug: offer.slug }),
      }),
    )
    expect(await found('quist', postal)).toEqual(['entry by entry'])
    expect(await search('quist', witness)).toEqual([])
    expect(await search(paid.ours.id, postal)).toEqual([])
  })

  test('takes what people type as text, and asks for two characters', async () => {
    for (const text of ['%', '_', '%%', `' OR 1=1 --`, String.raw`\\`, '#%', 'a%b_c', '\u{10FFFF}\u{10FFFF}'])
      expect(
        (await people.support.get(`/api/staff/search/?q=${encodeURIComponent(text)}`)).status,
        text,
      ).toBe(text.length < 2 ? 400 : 200)
    expect(await found('%%')).toEqual([])
  })
})

describe('The list', () => {
  const list = async (query = '', by = people.support) =>
    StaffOrders.parse((await by.get(`/api/staff/orders/?${query}`)).body)
  const idsOf = async (query: string) => (await list(query)).items.map(({ id }) => id)

  test('names contests in the reader’s language, as an order’s page does', async () => {
    const { ours, offerId } = await shop.paidOrder(1)
    await shop.unlockTerms()
    await run(`UPDATE offers SET titles = '{"fr": "La bicyclette", "nl": "De fiets"}' WHERE id = $1`, [
      offerId,
    ])
    for (const [language, title] of [
      ['nl', 'De fiets'],
      ['fr', 'La bicyclette'],
    ] as const) {
      const listed = await people.support.get('/api/staff/orders/?limit=100', undefined, { language })
      const row = StaffOrders.parse(listed.body).items.find(({ id }) => id === ours.id)
      expect(row?.contests).toMatchObject([{ title }])
      const opened = await people.support.get(`/api/staff/orders/${ours.id}/`, undefined, { language })
      expect(opened.body['lines']).toMatchObject([{ title }])
    }
  })

  test('shows the newest orders first, page by page, and none twice', async () => {
    const all = await list('limit=100')
    expect(all.items.map(({ id }) => id)).toEqual(
      all.items
        .map(({ id }) => id)
        .toSorted()
        .toReversed(),
    )
    expect(all.items.find(({ id }) => id === paid.ours.id)).toEqual({
      id: paid.ours.id,
      number: shownOrderNumber(paid.ours.number),
      state: 'completed',
      total: '11.86',
      refunded: '0.00',
      country: 'BE',
      at: expect.any(String),
      user_id: paid.customer.id,
      buyer: 'Zoé Lambert',
      tickets: 2,
      contests: [{ slug, title: expect.any(String) }],
    })
    const seen: string[] = []
    for (let after: string | null = ''; after !== null;) {
      const { items, next }: StaffOrders = await list(`limit=1${after && `&after=${after}`}`)
      seen.push(...items.map(({ id }) => id))
      after = next
    }
    expect(seen).toEqual(all.items.map(({ id }) => id))
  })

  test('keeps to its filters, alone and together', async () => {
    const { id } = paid.ours
    const held = await shop.approvedOrder(1)
    const today = new Date().toLocaleDateString('sv', { timeZone: 'Europe/Brussels' })
    for (const query of [
      `offer=${slug}`,
      `customer=${paid.customer.id}`,
      `state=completed&offer=${slug}`,
      `offer=${slug}&country=BE&min=11.86&max=11,86&from=${today}&to=${today}`,
    ])
      expect(await idsOf(query), query).toEqual([id])
    for (const query of [
      `offer=${slug}&state=refunded`,
      `offer=${slug}&country=FR`,
      `offer=${slug}&min=11.87`,
      `offer=${slug}&max=11.85`,
      `offer=${slug}&to=2020-01-01`,
      `offer=${slug}&from=2099-01-01`,
      'offer=no-such-contest',
      'customer=999999',
    ])
      expect(await list(query), query).toEqual({ items: [], next: null, searched_to: null })
    expect(await idsOf('state=held')).toEqual([(await shop.orderOf(held.orderId)).id])
    for (const state of ['capturing', 'pending', 'expired', 'refunding', 'review'])
      expect(await idsOf(`state=${state}`)).toEqual([])
    expect(await idsOf('state=refunded')).toHaveLength(1)
  })

  test.each([
    'state=paid',
    'country=be',
    'from=2026-02-30',
    'to=yesterday',
    'min=-1',
    'limit=101',
    'after=1',
    'customer=x',
  ])('refuses the filter %s', async (query) => {
    expect((await people.support.get(`/api/staff/orders/?${query}`)).status).toBe(400)
  })

  test('stops after a while where no index helps, and goes on from there', async () => {
    const { id: userId } = await shop.newCustomer()
    // More than two windows of orders, of which the oldest one fits.
    await run(
      `INSERT INTO orders (id, user_id, cart_version, state, country, language, subtotal_cents, tax_percent, tax_cents,
                           total_cents, hold_until, created_at)
       SELECT n.id, $2, n.version, 'cancelled', CASE n.version WHEN 0 THEN 'LU' ELSE 'NL' END, 'nl', 100, 0, 0, 100, now(), n.at
       FROM jsonb_to_recordset($1) AS n (id uuid, version int, at timestamptz)`,
      [
        JSON.stringify(
          Array.from({ length: 6_000 }, (_, version) => {
            const at = Date.UTC(2026, 0, 1) + version * 60_000
            return { id: newId(at), version, at: new Date(at).toISOString() }
          }),
        ),
        userId,
      ],
    )
    let [responses, after] = [0, '']
    const hits: string[] = []
    for (; responses < 100; responses += 1) {
      const { items, next, searched_to: to } = await list(`country=LU&state=cancelled${after}`)
      hits.push(...items.map(({ country }) => country))
      if (next === null) break
      expect(to).not.toBeNull()
      after = `&after=${next}`
    }
    expect(hits).toEqual(['LU'])
    expect((await list('state=cancelled&from=2026-01-02&to=2026-01-02&limit=100')).items).toHaveLength(100)
    await run('DELETE FROM orders WHERE user_id = $1', [userId])
  })
})

describe('An order’s page', () => {
  test('tells all that happened, as codes and values', async () => {
    const { ours, customer } = paid
    const { notes: url } = { notes: `/api/staff/orders/${ours.number}/notes/` }
    const noted = await people.support.post(url, { text: ' Called, will write again.\nTomorrow. ' })
    expect(noted.status).toBe(200)
    await expect
      .poll(async () => (await run('SELECT FROM webhook_inbox WHERE order_id = $1', [ours.id])).length)
      .toBeGreaterThan(0)
    const order = StaffOrder.parse(await page(ours.id))
    expect(order).toMatchObject({
      subtotal: '9.80',
      tax_rate: 21,
      tax: '2.06',
      left: '11.86',
      refunded: '0.00',
      language: 'en',
      buyer: { id: customer.id, name: 'Zoé Lambert', email: customer.email, is_erased: false },
      lines: [{ quantity: 2, returned: 0, is_cancelled: false, slug }],
      tickets: { valid: 2, void: 0, numbers: [{ status: 'valid' }, { status: 'valid' }] },
      emails: [{ kind: 'receipt', state: 'queued' }],
      notes: [{ by: people.support.name, text: 'Called, will write again.\nTomorrow.' }],
      approval: null,
    })
    const told = order.timeline.map(({ kind, code }) => `${kind} ${code}`)
    expect(told).toEqual(
      expect.arrayContaining([
        'event created',
        'event capture_requested',
        'event captured',
        'capture completed',
        'email receipt',
        'notification capture_completed',
        'note note',
      ]),
    )
    expect(order.timeline.map(({ at }) => at)).toEqual(order.timeline.map(({ at }) => at).toSorted())
  })

  test('is written down once for each look of somebody, without a word of the buyer', async () => {
    for (let time = 0; time < 3; time += 1) await page(paid.ours.id, people.manager)
    const reads = (await auditOf('orders.read')).filter(({ actor }) => actor === people.manager.name)
    expect(reads).toHaveLength(1)
    const all = JSON.stringify([...reads, ...(await auditOf('orders.note'))])
    for (const word of ['Zoé', paid.customer.email, 'Called']) expect(all).not.toContain(word)
    expect((await page(paid.ours.id)).reads).toContainEqual({
      by: people.manager.name,
      at: expect.any(String),
    })
  })

  test('shows the newest emails, notifications and acts of staff, and all of them when asked for more', async () => {
    const { ours } = await shop.paidOrder(1)
    for (let time = 0; time < 4; time += 1)
      await people.support.post(`/api/staff/orders/${ours.id}/reconcile/`)
    await run(
      `INSERT INTO webhook_inbox (event_id, event_type, payload, order_id)
       SELECT 'WH-MORE-' || n, 'CUSTOMER.DISPUTE.UPDATED', '{}', $1 FROM generate_series(1, 3) AS n`,
      [ours.id],
    )
    const kinds = async (entries: string) => {
      const { body } = await people.support.get(`/api/staff/orders/${ours.id}/${entries}`)
      const { timeline, has_more: hasMore } = StaffOrder.parse(body)
      const count = (code: string) => timeline.filter((one) => one.code === code).length
      return { hasMore, asked: count('orders.reconcile'), disputes: count('dispute_updated') }
    }
    expect(await kinds('?entries=2')).toEqual({ hasMore: true, asked: 2, disputes: 2 })
    expect(await kinds('?entries=3')).toEqual({ hasMore: true, asked: 3, disputes: 3 })
    expect(await kinds('?entries=50')).toEqual({ hasMore: false, asked: 4, disputes: 3 })
    expect((await people.support.get(`/api/staff/orders/${ours.id}/?entries=0`)).status).toBe(400)
  })

  test('says who of staff did what, and for which part money went back', async () => {
    const other = await shop.paidOrder(3)
    const refund = {
      reason: 'Kept by mistake',
      reason_code: 'error',
      lines: [{ offer_id: other.offerId, quantity: 1 }],
    }
    expect((await people.support.post(`/api/staff/orders/${other.orderId}/refund/`, refund)).status).toBe(200)
    const order = StaffOrder.parse(await page(other.ours.id))
    expect(order).toMatchObject({
      state: 'completed',
      left: '11.86',
      refunded: '5.93',
      lines: [{ quantity: 3, returned: 1 }],
      tickets: { valid: 2, void: 1 },
      refunds: [
        { amount: '5.93', tax: '1.03', by: people.support.name, staff_reason: 'error', part: 'lines' },
      ],
    })
    expect(order.timeline.filter(({ kind }) => kind === 'refund' || kind === 'staff')).toMatchObject([
      {
        kind: 'refund',
        code: 'requested',
        values: { by: people.support.name, staff_reason: 'error', note: 'Kept by mistake' },
      },
      { kind: 'refund', code: 'completed' },
    ])
  })

  test('of which nobody can change or delete a note; its text goes with the buyer', async () => {
    const [{ id }] = await run('SELECT id FROM order_notes WHERE order_id = $1', [paid.ours.id])
    for (const change of [
      `UPDATE order_notes SET text = 'x' WHERE id = ${id}`,
      `UPDATE order_notes SET text = '', erased_at = now(), author_id = author_id + 1 WHERE id = ${id}`,
      `DELETE FROM order_notes WHERE id = ${id}`,
      'TRUNCATE order_notes',
    ])
      await expect(run(change), change).rejects.toMatchObject({ code: '23001' })
    for (const text of ['', '  ', 'x'.repeat(2_001)])
      expect((await people.support.post(`/api/staff/orders/${paid.ours.id}/notes/`, { text })).status).toBe(
        400,
      )
  })
})

describe('A copy of the receipt', () => {
  const resend = (id: string, by = people.support) => by.post(`/api/staff/orders/${id}/resend-receipt/`)
  const copies = (id: string) =>
    run(
      `SELECT key, recipient, body_ref, attachments FROM emails WHERE key LIKE 'receipt-copy:' || $1 || ':%'`,
      [id],
    )

  test('is one more email to the buyer’s present address; pressed at the same time, one is sent', async () => {
    const { ours, customer } = await shop.paidOrder(1)
    await run(`UPDATE users SET email = 'new@example.test' WHERE id = $1`, [customer.id])
    const responses = await Promise.all(Array.from({ length: 10 }, () => resend(ours.id)))
    expect(statuses(responses)).toEqual([200, ...Array.from({ length: 9 }, () => 409)])
    expect(responses.find(({ status }) => status === 409)?.body['code']).toBe('order.receiptJustSent')
    expect(await copies(ours.id)).toEqual([
      {
        key: `receipt-copy:${ours.id}:1`,
        recipient: 'new@example.test',
        body_ref: { kind: 'receipt', ref: ours.id },
        attachments: [{ kind: 'order-tickets', ref: ours.id }],
      },
    ])
    await run(`UPDATE emails SET queued_at = queued_at - interval '61 seconds' WHERE kind = 'receipt-copy'`)
    expect((await resend(ours.id)).status).toBe(200)
    expect(await copies(ours.id)).toHaveLength(2)
    await lab.invariantsHold()
  })

  test('of an order whose money went back names the credits, and the numbers that still count', async () => {
    const part = await shop.paidOrder(3)
    const refund = { reason: 'Kept by mistake', lines: [{ offer_id: part.offerId, quantity: 1 }] }
    expect((await people.support.post(`/api/staff/orders/${part.orderId}/refund/`, refund)).status).toBe(200)
    const whole = await shop.paidOrder(2)
    await people.support.post(`/api/staff/orders/${whole.orderId}/refund/`, { reason: 'Sorry' })
    expect((await shop.orderOf(whole.orderId)).state).toBe('refunded')
    const copy = async ({ ours }: Paid) => {
      expect((await resend(ours.id)).status).toBe(200)
      const [sent] = await run(
        `SELECT subject, body_text, body_ref, attachments FROM emails WHERE key = 'receipt-copy:' || $1 || ':1'`,
        [ours.id],
      )
      return { ...sent, text: sent.body_text.replaceAll('\u00a0', ' ') }
    }
    const numbersOf = async ({ ours }: Paid, status: string) =>
      (await run('SELECT number FROM tickets WHERE order_id = $1 AND status = $2', [ours.id, status])).map(
        ({ number }) => String(number).padStart(4, '0'),
      )

    const partly = await copy(part)
    expect(partly).toMatchObject({
      subject: `Your receipt for order ${shownOrderNumber(part.ours.number)}`,
      body_ref: null,
      attachments: [{ kind: 'order-tickets', ref: part.ours.id }],
    })
    for (const words of ['Credit', '−€5.93', '−€1.03', '€11.86', '1 number of this contest is void'])
      expect(partly.text).toContain(words)
    for (const number of await numbersOf(part, 'valid')) expect(partly.text).toContain(number)
    for (const number of await numbersOf(part, 'void')) expect(partly.text).not.toContain(number)

    const all = await copy(whole)
    expect(all.attachments).toEqual([])
    for (const words of ['−€11.86', '€0.00', '2 numbers of this contest are void'])
      expect(all.text).toContain(words)
    const [{ slug: contest }] = await run('SELECT slug FROM offers WHERE id = $1', [whole.offerId])
    const body = { filters: { offer: contest, state: 'refunded' } }
    const found = await people.support.post('/api/staff/orders/resend-receipts/preview/', body)
    expect(found.body).toMatchObject({
      sent: 0,
      refused: [{ id: whole.ours.id, code: 'order.receiptJustSent' }],
    })
    await lab.invariantsHold()
  })

  test('of money that went back before tickets were issued does not exist', async () => {
    // Any notification, that of the approval included, would have the shop look at the order before the money goes back.
    const orderId = await atProvider.unnotified(async () => {
      const approved = await shop.approvedOrder(1)
      await lab.leaveCapturing(approved.orderId)
      await shop.client.captureOrder(approved.orderId, `${(await shop.orderOf(approved.orderId)).id}:cap:1`)
      await atProvider.giveBack(atProvider.captureIdOf(approved.orderId), 'refund')
      return approved.orderId
    })
    await lab.reconcileOrder(orderId)
    const { id, state } = await shop.orderOf(orderId)
    expect(state).toBe('refunded')
    const response = await resend(id)
    expect([response.status, response.body['code']]).toEqual([409, 'order.notPaid'])
  })

  test('of many is sent where there is one, and told where there is none', async () => {
    const [one, two] = [await shop.paidOrder(1), await shop.paidOrder(1)]
    const unpaid = await shop.orderOf((await shop.approvedOrder(1)).orderId)
    const missing = newId(Date.now())
    const ids = [one.ours.id, two.ours.id, one.ours.id, unpaid.id, missing]
    const send = (list: string[], by = people.support) =>
      by.post('/api/staff/orders/resend-receipts/preview/', { ids: list })
    expect((await send(ids)).body).toEqual({
      ids: [one.ours.id, two.ours.id],
      sent: 2,
      refused: [
        {
          id: unpaid.id,
          number: shownOrderNumber(unpaid.number),
          code: 'order.notPaid',
          detail: 'Only an order that was paid has a receipt to send.',
        },
        { id: missing, number: null, code: 'checkout.orderNotFound', detail: expect.any(String) },
      ],
    })
    expect((await send([])).status).toBe(400)
    expect((await send(Array.from({ length: 101 }, () => newId(Date.now())))).status).toBe(400)
    expect((await send(ids, people.accountant)).status).toBe(403)
  })
})

describe('Copies of all receipts that the filters find', () => {
  const at = (rest = '') => `/api/staff/orders/resend-receipts/${rest}`
  const queued = async () =>
    (await run(`SELECT count(*)::int FROM emails WHERE kind = 'receipt-copy'`))[0].count

  test('are counted first, and sent as counted', async () => {
    const customer = (await shop.paidOrder(1)).customer.id
    const offer = await shop.newOffer()
    const orders = [await shop.paidOrder(1, undefined, offer), await shop.paidOrder(2, undefined, offer)]
    await shop.approvedOrder(1)
    const [{ slug: contest }] = await run('SELECT slug FROM offers WHERE id = $1', [offer])
    const body = { filters: { offer: contest, min: '1.00' } }
    // One of them has just got a copy.
    await people.support.post(`/api/staff/orders/${orders[0]!.ours.id}/resend-receipt/`)
    const before = await queued()
    const planned = await people.support.post(at('preview/'), body)
    expect(planned.body).toMatchObject({
      sent: 1,
      refused: [{ number: shownOrderNumber(orders[0]!.ours.number), code: 'order.receiptJustSent' }],
    })
    expect(await queued()).toBe(before)
    expect(planned.body['ids']).toEqual([orders[1]!.ours.id])
    // An order that is paid meanwhile gets no copy.
    await shop.paidOrder(1, undefined, offer)
    const sending = { ids: planned.body['ids'], key: newId(Date.now()) }
    expect((await people.support.post(at(), sending)).body).toMatchObject({ sent: 1, refused: [] })
    expect(await queued()).toBe(before + 1)
    expect(await auditOf('orders.resendReceipt', orders[1]!.ours.id)).toHaveLength(1)

    const ask = async (filters: object) =>
      (await people.support.post(at('preview/'), { filters })).body['sent']
    expect(await ask({ customer: String(customer) })).toBe(1)
    expect(await ask({ offer: contest, state: 'held' })).toBe(0)
    expect(await ask({ offer: 'no-such-contest' })).toBe(0)
  })

  test('are sent once, however often a sending that failed halfway is repeated', async () => {
    const orders = [(await shop.paidOrder(1)).ours.id, (await shop.paidOrder(1)).ours.id]
    const sending = { ids: orders, key: newId(Date.now()) }
    const before = await queued()
    const isSecond = `NEW.key LIKE 'receipt-copy:${orders[1]}:%'`
    const failed = await lab.refusing('INSERT ON emails', isSecond, () => people.support.post(at(), sending))
    expect([failed.status, await queued()]).toEqual([500, before + 1])
    await run(`UPDATE emails SET queued_at = queued_at - interval '2 minutes' WHERE kind = 'receipt-copy'`)
    for (const call of [{}, { isWithoutEffect: true }] as const)
      expect((await people.support.post(at(), sending, call)).body).toMatchObject({
        sent: 2,
        refused: [],
      })
    expect(await queued()).toBe(before + 2)
    expect(await auditOf('orders.resendReceipt', orders[0]!)).toHaveLength(1)
  })

  test('are refused when finding them takes too long, although they may be few', async () => {
    const hurried = paidOrders(shop.db, { min: cents(999_999) }, { window: 1, patienceMs: -1 })
    await expect(hurried).rejects.toMatchObject({ code: 'orders.searchTooLong', status: 409 })
    expect(await paidOrders(shop.db, { min: cents(999_999) }, { window: 1, patienceMs: 60_000 })).toEqual([])
  })

  test('are refused above a limit, for filters that the list refuses, and without a choice', async () => {
    const offer = await shop.newOffer()
    const [{ slug: contest }] = await run('SELECT slug FROM offers WHERE id = $1', [offer])
    const { ours } = await shop.paidOrder(1, undefined, offer)
    const many = { filters: { country: 'MT' } }
    // Rows alone: they are gone before anything looks at them.
    await run(`
      INSERT INTO orders (id, user_id, cart_version, state, country, language, subtotal_cents, tax_percent, tax_cents, total_cents, hold_until)
      SELECT gen_random_uuid(), ${ours.user_id}, 1, 'completed', 'MT', 'en', 100, 0, 0, 100, now() FROM generate_series(1, 501)`)
    const before = await queued()
    const { status, body } = await people.support.post(at('preview/'), many)
    expect([status, body['code']]).toEqual([409, 'orders.tooManyFound'])
    expect(body['detail']).toContain('500')
    const all = Array.from({ length: 501 }, () => newId(Date.now()))
    expect((await people.support.post(at(), { ids: all, key: all[0] })).status).toBe(400)
    expect(await queued()).toBe(before)
    await run(`DELETE FROM orders WHERE country = 'MT'`)

    expect((await people.support.post(at('preview/'), { filters: { min: 'x' } })).status).toBe(400)
    for (const choice of [{}, { ids: [ours.id], filters: { offer: contest } }])
      expect((await people.support.post(at('preview/'), choice)).status).toBe(400)
    expect((await people.support.post(at(), { ids: [ours.id] })).status).toBe(400)
    expect((await people.accountant.post(at(), { ids: [ours.id], key: ours.id })).status).toBe(403)
  })
})

describe('Saved views', () => {
  const VIEWS = '/api/staff/self/order-views/'
  const namesOf = async (by: Staff) =>
    ((await by.get(VIEWS)).body as unknown as { name: string }[]).map(({ name }) => name)

  test('belong to the person, are replaced by their name, and go with the role', async () => {
    const [one, other] = [await shop.newStaff('support'), await shop.newStaff('support')]
    const save = (name: string, query: string, by = one) => by.put(VIEWS, { name, query })
    expect((await save(' Large ', 'state=completed&min=100')).status).toBe(204)
    expect((await save('Abroad', 'country=DE&columns=date.country')).status).toBe(204)
    expect((await save('Large', 'min=500')).status).toBe(204)
    expect((await one.get(VIEWS)).body).toEqual([
      { name: 'Abroad', query: 'country=DE&columns=date.country' },
      { name: 'Large', query: 'min=500' },
    ])
    expect(await namesOf(other)).toEqual([])
    await other.post(`${VIEWS}remove/`, { name: 'Large' })
    expect(await namesOf(one)).toEqual(['Abroad', 'Large'])
    await one.post(`${VIEWS}remove/`, { name: 'Large' })
    expect(await namesOf(one)).toEqual(['Abroad'])
    await run('UPDATE users SET role = NULL WHERE id = $1', [one.id])
    expect(await run('SELECT FROM order_views WHERE user_id = $1', [one.id])).toEqual([])
  })

  test('are at most twenty, with short names and filters that the list takes', async () => {
    const by = await shop.newStaff('support')
    const save = async (name: string, query = 'state=review') => (await by.put(VIEWS, { name, query })).status
    for (const [name, query] of [
      ['', 'state=review'],
      ['x'.repeat(61), 'state=review'],
      ['x', ''],
      ['x', 'state=nothing'],
      ['x', 'after=https://evil.test'],
      ['x', 'columns=<b>'],
      ['x', `offer=${'a'.repeat(500)}`],
    ] as const)
      expect(await save(name, query), `${name} ${query}`).toBe(400)
    for (let view = 1; view < 20; view += 1) expect(await save(`View ${view}`)).toBe(204)
    const race = await Promise.all(['a', 'b', 'c'].map((name) => save(name)))
    expect(race.toSorted((a, b) => a - b)).toEqual([204, 409, 409])
    expect(await namesOf(by)).toHaveLength(20)
    // One that is there can be changed.
    expect(await save('View 1', 'state=held')).toBe(204)
  })
})

describe('The export', () => {
  test.each([
    ['=1+1', "'=1+1"],
    ['+32', "'+32"],
    ['-1', "'-1"],
    ['@x', "'@x"],
    ['＝1+1', "'＝1+1"],
    ['＋1', "'＋1"],
    ['－1', "'－1"],
    ['＠x', "'＠x"],
    ['﹢1', "'﹢1"],
    ['\u22121', "'\u22121"],
    ['  =1', "'  =1"],
    ['\u00a0\u3000=1', "'\u00a0\u3000=1"],
    ['\u200b\ufeff=1', "'\u200b\ufeff=1"],
    ['\u202e＝1', "'\u202e＝1"],
    ['\tx', "'\tx"],
    ['\rx', `"'\rx"`],
    ['a;b', '"a;b"'],
    ['say "hi"', '"say ""hi"""'],
    ['two\nlines', '"two\nlines"'],
    ['=cmd|" /C calc"!A0;', `"'=cmd|"" /C calc""!A0;"`],
    ['a=b', 'a=b'],
    ['', ''],
  ])('writes %j as %j', (text, cell) => {
    expect(csvCell(text, ';')).toBe(cell)
  })

  test.each<[Language, string, string]>([
    ['fr', ';', '11,86'],
    ['nl', ';', '11,86'],
    ['en', ',', '11.86'],
  ])(
    'opens in spreadsheets in %s, is asked for again, and is written down',
    async (language, separator, total) => {
      await run(`UPDATE users SET username = '=HYPERLINK("x")' WHERE id = $1`, [paid.customer.id])
      const response = await people.accountant.post(
        `/api/staff/orders/export/?offer=${slug}&state=completed`,
        undefined,
        {
          language,
        },
      )
      expect(response.headers).toMatchObject({
        'content-type': 'text/csv; charset=utf-8',
        'content-disposition': expect.stringMatching(/^attachment; filename="\w+\.csv"$/),
      })
      const text = (response.body as unknown as Buffer).toString()
      const lines = text.split('\r\n')
      expect(lines).toHaveLength(3)
      expect(text.startsWith('\u{FEFF}')).toBe(true)
      expect(lines[0]?.split(separator)).toHaveLength(15)
      expect(lines[1]).toContain(`${separator}"'=HYPERLINK(""x"")"${separator}`)
      expect(lines[1]?.split(separator)[11]).toBe(total)
      const [entry] = (await auditOf('orders.export', null)).toReversed()
      expect(entry).toMatchObject({
        actor: people.accountant.name,
        after: { filters: { offer: slug }, language },
      })
      await run(
        'DELETE FROM staff_step_ups WHERE session_id IN (SELECT id FROM staff_sessions WHERE user_id = $1)',
        [people.accountant.id],
      )
      expect((await people.accountant.post('/api/staff/orders/export/')).body['code']).toBe(
        'staff.stepUpRequired',
      )
      await people.accountant.stepUp('orders.export')
    },
  )

  test('of chosen orders has these alone, whatever the filters, and at most a thousand', async () => {
    const [one, two] = [await shop.paidOrder(1), await shop.paidOrder(1)]
    const ask = (ids: string[], by = people.accountant) =>
      by.post('/api/staff/orders/export/?country=LU', { ids })
    const { status, body } = await ask([one.ours.id, two.ours.id, one.ours.id, newId(Date.now())])
    expect(status).toBe(200)
    const [, ...lines] = (body as unknown as Buffer).toString().trim().split('\r\n')
    expect(lines.map((line) => line.slice(0, 9))).toEqual(
      [two, one].map(({ ours }) => shownOrderNumber(ours.number)),
    )
    const [entry] = await run(
      `SELECT entry FROM audit_log WHERE action = 'orders.export' ORDER BY id DESC LIMIT 1`,
    )
    expect(JSON.parse(entry.entry).after.orders).toContain(two.ours.id)
    for (const ids of [[], Array.from({ length: 1_001 }, () => newId(Date.now())), ['x']])
      expect((await ask(ids)).status).toBe(400)
    expect((await ask([one.ours.id], await shop.newStaff('postal'))).status).toBe(403)
  })

  test('of no such contest is empty', async () => {
    expect(
      (
        (await people.accountant.post('/api/staff/orders/export/?offer=none')).body as unknown as Buffer
      ).toString(),
    ).toBe('')
  })
})

test.each<[StaffRole, string, number]>([
  ['postal', 'GET /api/staff/orders/', 403],
  ['witness', 'GET /api/staff/orders/', 403],
])('%s may not: %s', async (role, route, status) => {
  const [, path = ''] = route.split(' ')
  expect((await (await shop.newStaff(role)).get(path)).status).toBe(status)
})
