import { expect, test } from 'vitest'
import { type LeafResponse, checkLeaf } from '#draw-protocol/check.ts'
import { proofFragment } from '#draw-protocol/commitments.ts'
import { claimTokens, openClaims } from './claims.ts'
import { publicDrawsRepository } from '../public/public-draws.repository.ts'
import { TIMES, drawLab } from '../draw-lab.test-support.ts'
import { sha256 } from '../sha256.ts'
import { forfeitPrizes } from './forfeitures.ts'
import { checkInvariants } from '#platform/invariants.ts'
import { shopForfeitures } from '#server/build-app.ts'
import { shopInvariants } from '#server/maintenance.ts'

// Short, because sessions and step-ups of this shop end by the clock that the tests move.
const lab = await drawLab({
  env: { DRAW_CLAIM_MINUTES: '60', DRAW_ALTERNATE_DELAY_MINUTES: '30' },
})
const { shop, time } = lab
const tokens = claimTokens(shop.secret)
const prizes = shopForfeitures({
  config: shop.config,
  db: shop.db,
  log: shop.draws.log as never,
  logKey: shop.draws.key,
  secret: shop.secret,
})
const CLAIM = 3_600
const DELAY = 1_800
const FORM = {
  name: 'Ada Peeters',
  street: 'Kerkstraat 12',
  extra: '',
  postcode: '9000',
  city: 'Gent',
  country: 'BE',
  phone: '+32 471 23 45 67',
  publish: true,
  first_name: 'Ada',
  place: 'Gent',
  picture: false,
  is_adult: true,
  is_eligible: true,
}
const STATEMENTS = {
  statement_fr: 'Le gagnant n’a pas 18 ans.',
  statement_nl: 'De winnaar is geen 18.',
  statement_en: 'The winner is not 18.',
}

async function claims(): Promise<void> {
  await openClaims({ db: shop.db, tokens })
  await forfeitPrizes(prizes)
}
const tokenOf = (id: number, attempt: number): string => tokens.of(`${id}.${attempt}`)
const byLink = (action: string, id: number, attempt: number, body: object = {}) =>
  shop.anonymous('POST', `/api/claims/${action}/`, { token: tokenOf(id, attempt), ...body })
const run = async (statement: string, values: unknown[] = []) =>
  (await shop.pool.query(statement, values)).rows
const winnerOf = async (id: number, attempt: number): Promise<number> =>
  (await run('SELECT number FROM draw_attempts WHERE offer_id = $1 AND attempt = $2', [id, attempt]))[0]
    .number

/** What became of a number, as its ticket's page computes it. */
async function endOf(id: number, slug: string, number: number) {
  const [secret] = await run(
    `SELECT t.number, t.id AS "ticketId", e.salt, encode(d.terms_hash, 'hex') AS "termsHash"
     FROM draw_entries e JOIN tickets t USING (offer_id, number) JOIN draws d USING (offer_id)
     WHERE offer_id = $1 AND number = $2`,
    [id, number],
  )
  const get = async (path: string) => (await shop.anonymous('GET', `/draws/${slug}/${path}`)).body as unknown
  const outcome = checkLeaf(
    {
      contest: slug,
      terms: (await get('terms.txt')) as Uint8Array,
      response: (await get(`leaf?number=${number}`)) as LeafResponse,
      proof: proofFragment(secret),
    },
    sha256,
  )
  return 'end' in outcome ? outcome.end : outcome
}

/** Statements that wait for a lock. */
const waiting = async (): Promise<number> =>
  (
    await run(
      `SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    )
  )[0].n

/** A contest with so many numbers, drawn once, with its claim. */
async function drawn(quantity: number) {
  const contest = await lab.newContest()
  for (let left = quantity; left > 0; left -= 1) await shop.paidOrder(1, undefined, contest.id)
  await lab.goOn(contest, 'draw')
  await claims()
  expect(await lab.stateOf(contest.id)).toBe('drawn')
  return contest
}
const claimPath = (id: number, attempt: number): string => `/api/staff/draws/${id}/claims/${attempt}/`
type Staff = Awaited<ReturnType<typeof shop.newStaff>>
/** Of the claim as it is. */
const seenBy = async (staff: Staff, path: string) => ({ seen: String((await staff.get(path)).body['seen']) })

test('an unclaimed prize goes to the next winner, who gets it; both verifiers find every step right', async () => {
  const contest = await drawn(3)
  const { id, slug } = contest
  await time.goTo(contest.draw + CLAIM - 60)
  await claims()
  expect((await byLink('read', id, 0)).body).toMatchObject({ state: 'open' })

  await time.goTo(contest.draw + CLAIM + 60)
  await Promise.all([claims(), claims()])
  expect(await lab.stepsOf(id)).toBe('open close list seal result forfeit')
  expect((await byLink('read', id, 0)).body).toMatchObject({ state: 'expired', reason: 'unclaimed' })
  expect((await byLink('submit', id, 0, FORM)).body).toMatchObject({ code: 'claim.over' })

  // The round of the alternate comes later.
  await lab.work()
  expect(await lab.stepsOf(id)).toBe('open close list seal result forfeit')
  await time.goTo(contest.draw + CLAIM + DELAY + 120)
  await lab.work()
  await claims()
  expect(await winnerOf(id, 1)).not.toBe(await winnerOf(id, 0))
  const mails = await run(`SELECT kind FROM emails WHERE body_ref->>'ref' = $1`, [`${id}.1`])
  expect(mails).toEqual([{ kind: 'draw-won' }])

  const [support, manager] = [await shop.newStaff('support'), await shop.newStaff('manager')]
  const owner = await shop.newStaff('owner')
  const path = claimPath(id, 1)
  const empty = await seenBy(support, path)
  expect((await support.post(`${path}identity/`, empty)).body).toMatchObject({ code: 'claim.notToCheck' })
  expect((await byLink('submit', id, 1, FORM)).body).toMatchObject({ state: 'submitted' })
  expect((await support.post(`${path}identity/`, empty)).body).toMatchObject({ code: 'claim.changed' })
  const seen = await seenBy(support, path)
  const award = { ...seen, delivered_on: '2026-12-01' }
  expect((await manager.post(`${path}award/`, award)).body).toMatchObject({ code: 'claim.notToAward' })
  expect((await support.post(`${path}identity/`, seen)).body).toMatchObject({
    state: 'checked',
    identity_seen_by: support.name,
  })
  expect((await support.post(`${path}award/`, award)).status).toBe(403)
  expect((await manager.post(`${path}award/`, { ...seen, delivered_on: 'soon' })).body).toMatchObject({
    fields: { delivered_on: [expect.any(String)] },
  })
  const asked = await manager.post(`${path}award/`, award)
  expect(asked.status).toBe(202)
  const approve = `/api/staff/approvals/${asked.body['approval'].id}/approve/`
  await manager.stepUp('draws.award')
  expect((await manager.post(approve)).body).toMatchObject({ code: 'staff.secondPersonNeeded' })
  expect(await lab.stateOf(id)).toBe('drawn')
  await owner.stepUp('draws.award')
  expect((await owner.post(approve)).status).toBe(200)
  expect((await byLink('read', id, 1)).body).toMatchObject({ state: 'awarded', delivered_on: '2026-12-01' })
  expect((await manager.post(`${path}award/`, award)).status).toBe(409)
  expect(await lab.stateOf(id)).toBe('awarded')
  expect(await lab.stepsOf(id)).toBe('open close list seal result forfeit result claim award')

  // By the leaf call alone, which proves who was drawn instead of whom.
  expect(await endOf(id, slug, await winnerOf(id, 0))).toBe('forfeited')
  expect(await endOf(id, slug, await winnerOf(id, 1))).toBe('won')
  const { open, remarks, files } = await lab.evidenceOf(slug)
  expect(open).toEqual([])
  expect(remarks).toEqual(['demonstration'])
  expect(files.has('statement-0.txt')).toBe(true)
  const register = await run(
    'SELECT leaf FROM draw_leaves WHERE log_id = 0 AND leaf LIKE $1 ORDER BY index',
    [`%\t${slug}\t%`],
  )
  const steps = register.map(({ leaf }) => leaf.split('-')[1])
  expect(steps.filter((type) => type !== 'log').join(' ')).toBe('terms seal result forfeit result award')
  expect(steps.at(-1)).toBe('log')
  const [{ slug: own }] = await run('SELECT slug FROM offers WHERE id = $1', [id])
  expect((await publicDrawsRepository(shop.db).bySlug(own))?.attempts).toMatchObject([
    { attempt: 0, winner: null },
    { attempt: 1, winner: { first_name: 'Ada', place: 'Gent' } },
  ])
})

test('a claim at the last moment and the forfeiture: whoever comes second finds the other one done', async () => {
  const contest = await drawn(2)
  const { id } = contest
  // The winner submits within the time and the leaf comes after it: the forfeiture waits for the row and then goes by.
  const client = await shop.pool.connect()
  await time.goTo(contest.draw + CLAIM - 30)
  await client.query('BEGIN')
  await client.query('SELECT FROM draw_logs WHERE id = $1 FOR UPDATE', [id])
  const submitting = byLink('submit', id, 0, FORM)
  await expect.poll(waiting).toBe(1)
  await time.goTo(contest.draw + CLAIM + 30)
  const forfeiting = forfeitPrizes(prizes)
  await expect.poll(waiting).toBe(2)
  await client.query('COMMIT')
  client.release()
  await forfeiting
  expect((await submitting).body).toMatchObject({ state: 'submitted', receipt: { hash: expect.any(String) } })
  expect(await lab.stepsOf(id)).toBe('open close list seal result claim')

  // The other way round: the forfeiture holds the row, and the winner's call comes second.
  const other = await drawn(2)
  const forfeiture = await shop.pool.connect()
  await forfeiture.query('BEGIN')
  await forfeiture.query('UPDATE draw_claims SET forfeited_at = clock_timestamp() WHERE offer_id = $1', [
    other.id,
  ])
  const response = byLink('submit', other.id, 0, FORM)
  await expect.poll(waiting).toBeGreaterThan(0)
  await forfeiture.query('COMMIT')
  forfeiture.release()
  expect((await response).body).toMatchObject({ code: 'claim.over' })
  expect(await run('SELECT name FROM draw_claims WHERE offer_id = $1', [other.id])).toEqual([{ name: null }])
})

test('a forfeiture that is cut off before its commit leaves nothing, and the next run makes it', async () => {
  const contest = await drawn(2)
  await time.goTo(contest.draw + CLAIM + 30)
  await forfeitPrizes(prizes, () => Promise.reject(new Error('killed')))
  expect(await lab.stepsOf(contest.id)).toBe('open close list seal result')
  expect(await run('SELECT FROM draw_forfeitures WHERE offer_id = $1', [contest.id])).toEqual([])
  await claims()
  expect(await lab.stepsOf(contest.id)).toBe('open close list seal result forfeit')
})

test('two people let a winner forfeit, as often as the terms allow; a void after the draw counts, too', async () => {
  const contest = await drawn(6)
  const { id, slug } = contest
  const [maker, checker] = [await shop.newStaff('manager'), await shop.newStaff('owner')]
  const body = { reason: 'under-age', ...STATEMENTS, note: 'Passport seen' }
  let now = contest.draw + 60
  const next = async (): Promise<void> => {
    now += DELAY + 300
    await time.goTo(now)
    await lab.work()
    await claims()
    for (const staff of [maker, checker]) await staff.stepUp('draws.decide')
  }
  const path = claimPath(id, 0)
  const preview = await maker.post(`${path}forfeit/preview/`, { reason: 'under-age', ...STATEMENTS })
  expect(preview.body).toMatchObject({ decided: 0, most: 3, remaining: 5 })
  expect(preview.body['statement']).toBe(
    '[fr]\nLe gagnant n’a pas 18 ans.\n\n[nl]\nDe winnaar is geen 18.\n\n[en]\nThe winner is not 18.\n',
  )
  expect((await maker.post(`${path}forfeit/`, { ...body, statement_nl: ' ' })).body).toMatchObject({
    fields: { statement_nl: [expect.any(String)] },
  })
  const asked = await maker.post(`${path}forfeit/`, body)
  expect(asked.status).toBe(202)
  expect((await maker.post(`${path}forfeit/`, body)).status).toBe(409)
  const attemptsOf = async () => (await checker.get(`/api/staff/draws/${id}/`)).body['attempts']
  expect(await attemptsOf()).toMatchObject([
    { asked: { by: maker.name, at: expect.any(String), reason: 'under-age' }, forfeiture: null },
  ])
  const approval = asked.body['approval'] as { id: number; preview: Record<string, unknown> }
  expect(approval.preview['statement']).toBe(preview.body['statement'])
  expect((await maker.post(`/api/staff/approvals/${approval.id}/approve/`)).status).toBe(409)
  expect(await lab.stepsOf(id)).toBe('open close list seal result')
  expect((await checker.post(`/api/staff/approvals/${approval.id}/approve/`)).body).toMatchObject({
    decision: 'approved',
    failure: null,
  })
  expect((await attemptsOf())[0]).toMatchObject({ asked: null, forfeiture: { reason: 'under-age' } })
  expect((await byLink('read', id, 0)).body).toMatchObject({ state: 'forfeited', reason: 'under-age' })
  const stored = await run(
    `SELECT encode(content, 'escape') AS text, encode(sha256(content), 'hex') AS hash FROM draw_file_parts
     WHERE offer_id = $1 AND name = 'statement-0.txt'`,
    [id],
  )
  expect(stored[0].hash).toBe(preview.body['sha256'])

  await next()
  // A refund after the draw counts as the shop's decision: it might have been made to get another winner.
  await run(
    `UPDATE tickets SET status = 'void', void_reason = 'refunded' WHERE offer_id = $1 AND number = $2`,
    [id, await winnerOf(id, 1)],
  )
  await claims()
  await next()
  const third = await maker.post(`${claimPath(id, 2)}forfeit/`, { ...body, reason: 'staff' })
  await checker.post(`/api/staff/approvals/${third.body['approval'].id}/approve/`)
  await next()
  expect(
    await run('SELECT attempt, reason, is_decided FROM draw_forfeitures WHERE offer_id = $1 ORDER BY 1', [
      id,
    ]),
  ).toEqual([
    { attempt: 0, reason: 'under-age', is_decided: true },
    { attempt: 1, reason: 'voided', is_decided: true },
    { attempt: 2, reason: 'staff', is_decided: true },
  ])
  expect((await maker.post(`${claimPath(id, 3)}forfeit/`, body)).body).toMatchObject({
    code: 'claim.noDecisionLeft',
    detail: expect.stringContaining('3 decisions'),
  })
  // A fourth void waits until the time of the claim has passed: not claiming has no limit.
  await run(
    `UPDATE tickets SET status = 'void', void_reason = 'refunded' WHERE offer_id = $1 AND number = $2`,
    [id, await winnerOf(id, 3)],
  )
  await claims()
  expect(await lab.stepsOf(id)).toMatch(/result void$/)
  now += CLAIM
  await time.goTo(now + 600)
  await claims()
  expect(await lab.stepsOf(id)).toMatch(/result void forfeit$/)
  const { open } = await lab.evidenceOf(slug)
  expect(open.map(({ step, outcome }) => [step, outcome])).toEqual([['end', 'skipped']])
})

test('a claim without a proof of identity in time ends when two people say so, as a decision of the shop', async () => {
  const contest = await drawn(3)
  const { id, slug } = contest
  expect((await byLink('submit', id, 0, FORM)).status).toBe(200)
  const proven = await drawn(2)
  expect((await byLink('submit', proven.id, 0, FORM)).status).toBe(200)
  const [maker, checker] = [await shop.newStaff('manager'), await shop.newStaff('owner')]
  const body = { reason: 'unclaimed', ...STATEMENTS, note: 'Asked three times' }
  const [path, early] = [claimPath(id, 0), claimPath(proven.id, 0)]
  const refused = { status: 409, body: { code: 'claim.notUnproven' } }
  // The claim time is over, and nothing ends by itself.
  await time.goTo(proven.draw + CLAIM + 30)
  await claims()
  expect(await lab.stepsOf(proven.id)).toBe('open close list seal result claim')
  for (const staff of [maker, checker]) await staff.stepUp('draws.decide')
  const preview = { reason: 'unclaimed', ...STATEMENTS }
  expect(await maker.post(`${early}forfeit/`, body)).toMatchObject(refused)
  expect(await maker.post(`${early}forfeit/preview/`, preview)).toMatchObject(refused)
  await maker.stepUp('draws.claims')
  expect((await maker.post(`${early}identity/`, await seenBy(maker, early))).status).toBe(200)
  await time.goTo(proven.draw + 2 * CLAIM + 30)
  for (const staff of [maker, checker]) await staff.stepUp('draws.decide')
  expect(await maker.post(`${early}forfeit/`, body)).toMatchObject(refused)
  const { attempts } = (await maker.get(`/api/staff/draws/${id}/`)).body
  expect(attempts[0].claim).toMatchObject({ state: 'submitted', is_unproven: true })
  const asked = await maker.post(`${path}forfeit/`, body)
  expect(asked.status).toBe(202)
  expect(await lab.stepsOf(id)).toBe('open close list seal result claim')
  await checker.post(`/api/staff/approvals/${asked.body['approval'].id}/approve/`)
  expect(await run('SELECT reason, is_decided FROM draw_forfeitures WHERE offer_id = $1', [id])).toEqual([
    { reason: 'unclaimed', is_decided: true },
  ])
  expect((await byLink('read', id, 0)).body).toMatchObject({ state: 'expired', reason: 'unclaimed' })
  await time.goTo(proven.draw + 2 * CLAIM + DELAY + 300)
  await lab.work()
  const { open, remarks } = await lab.evidenceOf(slug)
  expect(open.map(({ step, outcome }) => [step, outcome])).toEqual([['end', 'skipped']])
  expect(remarks).toEqual(['demonstration', 'claimed'])
})

test('a claim that cannot be opened holds up no other one', async () => {
  const contests = [await lab.newContest(), await lab.newContest()] as const
  for (const { id } of contests) await shop.paidOrder(1, undefined, id)
  await lab.goOn(contests[1], 'draw')
  const [first, second] = contests
  const broken = {
    of(ref: string): string {
      if (ref === `${first.id}.0`) throw new Error('no token')
      return tokens.of(ref)
    },
  }
  await expect(openClaims({ db: shop.db, tokens: broken })).rejects.toThrow('no token')
  const opened = () =>
    run('SELECT offer_id FROM draw_claims WHERE offer_id IN ($1, $2) ORDER BY 1', [first.id, second.id])
  expect(await opened()).toEqual([{ offer_id: second.id }])
  await claims()
  expect(await opened()).toEqual([{ offer_id: first.id }, { offer_id: second.id }])
})

/** A contest whose two numbers become void so many seconds after the last instant that its terms leave undecided. */
async function voided(seconds: number, deps = shop.draws) {
  const contest = await lab.newContest({}, deps)
  const { id } = contest
  for (let left = 2; left > 0; left -= 1) await shop.paidOrder(1, undefined, id)
  await lab.goOn(contest, 'seal')
  const [{ round_at: round }] = await run('SELECT round_at FROM draw_attempts WHERE offer_id = $1', [id])
  await time.goTo(round.getTime() / 1000 - TIMES.notice + seconds)
  await run(`UPDATE tickets SET status = 'void', void_reason = 'disputed' WHERE offer_id = $1`, [id])
  await lab.work()
  return contest
}

test('a winner whose number was void before the draw forfeits at once, and without a row left the money goes back', async () => {
  const contest = await voided(-30)
  const { id, slug } = contest
  await time.goTo(contest.draw + 60)
  await lab.work()
  await claims()
  expect(await lab.stepsOf(id)).toBe('open close list seal void void result forfeit')
  await time.goTo(contest.draw + DELAY + 600)
  await lab.work()
  await claims()
  expect(await lab.stepsOf(id)).toBe('open close list seal void void result forfeit result forfeit cancel')
  expect(await lab.stateOf(id)).toBe('cancelled')
  expect(await run('SELECT reason, is_decided FROM draw_forfeitures WHERE offer_id = $1', [id])).toEqual([
    { reason: 'voided', is_decided: false },
    { reason: 'voided', is_decided: false },
  ])
  expect((await lab.evidenceOf(slug)).open).toEqual([])
})

test('a void of the last moments before the draw counts as decided by the shop, and only as often as its terms allow', async () => {
  const decisionsOf = (id: number) =>
    run('SELECT reason, is_decided FROM draw_forfeitures WHERE offer_id = $1 ORDER BY attempt', [id])
  const contest = await voided(1)
  await time.goTo(contest.draw + 60)
  await lab.work()
  await claims()
  expect(await decisionsOf(contest.id)).toEqual([{ reason: 'voided', is_decided: true }])
  expect((await lab.evidenceOf(contest.slug)).open.map(({ step }) => step)).toEqual(['end'])

  const durations = { ...shop.draws.durations, alternatesDecided: 0 }
  const strict = await voided(1, { ...shop.draws, durations })
  await time.goTo(strict.draw + 60)
  await lab.work()
  await claims()
  expect(await decisionsOf(strict.id)).toEqual([])
  await time.goTo(strict.draw + CLAIM + 120)
  await claims()
  expect(await decisionsOf(strict.id)).toEqual([{ reason: 'unclaimed', is_decided: false }])
  expect((await lab.evidenceOf(strict.slug)).open.map(({ step }) => step)).toEqual(['end'])
})

test('the invariants of draws hold for all of them', async () => {
  const ofDraws = (await shopInvariants()).filter(({ name }) => ['I12', 'I13', 'I14', 'I15'].includes(name))
  expect(ofDraws).toHaveLength(4)
  // The contest of the race has a forfeiture that only the test began.
  const breaches = await checkInvariants(shop.db, ofDraws)
  expect(breaches.map(({ name, rows }) => [name, rows.length])).toEqual([['I15', 1]])
})

test('staff see who won and write a claim down, and each of it is in the audit log', async () => {
  const { id, closes, draw } = await drawn(2)
  const support = await shop.newStaff('support')
  const path = claimPath(id, 0)
  // The screen asks for it several times: one opening is one entry.
  const [read] = await Promise.all([support.get(path), support.get(path), support.get(path)])
  expect(read.body).toMatchObject({ known: { email: expect.stringContaining('@') }, contact: null })
  // Whoever reads the mail of a winner's address could claim: staff do not correct it meanwhile.
  const friend = { email: 'friend@example.test', note: 'says so' }
  expect(
    await support.post(`/api/staff/accounts/${read?.body['user_id']}/correct-email/`, friend),
  ).toMatchObject({ status: 409, body: { code: 'customers.openPrize' } })
  const { is_adult: _, is_eligible: __, ...letter } = FORM
  expect(
    (await support.post(`${path}record/`, { ...letter, phone: '', declared: false })).body,
  ).toMatchObject({
    fields: { declared: [expect.any(String)] },
  })
  expect((await support.post(`${path}record/`, { ...letter, phone: '', declared: true })).body).toMatchObject(
    {
      state: 'submitted',
      is_recorded: true,
      winner: { first_name: 'Ada', place: 'Gent' },
    },
  )
  expect((await support.get(path)).body).toMatchObject({ contact: { name: 'Ada Peeters', phone: null } })
  expect((await support.get(claimPath(id, 7))).status).toBe(404)
  const actions = await run(
    `SELECT entry::jsonb ->> 'action' AS action FROM audit_log WHERE entry::jsonb ->> 'session' = $1 AND entry::jsonb ->> 'action' LIKE 'draws.%' ORDER BY id`,
    [support.sessionId],
  )
  expect(actions.map(({ action }) => action)).toEqual([
    'draws.readClaim',
    'draws.recordClaim',
    'draws.readClaim',
  ])
  // Everybody who sees draws sees the state, and nobody's name but the published one.
  const witness = await shop.newStaff('witness')
  expect((await witness.get(path)).status).toBe(403)
  const page = await witness.get(`/api/staff/draws/${id}/`)
  expect(page.body).toMatchObject({
    state: 'drawn',
    waits: { for: 'identity', is_late: false },
    attempts: [{ attempt: 0, claim: { state: 'submitted' }, forfeiture: null }],
    log: { entries: 2 },
  })
  expect(JSON.stringify(page.body)).not.toContain('Peeters')
  expect((await witness.get('/api/staff/draws/999999/')).status).toBe(404)

  const planned: Record<string, number> = {}
  for (const seconds of [closes, draw + CLAIM]) {
    const month = new Intl.DateTimeFormat('sv-SE', {
      timeZone: 'Europe/Brussels',
      year: 'numeric',
      month: '2-digit',
    })
    const query = `month=${month.format(seconds * 1000)}`
    const { body } = await witness.get(`/api/staff/draw-calendar/?${query}`)
    for (const item of body['items'] as { offer_id: number; event: string; at: string }[])
      if (item.offer_id === id) planned[item.event] = Date.parse(item.at) / 1000
  }
  // A claim that was submitted does not end.
  expect(planned).toEqual({ closing: closes, draw })
  expect((await witness.get('/api/staff/draw-calendar/?month=2026-13')).status).toBe(400)
})
