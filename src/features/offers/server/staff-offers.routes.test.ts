import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { publishTerms as publishLacking, publishTermsOf } from '#features/draws/server/index.ts'
import type { Trx } from '#platform/database.ts'
import { checkInvariants, readInvariants } from '#platform/invariants.ts'
import { silentLog } from '#platform/postgres/log.ts'
import { transact } from '#platform/transaction.ts'
import { wallClockOf } from '#shared/zoned-time.ts'
import { race, rowOf, statuses } from '../../../../test/support/races.ts'
import { type Staff, openShop } from '../../../../test/support/shop.ts'
import { sized } from '../../../../test/support/tier.ts'
import { TERMS } from '../offer-drafts.rules.ts'
import type { OfferDraft, StaffOffer } from '../staff-offers.contract.ts'
import { cancelOffer, moveDueOffers, moveOffers, stopSelling } from './offer-moves.repository.ts'

const ZONE = 'Europe/Brussels'
const DAY_MS = 86_400_000
const KILLS = sized({ short: 1, extended: 10 })
const shop = await openShop({
  processes: 2,
  env: {
    TIME_ZONE: ZONE,
    POSTAL_RESERVE_PERCENT: '3',
    DRAW_OBJECTION_MINUTES: '1',
    DRAW_SEAL_MARGIN_MINUTES: '1',
  },
})
const { pool } = shop
let manager: Staff
beforeAll(async () => {
  manager = await shop.newStaff('manager')
})

const TODAY = wallClockOf(new Date(), ZONE).slice(0, 10)
/** At noon, so that no change of the clocks is near, and counted by the calendar, as a copy is. */
const inDays = (days: number, hour = 12): string =>
  `${new Date(Date.parse(TODAY) + days * DAY_MS).toISOString().slice(0, 10)}T${hour}:00`

const texts = (slug: string): Partial<OfferDraft> => ({
  slug,
  title: 'Une berline',
  title_nl: 'Een sedan',
  title_en: 'A saloon',
  description: 'Bleue.',
  description_nl: 'Blauw.',
  description_en: 'Blue.',
  ticket_price: '4.90',
  total_tickets: 1_000,
  prize_value: '35000',
  prize_power_kw: 210,
  prize_zero_to_100: '6,1',
  prize_year: 2024,
  prize_range_km: 1_220,
  question: 'Deux et deux ?',
  question_nl: 'Twee en twee?',
  question_en: 'Two and two?',
  choices: ['3', '4'],
  correct_choice: '4',
  end_date: inDays(20),
  draw_at: inDays(20, 18),
})

const url = (id: number, call = ''): string => `/api/staff/offers/${id}/${call}`

async function create(): Promise<StaffOffer> {
  const { status, body } = await manager.post('/api/staff/offers/', {})
  expect(status).toBe(201)
  return body as StaffOffer
}

const save = (offer: StaffOffer, change: Partial<OfferDraft>, by = manager) =>
  by.put(
    url(offer.id),
    { ...offer.draft, ...change, version: offer.version },
    Object.keys(change).length === 0 ? { isWithoutEffect: true } : {},
  )

const PICTURE = { src: '/media/fastback-front', widths: [480], width: 480, height: 300, color: '#000' }

async function withPicture({ id }: StaffOffer): Promise<void> {
  const alt = { alt_fr: 'a', alt_nl: 'b', alt_en: 'c' }
  await shop.db
    .insertInto('offer_pictures')
    .values({ ...PICTURE, ...alt, offer_id: id, position: 0 })
    .execute()
}

/** A draft with everything that it needs. */
async function complete(slug: string, change: Partial<OfferDraft> = {}): Promise<StaffOffer> {
  const offer = await create()
  await withPicture(offer)
  const { status, body } = await save(offer, { ...texts(slug), ...change })
  expect(status, JSON.stringify(body)).toBe(200)
  return body as StaffOffer
}

const publish = (offer: StaffOffer, when: 'now' | 'scheduled' = 'now') =>
  manager.post(url(offer.id, 'publish/'), { version: offer.version, when })

const published = async (slug: string, change: Partial<OfferDraft> = {}): Promise<StaffOffer> => {
  const { status, body } = await publish(await complete(slug, change))
  expect(status, JSON.stringify(body)).toBe(200)
  return body as StaffOffer
}

/** Every way in which somebody outside the console could meet a contest. */
async function traces(slug: string, id: number) {
  const customer = await shop.newCustomer()
  const list = JSON.stringify((await shop.anonymous('GET', '/api/offers/')).body)
  const statusOf = async (path: string) => (await shop.anonymous('GET', path)).status
  return {
    listed: list.includes(`"${slug}"`),
    page: await statusOf(`/api/offers/${slug}/`),
    sharing: await statusOf(`/media/og-${slug}.jpg`),
    cart: (await customer.add(id, 1, { answer: '4' })).status,
  }
}
const NOWHERE = { listed: false, page: 404, sharing: 404, cart: 404 }

const auditOf = async (id: number): Promise<Record<string, unknown>[]> => {
  const { rows } = await pool.query<{ entry: string }>(
    `SELECT entry FROM audit_log WHERE subject_kind = 'offer' AND subject = $1 ORDER BY id`,
    [String(id)],
  )
  return rows.map(({ entry }) => JSON.parse(entry) as Record<string, unknown>)
}

const movesOf = async (id: number): Promise<string[]> => {
  const { rows } = await pool.query<{ move: string }>(
    `SELECT event || ' ' || coalesce(from_state, '-') || ' ' || to_state || ' ' || actor AS move
     FROM offer_events WHERE offer_id = $1 ORDER BY id`,
    [id],
  )
  return rows.map(({ move }) => move)
}

describe('A draft', () => {
  test('is stored as far as it is written, and nobody outside the console meets it', async () => {
    const offer = await create()
    expect(offer).toMatchObject({ state: 'draft', version: 1, slug: null, is_active: false, locked: [] })
    const partly = {
      title: 'Une berline',
      slug: 'a-draft',
      description_nl: '<b>Vet</b>',
      choices: ['', ' 4 '],
    }
    const { status, body } = await save(offer, partly)
    expect([status, body['version']]).toEqual([200, 2])
    expect(body['draft']).toMatchObject({ title: 'Une berline', choices: ['4'], ticket_price: '' })
    // HTML is text.
    expect(body['draft'].description_nl).toBe('<b>Vet</b>')
    expect(await traces('a-draft', offer.id)).toEqual(NOWHERE)
    expect(JSON.stringify(body)).not.toContain('number_key')
  })

  test.each([
    ['a price of 0', { ticket_price: '0' }, 'ticket_price', 'A ticket costs at least €0.01.'],
    ['a thousand million tickets', { total_tickets: 1e9 }, 'total_tickets', 'at most 10,000,000'],
    ['a time that the clocks skip', { end_date: '2027-03-28T02:30' }, 'end_date', 'does not exist'],
    ['a time that comes twice', { draw_at: '2027-10-31T02:30' }, 'draw_at', 'comes twice'],
    ['a day that no calendar has', { opens_at: '2027-02-30T20:00' }, 'opens_at', 'that exist'],
    ['an address with spaces', { slug: 'a b' }, 'slug', 'lower-case letters'],
    ['a text without an end', { title: 'x'.repeat(121) }, 'title', 'too long'],
    ['half a ticket', { total_tickets: 0.5 }, 'total_tickets', 'whole number'],
  ])('is refused with %s, in words', async (_, change, field, words) => {
    const { status, body } = await save(await create(), change)
    expect([status, body['fields'][field]]).toEqual([400, [expect.stringContaining(words)]])
  })

  test('is stored without characters of control and direction, in every text', async () => {
    const draft = await create()
    const hidden = '\u0007\u202e\u2066\u200b\u00ad\ufeff'
    const titles = {
      title: `Une ${hidden}voiture`,
      title_nl: `${hidden}Auto`,
      title_en: `Car${hidden}\u0000`,
    }
    const response = await save(draft, {
      ...titles,
      description: `Deux\r\n${hidden}lignes\u2028et demie`,
      question: `Qui\u202d ?`,
      choices: [`un${hidden}`, `\u200bdeux`],
      correct_choice: `un${hidden}`,
    })
    expect([response.status, (response.body as StaffOffer).draft]).toMatchObject([
      200,
      {
        title: 'Une voiture',
        title_nl: 'Auto',
        title_en: 'Car',
        description: 'Deux\nlignes\net demie',
        question: 'Qui ?',
        choices: ['un', 'deux'],
        correct_choice: 'un',
      },
    ])
  })

  test('with dates in the past can be stored, and the checklist says so', async () => {
    const offer = await complete('past', { end_date: '2020-01-01T20:00', draw_at: '2020-01-01T21:00' })
    const { body } = await manager.get(url(offer.id, 'checklist/'))
    const open = body['items'].filter((item: { is_done: boolean }) => !item.is_done)
    expect(open).toMatchObject([
      { check: 'end', fault: 'past' },
      { check: 'draw', fault: 'tooEarly' },
    ])
  })

  test('is previewed as the shop will show it, with stand-ins for what is missing', async () => {
    const bare = await create()
    const { status, body } = await manager.get(url(bare.id, 'preview/'))
    expect([status, body['missing']]).toEqual([200, ['title', 'ticket_price', 'total_tickets', 'end_date']])
    expect(body['offer']).toMatchObject({ is_active: true, ticket_price: '0.00', pictures: [] })

    const offer = await complete('previewed', {
      max_per_person: 7,
      draw_terms: 'Sans carburant.',
      draw_terms_nl: 'Zonder brandstof.',
      draw_terms_en: 'No fuel.',
    })
    const clerk = await shop.newStaff('support')
    expect((await clerk.get(url(offer.id, 'preview/'))).status).toBe(404)
    const { body: before } = await manager.get(url(offer.id, 'preview/'))
    const { draw_at } = offer
    expect(before).toMatchObject({
      missing: [],
      prize_value: '35000.00',
      draw_terms: 'Sans carburant.',
      draw_at,
    })
    expect((await publish(offer)).status).toBe(200)
    const customer = await shop.newCustomer()
    expect(before['offer']).toEqual((await customer.get('/api/offers/previewed/')).body)
    expect(before['offer']).toMatchObject({ max_per_person: 7, correct_choice: '4' })
    const figures = { power_kw: 210, zero_to_100: '6.1', year: 2024, range_km: 1_220 }
    expect(before['offer']).toMatchObject({ prize: { value: '35000.00', ...figures } })
    const { body: after } = await manager.get(url(offer.id, 'preview/'))
    expect(after['offer']).toEqual(before['offer'])
    // The right answer is for those who edit contests.
    const { correct_choice: _, ...seen } = before['offer'] as Record<string, unknown>
    expect((await clerk.get(url(offer.id, 'preview/'))).body['offer']).toEqual(seen)
    expect((await manager.get(url(9_999, 'preview/'))).status).toBe(404)
  })

  test('is open on the checklist for its prize value and for a picture that no shared link can show', async () => {
    const open = async (offer: StaffOffer): Promise<string[]> => {
      const { body } = await manager.get(url(offer.id, 'checklist/'))
      const items = body['items'] as { check: string; is_done: boolean }[]
      return items.flatMap((item) => (item.is_done ? [] : [item.check]))
    }
    const offer = await complete('unshared', { prize_value: '' })
    expect(await open(offer)).toEqual(['prize'])
    await pool.query(`UPDATE offer_pictures SET src = '/media/nowhere' WHERE offer_id = $1`, [offer.id])
    expect(await open(offer)).toEqual(['sharing', 'prize'])
    expect((await publish(offer)).body['code']).toBe('offers.incomplete')
  })

  test('may not take the address of another contest', async () => {
    await complete('taken')
    const { status, body } = await save(await create(), { slug: 'taken' })
    expect([status, body['fields']]).toEqual([400, { slug: ['Another contest already has this address.'] }])
  })

  test('is a copy of another contest: its texts, pictures and terms, never its sales, key or address', async () => {
    const original = await published('original', { opens_at: '', max_per_person: 5, prize_value: '43900' })
    const copy = async (body: object) =>
      (await manager.post('/api/staff/offers/', { copy_of: original.id, ...body })).body as StaffOffer
    const without = await copy({})
    expect(without).toMatchObject({
      state: 'draft',
      tickets_sold: 0,
      slug: 'original-2',
      entered_at: null,
      locked: [],
    })
    expect(without.draft).toEqual({
      ...original.draft,
      slug: 'original-2',
      opens_at: '',
      end_date: '',
      draw_at: '',
    })
    expect(without.pictures).toEqual(original.pictures)
    const shifted = await copy({ shift_days: 28 })
    expect(shifted.draft).toMatchObject({ slug: 'original-3', end_date: inDays(48), draw_at: inDays(48, 18) })
    const { rows } = await pool.query(
      'SELECT count(DISTINCT number_key)::int AS keys FROM offers WHERE id = ANY ($1)',
      [[original.id, without.id, shifted.id]],
    )
    expect(rows[0].keys).toBe(3)
    const long = await published(`${'a'.repeat(75)}-bcd`)
    const ofLong = await manager.post('/api/staff/offers/', { copy_of: long.id })
    expect(ofLong.body['draft'].slug).toBe(`${'a'.repeat(75)}-2`)
    expect((await manager.post('/api/staff/offers/', { copy_of: 999_999 })).status).toBe(404)
    // Its title is an address of the draws.
    const unnamed = await shop.newOffer({ state: 'draft', slug: null, title: 'Verify' })
    const ofUnnamed = await manager.post('/api/staff/offers/', { copy_of: unnamed })
    expect(ofUnnamed.body['draft'].slug).toBe('verify-2')
  })

  test('is deleted with its pictures, and only as a draft', async () => {
    const draft = await complete('to-delete')
    expect((await manager.delete(url(draft.id), { version: draft.version - 1 })).status).toBe(409)
    expect((await manager.delete(url(draft.id), { version: draft.version })).status).toBe(204)
    expect((await manager.get(url(draft.id))).status).toBe(404)
    expect(await movesOf(draft.id)).toEqual(['create - draft staff', 'remove draft deleted staff'])
    const open = await published('not-to-delete')
    const refused = await manager.delete(url(open.id), { version: open.version })
    expect([refused.status, refused.body['code']]).toEqual([409, 'offers.wrongState'])
    await expect(pool.query('DELETE FROM offers WHERE id = $1', [open.id])).rejects.toMatchObject({
      constraint: 'offers_only_drafts_go',
    })
  })
})

describe('Two editors', () => {
  test('of one contest: the second is told what changed, and nothing is lost', async () => {
    const seen = await complete('edited-twice')
    const other = await shop.newStaff('owner')
    expect((await save(seen, { title: 'Theirs', total_tickets: 500 }, other)).status).toBe(200)
    const { status, body } = await save(seen, { title: 'Mine', description_nl: 'Mijn' })
    expect(status).toBe(409)
    expect(body).toMatchObject({
      code: 'offers.changed',
      fields: ['title', 'description_nl', 'total_tickets'],
    })
    expect(body['current']).toMatchObject({
      version: seen.version + 1,
      draft: { title: 'Theirs', total_tickets: 500 },
    })
    const kept = await save(body['current'], { title: 'Mine', description_nl: 'Mijn' })
    expect(kept.body['draft']).toMatchObject({ title: 'Mine', description_nl: 'Mijn', total_tickets: 500 })
  })

  test('who save the same, or one who saves twice: nobody is refused, and the log has one entry', async () => {
    const seen = await complete('saved-twice')
    const saved = await save(seen, { title: 'Same', ticket_price: '28.50' })
    const entries = await auditOf(seen.id)
    const other = await shop.newStaff('owner')
    for (const [staff, change] of [
      [manager, { title: 'Same', ticket_price: '28.50' }],
      [other, { title: 'Same', ticket_price: '28.50' }],
      [manager, { title: ' Same ', ticket_price: '28,50' }],
    ] as const) {
      const again = await staff.put(
        url(seen.id),
        { ...seen.draft, ...change, version: seen.version },
        { isWithoutEffect: true },
      )
      expect(again).toMatchObject({ status: 200, body: { version: saved.body['version'] } })
    }
    expect(await auditOf(seen.id)).toHaveLength(entries.length)
    // Another value of any field is a conflict still.
    expect((await save(seen, { title: 'Same', ticket_price: '28.51' })).status).toBe(409)
  })

  test('at the same moment: one is stored', async () => {
    const seen = await complete('edited-at-once')
    const responses = await race(shop.url, rowOf.offer(seen.id), 2, () => [
      save(seen, { title: 'One' }),
      save(seen, { title: 'Other' }),
    ])
    expect(statuses(responses)).toEqual([200, 409])
  })

  test('who publish and edit: nobody publishes what was not seen', async () => {
    const seen = await complete('published-unseen')
    await save(seen, { title: 'Later' })
    expect((await publish(seen)).body['code']).toBe('offers.changed')
  })

  test('each change is in the audit log, with what it was before', async () => {
    const offer = await complete('audited')
    await save(offer, { title: 'Une autre', choices: ['4', '5'] })
    const entries = await auditOf(offer.id)
    expect(entries.map(({ action }) => action)).toEqual(['offers.create', 'offers.edit', 'offers.edit'])
    expect(entries.at(-1)).toMatchObject({
      actor_id: manager.id,
      before: { title: 'Une berline', choices: ['3', '4'] },
      after: { title: 'Une autre', choices: ['4', '5'] },
    })
    // What is saved without a change leaves no trace.
    const again = (await manager.get(url(offer.id))).body as StaffOffer
    expect((await save(again, {})).body['version']).toBe(again.version)
    expect(await auditOf(offer.id)).toHaveLength(entries.length)
  })
})

describe('Publication', () => {
  test('is refused with the checklist while something is missing', async () => {
    const offer = await create()
    const { status, body } = await publish(offer)
    expect([status, body['code'], body['checklist'].is_complete]).toEqual([409, 'offers.incomplete', false])
    expect((await publish(offer, 'scheduled')).status).toBe(409)
    const timeless = await complete('timeless')
    expect((await publish(timeless, 'scheduled')).body['fields']).toEqual({
      opens_at: ['Say when the contest opens.'],
    })
  })

  test('opens a contest to everybody', async () => {
    const offer = await published('opened')
    expect(offer).toMatchObject({ state: 'open', is_active: true, published_at: expect.any(String) })
    expect(offer.locked).toEqual(['slug', 'opens_at', 'postal_reserve_percent', ...TERMS])
    expect(await traces('opened', offer.id)).toEqual({ listed: true, page: 200, sharing: 200, cart: 200 })
    expect(offer.moves).toMatchObject([
      { event: 'create', to: 'draft', is_staff: true, by: manager.name },
      { event: 'publish', to: 'open', is_staff: true },
    ])
    expect((await publish(offer)).body['code']).toBe('offers.wrongState')
  })

  test.each(['now', 'scheduled'] as const)('sets a part of the numbers aside for post (%s)', async (when) => {
    const draft = await complete(`for-post-${when}`, { opens_at: inDays(2), total_tickets: 999 })
    expect((await publish(draft, when)).status).toBe(200)
    const { rows } = await pool.query('SELECT postal_reserve FROM offers WHERE id = $1', [draft.id])
    expect(rows).toEqual([{ postal_reserve: 30 }])
  })

  test('freezes the contest’s own reserve for post, which its draw page states', async () => {
    const draft = await complete('own-reserve', { total_tickets: 999, postal_reserve_percent: 5 })
    expect(draft.draft.postal_reserve_percent).toBe(5)
    const { body: offer } = await publish(draft)
    expect(offer).toMatchObject({
      draft: { postal_reserve_percent: 5 },
      postal_reserve: { kept: 50, used: 0 },
    })
    const changed = await save(offer as StaffOffer, { postal_reserve_percent: 6 })
    expect([changed.status, changed.body]).toMatchObject([409, { locked: ['postal_reserve_percent'] }])
    const { contest } = (await shop.anonymous('GET', '/api/draws/own-reserve/')).body
    expect(contest.postal_reserve).toBe(50)
    for (const percent of [-1, 51])
      expect((await save(await create(), { postal_reserve_percent: percent })).body['fields']).toEqual({
        postal_reserve_percent: ['Enter 0 to 50% for post.'],
      })
    const [copied] = [(await manager.post('/api/staff/offers/', { copy_of: draft.id })).body]
    expect(copied['draft'].postal_reserve_percent).toBe(5)
  })

  test('can be scheduled and taken back; nobody outside the console sees it meanwhile', async () => {
    const draft = await complete('scheduled', { opens_at: inDays(2) })
    const { body: scheduled } = await publish(draft, 'scheduled')
    expect(scheduled).toMatchObject({ state: 'scheduled', published_at: null, is_active: false })
    expect(await traces('scheduled', draft.id)).toEqual(NOWHERE)
    const { body: less } = await save(scheduled as StaffOffer, { title_en: '' })
    expect(less['code']).toBe('offers.incomplete')
    const back = await manager.post(url(draft.id, 'unschedule/'), { version: scheduled['version'] })
    expect(back.body).toMatchObject({ state: 'draft' })
    const again = await manager.post(url(draft.id, 'unschedule/'), { version: back.body['version'] })
    expect(again.body['code']).toBe('offers.wrongState')
  })

  test('is for those who may: a clerk sees nothing of it before, no right answer after, and changes nothing', async () => {
    const clerk = await shop.newStaff('support')
    const offer = await complete('for-managers')
    expect((await clerk.get(url(offer.id))).status).toBe(404)
    expect(
      statuses([await save(offer, { title: 'x' }, clerk), await clerk.post('/api/staff/offers/', {})]),
    ).toEqual([403, 403])
    const refused = await clerk.post(url(offer.id, 'publish/'), { version: offer.version, when: 'now' })
    expect(refused.status).toBe(403)
    expect((await publish(offer)).status).toBe(200)
    const { status, body } = await clerk.get(url(offer.id))
    expect([status, body['draft'].correct_choice]).toEqual([200, ''])
    expect((await manager.get(url(offer.id))).body['draft'].correct_choice).not.toBe('')
    const changed = (await complete('told-to-few', { correct_choice: '4' })) as StaffOffer
    const { rows } = await shop.pool.query('SELECT entry FROM audit_log WHERE entry::jsonb ->> $1 = $2', [
      'subject',
      String(changed.id),
    ])
    expect(JSON.stringify(rows)).toContain('correct_choice')
    expect(JSON.stringify(rows)).not.toContain('correct_choice\\":\\"4')
  })
})

describe('The terms of a contest', () => {
  const CHANGES: [column: string, value: string][] = [
    ['price_cents', '1'],
    ['total_tickets', '2000'],
    ['max_per_person', '9'],
    ['prize_value_cents', '1'],
    ['end_date', `now() + interval '19 days'`],
    ['draw_at', `now() + interval '91 days'`],
    ['draw_terms', `'x'`],
    ['draw_terms_nl', `'x'`],
    ['draw_terms_en', `'x'`],
    ['question', `'x'`],
    ['question_nl', `'x'`],
    ['question_en', `'x'`],
    ['choices', `'{4,x}'`],
    ['correct_choice', `'3'`],
  ]
  let entered: StaffOffer
  const change = (id: number, column: string, value: string) =>
    pool.query(`UPDATE offers SET ${column} = ${value} WHERE id = $1`, [id])

  beforeAll(async () => {
    const offer = await published('entered')
    // A hold that is given up counts: somebody has decided by these terms.
    const customer = await shop.newCustomer()
    const order = await customer.order(offer.id, 2, { answer: '4' })
    await customer.post('/api/paypal/cancel-order/', { order_id: order.body['order_id'] })
    const { tickets_held: held } = await shop.counters(offer.id)
    if (held !== 0) throw new Error('the hold was not given up')
    entered = (await manager.get(url(offer.id))).body as StaffOffer
  })

  test('cover every column that a buyer decides by', () => {
    expect(CHANGES.map(([column]) => column.replace(/_cents$/, '')).toSorted()).toEqual(
      TERMS.map((field) => field.replace('ticket_price', 'price')).toSorted(),
    )
  })

  test.each(CHANGES)(
    'cannot change once others see the contest, tried with SQL: %s',
    async (column, value) => {
      await expect(change(entered.id, column, value)).rejects.toMatchObject({
        constraint: 'offers_terms_stay',
      })
      // Before it they can.
      const free = await complete(`free-${column.replaceAll('_', '-')}`)
      await change(free.id, column, value)
    },
  )

  test.each([
    ['slug', `'elsewhere'`],
    ['number_key', `sha256('another')`],
    ['published_at', 'NULL'],
  ])('nor can its address and key once others see it: %s', async (column, value) => {
    const offer = await published(`seen-${column.replaceAll('_', '-')}`)
    await expect(change(offer.id, column, value)).rejects.toMatchObject({
      constraint: 'offers_address_and_key_stay',
    })
  })

  test('nor can the mark of the first entry, nor the state go back to one that nobody sees', async () => {
    await expect(change(entered.id, 'entered_at', 'NULL')).rejects.toMatchObject({
      constraint: 'offers_first_entry_stays',
    })
    await expect(change(entered.id, 'state', `'draft'`)).rejects.toMatchObject({
      constraint: 'offers_public_ones_were_published',
    })
    await expect(pool.query('DELETE FROM offers WHERE id = $1', [entered.id])).rejects.toMatchObject({
      constraint: 'offers_only_drafts_go',
    })
  })

  test('are locked for staff too; texts change by two people', async () => {
    expect(entered.locked).toEqual(['slug', 'opens_at', 'postal_reserve_percent', ...TERMS])
    const { status, body } = await save(entered, { end_date: inDays(30), title: 'x' })
    expect([status, body['code'], body['locked']]).toEqual([409, 'offers.termsLocked', ['end_date']])
    // What describes the prize waits for a second person (descriptions.db.test.ts).
    expect((await save(entered, { title: 'Corrigé', description_en: 'Corrected.' })).body).toMatchObject({
      code: 'offers.consentNeeded',
    })
    const scheduled = await publish(await complete('untouched', { opens_at: inDays(1) }), 'scheduled')
    expect((await save(scheduled.body as StaffOffer, { total_tickets: 900 })).status).toBe(200)
  })
})

describe('The job that opens and closes contests', () => {
  const due = (...killed: Parameters<typeof moveDueOffers>[1][]) =>
    moveDueOffers({ db: shop.db, log: silentLog as never, publishTerms: shop.publishTerms }, ...killed)
  const schedule = async (slug: string): Promise<number> => {
    const { body } = await publish(await complete(slug, { opens_at: inDays(1) }), 'scheduled')
    return body['id'] as number
  }
  const let1 = (id: number, column: 'opens_at' | 'end_date') =>
    pool.query(`ALTER TABLE offers DISABLE TRIGGER offers_terms_stay;
      UPDATE offers SET ${column} = clock_timestamp() WHERE id = ${id};
      ALTER TABLE offers ENABLE TRIGGER offers_terms_stay`)
  const stateOf = async (id: number): Promise<string> => (await manager.get(url(id))).body['state'] as string

  test('moves each contest once, whatever the number of workers', async () => {
    const [opens, ends] = [await schedule('opens'), (await published('ends')).id]
    expect(await due()).toEqual([])
    await let1(opens, 'opens_at')
    await let1(ends, 'end_date')
    const moved = (await Promise.all(Array.from({ length: 6 }, () => due()))).flat()
    expect(moved.map(({ slug, state }) => `${slug} ${state}`).toSorted()).toEqual([
      'ends closed',
      'opens open',
    ])
    expect((await movesOf(opens)).at(-1)).toBe('open scheduled open system')
    expect((await movesOf(ends)).at(-1)).toBe('close open closed system')
    expect(await traces('opens', opens)).toMatchObject({ listed: true, page: 200, cart: 200 })
    expect((await shop.anonymous('GET', '/api/offers/ends/')).body).toMatchObject({
      is_active: false,
      stopped_as: null,
    })
  })

  const termsOf = async (id: number): Promise<string[]> => {
    const { rows } = await pool.query<{ leaf: string }>('SELECT leaf FROM draw_leaves WHERE log_id = $1', [
      id,
    ])
    return rows.map(({ leaf }) => leaf.split('\t')[0]!)
  }

  test('opens no contest without the terms of its draw, nor does anybody', async () => {
    const { id } = await published('with-terms')
    expect(await termsOf(id)).toEqual(['volant-open-v1'])
    const later = await schedule('later-with-terms')
    expect(await termsOf(later)).toEqual([])
    await let1(later, 'opens_at')
    const without = async () => {
      throw new Error('no terms')
    }
    const job = { db: shop.db, log: silentLog as never }
    await expect(moveDueOffers({ ...job, publishTerms: without })).rejects.toThrow('no terms')
    expect(await stateOf(later)).toBe('scheduled')
    expect(await due()).toMatchObject([{ id: later, state: 'open' }])
    expect(await termsOf(later)).toEqual(['volant-open-v1'])
  })

  test('keeps a contest closed whose draw is too soon for durations that were made longer, and an alert says so', async () => {
    const tooSoon = await schedule('too-soon')
    await let1(tooSoon, 'opens_at')
    const longer = { ...shop.draws.durations, objections: 90 * 86_400 }
    const draws = { ...shop.draws, durations: longer }
    const publishTerms = (trx: Trx, offerId: number) => publishTermsOf(trx, draws, offerId)
    const job = { db: shop.db, log: silentLog as never, publishTerms }
    expect(await moveDueOffers(job)).toEqual([])
    expect([await stateOf(tooSoon), await termsOf(tooSoon)]).toEqual(['scheduled', []])
    await publishLacking(draws)
    const { rows } = await pool.query(`SELECT subject FROM alerts WHERE kind = 'drawWithoutTerms'`)
    expect(rows).toContainEqual({ subject: 'too-soon' })
    const refused = transact(shop.db, async (trx) => {
      await moveOffers(trx, 'open', { which: sql`id = ${tooSoon}`, actor: 'system' })
      await publishTerms(trx, tooSoon)
    })
    await expect(refused).rejects.toMatchObject({ status: 409, code: 'offers.drawTooSoon' })
    expect(await due()).toMatchObject([{ id: tooSoon, state: 'open' }])
  })

  test('leaves nothing half done when it is killed, and does it the next time', async () => {
    const opens = await schedule('opens-after-a-kill')
    await let1(opens, 'opens_at')
    const killed = async () => {
      throw new Error('killed')
    }
    await expect(due(killed)).rejects.toThrow('killed')
    expect([await stateOf(opens), (await movesOf(opens)).at(-1)]).toEqual([
      'scheduled',
      'schedule draft scheduled staff',
    ])
    expect(await due()).toMatchObject([{ id: opens, state: 'open' }])
  })

  test(`moves each contest once when one of two workers is killed with -9 before its commit (${KILLS} times)`, async () => {
    const program = fileURLToPath(new URL('./move-offers.test-support.ts', import.meta.url))
    const start = (mode: 'hang' | 'work') =>
      spawn(process.execPath, [program, shop.url, mode], { stdio: ['ignore', 'pipe', 'inherit'] })
    const lastMove = async (id: number) => (await movesOf(id)).at(-1)
    const OPENED = 'open scheduled open system'
    const CLOSED = 'close open closed system'
    for (let kill = 0; kill < KILLS; kill += 1) {
      const opens = [await schedule(`killed-a-${kill}`), await schedule(`killed-b-${kill}`)]
      const ends = (await published(`killed-c-${kill}`)).id
      for (const id of opens) await let1(id, 'opens_at')
      await let1(ends, 'end_date')
      // Contests are opened first, each in a transaction: it has one of them locked.
      const killed = start('hang')
      await once(killed.stdout, 'data')
      const other = start('work')
      try {
        // The other worker does what it can, and nothing that the first has begun.
        await expect.poll(() => lastMove(ends), { timeout: 20_000 }).toBe(CLOSED)
        expect(await Promise.all(opens.map(stateOf))).toEqual(['scheduled', 'open'])
        killed.kill('SIGKILL')
        await once(killed, 'exit')
        for (const id of opens) await expect.poll(() => lastMove(id), { timeout: 20_000 }).toBe(OPENED)
      } finally {
        killed.kill('SIGKILL')
        other.kill('SIGKILL')
      }
      const moves = await Promise.all([...opens, ends].map(movesOf))
      expect(moves.map((all) => all.filter((move) => move === OPENED || move === CLOSED))).toEqual([
        [OPENED],
        [OPENED],
        [CLOSED],
      ])
    }
  }, 120_000)

  test('waits for no contest that somebody keeps locked', async () => {
    const [locked, free] = [
      (await published('locked-at-its-end')).id,
      (await published('free-at-its-end')).id,
    ]
    await let1(locked, 'end_date')
    await let1(free, 'end_date')
    await transact(shop.db, async (trx) => {
      await trx.selectFrom('offers').select('id').where('id', '=', locked).forUpdate().execute()
      expect(await due()).toMatchObject([{ id: free, state: 'closed' }])
    })
    expect(await due()).toMatchObject([{ id: locked, state: 'closed' }])
  })

  test('gives a contest back to staff whose end came before its opening', async () => {
    const missed = await schedule('missed')
    await let1(missed, 'end_date')
    expect(await due()).toMatchObject([{ id: missed, state: 'draft' }])
    expect((await movesOf(missed)).at(-1)).toBe('missOpening scheduled draft system')
  })

  test('lets a payment under way at the end get its tickets', async () => {
    const offer = await published('paid-at-its-end')
    const customer = await shop.newCustomer()
    const { body } = await customer.order(offer.id, 1, { answer: '4' })
    await shop.paypal.approve(body['order_id'], 'buyer@buyer.test')
    await shop.paypal.webhooksIdle()
    await pool.query('ALTER TABLE offers DISABLE TRIGGER offers_terms_stay')
    await shop.leaveCapturing(body['order_id'])
    await let1(offer.id, 'end_date')
    await pool.query('ALTER TABLE offers ENABLE TRIGGER offers_terms_stay')
    // The order of a moment ago may keep its row locked.
    await expect
      .poll(async () => {
        await due()
        return stateOf(offer.id)
      })
      .toBe('closed')
    const done = await manager.post(`/api/staff/orders/${body['order_id']}/reconcile/`)
    expect(done.body).toMatchObject({ state: 'completed' })
    expect(await shop.counters(offer.id)).toEqual({ tickets_sold: 1, tickets_held: 0 })
  })
})

describe('A contest', () => {
  test('ends early by its cancellation alone: SQL that closes it is refused, but for the stop of the command line', async () => {
    const offer = await published('no-early-end')
    const inOne = (...statements: string[]) =>
      transact(shop.db, async (trx) => {
        for (const statement of statements) await sql.raw(statement).execute(trx)
      })
    const close = `UPDATE offers SET state = 'closed' WHERE id = ${offer.id}`
    const event = (name: string, actor: string) =>
      `INSERT INTO offer_events (offer_id, event, from_state, to_state, actor)
       VALUES (${offer.id}, '${name}', 'open', 'closed', '${actor}')`
    for (const statements of [
      [close],
      [event('close', 'system'), close],
      [event('stop', 'system'), close],
      [event('stop', 'command line'), event('resume', 'command line'), close],
    ])
      await expect(inOne(...statements), statements.join()).rejects.toMatchObject({
        constraint: 'offers_close_at_their_end',
      })
    const { rows } = await pool.query('SELECT state, end_date > now() AS ahead FROM offers WHERE id = $1', [
      offer.id,
    ])
    expect([rows, await movesOf(offer.id)]).toEqual([
      [{ state: 'open', ahead: true }],
      ['create - draft staff', 'publish draft open staff'],
    ])
    await inOne(close, event('stop', 'command line'))
    // A stop of before opens no way.
    await transact(shop.db, (trx) =>
      moveOffers(trx, 'resume', { which: sql`id = ${offer.id}`, actor: 'system' }),
    )
    await expect(inOne(close)).rejects.toMatchObject({ constraint: 'offers_close_at_their_end' })
  })

  test('that a restored backup has stopped sells again when staff resume it', async () => {
    const offer = await published('restored')
    const scheduled = await publish(await complete('restored-later', { opens_at: inDays(1) }), 'scheduled')
    const stopped = await transact(shop.db, (trx) => stopSelling(trx, 'restored'))
    expect(stopped).toContain('restored')
    expect((await movesOf(offer.id)).at(-1)).toBe('stop open closed command line')
    expect((await manager.get(url(scheduled.body['id']))).body['state']).toBe('draft')
    expect((await shop.anonymous('GET', '/api/offers/restored/')).body['stopped_as']).toBe('stopped')
    const { body: closed } = await manager.get(url(offer.id))
    const resumed = await manager.post(url(offer.id, 'resume/'), { version: closed['version'] })
    expect(resumed.body).toMatchObject({ state: 'open', is_active: true, published_at: offer.published_at })
    // The others of this file.
    await transact(shop.db, (trx) => moveOffers(trx, 'resume', { which: sql`true`, actor: 'system' }))
  })

  test('is cancelled once, and never as a draft', async () => {
    const offer = await published('to-cancel')
    const cancel = (slug: string) => transact(shop.db, (trx) => cancelOffer(trx, slug, 'Volé.'))
    const ids = await Promise.all([cancel('to-cancel'), cancel('to-cancel')])
    expect(ids.filter((id) => id !== undefined)).toEqual([offer.id])
    expect((await movesOf(offer.id)).at(-1)).toBe('cancel open cancelled system')
    await complete('draft-to-cancel')
    expect(await cancel('draft-to-cancel')).toBeUndefined()
  })

  test('limits the tickets of one person: in the cart, in the order, and after the payment', async () => {
    const { id } = await published('limited', { max_per_person: 5 })
    const customer = await shop.newCustomer()
    const add = (quantity: number) => customer.add(id, quantity, { answer: '4' })
    const many = await add(6)
    expect([many.status, many.body['code'], many.body['available']]).toEqual([409, 'offer.personLimit', 5])
    expect(many.body['detail']).toContain('5 tickets')
    const buyer = await shop.newCustomer()
    const bought = await buyer.order(id, 3, { answer: '4' })
    await shop.paypal.approve(bought.body['order_id'], 'buyer@buyer.test')
    expect((await buyer.capture(bought.body['order_id'])).status).toBe(200)
    const again = await buyer.add(id, 3, { answer: '4' })
    expect([again.status, again.body['available']]).toEqual([409, 2])
    expect(again.body['detail']).toContain('You already have 3.')
    // A cart from before the limit.
    expect((await buyer.add(id, 2, { answer: '4' })).status).toBe(200)
    await pool.query('UPDATE cart_items SET quantity = 3 WHERE cart_id = $1', [buyer.cartId])
    const ordered = await buyer.create()
    expect([ordered.status, ordered.body['code']]).toEqual([409, 'offer.personLimit'])
    await pool.query('UPDATE cart_items SET quantity = 2 WHERE cart_id = $1', [buyer.cartId])
    expect((await buyer.create()).status).toBe(200)
  })

  test('limits what one person orders in two windows at once', async () => {
    const { id } = await published('limited-at-once', { max_per_person: 2 })
    const buyer = await shop.newCustomer()
    const first = await buyer.order(id, 2, { answer: '4' })
    // Not approved: the notification of that would have the shop look at the order, and finish it.
    await shop.leaveCapturing(first.body['order_id'])
    // The tickets that are being paid for are still in the cart; another version of it may not hold them twice.
    await pool.query('UPDATE carts SET version = version + 1 WHERE id = $1', [buyer.cartId])
    const second = await buyer.elsewhere.create()
    expect([second.status, second.body['code']]).toEqual([409, 'offer.personLimit'])
  })

  test('shows its sales by day and its pace', async () => {
    const { id } = await published('paced', { end_date: inDays(10), draw_at: inDays(10, 18) })
    const buyer = await shop.newCustomer()
    const bought = await buyer.order(id, 3, { answer: '4' })
    await shop.paypal.approve(bought.body['order_id'], 'buyer@buyer.test')
    await buyer.capture(bought.body['order_id'])
    await pool.query(
      `UPDATE tickets SET issued_at = issued_at - interval '2 days' WHERE offer_id = $1 AND number =
      (SELECT min(number) FROM tickets WHERE offer_id = $1)`,
      [id],
    )
    const { body } = await manager.get(url(id, 'sales/'))
    expect(body).toMatchObject({ total: 1_000, sold: 3, pace: 0.5 })
    expect(body['days'].map(({ tickets }: { tickets: number }) => tickets)).toEqual([1, 0, 2])
    expect(body['expected']).toBeGreaterThanOrEqual(7)
  })
})

describe('The list', () => {
  test('is paged, filtered by state and searched by title and address', async () => {
    const first = await complete('zebra-one', { title_nl: 'Zebra 100%' })
    const second = await complete('zebra-two')
    const third = await published('zebra-three')
    const list = async (query: string) => (await manager.get(`/api/staff/offers/?${query}`)).body
    const slugs = async (query: string) =>
      (await list(query))['items'].map(({ slug }: StaffOffer) => slug) as string[]
    expect(await slugs('q=zebra')).toEqual(['zebra-three', 'zebra-two', 'zebra-one'])
    expect(await slugs('q=zebra&state=draft,scheduled')).toEqual(['zebra-two', 'zebra-one'])
    expect(await slugs('q=100%25')).toEqual(['zebra-one'])
    const page = await list('q=zebra&limit=2')
    expect(page['next']).toBe(String(second.id))
    expect(await slugs(`q=zebra&limit=2&after=${page['next']}`)).toEqual(['zebra-one'])
    expect((await manager.get('/api/staff/offers/?state=sold')).status).toBe(400)
    expect(first.id).toBeLessThan(third.id)
  })
})

test('states and events agree at the end of it all', async () => {
  const invariants = await readInvariants('db/invariants.sql')
  const ours = invariants.filter(({ name }) => name === 'I12')
  expect(ours).toHaveLength(1)
  expect(await checkInvariants(shop.db, ours)).toEqual([])
})
