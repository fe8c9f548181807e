import { expect, test } from 'vitest'
import { LEAVES, drawNumber, sealContest } from '../../../../../test/support/drawn-contests.ts'
import { postcard } from '../../../../../test/support/postcards.ts'
import { claimPrizes } from '#features/demo/server/index.ts'
import { openShop } from '../../../../../test/support/shop.ts'
import { transact } from '#platform/transaction.ts'
import { toBytes, toHex } from '#draw-protocol/bytes.ts'
import { checkSignature, parseCheckpoints, parseVerifierKey } from '#draw-protocol/checkpoints.ts'
import type { Claim } from '../../claims.contract.ts'
import { sha256 } from '../sha256.ts'
import { claimsPersonalData } from './claims-personal-data.ts'
import { claimsWrites, eraseOldClaims } from './claims.repository.ts'
import { publicDrawsRepository } from '../public/public-draws.repository.ts'
import { claimTokens, openClaims } from './claims.ts'

const shop = await openShop({ env: { LIMITS_FACTOR: '1000' } })
const tokens = claimTokens(shop.secret)
const open = () => openClaims({ db: shop.db, tokens })
const run = async (statement: string, values: unknown[] = []) =>
  (await shop.pool.query(statement, values)).rows
const DAY = 86_400
/** Of the function `refuse_change`. */
const STAYS = /of draw_claims is refused/

const FORM = {
  name: 'Ada Peeters',
  street: 'Kerkstraat 12',
  extra: '',
  postcode: '9000',
  city: 'Gent',
  country: 'BE',
  phone: '+32 471 23 45 67',
  publish: false,
  first_name: '',
  place: '',
  picture: false,
  is_adult: true,
  is_eligible: true,
}

/** A drawn contest whose winner has an account; the draw was so many seconds ago. */
async function won({ secondsAgo = 0, claimSeconds = 7 * DAY, hasPicture = false } = {}) {
  const offerId = await shop.newOffer({
    draw_at: new Date(Date.now() + 90_000_000),
    title_nl: 'Blauwe wagen',
  })
  if (hasPicture)
    await run(
      `INSERT INTO offer_pictures (offer_id, position, src, widths, width, height, color)
       VALUES ($1, 0, '/media/blue', '{480,1600}', 1600, 1000, '#000')`,
      [offerId],
    )
  const { customer, ours } = await shop.paidOrder(1, undefined, offerId)
  const [{ number, slug }] = await run(
    `SELECT t.number, o.slug FROM tickets t JOIN offers o ON o.id = t.offer_id WHERE t.offer_id = $1`,
    [offerId],
  )
  await sealContest(shop.pool, offerId, { claimSeconds, draws: shop.draws })
  await drawNumber(shop.pool, offerId, number, `clock_timestamp() - make_interval(secs => ${secondsAgo})`)
  const id = { offerId, attempt: 0 }
  return { offerId, customer, ours, number, slug, id, token: tokens.of(`${offerId}.0`) }
}
const byLink = (action: string, token: string, body: object = {}) =>
  shop.anonymous('POST', `/api/claims/${action}/`, { token, ...body })
/** Notes a proof of identity of the claim as it is. */
const see = (offerId: number) =>
  run(
    `UPDATE draw_claims SET identity_seen_at = clock_timestamp(), identity_seen_by = (SELECT min(id) FROM users),
       identity_hash = draw_claim_hash(draw_claims) WHERE offer_id = $1`,
    [offerId],
  )
/** Awards it, with the consent of somebody else. */
async function award(offerId: number, at = 'now()') {
  const [one, other] = [await shop.newStaff('manager'), await shop.newStaff('owner')]
  const [{ id }] = await run(
    `INSERT INTO approvals (permission, subject_kind, subject, input, reason, requested_by, decided_by, decided_at, decision)
     VALUES ('draws.award', 'offer', $1, '{}', 'r', $2, $3, now(), 'approved') RETURNING id`,
    [String(offerId), one.id, other.id],
  )
  await see(offerId)
  await run(
    `UPDATE draw_claims SET awarded_at = ${at}, awarded_by = $2, delivered_on = now()::date, award_approval_id = $3
     WHERE offer_id = $1`,
    [offerId, one.id, id],
  )
}
const emailsOf = (offerId: number) =>
  run(
    `SELECT id, kind, recipient, language, subject FROM emails
     WHERE kind IN ('draw-won', 'draw-reminder') AND body_ref->>'ref' LIKE $1 ORDER BY queued_at`,
    [`${offerId}.%`],
  )

test('an invented winner of the demonstration claims the prize, with the name to be shown; nobody else does', async () => {
  const [invented, own] = [await won(), await won()]
  await run(`UPDATE users SET password_hash = 'none', username = 'lotte.maes' WHERE id = $1`, [
    invented.customer.id,
  ])
  await open()
  await claimPrizes(shop.draws)
  await claimPrizes(shop.draws)
  const named = async ({ offerId }: { offerId: number }) =>
    (
      await run('SELECT first_name, place IS NOT NULL AS is_placed FROM draw_claims WHERE offer_id = $1', [
        offerId,
      ])
    )[0]
  expect(await named(invented)).toEqual({ first_name: 'Lotte', is_placed: true })
  expect(await named(own)).toEqual({ first_name: null, is_placed: false })
})

test('the winner gets one email in their language with a link, which opens the claim', async () => {
  const { offerId, customer, token, slug } = await won()
  await run(`UPDATE users SET language = 'nl' WHERE id = $1`, [customer.id])
  expect((await byLink('read', token)).status).toBe(404)
  const sent = await Promise.all([open(), open()])
  expect(sent[0] + sent[1]).toBe(1)
  expect(await open()).toBe(0)
  const [email, ...others] = await emailsOf(offerId)
  expect(others).toEqual([])
  expect(email).toMatchObject({ kind: 'draw-won', recipient: customer.email, language: 'nl' })
  expect(email.subject).toBe('Je hebt ‘Blauwe wagen’ gewonnen')
  const { body } = await shop.anonymous('GET', `/api/demo/emails/${email.id}/`)
  expect(body['text']).toContain(`/claim?lang=nl#${token}`)
  expect(body['text']).toMatch(new RegExp(`/draws/${slug}\\?lang=nl#\\d+\\.`))
  expect(JSON.stringify(await run('SELECT * FROM draw_claims'))).not.toContain(token)
  // One button, and nothing that only whoever checks the draw understands: that is in the file.
  const shown = async (url: string) => (await shop.app.inject({ url })).body
  const html = await shown(body['html_url'] as string)
  expect([html.match(/class="button"/g)?.length, html.includes(`/claim?lang=nl#${token}`)]).toEqual([1, true])
  expect(html).not.toMatch(/SHA-256|#\d+\./)
  const [file] = body['files'] as { name: string; url: string }[]
  expect(file?.name).toBe(`bewijs-${slug}.txt`)
  const proof = await shown(file?.url ?? '')
  expect(proof).toMatch(new RegExp(`/draws/${slug}\\?lang=nl#\\d+\\.`))
  expect(proof).not.toContain(token)

  const read = await byLink('read', token)
  expect(read.status).toBe(200)
  expect(read.headers['cache-control']).toBe('no-store')
  expect(read.body).toMatchObject({
    contest: { slug, picture: null },
    state: 'open',
    contact: null,
    suggested: { name: expect.stringContaining('buyer') },
    winner: null,
    picture: false,
  })
  expect(Date.parse(read.body['until']) - Date.parse(read.body['drawn_at'])).toBe(7 * DAY * 1_000)
  expect((await byLink('read', `${token}x`)).body).toMatchObject({ code: 'claim.notFound' })
})

test('a claim has the path of the first picture of its prize', async () => {
  const { slug, token } = await won({ hasPicture: true })
  await open()
  const { body } = await byLink('read', token)
  expect(body['contest']).toMatchObject({ slug, picture: `/media/email-${slug}.jpg` })
})

test('a winner submits a claim, changes it, and gives and withdraws consents', async () => {
  const { token, offerId, slug } = await won()
  await open()
  const refused = await shop.anonymous(
    'POST',
    '/api/claims/submit/',
    { token, ...FORM, name: ' ', phone: '12', publish: true, is_adult: false },
    { language: 'fr' },
  )
  expect(refused.status).toBe(400)
  expect(refused.body['fields']).toEqual({
    name: [expect.stringMatching(/obligatoire|requis/)],
    phone: ['Veuillez saisir un numéro de téléphone de 6 à 15 chiffres'],
    is_adult: [expect.stringMatching(/^Veuillez confirmer/)],
  })
  const nameless = await byLink('submit', token, { ...FORM, publish: true, first_name: 'Ada' })
  expect(Object.keys(nameless.body['fields'])).toEqual(['place'])
  expect(
    (await byLink('consent', token, { publish: false, first_name: '', place: '', picture: true })).status,
  ).toBe(409)

  const submitted = await byLink('submit', token, FORM)
  expect(submitted.body).toMatchObject({
    state: 'submitted',
    contact: { name: 'Ada Peeters', address: ['Kerkstraat 12'], postcode: '9000', phone: '+32471234567' },
    suggested: null,
    winner: null,
  })
  const first = submitted.body['submitted_at']
  const consented = {
    ...FORM,
    extra: 'bus 3',
    publish: true,
    first_name: 'Ada',
    place: 'Gent',
    picture: true,
  }
  const changed = await byLink('submit', token, consented)
  expect(changed.body).toMatchObject({
    submitted_at: first,
    contact: { address: ['Kerkstraat 12', 'bus 3'] },
    winner: { first_name: 'Ada', place: 'Gent' },
    picture: true,
  })
  const publicWinner = async () => (await publicDrawsRepository(shop.db).bySlug(slug))?.attempts[0]?.winner
  expect(await publicWinner()).toEqual({ first_name: 'Ada', place: 'Gent' })

  await see(offerId)
  expect((await byLink('read', token)).body).toMatchObject({ state: 'checked' })
  // What was checked is the claim of then.
  expect((await byLink('submit', token, { ...consented, city: 'Brugge' })).body).toMatchObject({
    state: 'submitted',
  })
  await see(offerId)
  const [given] = await run('SELECT name_consent_at FROM draw_claims WHERE offer_id = $1', [offerId])
  const kept = { publish: true, first_name: 'Ada', place: 'Gent', picture: false }
  expect((await byLink('consent', token, kept)).body).toMatchObject({ state: 'checked', picture: false })
  expect(await run('SELECT name_consent_at FROM draw_claims WHERE offer_id = $1', [offerId])).toEqual([given])
  const none = { publish: false, first_name: '', place: '', picture: false }
  expect((await byLink('consent', token, none)).body).toMatchObject({ winner: null })
  expect(await publicWinner()).toBeNull()
})

test('a claim has a receipt, which proves it without the shop; only another claim has another one', async () => {
  const { token, offerId, customer, slug } = await won()
  await run(`UPDATE users SET language = 'en' WHERE id = $1`, [customer.id])
  await open()
  expect((await byLink('read', token)).body['receipt']).toBeNull()
  const receiptOf = async (change: object = {}) =>
    (await byLink('submit', token, { ...FORM, ...change })).body['receipt'] as NonNullable<Claim['receipt']>
  const first = await receiptOf()
  expect(first.claim.split('\n')).toEqual([
    'volant-claim-v1',
    `contest: ${slug}`,
    'attempt: 0',
    expect.stringMatching(/^number: \d+$/),
    expect.stringMatching(/^salt: [0-9a-f]{64}$/),
    'name: Ada Peeters',
    'address: Kerkstraat 12',
    'postcode: 9000',
    'city: Gent',
    'country: BE',
    'phone: +32471234567',
    '',
  ])
  // The same again, as somebody who presses twice, with other consents, or by the account.
  const consented = { publish: true, first_name: 'Ada', place: 'Gent' }
  const again = await Promise.all([receiptOf(), receiptOf(consented), receiptOf()])
  expect(again).toEqual([first, first, first])
  expect((await customer.get(`/api/claims/own/${slug}/`)).body['receipt']).toEqual(first)
  const changed = await receiptOf({ extra: 'bus 3' })
  expect(changed.claim).toContain('address: Kerkstraat 12\naddress: bus 3\n')
  const back = await receiptOf()
  const receipts = [first, changed, back]
  const leaves = await run('SELECT leaf FROM draw_leaves WHERE log_id = $1 AND index >= $2 ORDER BY index', [
    offerId,
    LEAVES,
  ])
  expect(leaves.map(({ leaf }) => leaf)).toEqual(
    receipts.map(({ hash }) => ['volant-claim-v1', slug, 0, hash].join('\t')),
  )
  const { key, host } = shop.draws
  for (const [at, { hash, claim, checkpoint }] of receipts.entries()) {
    expect(toHex(sha256(toBytes(claim)))).toBe(hash)
    const [signed] = parseCheckpoints(toBytes(checkpoint))
    // The first that contains the leaf.
    expect(signed!.size).toBe(LEAVES + at + 1)
    checkSignature(signed!, parseVerifierKey(key.verifierKey(host), sha256, 1), `${host}/draws/${slug}`)
  }
  // Each has its email, with the two files and no secret but the link.
  const mails = await run(
    `SELECT id, subject FROM emails WHERE kind = 'draw-claim-step' AND user_id = $1 ORDER BY key`,
    [customer.id],
  )
  expect(mails.map(({ subject }) => subject.split(':')[0])).toEqual(
    Array(3).fill('We have received your claim'),
  )
  const { body } = await shop.anonymous('GET', `/api/demo/emails/${mails[0].id}/`)
  expect(body['text']).toContain(back.hash)
  const files = body['files'] as { name: string; url: string }[]
  expect(files.map(({ name }) => name)).toEqual(['claim.txt', 'checkpoint.txt'])
  const contents = await Promise.all(files.map(async ({ url }) => (await shop.app.inject({ url })).body))
  expect(contents).toEqual([back.claim, back.checkpoint])
  // Erased, the leaf tells nobody anything, and there is no receipt.
  await transact(shop.db, (trx) => claimsPersonalData.erase(trx, { userId: customer.id }))
  expect((await byLink('read', token)).body['receipt']).toBeNull()
  expect(await run('SELECT leaf_salt, leaf_index FROM draw_claims WHERE offer_id = $1', [offerId])).toEqual([
    { leaf_salt: null, leaf_index: LEAVES + 2 },
  ])
  expect((await shop.anonymous('GET', `/api/demo/emails/${mails[0].id}/`)).body['files'] ?? []).toEqual([])
})

test('an account claims what it has won, and nothing else', async () => {
  const { customer, slug } = await won()
  await open()
  const stranger = await shop.newCustomer()
  const url = `/api/claims/own/${slug}/`
  expect((await shop.anonymous('GET', url)).status).toBe(401)
  expect((await stranger.get(url)).body).toMatchObject({ code: 'claim.notFound' })
  expect((await stranger.put(url, FORM)).status).toBe(404)
  expect((await customer.get(url)).body).toMatchObject({ state: 'open' })
  expect((await customer.put(url, FORM)).body).toMatchObject({ state: 'submitted' })
  const consent = { publish: true, first_name: 'Ada', place: 'Gent', picture: false }
  expect((await customer.put(`${url}consent/`, consent)).body).toMatchObject({ winner: { place: 'Gent' } })
})

test('a winner by post has a claim that begins with what is on the card', async () => {
  const clerk = await shop.newStaff('postal')
  const offerId = await shop.newOffer({ draw_at: new Date(Date.now() + 90_000_000) })
  const { body } = await clerk.post(
    '/api/staff/post/entries/',
    postcard(offerId, { email: 'poster@post.test', language: 'nl', name: 'Jan Wouters' }),
  )
  await sealContest(shop.pool, offerId)
  await drawNumber(shop.pool, offerId, Number(body['ticket_number']))
  expect(await open()).toBe(1)
  expect(await emailsOf(offerId)).toMatchObject([{ recipient: 'poster@post.test', language: 'nl' }])
  expect((await byLink('read', tokens.of(`${offerId}.0`))).body['suggested']).toMatchObject({
    name: 'Jan Wouters',
    city: 'Bruxelles',
    country: 'BE',
  })
})

test('after the claim time nothing can be submitted; what was submitted in time can still be changed', async () => {
  const late = await won({ secondsAgo: 100, claimSeconds: 60 })
  await open()
  expect((await byLink('read', late.token)).body).toMatchObject({ state: 'expired' })
  expect((await byLink('submit', late.token, FORM)).body).toMatchObject({ code: 'claim.over' })

  const soon = await won({ claimSeconds: 3 })
  await open()
  expect((await byLink('submit', soon.token, FORM)).status).toBe(200)
  await expect
    .poll(
      async () =>
        (await run('SELECT until < now() AS over FROM draw_claims WHERE offer_id = $1', [soon.offerId]))[0]
          .over,
    )
    .toBe(true)
  expect((await byLink('submit', soon.token, { ...FORM, city: 'Brugge' })).body).toMatchObject({
    state: 'submitted',
    contact: { city: 'Brugge' },
  })
})

test('a void number cannot be claimed', async () => {
  const { token, offerId } = await won()
  await run(`UPDATE tickets SET status = 'void', void_reason = 'refunded' WHERE offer_id = $1`, [offerId])
  expect(await open()).toBe(0)
  expect((await byLink('read', token)).body).toMatchObject({ state: 'forfeited', reason: null })
  expect((await byLink('submit', token, FORM)).body).toMatchObject({ code: 'claim.over' })
})

test('reminders come at half of the time and a day before its end, only while nobody has claimed', async () => {
  const half = await won({ secondsAgo: 4 * DAY })
  const last = await won({ secondsAgo: 6.5 * DAY })
  const claimed = await won({ secondsAgo: 4 * DAY })
  const short = await won({ secondsAgo: 40, claimSeconds: 60 })
  const all = [half, last, claimed, short]
  // The claim of an old draw opens late here: it counts from its opening, so that is moved as well.
  await run('ALTER TABLE draw_claims DISABLE TRIGGER draw_claims_stay')
  for (const { id } of all)
    await transact(shop.db, async (trx) => {
      await claimsWrites(trx).open(id, Buffer.from(String(id.offerId).padStart(32, '0')))
    })
  await run(
    `UPDATE draw_claims c SET opened_at = a.drawn_at FROM draw_attempts a
     WHERE a.offer_id = c.offer_id AND a.attempt = c.attempt`,
  )
  await run(
    `UPDATE draw_claims SET submitted_at = now(), name = 'A', address = '{B}', city = 'C', country = 'BE'
             WHERE offer_id = $1`,
    [claimed.offerId],
  )
  await run('ALTER TABLE draw_claims ENABLE TRIGGER draw_claims_stay')
  await Promise.all([open(), open()])
  await open()
  expect(await Promise.all(all.map(async ({ offerId }) => (await emailsOf(offerId)).length))).toEqual([
    1, 1, 0, 1,
  ])
  const rows = await run('SELECT offer_id, reminders FROM draw_claims')
  expect(all.map(({ offerId }) => rows.find((row) => row.offer_id === offerId).reminders)).toEqual([
    1, 2, 0, 1,
  ])
  const [reminder] = await emailsOf(half.offerId)
  expect(reminder).toMatchObject({ kind: 'draw-reminder', recipient: half.customer.email })
})

test('a link works while its key is accepted, and one that is sent later is by the key of then', async () => {
  const { id, token } = await won()
  await open()
  const ref = `${id.offerId}.${id.attempt}`
  const [second, third] = ['the second secret of the tests, long', 'the third secret of the tests, long']
  const keys = {
    before: claimTokens(shop.secret),
    changed: claimTokens(second, shop.secret),
    after: claimTokens(second),
    again: claimTokens(third, second),
  }
  const opens = async (text: string) => {
    const opened = await Promise.all(
      Object.entries(keys).map(async ([name, one]) => ((await one.linkOf(shop.db, text)) ? [name] : [])),
    )
    return opened.flat().join(' ')
  }
  expect(await opens(token)).toBe('before changed')
  expect(await keys.before.made(shop.db, ref)).toBe(token)
  // The reminder does not end the link of the first email.
  const reminder = await keys.changed.made(shop.db, ref)
  expect(reminder).not.toBe(token)
  expect(await opens(reminder)).toBe('changed after again')
  expect(await opens(token)).toBe('before changed')
  const letter = await keys.again.made(shop.db, ref)
  expect(await opens(letter)).toBe('again')
  expect(await keys.again.made(shop.db, ref)).toBe(letter)
  // A token of a claim that there is not yet opens nothing.
  expect(await opens(keys.changed.of(`${id.offerId}.9`))).toBe('')
  await expect(keys.changed.made(shop.db, '999999.0')).resolves.toBeTypeOf('string')
})

test('a copy of one’s data has the claim, erasing a person removes it, and old contact data are erased', async () => {
  const { customer, token, offerId } = await won()
  await open()
  await byLink('submit', token, { ...FORM, publish: true, first_name: 'Ada', place: 'Gent' })
  const { records } = await claimsPersonalData.read(shop.db, customer.id, 'fr')
  expect(records).toMatchObject([
    { data: { name: 'Ada Peeters', city: 'Gent', published_first_name: 'Ada' } },
  ])
  expect(records[0]?.facts.map(([name]) => name)).toContain('Publié avec votre accord')

  const kept = await won()
  await open()
  await byLink('submit', kept.token, { ...FORM, publish: true, first_name: 'Bea', place: 'Aalst' })
  await award(kept.offerId, `now() - interval '400 days'`)
  expect(await eraseOldClaims(shop.db, 365, 100)).toBe(1)
  expect(await eraseOldClaims(shop.db, 365, 100)).toBe(0)
  expect((await byLink('read', kept.token)).body).toMatchObject({
    state: 'awarded',
    contact: null,
    winner: { first_name: 'Bea', place: 'Aalst' },
  })

  const erased = await transact(shop.db, (trx) => claimsPersonalData.erase(trx, { userId: customer.id }))
  expect(erased).toMatchObject({ rows: 1 })
  expect(erased.emailKeys).toContain(`draw-won:${offerId}.0`)
  const [row] = await run('SELECT * FROM draw_claims WHERE offer_id = $1', [offerId])
  const contact = ['name', 'address', 'postcode', 'city', 'country', 'phone', 'leaf_salt']
  for (const column of [...contact, 'first_name', 'place']) expect(row[column]).toBeNull()
})

test('the database keeps what a claim has become', async () => {
  const { offerId, token } = await won()
  await open()
  await byLink('submit', token, FORM)
  await see(offerId)
  await expect(
    run(
      'UPDATE draw_claims SET awarded_at = now(), awarded_by = identity_seen_by, delivered_on = now()::date WHERE offer_id = $1',
      [offerId],
    ),
  ).rejects.toThrow(/nobody has approved the award/)
  await run('UPDATE draw_claims SET recorded_by = NULL, city = $2 WHERE offer_id = $1', [offerId, 'Brugge'])
  await expect(
    run(`UPDATE draw_claims SET awarded_at = now() WHERE offer_id = $1`, [offerId]),
  ).rejects.toThrow(/changed after its identity was seen/)
  await expect(
    run('UPDATE draw_claims SET recorded_by = identity_seen_by WHERE offer_id = $1', [offerId]),
  ).rejects.toThrow(/draw_claims_seen_by_another/)
  await award(offerId)
  const refused: [change: string, message: RegExp][] = [
    [`until = until + interval '1 day'`, STAYS],
    ['submitted_at = NULL, name = NULL, address = NULL, city = NULL, country = NULL', STAYS],
    [`identity_seen_at = now() + interval '1 day'`, STAYS],
    ['awarded_at = NULL, awarded_by = NULL, delivered_on = NULL', STAYS],
    ['forfeited_at = now()', /draw_claims_one_end/],
    ['leaf_index = leaf_index + 1', STAYS],
    ['leaf_hash = NULL, leaf_index = NULL', STAYS],
    [`first_name = 'Ada'`, /draw_claims_name_is_consented/],
    ['name = NULL', /draw_claims_submitted_whole/],
  ]
  for (const [change, message] of refused)
    await expect(run(`UPDATE draw_claims SET ${change} WHERE offer_id = $1`, [offerId])).rejects.toThrow(
      message,
    )
  await expect(run('DELETE FROM draw_claims WHERE offer_id = $1', [offerId])).rejects.toThrow(STAYS)
  await expect(run('TRUNCATE draw_claims CASCADE')).rejects.toThrow(STAYS)
})
