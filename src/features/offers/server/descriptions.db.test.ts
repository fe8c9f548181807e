import pino from 'pino'
import { expect, test } from 'vitest'
import { deleteUnusedPictures, makeRenditions } from '#features/pictures/server/index.ts'
import { finishApprovals } from '#features/staff/server/index.ts'
import { postcard } from '../../../../test/support/postcards.ts'
import { type Staff, openShop } from '../../../../test/support/shop.ts'
import { plain } from '../../pictures/server/pictures.test-support.ts'
import type { OfferDraft, StaffOffer } from '../staff-offers.contract.ts'
import { fieldsOf } from '#shared/text-fields.ts'
import { LANGUAGES } from '#shared/languages.ts'

const shop = await openShop({ env: { LIMITS_FACTOR: '1000' } })
const [manager, second] = [await shop.newStaff('manager'), await shop.newStaff('manager')]
const run = async (statement: string, values: unknown[] = []) =>
  (await shop.pool.query(statement, values)).rows
const REASON = 'Une faute de frappe'
/** What the triggers of db/migrations/0032 say. */
const STAYS = /change with a consent only/

const newContest = () =>
  shop.newOffer({
    draw_at: new Date(Date.now() + 90_000_000),
    prize_value_cents: 4_390_000,
    description: 'Bleue.',
    description_nl: 'Blauw.',
    description_en: 'Blue.',
    pictures: ['fastback-front', 'category-electric'],
  })
/** A contest that somebody has entered. */
async function entered(): Promise<number> {
  const id = await newContest()
  await shop.paidOrder(1, undefined, id)
  return id
}
const read = async (id: number, by = manager) => (await by.get(`/api/staff/offers/${id}/`)).body as StaffOffer
async function save(id: number, change: Partial<OfferDraft>, more: object = {}, by: Staff = manager) {
  const { draft, version } = await read(id)
  return by.put(`/api/staff/offers/${id}/`, { ...draft, version, ...change, ...more })
}
const ask = (id: number, change: Partial<OfferDraft>, by?: Staff) => save(id, change, { reason: REASON }, by)
async function decide(how: 'approve' | 'refuse', asked: { body: Record<string, unknown> }, by: Staff) {
  await by.stepUp('offers.describe')
  const { id } = asked.body['approval'] as { id: number }
  return by.post(`/api/staff/approvals/${id}/${how}/`, how === 'refuse' ? { reason: 'Non' } : undefined)
}
const textsOf = async (id: number) =>
  (
    await run(
      `SELECT titles ->> 'fr' AS title, descriptions ->> 'en' AS description_en FROM offers WHERE id = $1`,
      [id],
    )
  )[0]
const publicOf = async (id: number) => {
  const [{ slug }] = await run('SELECT slug FROM offers WHERE id = $1', [id])
  return (await shop.anonymous('GET', `/api/draws/${slug}/`)).body
}
/** What the contest's own page says, to visitors and to members. */
const notesOf = async (id: number): Promise<unknown[]> => {
  const [{ slug }] = await run('SELECT slug FROM offers WHERE id = $1', [id])
  const member = await shop.newCustomer()
  const responses = [
    await shop.anonymous('GET', `/api/offers/${slug}/`),
    await member.get(`/api/offers/${slug}/`),
  ]
  return responses.map(({ body }) => body['changes'])
}

test('before the first entry one person edits titles, descriptions and pictures as they like', async () => {
  const id = await newContest()
  expect((await save(id, { title: 'Une autre', description_en: 'Red.' })).status).toBe(200)
  expect(await textsOf(id)).toEqual({ title: 'Une autre', description_en: 'Red.' })
  await run(`UPDATE offer_pictures SET alts = '{"fr": "Devant"}' WHERE offer_id = $1`, [id])
  expect((await publicOf(id))['changes']).toEqual([])
  expect(await notesOf(id)).toEqual([undefined, undefined])
})

test.each([
  ['a ticket that is paid', async (id: number) => void (await shop.paidOrder(1, undefined, id))],
  [
    'a card by post',
    async (id: number) => {
      const clerk = await shop.newStaff('postal')
      expect((await clerk.post('/api/staff/post/entries/', postcard(id))).status).toBe(201)
    },
  ],
  [
    'a ticket that is held and not paid',
    async (id: number) => {
      expect((await (await shop.newCustomer()).order(id, 1)).status).toBe(200)
    },
  ],
])('after %s the database refuses every change without a consent', async (_name, enter) => {
  const id = await newContest()
  await enter(id)
  for (const column of ['titles', 'descriptions'])
    for (const value of [
      ...LANGUAGES.map(
        (language) => `${column} || jsonb_build_object('${language}', ${column} ->> '${language}' || ' ')`,
      ),
      `${column} - 'nl'`,
      `${column} || '{"de": "Neu"}'`,
    ])
      await expect(run(`UPDATE offers SET ${column} = ${value} WHERE id = $1`, [id])).rejects.toThrow(STAYS)
  // As the release before writes.
  for (const column of [...fieldsOf('title'), ...fieldsOf('description')])
    for (const value of [`${column} || '.'`, `${column} || ' '`])
      await expect(run(`UPDATE offers SET ${column} = ${value} WHERE id = $1`, [id])).rejects.toThrow(STAYS)
  for (const set of ['power_kw = 1', 'zero_to_100 = 4.6', 'year = 2026', 'range_km = 430'])
    await expect(run(`UPDATE offers SET prize_${set} WHERE id = $1`, [id]), set).rejects.toThrow(STAYS)
  const other = await newContest()
  for (const statement of [
    'DELETE FROM offer_pictures WHERE offer_id = $1',
    'DELETE FROM offer_pictures WHERE offer_id = $1 AND position = 1',
    `UPDATE offer_pictures SET alts = '{"fr": "Rouge"}' WHERE offer_id = $1`,
    `UPDATE offer_pictures SET src = '/media/other' WHERE offer_id = $1`,
    'UPDATE offer_pictures SET widths = ARRAY[1] WHERE offer_id = $1',
    'UPDATE offer_pictures SET position = position + 5 WHERE offer_id = $1',
    `INSERT INTO offer_pictures (offer_id, position, src, widths, width, height, color)
     VALUES ($1, 7, '/media/new', '{480}', 480, 300, '#000')`,
    `UPDATE offer_pictures SET offer_id = $1, position = position + 9 WHERE offer_id = ${other}`,
    `UPDATE offer_pictures SET offer_id = ${other}, position = position + 9 WHERE offer_id = $1`,
  ])
    await expect(run(statement, [id]), statement).rejects.toThrow(STAYS)
  await expect(run('TRUNCATE offer_pictures')).rejects.toThrow(/refused/)
  // What does not describe the prize goes on.
  await run('UPDATE offers SET version = version + 1, titles = titles WHERE id = $1', [id])
})

test('after it two people decide; what changed stays readable for staff and for everybody', async () => {
  const id = await entered()
  const before = await textsOf(id)
  expect((await save(id, { description_en: 'Red.' })).body).toMatchObject({ code: 'offers.consentNeeded' })
  expect((await save(id, { description_en: 'Red.' }, { reason: '  ' })).status).toBe(409)
  const asked = await ask(id, { title: 'Une rouge', description_en: 'Red.' })
  expect(asked.status).toBe(202)
  expect(await textsOf(id)).toEqual(before)
  // Nothing without a consent, nor a second request beside the first, nor one's own consent.
  expect((await ask(id, { title: 'Une verte' }, second)).body).toMatchObject({ code: 'staff.approvalWaits' })
  expect((await decide('approve', asked, manager)).body).toMatchObject({ code: 'staff.secondPersonNeeded' })
  const { waiting } = await read(id)
  expect(waiting).toMatchObject({
    asked_by: { id: manager.id },
    reason: REASON,
    texts: [
      { field: 'title', language: 'fr', before: before['title'], after: 'Une rouge' },
      { field: 'description', language: 'en', before: 'Blue.', after: 'Red.' },
    ],
    pictures: null,
  })
  const support = await shop.newStaff('support')
  expect((await decide('approve', asked, support)).status).toBe(403)

  expect((await decide('approve', asked, second)).status).toBe(200)
  expect(await textsOf(id)).toEqual({ title: 'Une rouge', description_en: 'Red.' })
  const shown = await read(id)
  const texts = waiting?.texts
  expect(shown).toMatchObject({ waiting: null, changes: [{ texts, pictures: null }] })
  const names = await run('SELECT username FROM users WHERE id = ANY($1) ORDER BY id', [
    [manager.id, second.id],
  ])
  expect([shown.changes[0]?.asked_by, shown.changes[0]?.approved_by]).toEqual(
    names.map(({ username }) => username),
  )
  await expect.poll(async () => (await publicOf(id))['changes']).toMatchObject([{ texts, pictures: null }])
  const [note] = (await publicOf(id))['changes'].map(({ at }: { at: string }) => ({
    at,
    of: ['title', 'description'],
  }))
  expect(await notesOf(id)).toEqual([[note], [note]])
  // The public learns no names.
  expect(Object.keys((await publicOf(id))['changes'][0]).toSorted()).toEqual([
    'at',
    'facts',
    'pictures',
    'texts',
  ])
  expect(
    await run(
      `SELECT entry::jsonb #>> '{after,approved_by}' AS by FROM audit_log WHERE entry::jsonb ->> 'action' = 'offers.describe' AND subject = $1`,
      [String(id)],
    ),
  ).toEqual([{ by: String(second.id) }])
  for (const statement of [
    `UPDATE offer_changes SET after = before || '{"title": "x"}'`,
    'DELETE FROM offer_changes',
    'TRUNCATE offer_changes',
  ])
    await expect(run(statement), statement).rejects.toThrow(/refused/)
  // The consent was to that change only.
  await expect(
    run(`UPDATE offers SET titles = titles || '{"fr": "Encore"}' WHERE id = $1`, [id]),
  ).rejects.toThrow(STAYS)
  expect((await decide('approve', asked, second)).body).toMatchObject({ code: 'staff.approvalDecided' })
})

test('figures of the prize wait for the second person, too; its value never changes then', async () => {
  const id = await newContest()
  const facts = { prize_power_kw: 294, prize_zero_to_100: '4,6', prize_year: 2026 }
  expect((await save(id, facts)).status).toBe(200)
  expect((await save(id, { prize_value: '39900' })).body).toMatchObject({ code: 'offers.termsLocked' })
  await shop.paidOrder(1, undefined, id)
  expect((await save(id, { prize_power_kw: 300 })).body).toMatchObject({ code: 'offers.consentNeeded' })
  expect((await ask(id, { prize_value: '39900' })).body).toMatchObject({ code: 'offers.termsLocked' })
  const asked = await ask(id, { prize_power_kw: 316, prize_zero_to_100: '', prize_range_km: 640 })
  expect(asked.status).toBe(202)
  const prizeOf = async () => (await publicOf(id))['contest'].prize
  const before = { value: '43900.00', power_kw: 294, zero_to_100: '4.6', year: 2026, range_km: null }
  expect(await prizeOf()).toEqual(before)
  expect((await decide('approve', asked, second)).status).toBe(200)
  await expect.poll(prizeOf).toEqual({ ...before, power_kw: 316, zero_to_100: null, range_km: 640 })
  const facts_changed = [
    { fact: 'power_kw', before: '294', after: '316' },
    { fact: 'zero_to_100', before: '4.6', after: null },
    { fact: 'range_km', before: null, after: '640' },
  ]
  expect((await publicOf(id))['changes']).toMatchObject([{ texts: [], facts: facts_changed, pictures: null }])
  expect((await read(id)).changes).toMatchObject([{ facts: facts_changed }])
  expect(await notesOf(id)).toMatchObject([[{ of: ['facts'] }], [{ of: ['facts'] }]])
})

test('a request that is refused, withdrawn or forgotten changes nothing, and another one can follow', async () => {
  const id = await entered()
  const before = await textsOf(id)
  expect((await decide('refuse', await ask(id, { title: 'Un' }), second)).status).toBe(200)
  expect((await decide('refuse', await ask(id, { title: 'Deux' }), manager)).body).toMatchObject({
    decision: 'withdrawn',
  })
  expect((await ask(id, { title: 'Trois' })).status).toBe(202)
  await run(
    `UPDATE approvals SET requested_at = now() - interval '8 days' WHERE subject = $1 AND decision IS NULL`,
    [String(id)],
  )
  await finishApprovals({ db: shop.db, shop: shop.config }, [])
  expect((await read(id)).waiting).toBeNull()
  expect(await textsOf(id)).toEqual(before)
  expect((await decide('approve', await ask(id, { title: 'Quatre' }), second)).status).toBe(200)
})

test('a request fits the description that was seen: once that is another one, nobody can consent to it', async () => {
  const id = await entered()
  const asked = await ask(id, { title: 'Une rouge' })
  await run(`ALTER TABLE offers DISABLE TRIGGER offers_texts_stay`)
  await run(`UPDATE offers SET titles = titles || '{"nl": "Intussen"}' WHERE id = $1`, [id])
  await run(`ALTER TABLE offers ENABLE TRIGGER offers_texts_stay`)
  const response = await decide('approve', asked, second)
  expect([response.status, response.body['code']]).toEqual([409, 'offers.describedSince'])
  expect((await read(id)).waiting).not.toBeNull()
  // An editor that saw an older version is refused as before the first entry.
  const { draft, version } = await read(id)
  const stale = { ...draft, title: 'Autre', version: version - 1, reason: REASON }
  expect((await manager.put(`/api/staff/offers/${id}/`, stale)).body).toMatchObject({
    code: 'offers.changed',
  })
})

test('a record that nobody consented to, or another change than the recorded one, is refused by the database', async () => {
  const id = await entered()
  const asked = await ask(id, { title: 'Une rouge' })
  const approval = (asked.body['approval'] as { id: number }).id
  const record = `
    INSERT INTO offer_changes (offer_id, approval_id, requested_by, approved_by, before, after)
    SELECT ${id}, a.id, a.requested_by, ${second.id}, a.input -> 'before', a.input -> 'after' FROM approvals a WHERE a.id = ${approval}`
  await expect(run(record)).rejects.toThrow(/nobody has consented/)
  await run(`UPDATE approvals SET decision = 'approved', decided_by = $2, decided_at = now() WHERE id = $1`, [
    approval,
    second.id,
  ])
  const title = (text: string): string =>
    `UPDATE offers SET titles = titles || '{"fr": "${text}"}' WHERE id = ${id}`
  const other = record.replace(`a.input -> 'after' FROM`, `a.input -> 'after' || '{"title_en": "x"}' FROM`)
  for (const [statements, message] of [
    [[other], /nobody has consented/],
    [[record.replace('a.requested_by,', `${second.id},`)], /nobody has consented/],
    [[record], /otherwise than was consented/],
    [[record, title('Une verte')], /otherwise than was consented/],
    [
      [record, title('Une rouge'), `DELETE FROM offer_pictures WHERE offer_id = ${id}`],
      /otherwise than was consented/,
    ],
    [
      [record, title('Une rouge'), 'SET CONSTRAINTS ALL IMMEDIATE', title('Une verte')],
      /otherwise than was consented/,
    ],
    [[title('Une rouge'), record], STAYS],
  ] as const)
    await expect(run(['BEGIN', ...statements, 'COMMIT'].join(';')), statements.join()).rejects.toThrow(
      message,
    )
  // As it was consented to, in one transaction.
  await run(['BEGIN', record, title('Une rouge'), 'COMMIT'].join(';'))
  expect((await read(id)).changes).toHaveLength(1)
})

test('pictures and their words wait for the second person, too', async () => {
  const id = await entered()
  const address = `/api/staff/offers/${id}/pictures/`
  const { version, pictures } = (await manager.get(address)).body
  const [one, two] = (pictures as { kind: 'file'; src: string; alt: object }[]).map(({ kind, src, alt }) => ({
    kind,
    src,
    alt,
  }))
  const put = (wanted: unknown[], more: object = {}, call: object = {}) =>
    manager.put(address, { version, pictures: wanted, ...more }, call)
  // Nothing changes, and nobody is asked.
  expect((await put([one, two], { reason: REASON }, { isWithoutEffect: true })).status).toBe(200)
  expect((await put([two, one])).body).toMatchObject({ code: 'offers.consentNeeded' })
  expect((await put([], { reason: REASON })).body).toMatchObject({ code: 'pictures.lastOne' })
  const alt = { fr: 'Rouge', nl: 'Rood', en: 'Red' }
  const asked = await put([{ ...two, alt }], { reason: REASON })
  expect(asked.status).toBe(202)
  expect((await manager.get(address)).body).toMatchObject({ version, pictures })
  expect((await decide('approve', asked, second)).status).toBe(200)
  const after = (await manager.get(address)).body
  expect(after['pictures']).toMatchObject([{ kind: 'file', src: two?.src, alt }])
  expect(after['version']).toBe(version + 1)
  const { changes } = await publicOf(id)
  expect(changes).toMatchObject([
    { texts: [], pictures: { before: [{ alt: one?.alt }, { alt: two?.alt }], after: [{ alt }] } },
  ])
  for (const { src } of [...changes[0].pictures.before, ...changes[0].pictures.after])
    expect((await shop.anonymous('GET', src)).status).toBe(200)
})

test('an uploaded picture is cut before anybody consents, and the one before it stays readable', async () => {
  const third = await shop.newStaff('owner')
  const id = await entered()
  const address = `/api/staff/offers/${id}/pictures/`
  const upload = await shop.app.inject({
    method: 'POST',
    url: '/api/staff/pictures/',
    headers: { cookie: third.cookie, origin: shop.config.publicUrl, 'content-type': 'image/jpeg' },
    payload: await plain(900, 700).jpeg().toBuffer(),
  })
  const { id: picture } = upload.json() as { id: string }
  const alt = { fr: 'Neuve', nl: 'Nieuw', en: 'New' }
  const wanted = { version: 0, pictures: [{ kind: 'uploaded', id: picture, alt }], reason: REASON }
  const asked = await manager.put(address, wanted)
  expect(asked.status).toBe(202)
  const early = await decide('approve', asked, third)
  expect([early.status, early.body['code']]).toEqual([409, 'pictures.notReady'])
  await makeRenditions({ db: shop.db, log: pino({ level: 'silent' }) })
  // Nothing that a request or the history shows is deleted.
  expect(await deleteUnusedPictures(shop.db, -1, 100)).toBe(0)
  expect((await decide('approve', asked, third)).status).toBe(200)
  const { changes } = await publicOf(id)
  const [{ src }] = changes[0].pictures.after
  expect((await shop.anonymous('GET', src)).status).toBe(200)
  const { version, pictures } = (await manager.get(address)).body
  const back = { version, pictures: [{ ...pictures[0], alt: { ...alt, fr: 'Autre' } }], reason: REASON }
  expect((await decide('approve', await manager.put(address, back), third)).status).toBe(200)
  // A response is kept for a moment.
  await expect.poll(async () => (await publicOf(id)).changes.length).toBe(2)
})

test('the first entry and a change at the same time: whichever comes second finds the other one done', async () => {
  for (let round = 0; round < 5; round += 1) {
    const id = await newContest()
    const buyer = await shop.newCustomer()
    const { draft, version } = await read(id)
    const changed = { ...draft, title: 'Course', version }
    const [saved, ordered] = await Promise.all([
      manager.put(`/api/staff/offers/${id}/`, changed),
      buyer.order(id, 1),
    ])
    expect(ordered.status).toBe(200)
    const [{ entered_at: enteredAt, title }] = await run(
      `SELECT entered_at, titles ->> 'fr' AS title FROM offers WHERE id = $1`,
      [id],
    )
    expect(enteredAt).not.toBeNull()
    expect([200, 409]).toContain(saved.status)
    expect(title === 'Course').toBe(saved.status === 200)
  }
})

test('somebody who is alone may make the change after the cool-down, and the history says so', async () => {
  const id = await entered()
  const others = `role IN ('owner', 'manager') AND id <> ${manager.id}`
  await run(`UPDATE users SET is_active = false WHERE ${others}`)
  const asked = await ask(id, { title: 'Seul' })
  expect(asked.body['approval']).toMatchObject({ alone_from: expect.any(String) })
  expect((await decide('approve', asked, manager)).status).toBe(409)
  await run('UPDATE approvals SET alone_from = now() WHERE id = $1', [
    (asked.body['approval'] as { id: number }).id,
  ])
  expect((await decide('approve', asked, manager)).status).toBe(200)
  expect((await read(id)).changes).toMatchObject([{ approved_by: null }])
  await run(`UPDATE users SET is_active = true WHERE ${others}`)
})
