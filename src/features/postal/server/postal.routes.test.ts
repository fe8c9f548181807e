import { createHash, randomUUID } from 'node:crypto'
import { describe, expect, test, vi } from 'vitest'
import { checkInvariants } from '#platform/invariants.ts'
import { shopPost } from '#server/shop-mailer.ts'
import { applyRetention, shopInvariants } from '#server/maintenance.ts'
import { cancelAndRefund, cancellationPreview } from '#features/purchase/refunds/server/cancelled-offers.ts'
import { sendDrawEmails } from '#features/draws/server/draw-emails.ts'
import { claimTokens, openClaims, publishTerms } from '#features/draws/server/index.ts'
import { readPdf } from '#features/tickets/server/pdf-reader.test-support.ts'
import { drawNumber, sealContest } from '../../../../test/support/drawn-contests.ts'
import { postcard } from '../../../../test/support/postcards.ts'
import { race } from '../../../../test/support/races.ts'
import { openShop } from '../../../../test/support/shop.ts'
import { dayOf } from '../postal.rules.ts'
import { tellEntrants } from './jobs.ts'
import { postalPersonalData } from './personal-data.ts'
import { voidApproval } from './card-changes.ts'
import { linkEntries } from './postal.repository.ts'

vi.mock('pdfkit', async () => (await import('../../../../test/support/no-pdfkit.ts')).noPdfkit)

const shop = await openShop({ env: { KEEP_POST_DAYS: '20' } })
await shop.unlockTerms()
await shop.unlockTerms()
const clerk = await shop.newStaff('postal')
const other = await shop.newStaff('support')
const today = dayOf(new Date(), 'Europe/Brussels')

const ENTRIES = '/api/staff/post/entries/'
const register = (offerId: number, change: Record<string, unknown> = {}, by = clerk) =>
  by.post(ENTRIES, postcard(offerId, change))
const run = async (statement: string, values: unknown[] = []) =>
  (await shop.pool.query(statement, values)).rows
const ticketsOf = (offerId: number) =>
  run('SELECT number, source, status, user_id FROM tickets WHERE offer_id = $1 ORDER BY number', [offerId])
const daysAgo = (days: number): Date => new Date(Date.now() - days * 86_400_000)
const dayAgo = (days: number): string => dayOf(daysAgo(days), 'Europe/Brussels')
const auditOf = (action: string, subject: string) =>
  run(`SELECT entry FROM audit_log WHERE action = $1 AND subject = $2 ORDER BY id`, [action, subject])
const emailsTo = (recipient: string) =>
  run('SELECT kind, language, subject, body_text FROM emails WHERE recipient = $1 ORDER BY queued_at', [
    recipient,
  ])

const checked = (await shopInvariants()).filter(({ name }) => ['I1', 'I2', 'I9', 'I11'].includes(name))
const breaches = () => checkInvariants(shop.db, checked)

describe('a card', () => {
  test('gets a number at once, from the same sequence as those that are bought [spec 1.8, 9.19]', async () => {
    const offerId = await shop.newOffer({ total_tickets: 50 })
    await shop.paidOrder(2, undefined, offerId)
    const { status, body } = await register(offerId, { name: '  Anne   Dupont ' })
    await shop.paidOrder(1, undefined, offerId)
    expect(status).toBe(201)
    expect(body).toMatchObject({
      status: 'entered',
      refusal: null,
      number: expect.stringMatching(/^P-[2-9A-Z]{4}-[2-9A-Z]{4}$/),
      name: 'Anne   Dupont',
      ticket_number: expect.stringMatching(/^\d\d$/),
      ticket_status: 'valid',
      has_letter: true,
      letter_at: null,
      registered_by: { id: clerk.id, name: clerk.name },
      user_id: null,
    })
    const tickets = await ticketsOf(offerId)
    expect(tickets).toHaveLength(4)
    expect(tickets.find(({ number }) => number === Number(body['ticket_number']))).toMatchObject({
      source: 'postal',
      user_id: null,
    })
    expect(await shop.counters(offerId)).toEqual({ tickets_sold: 4, tickets_held: 0 })
    expect(await breaches()).toEqual([])
    const [entry] = await auditOf('post.register', body['id'])
    expect(JSON.parse(entry.entry)).toMatchObject({
      actor_id: clerk.id,
      subject_kind: 'postalEntry',
      after: { offer: offerId, number: Number(body['ticket_number']) },
    })
    expect(entry.entry).not.toMatch(/Dupont|Paix/)
  })

  test('is registered once, however often the form sends it', async () => {
    const offerId = await shop.newOffer()
    const card = postcard(offerId)
    const responses = await race(
      shop.url,
      `SELECT FROM offers WHERE id = ${offerId} FOR UPDATE`,
      2,
      () => [1, 2, 3, 4].map(() => clerk.post(ENTRIES, card, { isWithoutEffect: true })) as never,
    )
    const bodies = (responses as { status: number; body: { ticket_number: string } }[]).map(
      ({ body }) => body,
    )
    expect(new Set(bodies.map(({ ticket_number }) => ticket_number)).size).toBe(1)
    const again = await clerk.post(ENTRIES, card, { isWithoutEffect: true })
    expect([again.status, again.body['ticket_number']]).toEqual([200, bodies[0]?.ticket_number])
    expect(await ticketsOf(offerId)).toHaveLength(1)
    expect(await run('SELECT FROM emails WHERE kind = $1', ['postal-entry'])).toEqual([])
    // The id of a card is that of no other.
    const reused = await clerk.post(ENTRIES, postcard(offerId, { id: card.id, name: 'Karel Peeters' }))
    expect([reused.status, reused.body['code']]).toEqual([409, 'post.idReused'])
  })

  test.each([
    [
      'illegible',
      { seen: 'illegible', name: null, address: null, postcode: null, city: null, country: null },
    ],
    ['incomplete', { seen: 'incomplete' }],
    ['under_age', { date_of_birth: dayAgo(365 * 17) }],
    ['country', { country: 'US' }],
    ['wrong_answer', { answer: 'That' }],
    ['wrong_answer', { answer: null }],
  ])('is refused as %s, with a letter and without a number: %o', async (refusal, change) => {
    const offerId = await shop.newOffer({
      question: 'Which?',
      choices: ['This', 'That'],
      correct_choice: 'This',
    })
    const { status, body } = await register(offerId, { answer: 'This', ...change })
    expect([status, body['status'], body['refusal'], body['ticket_number']]).toEqual([
      201,
      'refused',
      refusal,
      null,
    ])
    expect(body['has_letter']).toBe(body['name'] !== null)
    expect(await ticketsOf(offerId)).toEqual([])
    expect((await shop.counters(offerId)).tickets_sold).toBe(0)
  })

  test('after a wrong answer may come again with the right one', async () => {
    const offerId = await shop.newOffer({
      question: 'Which?',
      choices: ['This', 'That'],
      correct_choice: 'This',
    })
    const card = postcard(offerId, { answer: 'That' })
    expect((await clerk.post(ENTRIES, card)).body['refusal']).toBe('wrong_answer')
    const { body } = await clerk.post(ENTRIES, { ...card, id: randomUUID(), answer: 'This' })
    expect(body['status']).toBe('entered')
  })

  test('that arrived on the day of the end is in time, one day later it is late, after the draw it misses it', async () => {
    const offerId = await shop.newOffer({ created_at: daysAgo(60), end_date: daysAgo(3) })
    expect((await register(offerId, { received_on: dayAgo(3) })).body['status']).toBe('entered')
    expect((await register(offerId, { received_on: dayAgo(2) })).body['refusal']).toBe('late')
    expect(await breaches()).toEqual([])
    await shop.changeOffer(offerId, { end_date: daysAgo(32) })
    expect((await register(offerId, { received_on: dayAgo(40) })).body['refusal']).toBe('registered_late')
    await shop.changeOffer(offerId, { end_date: daysAgo(3) })
  })

  test('that came in time and is registered after the draw gets an apology; the owners and the meter know of it', async () => {
    const slug = 'drawn-before-the-post'
    const offerId = await shop.newOffer({ slug, created_at: daysAgo(60), end_date: daysAgo(4) })
    const before = (await clerk.get('/api/staff/post/parity/')).body['missed'] as number
    const deskOf = async () =>
      (
        (await clerk.get('/api/staff/post/contests/')).body['contests'] as { id: number; is_drawn: boolean }[]
      ).find(({ id }) => id === offerId)
    expect(await deskOf()).toMatchObject({ is_drawn: false })
    await shop.changeOffer(offerId, { draw_at: new Date() })
    expect(await deskOf()).toMatchObject({ is_drawn: true })
    const email = 'in-time@person.test'
    for (const change of [{ email, language: 'en' }, {}]) {
      const { status, body } = await register(offerId, { received_on: dayAgo(4), ...change })
      expect([status, body['status'], body['refusal'], body['ticket_number']]).toEqual([
        201,
        'refused',
        'registered_late',
        null,
      ])
    }
    // What would have been refused in time is refused as that.
    const young = { received_on: dayAgo(4), date_of_birth: dayAgo(365 * 17) }
    expect((await register(offerId, young)).body['refusal']).toBe('under_age')
    const [mail] = await emailsTo(email)
    expect(mail.body_text).toContain('we registered it too late for the draw')
    expect(mail.body_text).not.toContain('Do you think that this is a mistake')
    const alerts = (await (await shop.newStaff('owner')).get('/api/staff/alerts/')).body['items'] as {
      kind: string
      subject: string
    }[]
    expect(alerts.filter(({ subject }) => subject === slug)).toMatchObject([
      { kind: 'cardMissedDraw', details: { cards: 2 }, times: 2, resolved_at: null },
    ])
    expect((await clerk.get('/api/staff/post/parity/')).body['missed']).toBe(before + 2)
    expect(await ticketsOf(offerId)).toEqual([])
    expect(await breaches()).toEqual([])
  })

  test('gets a number until the contest’s own draw, however lately the contest has ended', async () => {
    const inAnHour = new Date(Date.now() + 3_600_000)
    const offerId = await shop.newOffer({ created_at: daysAgo(60), end_date: daysAgo(1), draw_at: inAnHour })
    const inTime = { received_on: dayAgo(1) }
    expect((await register(offerId, inTime)).body['status']).toBe('entered')
    await shop.changeOffer(offerId, { draw_at: new Date() })
    expect((await register(offerId, { ...inTime })).body['refusal']).toBe('registered_late')
    expect((await register(offerId, { received_on: today })).body['refusal']).toBe('late')
    expect((await shop.counters(offerId)).tickets_sold).toBe(1)
    expect(await breaches()).toEqual([])
    // A draw long after the end does not make the desk's month longer.
    await shop.changeOffer(offerId, { end_date: daysAgo(32), draw_at: inAnHour })
    expect((await register(offerId, { received_on: dayAgo(40) })).body['refusal']).toBe('registered_late')
    await shop.changeOffer(offerId, { end_date: daysAgo(1) })
  })

  test('of a contest that is not open is not registered, of an unknown one neither', async () => {
    const stopped = await shop.newOffer({ state: 'closed' })
    expect((await register(stopped)).body['code']).toBe('post.notOpen')
    expect((await register(999_999)).status).toBe(404)
    expect((await clerk.get('/api/staff/post/contests/')).body['contests']).not.toContainEqual(
      expect.objectContaining({ id: stopped }),
    )
  })

  test.each([
    ['received_on', { received_on: dayAgo(-2) }],
    ['received_on', { received_on: dayAgo(400) }],
    ['received_on', { received_on: '2026-02-30' }],
    ['date_of_birth', { date_of_birth: dayAgo(-1) }],
    ['date_of_birth', { date_of_birth: '1880-01-01' }],
    ['date_of_birth', { date_of_birth: '12/04/1985' }],
    ['name', { name: '   ' }],
    ['name', { name: '12' }],
    ['name', { name: 'Άννα' }],
    ['name', { name: 'x'.repeat(101) }],
    ['address', { address: [] }],
    ['address', { address: ['1', '2', '3', '4'] }],
    ['postcode', { postcode: '--' }],
    ['city', { city: '' }],
    ['country', { country: 'UK' }],
    ['email', { email: 'nobody' }],
    ['language', { language: 'de' }],
  ])('with a bad %s is sent back: %o', async (field, change) => {
    const { status, body } = await register(await shop.newOffer(), change)
    expect([status, Object.keys(body['fields'])]).toEqual([400, [field]])
    expect(body['fields'][field][0]).toMatch(/^\p{Lu}.{10,}/u)
  })
})

describe('once per person and per contest [spec 1.8, 5.51, 9.19]', () => {
  test('the same person is refused, however the card is written, and may enter another contest', async () => {
    const offerId = await shop.newOffer()
    const card = postcard(offerId)
    const first = await clerk.post(ENTRIES, card)
    const written = { id: randomUUID(), name: 'DUPONT, Anne', address: [card.address[0]!.toUpperCase()] }
    const { body } = await clerk.post(ENTRIES, { ...card, ...written, postcode: `B-${card.postcode}` })
    expect(body).toMatchObject({
      status: 'refused',
      refusal: 'duplicate',
      duplicate_of: { id: first.body['id'], number: first.body['number'] },
    })
    const elsewhere = { ...card, id: randomUUID(), offer_id: await shop.newOffer() }
    expect((await clerk.post(ENTRIES, elsewhere)).body['status']).toBe('entered')
  })

  test('somebody similar is shown first; staff decide, and the decision is stored', async () => {
    const offerId = await shop.newOffer()
    const card = postcard(offerId)
    const { body: first } = await clerk.post(ENTRIES, card)
    const twin = { ...card, id: randomUUID(), name: 'Bernard Dupont' }
    const asked = await clerk.post(ENTRIES, twin)
    expect(asked).toMatchObject({
      status: 409,
      body: {
        code: 'post.similar',
        items: [
          {
            id: first['id'],
            name: 'Anne Dupont',
            is_same: false,
            like: { name: false, address: true, date_of_birth: true },
          },
        ],
      },
    })
    const { name, address, postcode, city, country, date_of_birth } = twin
    const person = { name, address, postcode, city, country, date_of_birth, offer_id: offerId }
    const check = await clerk.post('/api/staff/post/check/', person)
    expect(check.body['items']).toEqual(asked.body['items'])
    const seen = await auditOf('post.compare', String(offerId))
    expect(seen.map(({ entry }) => JSON.parse(entry).after)).toEqual(Array(2).fill({ shown: [first['id']] }))
    // A stranger is similar to nobody.
    expect(
      (
        await clerk.post(
          '/api/staff/post/check/',
          { ...person, ...postcard(offerId) },
          { isWithoutEffect: true },
        )
      ).body['items'],
    ).toEqual([])

    const same = await clerk.post(ENTRIES, { ...twin, id: randomUUID(), same_as: first['id'] })
    expect(same.body).toMatchObject({ refusal: 'duplicate', duplicate_of: { id: first['id'] } })
    const entered = await clerk.post(ENTRIES, { ...twin, other_than: [first['id']] })
    expect(entered.body).toMatchObject({ status: 'entered', other_than: [{ id: first['id'] }] })
    const [decided] = await auditOf('post.register', twin.id)
    expect(JSON.parse(decided.entry).after.other_than).toEqual([first['id']])
    // Somebody similar to both: a decision about one does not decide about the other.
    const third = { ...card, id: randomUUID(), name: 'Berna Dupont', other_than: [first['id']] }
    expect((await clerk.post(ENTRIES, third)).body['items']).toHaveLength(2)
    const unknown = { ...third, other_than: [], same_as: randomUUID() }
    expect((await clerk.post(ENTRIES, unknown)).body['code']).toBe('post.similar')
  })

  test('two clerks who register a person and somebody similar at one moment are not both answered', async () => {
    const offerId = await shop.newOffer()
    const card = postcard(offerId)
    const responses = await race(shop.url, `SELECT FROM offers WHERE id = ${offerId} FOR UPDATE`, 2, () => [
      clerk.post(ENTRIES, card),
      other.post(ENTRIES, { ...card, id: randomUUID() }),
      other.post(ENTRIES, { ...card, id: randomUUID(), name: 'A. Dupont' }),
    ])
    const entered = responses.filter(({ body }) => body['status'] === 'entered')
    expect(entered).toHaveLength(1)
    expect(await ticketsOf(offerId)).toHaveLength(1)
    expect(await breaches()).toEqual([])
  })
})

describe('numbers', () => {
  test('for cards and buyers who come at one moment are never more than there are', async () => {
    const offerId = await shop.newOffer({ total_tickets: 10 })
    const buyers = await Promise.all(
      Array.from({ length: 4 }, () => shop.approvedOrder(1, undefined, offerId)),
    )
    const late = await Promise.all(Array.from({ length: 4 }, () => shop.newCustomer()))
    for (const buyer of late) await buyer.add(offerId, 1)
    const cards = Array.from({ length: 8 }, () => postcard(offerId))
    const responses = await race(
      shop.url,
      `SELECT FROM offers WHERE id = ${offerId} FOR UPDATE`,
      2,
      () =>
        [
          ...cards.map((card) => clerk.post(ENTRIES, card)),
          ...late.map((buyer) => buyer.create()),
          ...buyers.map(({ customer, orderId }) => customer.capture(orderId)),
        ] as Promise<{ status: number; body: Record<string, unknown> }>[],
    )
    const [posted, created, captured] = [responses.slice(0, 8), responses.slice(8, 12), responses.slice(12)]
    expect(captured.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    const entered = posted.filter(({ body }) => body['status'] === 'entered').length
    const held = created.filter(({ status }) => status === 200).length
    // Four were held before: cards and new orders share the six others, and nobody gets a seventh.
    expect(entered + held).toBe(6)
    expect(await shop.counters(offerId)).toEqual({ tickets_sold: 4 + entered, tickets_held: held })
    expect(await breaches()).toEqual([])
  })

  test('that are all held are waited for; when all are given, the card is refused', async () => {
    const offerId = await shop.newOffer({ total_tickets: 10 })
    const { customer, orderId } = await shop.approvedOrder(10, undefined, offerId)
    const { status, body } = await register(offerId)
    expect([status, body['code']]).toEqual([409, 'post.allHeld'])
    await customer.capture(orderId)
    expect((await register(offerId)).body['refusal']).toBe('sold_out')
  })

  test('of the reserve are for post alone: a contest that is sold out still takes cards', async () => {
    const offerId = await shop.newOffer({ slug: 'reserved', total_tickets: 12, postal_reserve_percent: 12 })
    const detail = async () => (await shop.anonymous('GET', '/api/offers/reserved/')).body
    expect(await detail()).toMatchObject({ total_tickets: 12, tickets_sold: 0, tickets_reserved: 2 })
    const buyer = await shop.newCustomer()
    const refused = await buyer.order(offerId, 11)
    expect(refused).toMatchObject({ status: 409, body: { code: 'offer.fewLeft', remaining: 10 } })
    await shop.paidOrder(10, undefined, offerId)
    const next = await (await shop.newCustomer()).order(offerId, 1)
    expect(next).toMatchObject({ status: 409, body: { code: 'offer.soldOut', remaining: 0 } })

    expect((await register(offerId)).body['status']).toBe('entered')
    expect(await detail()).toMatchObject({ tickets_sold: 11, tickets_reserved: 1 })
    expect((await register(offerId)).body['status']).toBe('entered')
    expect((await detail())['tickets_reserved']).toBeUndefined()
    expect((await register(offerId)).body['refusal']).toBe('sold_out')
    expect(await shop.counters(offerId)).toEqual({ tickets_sold: 12, tickets_held: 0 })
    expect(await breaches()).toEqual([])
  })

  test('of the reserve are not given for a payment that comes late', async () => {
    const offerId = await shop.newOffer({ total_tickets: 12, postal_reserve_percent: 25 })
    const late = await shop.approvedOrder(1, undefined, offerId)
    await run(`UPDATE orders SET hold_until = 'epoch' WHERE provider_order_id = $1`, [late.orderId])
    await shop.expireHolds()
    await shop.paidOrder(9, undefined, offerId)
    const captured = await late.customer.capture(late.orderId)
    expect([captured.status, captured.body['code']]).toEqual([409, 'checkout.holdExpired'])
    expect(await ticketsOf(offerId)).toHaveLength(9)
    expect(await breaches()).toEqual([])
  })

  test('of the reserve are taken first, then those that are free for everybody', async () => {
    const offerId = await shop.newOffer({ total_tickets: 12, postal_reserve_percent: 8 })
    for (const _ of [1, 2]) expect((await register(offerId)).body['status']).toBe('entered')
    const [{ used }] = await run('SELECT postal_reserve_used AS used FROM offers WHERE id = $1', [offerId])
    expect(used).toBe(1)
    await shop.paidOrder(10, undefined, offerId)
    expect(await breaches()).toEqual([])
  })

  test.each([
    [1, 50, 0],
    [2, 50, 1],
    [3, 1, 1],
    [1_000, 2, 20],
    [999, 2, 20],
    [10, 0, 0],
  ])('of %i tickets, %i %% for post are %i', async (total_tickets, postal_reserve_percent, reserve) => {
    const id = await shop.newOffer({ total_tickets, postal_reserve_percent })
    expect(await run('SELECT postal_reserve FROM offers WHERE id = $1', [id])).toEqual([
      { postal_reserve: reserve },
    ])
  })

  test('that are kept for post are half of all at most', async () => {
    await expect(shop.newOffer({ postal_reserve_percent: 51 })).rejects.toMatchObject({
      constraint: 'offers_postal_reserve_is_a_part',
    })
  })

  test('that a contest keeps for post stay as they are once the first is given', async () => {
    const offerId = await shop.newOffer({ total_tickets: 12, postal_reserve_percent: 8 })
    await run('UPDATE offers SET postal_reserve_percent = 16 WHERE id = $1', [offerId])
    await shop.paidOrder(1, undefined, offerId)
    await expect(
      run('UPDATE offers SET postal_reserve_percent = 8 WHERE id = $1', [offerId]),
    ).rejects.toMatchObject({
      constraint: 'offers_postal_reserve_stays',
    })
  })
})

describe('letters and emails', () => {
  /** What a PDF says, page by page. */
  const pagesOf = (body: unknown, pages: number): string[] =>
    Array.from({ length: pages }, (_, page) =>
      readPdf(body as Buffer, page)
        .elements.map(({ text }) => text)
        .join('\n'),
    )

  test.each([
    ['fr', 'Votre participation gratuite', 'BELGIUM'],
    ['nl', 'Je gratis deelname', 'BELGIUM'],
    ['en', 'Your free entry', 'BELGIUM'],
  ] as const)('a number is told by letter, with its commitment (%s)', async (language, words, country) => {
    const [end, draw] = [1, 4].map((days) => new Date(Date.now() + days * 86_400_000))
    const offerId = await shop.newOffer({ end_date: end!, draw_at: draw! })
    await publishTerms(shop.draws)
    const { body } = await register(offerId, {
      language,
      address: ['Kerkstraat 5', 'bus 3'],
      city: 'Brussel',
    })
    const letter = await clerk.post(`${ENTRIES}${body['id']}/letter/`)
    expect(letter.headers).toMatchObject({
      'content-type': 'application/pdf',
      'content-disposition': `inline; filename="letters-${body['number']}.pdf"`,
      'cache-control': 'no-store',
    })
    const [page = ''] = pagesOf(letter.body, 1)
    const [{ salt, ticket, terms }] = await run(
      `SELECT encode(p.salt, 'hex') AS salt, t.id AS ticket, encode(d.terms_hash, 'hex') AS terms FROM postal_entries p
       JOIN draws d ON d.offer_id = p.offer_id
       JOIN tickets t ON t.offer_id = p.offer_id AND t.number = p.ticket_number WHERE p.id = $1`,
      [body['id']],
    )
    const commitment = createHash('sha256')
      .update('volant-commitment-v1')
      .update(Buffer.from(salt, 'hex'))
      .update(ticket)
      .digest('hex')
    expect(body['commitment']).toBe(commitment)
    const secret = Buffer.from(salt, 'hex').toString('base64url')
    for (const part of [
      words,
      'Anne Dupont\nKerkstraat 5\nbus 3\n',
      'Brussel\n',
      country,
      body['ticket_number'],
      body['number'],
      commitment,
      ticket,
      secret,
      terms,
    ])
      expect(page).toContain(part)
    const printed = (await clerk.get(`${ENTRIES}${body['id']}/`)).body
    expect(printed['letter_at']).toMatch(/^20/)
    expect(await auditOf('post.print', body['id'])).toHaveLength(1)
    expect(await auditOf('post.read', body['id'])).toHaveLength(1)
  })

  test('a refusal says why, and that a new card may come', async () => {
    const offerId = await shop.newOffer({
      question: 'Which?',
      choices: ['This', 'That'],
      correct_choice: 'This',
    })
    const { body } = await register(offerId, { language: 'en', answer: 'That' })
    const letter = await clerk.post(`${ENTRIES}${body['id']}/letter/`)
    const [page] = pagesOf(letter.body, 1)
    expect(page).toMatch(/answer to the question of the contest is missing or not correct/)
    expect(page).toMatch(/You may write to us again/)
    expect(page).not.toMatch(/Commitment/)
  })

  test('the letters of a bag are one file, without those that went by email, and once only', async () => {
    const [offerId, bag] = [await shop.newOffer(), randomUUID()]
    await register(offerId, { bag })
    await register(offerId, { bag, country: 'US' })
    await register(offerId, { bag, email: 'mailed@person.test' })
    await register(offerId, { bag, seen: 'illegible', name: null })
    await register(offerId)
    await run('DELETE FROM staff_step_ups WHERE session_id = $1', [clerk.sessionId])
    const asked = await clerk.post(`/api/staff/post/letters/?bag=${bag}`)
    expect([asked.status, asked.body['code']]).toEqual([403, 'staff.stepUpRequired'])
    expect((await clerk.get(`/api/staff/post/letters/?bag=${bag}`)).status).toBe(405)
    await clerk.stepUp('post.print')
    const letters = await clerk.post(`/api/staff/post/letters/?bag=${bag}`)
    const pages = pagesOf(letters.body, 2)
    expect(pages[0]).toMatch(/Vous participez/)
    expect(pages[1]).toMatch(/UNITED STATES/)
    expect(readPdf(letters.body as unknown as Buffer).objects).toContain('/Count 2')
    const none = await clerk.post(`/api/staff/post/letters/?bag=${bag}`)
    expect([none.status, none.body['code']]).toEqual([409, 'post.nothingToPrint'])
    expect((await clerk.post(`/api/staff/post/letters/?bag=${bag}&again=true`)).status).toBe(200)
    // The card of another bag, and those of other tests, still wait.
    const waiting = await clerk.get(`${ENTRIES}?letter=waiting&limit=100`)
    expect(waiting.body['items'].every((one: { bag: string }) => one.bag !== bag)).toBe(true)
    expect((await clerk.post('/api/staff/post/letters/')).status).toBe(200)
    expect((await clerk.get(`${ENTRIES}?letter=waiting`)).body['items']).toEqual([])
  })

  test('a cancellation makes as many letters wait as it announced, apart from the answers', async () => {
    const slug = 'cancelled-by-letter'
    const [offerId, bag] = [await shop.newOffer({ slug }), randomUUID()]
    const { body: printed } = await register(offerId, { bag })
    await clerk.post(`${ENTRIES}${printed['id']}/letter/`)
    const { body: unprinted } = await register(offerId, { bag })
    await register(offerId, { bag, email: 'no-letter@person.test' })
    const { body: refused } = await register(offerId, { bag, country: 'US' })
    const waiting = async (more = '') => {
      const { body } = await clerk.get(`${ENTRIES}?letter=waiting&offer=${offerId}${more}`)
      return Object.fromEntries(
        body['items'].map((one: { id: string; letter_waits: string }) => [one.id, one.letter_waits]),
      )
    }
    expect(await waiting()).toEqual({ [unprinted['id']]: 'answer', [refused['id']]: 'answer' })

    const { letters } = await cancellationPreview(shop.checkout, slug)
    await cancelAndRefund(shop.checkout, slug, 'a_test')
    const voids = await waiting('&status=entered')
    expect(voids).toEqual({ [printed['id']]: 'void', [unprinted['id']]: 'void' })
    expect(Object.keys(voids)).toHaveLength(letters)
    // The whole run, with the refusal that nobody had printed yet.
    const run3 = await clerk.post(`/api/staff/post/letters/?bag=${bag}`)
    const pages = pagesOf(run3.body, 3)
    expect(pages.filter((page) => /a été annulé/.test(page))).toHaveLength(2)
    expect(pages.filter((page) => /Vous participez/.test(page))).toEqual([])
    expect(await waiting()).toEqual({})
    const seen = (await clerk.get(`${ENTRIES}${printed['id']}/`)).body
    expect(seen).toMatchObject({ letter_waits: null, letter_at: expect.any(String) })
    expect(Date.parse(seen['void_letter_at'])).toBeGreaterThan(Date.parse(seen['letter_at']))
    // Told once: a second preview counts nobody.
    expect((await cancellationPreview(shop.checkout, slug)).letters).toBe(0)
    expect(await tellEntrants(shopPost({ db: shop.db, config: shop.config }))).toBe(1)
  })

  test('an entry without an address has no letter', async () => {
    const unread = { seen: 'illegible', address: null, postcode: null, city: null, country: null }
    const { body } = await register(await shop.newOffer(), unread)
    expect(body['has_letter']).toBe(false)
    const letter = await clerk.post(`${ENTRIES}${body['id']}/letter/`)
    expect([letter.status, letter.body['code']]).toEqual([409, 'post.noLetter'])
  })

  test('who gives an address is told by email, and again when the contest is cancelled', async () => {
    const offerId = await shop.newOffer({ slug: 'to-be-cancelled' })
    const told = { email: 'lotte@person.test', language: 'nl' }
    const { body } = await register(offerId, told)
    await register(offerId)
    const [first] = await emailsTo(told.email)
    expect(first).toMatchObject({ kind: 'postal-entry', language: 'nl' })
    for (const part of [body['ticket_number'], body['commitment'], body['number']])
      expect(first.body_text).toContain(part)

    await cancelAndRefund(shop.checkout, 'to-be-cancelled', 'a_test')
    expect((await ticketsOf(offerId)).map(({ status }) => status)).toEqual(['void', 'void'])
    const jobs = shopPost({ db: shop.db, config: shop.config })
    expect(await Promise.all([tellEntrants(jobs), tellEntrants(jobs)])).toContain(1)
    expect(await tellEntrants(jobs)).toBe(0)
    const emails = await emailsTo(told.email)
    expect(emails.map(({ kind }) => kind)).toEqual(['postal-entry', 'postal-cancelled'])
    expect(emails[1].body_text).toMatch(/geannuleerd/)
    expect((await clerk.get(`${ENTRIES}${body['id']}/`)).body).toMatchObject({ ticket_status: 'void' })
    // A card that comes now is refused, and told so.
    const late = await register(offerId, { email: 'late@person.test' })
    expect(late.body['refusal']).toBe('cancelled')
    expect(await emailsTo('late@person.test')).toHaveLength(1)
    expect(await tellEntrants(jobs)).toBe(0)
  })
})

describe('an account whose confirmed address is on the card', () => {
  const ownersOfEmails = async (recipient: string) => {
    const rows = await run('SELECT kind, user_id FROM emails WHERE recipient = $1', [recipient])
    const kinds = Map.groupBy(rows, ({ kind }) => String(kind))
    return Object.fromEntries([...kinds].map(([kind, of]) => [kind, of.map(({ user_id }) => user_id)]))
  }
  const tickets = async (customer: Awaited<ReturnType<typeof shop.newCustomer>>) =>
    (await customer.get('/api/tickets/')).body as unknown as { source: string; id: string }[]

  test('shows the ticket among its participations, and the PDF', async () => {
    const customer = await shop.newCustomer()
    const { body } = await register(await shop.newOffer(), { email: customer.email.toUpperCase() })
    expect(body['user_id']).toBe(customer.id)
    const [ticket] = await tickets(customer)
    expect(ticket).toMatchObject({ source: 'postal', ticket_number: body['ticket_number'] })
    expect((await customer.get(`/api/tickets/${ticket?.id}/download/`)).status).toBe(200)
  })

  test('shows it from the confirmation on, not before', async () => {
    const account = { username: 'poster', email: 'poster@person.test', password: 'correct horse battery' }
    await shop.anonymous('POST', '/api/user/register/', { ...account, phone_number: '+33612345678' })
    const token = await shop.emailLinkTo(account.email)
    const offerId = await shop.newOffer()
    const { body } = await register(offerId, { email: account.email })
    const { body: refused } = await register(offerId, { email: account.email, country: 'US' })
    expect([body['user_id'], refused['user_id']]).toEqual([null, null])
    expect(await ownersOfEmails(account.email)).toMatchObject({ 'postal-entry': [null, null] })
    expect((await shop.anonymous('POST', '/api/user/email-link/', { token })).status).toBe(200)
    const [{ id }] = await run('SELECT id FROM users WHERE email = $1', [account.email])
    for (const entry of [body, refused])
      expect((await clerk.get(`${ENTRIES}${entry['id']}/`)).body['user_id']).toBe(id)
    expect(await ownersOfEmails(account.email)).toMatchObject({ 'postal-entry': [id, id] })
  })

  test('gets the emails of a draw that were still to be written, and those about a prize', async () => {
    const account = {
      username: 'late poster',
      email: 'late.poster@person.test',
      password: 'correct horse battery',
    }
    await shop.anonymous('POST', '/api/user/register/', { ...account, phone_number: '+33612345678' })
    const token = await shop.emailLinkTo(account.email)
    const offerId = await shop.newOffer({ draw_at: new Date(Date.now() + 90_000_000) })
    const { body } = await register(offerId, { email: account.email })
    const { body: winner } = await register(offerId, { email: account.email, name: 'Karel Peeters' })
    await sealContest(shop.pool, offerId)
    await sendDrawEmails(shop.db)
    await drawNumber(shop.pool, offerId, Number(winner['ticket_number']))
    await openClaims({ db: shop.db, tokens: claimTokens('a secret of the test') })
    expect((await shop.anonymous('POST', '/api/user/email-link/', { token })).status).toBe(200)
    await sendDrawEmails(shop.db)
    const [{ id }] = await run('SELECT id FROM users WHERE email = $1', [account.email])
    expect(await ownersOfEmails(account.email)).toMatchObject({
      'postal-entry': [id, id],
      'draw-sealed': [id, id],
      'draw-result': [id],
      'draw-won': [id],
    })
    const listed = async (entry: { [key: string]: unknown }) =>
      (await clerk.get(`${ENTRIES}${String(entry['id'])}/`)).body['emails'] as { id: string; kind: string }[]
    expect((await listed(body)).map(({ kind }) => kind)).toEqual([
      'draw-result',
      'draw-sealed',
      'postal-entry',
    ])
    const [won, ...earlier] = await listed(winner)
    expect(earlier.map(({ kind }) => kind)).toEqual(['draw-sealed', 'postal-entry'])
    const { status, body: read } = await clerk.get(`${ENTRIES}${winner['id']}/emails/${won?.id}/`)
    expect([status, read['kind'], read['to']]).toEqual([200, 'draw-won', account.email])
    expect(read['text']).toContain('[personal link, shown to its recipient only]')
    expect((await clerk.get(`${ENTRIES}${body['id']}/emails/${won?.id}/`)).status).toBe(404)
    const [entry] = await auditOf('emails.read', String(winner['id']))
    expect(JSON.parse(entry.entry)).toMatchObject({ after: { email: won?.id } })
  })

  test('has the refused ones, too, and their emails', async () => {
    const customer = await shop.newCustomer()
    const { body } = await register(await shop.newOffer(), { email: customer.email, country: 'US' })
    expect([body['refusal'], body['user_id']]).toEqual(['country', customer.id])
    expect(await ownersOfEmails(customer.email)).toMatchObject({ 'postal-entry': [customer.id] })
  })

  test('keeps them when its address changes, and who has the address next gets none', async () => {
    const [customer, next] = [await shop.newCustomer(), await shop.newCustomer()]
    const offerId = await shop.newOffer()
    await register(offerId, { email: customer.email })
    await register(offerId, { email: customer.email, country: 'US' })
    await run(`UPDATE users SET email = 'moved.away@person.test' WHERE id = $1`, [customer.id])
    await run(`UPDATE users SET email = $2 WHERE id = $1`, [next.id, customer.email])
    await shop.db.transaction().execute((trx) => linkEntries(trx, next.id, customer.email))
    const refusals = async ({ id }: { id: number }) =>
      (await postalPersonalData.read(shop.db, id, 'nl')).records.map((record) => record.data['refusal'])
    expect(await refusals(next)).toEqual([])
    expect(await refusals(customer)).toEqual(['country', null])
    expect(await ownersOfEmails(customer.email)).toMatchObject({ 'postal-entry': [customer.id, customer.id] })
  })
})

test('the owner of an account gets what the desk keeps about them, and it is erased with the account', async () => {
  const [customer, stranger] = [await shop.newCustomer(), await shop.newCustomer()]
  const offerId = await shop.newOffer()
  const { body: entered } = await register(offerId, { email: customer.email })
  await register(offerId, { email: customer.email, name: 'Karel Peeters', country: 'US' })
  const { body: others } = await register(offerId, { email: stranger.email })
  const { title, records } = await postalPersonalData.read(shop.db, customer.id, 'nl')
  expect(title).toBe('Deelnames per post')
  expect(records.map((record) => record.data['refusal'])).toEqual(['country', null])
  expect(records[1]).toMatchObject({ path: `/post/entries/${entered['id']}` })
  expect(records[1]?.facts).toContainEqual(['Nummer', entered['ticket_number']])
  expect(records[0]?.data['name']).toBe('Karel Peeters')

  const erase = () =>
    shop.db.transaction().execute((trx) => postalPersonalData.erase(trx, { userId: customer.id }))
  const erased = await erase()
  expect(erased.rows).toBe(2)
  expect(erased.emailKeys).toContain(`postal-entry:${entered['id']}`)
  expect((await erase()).rows).toBe(0)
  const rows = await run('SELECT * FROM postal_entries WHERE offer_id = $1 AND id <> $2', [
    offerId,
    others['id'],
  ])
  expect(JSON.stringify(rows)).not.toMatch(/Dupont|Peeters|example\.test/)
  expect((await clerk.get(`${ENTRIES}${others['id']}/`)).body['name']).toBe('Anne Dupont')
})

describe('the list', () => {
  test('finds entries by name, town, postcode, email and number, page by page', async () => {
    const offerId = await shop.newOffer({ total_tickets: 900 })
    const bag = randomUUID()
    const made = []
    for (let index = 0; index < 5; index += 1)
      made.push((await register(offerId, { bag, city: 'Liège' })).body)
    await register(offerId, {
      bag,
      name: 'Zoë Ångström',
      city: 'Liège',
      email: 'zoe@person.test',
      country: 'US',
    })
    const ids = async (query: string) =>
      (await clerk.get(`${ENTRIES}?bag=${bag}&${query}`)).body['items'].map((one: { id: string }) => one.id)
    const newestFirst = made.map(({ id }) => id).toReversed()
    expect((await ids('')).slice(1)).toEqual(newestFirst)
    expect(await ids('status=entered')).toEqual(newestFirst)
    expect(await ids(`offer=${offerId}&status=refused`)).toHaveLength(1)
    for (const search of ['zoe', 'angstrom zoë', 'ÅNG lie', 'ZOE@person.test'])
      expect(await ids(`search=${encodeURIComponent(search)}`)).toHaveLength(1)
    expect(await ids('search=liege')).toHaveLength(6)
    expect(await ids(`search=${encodeURIComponent(made[2]!['number'].toLowerCase())}`)).toEqual([
      made[2]!['id'],
    ])
    expect(await ids(`search=${made[3]!['ticket_number']}`)).toContain(made[3]!['id'])
    expect(await ids(`search=${encodeURIComponent("':* | ! & (")}`)).toEqual([])

    const pages: string[][] = []
    for (let after: string | null = ''; after !== null;) {
      const { body } = await clerk.get(`${ENTRIES}?bag=${bag}&limit=2&after=${after}`)
      pages.push(body['items'].map((one: { id: string }) => one.id))
      after = body['next']
    }
    expect(pages.map(({ length }) => length)).toEqual([2, 2, 2])
    expect(pages.flat().slice(1)).toEqual(newestFirst)
    expect((await clerk.get(`${ENTRIES}?limit=101`)).status).toBe(400)
    expect((await clerk.get(`${ENTRIES}?after=nonsense`)).status).toBe(200)
    expect((await clerk.get(`${ENTRIES}${randomUUID()}/`)).status).toBe(404)
  })

  test('of contests has those whose cards can be registered, without the right answer', async () => {
    const question = { question: 'Which?', choices: ['This', 'That'], correct_choice: 'This' }
    const open = await shop.newOffer({ ...question, total_tickets: 20, postal_reserve_percent: 20 })
    const ended = await shop.newOffer({ end_date: daysAgo(2), created_at: daysAgo(9) })
    const over = await shop.newOffer({ end_date: daysAgo(32), created_at: daysAgo(40) })
    await register(open, { answer: 'This' })
    const { body } = await clerk.get('/api/staff/post/contests/')
    expect(body['today']).toBe(today)
    const shown = new Map(body['contests'].map((one: { id: number }) => [one.id, one]))
    expect(shown.get(open)).toMatchObject({
      state: 'open',
      reserve_left: 3,
      left: 19,
      choices: ['This', 'That'],
    })
    expect(shown.get(open)).not.toHaveProperty('correct_choice')
    expect(shown.get(ended)).toMatchObject({ state: 'closed', closes_on: dayAgo(2) })
    expect(shown.has(over)).toBe(false)
  })
})

test('the meter compares how long post and payments wait for their numbers', async () => {
  await run(`ALTER TABLE postal_entries DISABLE TRIGGER postal_entries_decision_stays`)
  await run(
    `UPDATE postal_entries SET registered_at = received_on::timestamp AT TIME ZONE 'Europe/Brussels' + interval '36 hours'`,
  )
  await run(`ALTER TABLE postal_entries ENABLE TRIGGER postal_entries_decision_stays`)
  await run(`UPDATE orders o SET capture_started_at = (
    SELECT min(at) FROM order_events e WHERE e.order_id = o.id AND e.to_state = 'completed') - interval '3 seconds'`)
  const { body } = await clerk.get('/api/staff/post/parity/')
  expect(body['post']).toMatchObject({ median_s: 36 * 3600, p95_s: 36 * 3600 })
  expect(body['payment']).toMatchObject({ median_s: 3, p95_s: 3 })
  expect(body['post']['count']).toBeGreaterThan(10)
  expect(body['payment']['count']).toBeGreaterThan(3)
})

test('personal data are erased after the time for claims; number, commitment and decision stay', async () => {
  const KEPT = 38 + 20
  const [old, young, cancelled] = [
    await shop.newOffer(),
    await shop.newOffer(),
    await shop.newOffer({ slug: 'cancelled-long-ago' }),
  ]
  const email = 'old@person.test'
  const [first, second, third] = [
    (await register(old, { email, name: 'Ann Old' })).body,
    (await register(young)).body,
    (await register(cancelled)).body,
  ]
  const refused = (await register(old, { name: 'Ann Refused', country: 'US' })).body
  await shop.changeOffer(old, { end_date: daysAgo(KEPT + 1) })
  await shop.changeOffer(young, { end_date: daysAgo(KEPT - 1) })
  await cancelAndRefund(shop.checkout, 'cancelled-long-ago', 'a_test')
  await shop.changeOffer(cancelled, { cancelled_at: daysAgo(21) })
  const report = await applyRetention(shop.db, shop.checkout.log, shop.config)
  expect(report.postalEntries).toBe(3)
  const rows = await run('SELECT * FROM postal_entries WHERE id = ANY ($1)', [
    [first['id'], refused['id'], third['id']],
  ])
  expect(JSON.stringify(rows)).not.toMatch(/Ann|Dupont|Paix|person\.test|Bruxelles/)
  const erased = (await clerk.get(`${ENTRIES}${first['id']}/`)).body
  expect(erased).toMatchObject({
    is_erased: true,
    status: 'entered',
    name: null,
    ticket_number: first['ticket_number'],
    commitment: first['commitment'],
    has_letter: false,
  })
  expect((await clerk.get(`${ENTRIES}${second['id']}/`)).body['name']).toBe('Anne Dupont')
  expect((await applyRetention(shop.db, shop.checkout.log, shop.config)).postalEntries).toBe(0)
  // The winner of a later draw has as much time.
  await shop.changeOffer(young, { end_date: daysAgo(KEPT + 40), draw_at: daysAgo(7 + 20 - 1) })
  expect((await applyRetention(shop.db, shop.checkout.log, shop.config)).postalEntries).toBe(0)
  await shop.changeOffer(young, { draw_at: daysAgo(7 + 20 + 1) })
  expect((await applyRetention(shop.db, shop.checkout.log, shop.config)).postalEntries).toBe(1)
  expect((await breaches()).filter(({ name }) => name === 'I11')).toEqual([])
})

describe('A card that was registered wrongly', () => {
  type Entry = Awaited<ReturnType<typeof register>>['body']
  const correct = (entry: Entry, change: object, by = clerk, call = {}) => {
    const { name, address, postcode, city, country, email } = entry
    return by.post(
      `${ENTRIES}${entry['id']}/correct/`,
      {
        name,
        address,
        postcode,
        city,
        country,
        email,
        other_than: [],
        reason: 'Misread',
        ...change,
      },
      call,
    )
  }
  /** Other tests move the ends of their contests. */
  const ofEntries = async () => (await breaches()).filter(({ name }) => name === 'I11')
  const pageOf = async (id: string) => (await clerk.get(`${ENTRIES}${id}/`)).body

  test('is corrected: the entrant is told again, and the former text is kept nowhere', async () => {
    const offerId = await shop.newOffer()
    const { body: entry } = await register(offerId, { name: 'Wilhelmina Qvist', address: ['Oldstreet 5'] })
    await clerk.post(`${ENTRIES}${entry['id']}/letter/`)
    const { status, body } = await correct(entry, {
      name: 'Wilhelmina Quist',
      address: ['Newlane 7', 'box 2'],
    })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      name: 'Wilhelmina Quist',
      address: ['Newlane 7', 'box 2'],
      ticket_number: entry['ticket_number'],
      letter_waits: 'answer',
      corrections: [{ fields: ['name', 'address'], reason: 'Misread', by: clerk.name }],
    })
    const everything = await run(
      `SELECT row FROM (SELECT to_jsonb(p)::text AS row FROM postal_entries p UNION ALL SELECT to_jsonb(c)::text FROM postal_corrections c
         UNION ALL SELECT to_jsonb(a)::text FROM audit_log a) AS everything WHERE row ~* 'qvist|oldstreet'`,
    )
    expect(everything).toEqual([])
    const [logged] = await auditOf('post.correct', entry['id'])
    expect(JSON.parse(logged.entry).after).toEqual({
      correction: body['corrections'][0].id,
      fields: ['name', 'address'],
    })
    // The once-rule follows: the same person as corrected is refused.
    const again = await register(offerId, {
      name: 'Quist, Wilhelmina',
      address: ['Newlane 7', 'box 2'],
      postcode: entry['postcode'],
      date_of_birth: entry['date_of_birth'],
    })
    expect(again.body).toMatchObject({ refusal: 'duplicate', duplicate_of: { id: entry['id'] } })
    expect(await ofEntries()).toEqual([])
  })

  test('gets its answer at the corrected address, and belongs to the account that has it', async () => {
    const customer = await shop.newCustomer()
    const { body: entry } = await register(await shop.newOffer(), { email: 'mistyped@person.test' })
    const { body } = await correct(entry, { email: customer.email })
    expect(body).toMatchObject({ user_id: customer.id, has_email: true })
    const [mail] = await emailsTo(customer.email)
    expect(mail.kind).toBe('postal-entry')
    expect(mail.body_text).toContain(entry['ticket_number'])
    const tickets = (await customer.get('/api/tickets/')).body as unknown as { id: string }[]
    expect(tickets.map(({ id }) => id)).toEqual([entry['ticket_id']])
    // From now on it is managed there.
    const refused = await correct(body, { email: 'another@person.test' })
    expect(refused.body['fields']).toEqual({ email: [expect.stringMatching(/belongs to an account/)] })
    const { records } = await postalPersonalData.read(shop.db, customer.id, 'nl')
    expect(records).toMatchObject([
      {
        facts: expect.arrayContaining([['Gecorrigeerd', 'E-mailadres']]),
        data: {
          corrections: [{ at: body['corrections'][0].at, fields: ['email'] }],
        },
      },
    ])
    // The words go with the person.
    await shop.db.transaction().execute((trx) => postalPersonalData.erase(trx, { userId: customer.id }))
    const erased = await pageOf(entry['id'])
    expect(erased).toMatchObject({ is_erased: true, corrections: [{ reason: null }] })
    expect((await correct({ ...entry, ...body }, {})).body['code']).toBe('post.erased')
  })

  test('stays the same person’s: another name, a closed country and a likeness nobody judged are refused', async () => {
    const offerId = await shop.newOffer()
    const born = '1961-05-06'
    const { body: other } = await register(offerId, {
      name: 'Carla Simons',
      postcode: '9000',
      date_of_birth: born,
    })
    const { body: entry } = await register(offerId, {
      name: 'Bart Maes',
      postcode: '8000',
      date_of_birth: born,
    })
    const fieldsOf = async (change: object) => (await correct(entry, change)).body['fields']
    expect(await fieldsOf({ name: 'Marc Wouters' })).toEqual({
      name: [expect.stringMatching(/spelling only/)],
    })
    expect(await fieldsOf({ country: 'US' })).toEqual({ country: [expect.any(String)] })
    expect(await fieldsOf({ reason: ' ' })).toEqual({ reason: [expect.any(String)] })
    // The same birthday at the same address.
    const there = { address: other['address'], postcode: other['postcode'], city: other['city'] }
    const alike = await correct(entry, there)
    expect(alike).toMatchObject({
      status: 409,
      body: {
        code: 'post.similar',
        items: [{ id: other['id'] }],
        detail: expect.stringContaining(other['number']),
      },
    })
    expect((await pageOf(entry['id']))['postcode']).toBe('8000')
    const judged = await correct(entry, { ...there, other_than: [other['id']] })
    expect(judged.body).toMatchObject({ postcode: '9000', other_than: [{ id: other['id'] }] })
    expect(
      (await correct(judged.body, { reason: 'Nothing new' }, await shop.newStaff('accountant'))).status,
    ).toBe(403)
    const { body: same } = await correct(judged.body, {}, clerk, { isWithoutEffect: true })
    expect(same['corrections']).toHaveLength(1)
  }, 20_000)

  test('is voided by two people before the seal: a leaf of the log, a letter, and the person may enter again', async () => {
    const [support, second] = [await shop.newStaff('support'), await shop.newStaff('manager')]
    const [offerId, bag] = [await shop.newOffer(), randomUUID()]
    const person = {
      name: 'Ilse Wrong',
      address: ['Kade 1'],
      postcode: '1234',
      date_of_birth: '1970-02-03',
      bag,
      language: 'en',
    }
    const { body: entry } = await register(offerId, person)
    await clerk.post(`/api/staff/post/letters/?bag=${bag}`)
    const at = `${ENTRIES}${entry['id']}/void/`
    const { body: preview } = await support.get(`${at}preview/`)
    expect(preview).toMatchObject({ ticket_number: entry['ticket_number'], told: 'letter' })
    expect((await clerk.post(at, { ground: 'mistake', reason: 'Ilse wrote twice' })).status).toBe(403)
    const asked = await support.post(at, { ground: 'mistake', reason: 'Ilse wrote twice' })
    expect(asked).toMatchObject({
      status: 202,
      body: { approval: { permission: 'post.void', reason: 'Ilse wrote twice' } },
    })
    expect((await support.post(at, { ground: 'rule', reason: 'again' })).body['code']).toBe(
      'staff.approvalWaits',
    )
    expect(await pageOf(entry['id'])).toMatchObject({
      ticket_status: 'valid',
      approval: { by: support.name },
    })
    const { id } = asked.body['approval']
    expect((await support.post(`/api/staff/approvals/${id}/approve/`)).status).toBe(409)
    expect((await second.post(`/api/staff/approvals/${id}/approve/`)).body).toMatchObject({ failure: null })

    expect(await pageOf(entry['id'])).toMatchObject({
      ticket_status: 'void',
      void_ground: 'mistake',
      letter_waits: preview['told'] === 'letter' ? 'void' : null,
    })
    expect(await run('SELECT number, reason FROM draw_voids WHERE offer_id = $1', [offerId])).toEqual([
      { number: Number(entry['ticket_number']), reason: 'postal-rule' },
    ])
    const letters = await clerk.post(`/api/staff/post/letters/?bag=${bag}`)
    const page = readPdf(letters.body as unknown as Buffer, 0)
      .elements.map(({ text }) => text)
      .join('\n')
    expect(page).toMatch(/The mistake is ours/)
    // No word about the entrant is in a log or an email to colleagues.
    const words = await run(
      `SELECT row FROM (SELECT to_jsonb(a)::text AS row FROM audit_log a UNION ALL SELECT to_jsonb(e)::text FROM emails e)
       AS everything WHERE row ~ 'wrote twice'`,
    )
    expect(words).toEqual([])
    const again = await register(offerId, { ...person, bag: randomUUID() })
    expect(again.body).toMatchObject({ status: 'entered', refusal: null })
    expect((await support.get(`${at}preview/`)).body['code']).toBe('post.notEntered')
    // A process that died after it acted calls it again.
    const [{ input }] = await run('SELECT input FROM approvals WHERE id = $1', [id])
    const actor = { userId: support.id, name: 'a' }
    await voidApproval({ db: shop.db }).run(input, { actor, approver: actor, approvalId: id })
    expect(await auditOf('post.void', entry['id'])).toHaveLength(1)
    expect(await ofEntries()).toEqual([])
  }, 20_000)

  test('is told by email that it is void, once, and cannot be voided once the list is sealed', async () => {
    const [support, second] = [await shop.newStaff('support'), await shop.newStaff('manager')]
    const offerId = await shop.newOffer()
    const [one, two] = [
      (await register(offerId, { email: 'voided@person.test', language: 'en' })).body,
      (await register(offerId)).body,
    ]
    const ask = (entry: Entry) =>
      support.post(`${ENTRIES}${entry['id']}/void/`, { ground: 'late', reason: 'Came on Monday' })
    const approve = async (asked: Awaited<ReturnType<typeof ask>>) =>
      second.post(`/api/staff/approvals/${asked.body['approval'].id}/approve/`)
    expect((await approve(await ask(one))).status).toBe(200)
    const jobs = shopPost({ db: shop.db, config: shop.config })
    await tellEntrants(jobs)
    await tellEntrants(jobs)
    const mails = await emailsTo('voided@person.test')
    expect(mails.map(({ kind }) => kind)).toEqual(['postal-entry', 'postal-voided'])
    expect(mails[1].body_text).toMatch(/reached us too late/)
    // Sealed between the request and the consent.
    const waiting = await ask(two)
    await run(`UPDATE offers SET state = 'sealed' WHERE id = $1`, [offerId])
    expect((await approve(waiting)).body['code']).toBe('post.sealed')
    expect(await pageOf(two['id'])).toMatchObject({ ticket_status: 'valid' })
    expect((await support.get(`${ENTRIES}${two['id']}/void/preview/`)).body['code']).toBe('post.sealed')
  })
})
