import { expect, test } from 'vitest'
import { drawLab } from '../../draws/server/draw-lab.test-support.ts'
import { claimTokens, openClaims } from '../../draws/server/claims/claims.ts'
import { forfeitPrizes } from '../../draws/server/claims/forfeitures.ts'
import { eraseOldEntries } from './postal.repository.ts'
import { shopForfeitures } from '#server/build-app.ts'
import { readPdf } from '../../tickets/server/pdf-reader.test-support.ts'

const CLAIM = 3_600
const lab = await drawLab({ env: { DRAW_CLAIM_MINUTES: '60', DRAW_ALTERNATE_DELAY_MINUTES: '30' } })
const { shop, time } = lab
const tokens = claimTokens(shop.secret)
const prizes = shopForfeitures({
  config: shop.config,
  db: shop.db,
  log: shop.draws.log as never,
  logKey: shop.draws.key,
  secret: shop.secret,
})
const run = async (statement: string, values: unknown[] = []) =>
  (await shop.pool.query(statement, values)).rows
const FORM = {
  name: 'Jan Wouters',
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

async function claims(): Promise<void> {
  await openClaims({ db: shop.db, tokens })
  await forfeitPrizes(prizes)
}

/** A contest that a card without an email address has won. */
async function wonByPost(change: object = {}) {
  const clerk = await shop.newStaff('postal')
  const contest = await lab.newContest()
  const card = lab.newPostcard(contest.id, { name: 'Jan Wouters', language: 'nl', ...change })
  const { status } = await clerk.post('/api/staff/post/entries/', card)
  expect(status).toBe(201)
  await lab.goOn(contest, 'draw')
  await claims()
  expect(await lab.stateOf(contest.id)).toBe('drawn')
  const support = await shop.newStaff('support')
  const path = `/api/staff/draws/${contest.id}/claims/0/`
  return { ...contest, support, path, code: tokens.of(`${contest.id}.0`) }
}
const claimOf = async (staff: Awaited<ReturnType<typeof shop.newStaff>>, id: number) =>
  (await staff.get(`/api/staff/draws/${id}/`)).body

test('a winner without an email address loses nothing before the letter is sent and its time has run', async () => {
  const { id, slug, draw, support, path, code } = await wonByPost()
  expect(await run('SELECT needs_letter FROM draw_claims WHERE offer_id = $1', [id])).toEqual([
    { needs_letter: true },
  ])
  const shown = await claimOf(support, id)
  expect(shown).toMatchObject({
    waits: { for: 'letter' },
    attempts: [{ claim: { letter: { waits: true } } }],
  })
  const today = (await support.get('/api/staff/today/')).body['deadlines']
  expect(today).toContainEqual(expect.objectContaining({ need: 'letter' }))

  await time.goTo(draw + 3 * CLAIM)
  await claims()
  expect(await lab.stepsOf(id)).toBe('open close list seal result')
  await support.stepUp('draws.claims')
  expect((await support.post(`${path}letter/sent/`)).body).toMatchObject({ code: 'claim.letterNotPrinted' })
  const letter = await support.post(`${path}letter/`)
  expect(letter.status).toBe(200)
  const { elements, objects } = readPdf(letter.body as unknown as Buffer)
  const words = elements
    .map(({ text }) => text)
    .join(' ')
    .replaceAll(/[\u00a0\u202f]/g, ' ')
  expect(words).toContain('Jan Wouters')
  expect(words).toContain('Je hebt')
  expect(words).toContain('1 uur')
  expect(words.replaceAll(' ', '')).toContain(code)
  expect(objects).toContain('/Lang (nl)')
  // Printed is not sent.
  await time.goTo(draw + 6 * CLAIM)
  await claims()
  expect(await lab.stepsOf(id)).toBe('open close list seal result')
  const facts = async () =>
    (await shop.anonymous('GET', `/api/draws/${slug}/`)).body['attempts'][0].drawn.claim
  expect(await facts()).toMatchObject({ by_letter: true, claimed_at: null })
  expect(Date.parse((await facts()).until)).toBeGreaterThanOrEqual((draw + 7 * CLAIM) * 1000)

  await support.stepUp('draws.claims')
  expect((await support.post(`${path}letter/sent/`)).body).toMatchObject({ letter: { waits: false } })
  expect((await support.post(`${path}letter/sent/`)).status).toBe(409)
  const sent = time.seconds()
  // The public page is kept for a moment.
  await expect.poll(async () => (await facts()).by_letter, { timeout: 20_000 }).toBe(false)
  const until = Date.parse((await facts()).until) / 1000
  expect(Math.abs(until - sent - CLAIM)).toBeLessThan(60)
  await time.goTo(until - 60)
  await claims()
  expect(await lab.stepsOf(id)).toBe('open close list seal result')
  await time.goTo(until + 60)
  await claims()
  expect(await lab.stepsOf(id)).toMatch(/result (forfeit|cancel)/)
  const actions = await run(
    `SELECT entry::jsonb ->> 'action' AS action FROM audit_log WHERE entry::jsonb ->> 'session' = $1 ORDER BY id`,
    [support.sessionId],
  )
  expect(actions.map(({ action }) => action)).toEqual(
    expect.arrayContaining(['draws.printLetter', 'draws.sendLetter']),
  )
})

test('the code of the letter opens the claim, also long after the draw', async () => {
  const { id, draw, code, support, path } = await wonByPost()
  await time.goTo(draw + 5 * CLAIM)
  await claims()
  const submitted = await shop.anonymous('POST', '/api/claims/submit/', { token: code, ...FORM })
  expect(submitted.body).toMatchObject({ state: 'submitted' })
  expect(await claimOf(support, id)).toMatchObject({ waits: { for: 'identity' } })
  await support.stepUp('draws.claims')
  expect((await support.post(`${path}letter/`)).status).toBe(200)
})

test('the database refuses to let a prize go before the letter, and to move the time for the claim', async () => {
  const { id, draw } = await wonByPost()
  await time.goTo(draw + 5 * CLAIM)
  const forfeit = `INSERT INTO draw_forfeitures (offer_id, attempt, reason, is_decided, published_at) VALUES ($1, 0, 'unclaimed', false, now() + interval '1 year')`
  await expect(run(forfeit, [id])).rejects.toThrow(/letter to the winner/)
  for (const change of [
    `until = until + interval '1 day'`,
    'needs_letter = false',
    `letter_printed_at = now(), letter_sent_at = now(), letter_sent_by = 1, until = until - interval '1 hour'`,
  ])
    await expect(run(`UPDATE draw_claims SET ${change} WHERE offer_id = $1`, [id])).rejects.toThrow(/refused/)
  await expect(
    run(
      'UPDATE draw_claims SET letter_sent_at = now(), letter_sent_by = (SELECT min(id) FROM users) WHERE offer_id = $1',
      [id],
    ),
  ).rejects.toThrow(/draw_claims_letter_printed/)
  // Nor is the address of the letter erased while the claim is open.
  await eraseOldEntries(shop.db, -10_000, 100)
  expect(await run('SELECT name FROM postal_entries WHERE offer_id = $1', [id])).toEqual([
    { name: 'Jan Wouters' },
  ])
})

test('a winner with an email address needs no letter, and forfeits by the time of the draw', async () => {
  const { id, draw, support, path } = await wonByPost({ email: 'jan@post.test' })
  await support.stepUp('draws.claims')
  expect((await support.post(`${path}letter/`)).body).toMatchObject({ code: 'claim.noLetter' })
  await time.goTo(draw + CLAIM + 60)
  await claims()
  expect(await lab.stepsOf(id)).toMatch(/result (forfeit|cancel)/)
})
