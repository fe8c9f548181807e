import { expect, test } from 'vitest'
import { createPasswords } from '#features/accounts/server/index.ts'
import { loadDemo } from '#features/demo/server/index.ts'
import { drawLab } from '#features/draws/server/draw-lab.test-support.ts'
import { claimTokens, openClaims } from '#features/draws/server/index.ts'
import { checkInvariants } from '#platform/invariants.ts'
import { drawRoomMinutes } from '#server/build-app.ts'
import { shopInvariants } from '#server/maintenance.ts'
import { SHORT_DRAWS } from '../../tools/run/settings.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const lab = await drawLab({ env: SHORT_DRAWS })
const { shop, time } = lab

/** Two that end soon after the start. */
const DRAWN = ['un-dimanche-en-corvane-s4', 'corvane-s4-endurance-a-boite-manuelle']
const FIVE_MINUTES = 300

test('a demonstration draws two contests within five minutes of its first start, by the jobs alone', async () => {
  const passwords = createPasswords({ memoryKiB: 8, passes: 1, parallelism: 1, concurrent: 4, waiting: 100 })
  const now = time.clock()
  const start = time.seconds()
  const dataDir = temporaryFolder('volant-demonstration-')
  await loadDemo({ db: shop.db, passwords, dataDir, now, drawRoomMinutes: drawRoomMinutes(shop.config) })
  const offers = await shop.db
    .selectFrom('offers')
    .select(['id', 'slug'])
    .where('slug', 'in', DRAWN)
    .execute()
  const ids = DRAWN.map((slug) => offers.find((one) => one.slug === slug)!.id)

  const seen = DRAWN.map(() => new Set<string>())
  for (let after = 0; after <= FIVE_MINUTES; after += 30) {
    await time.goTo(start + after)
    await lab.work()
    for (const [at, id] of ids.entries()) seen[at]!.add(await lab.stateOf(id))
  }
  await openClaims({ db: shop.db, tokens: claimTokens(shop.secret) })
  expect(seen.map((states) => [...states])).toEqual([
    ['open', 'listed', 'sealed', 'drawn'],
    ['open', 'listed', 'sealed', 'drawn'],
  ])

  for (const slug of DRAWN) {
    const { open, remarks, winners } = await lab.evidenceOf(slug)
    expect([slug, open.filter(({ outcome }) => outcome !== 'skipped')]).toEqual([slug, []])
    expect([slug, remarks]).toEqual([slug, ['demonstration']])
    const { body } = await shop.anonymous('GET', `/api/draws/${slug}/`)
    expect(body['attempts']).toMatchObject([{ drawn: { number: winners[0]!.number } }])
  }
  const { rows } = await shop.pool.query(
    `SELECT o.slug, c.submitted_at, e.state FROM draw_claims c JOIN offers o ON o.id = c.offer_id
     JOIN emails e ON e.key = 'draw-won:' || o.id || '.0' ORDER BY o.slug DESC`,
  )
  expect(rows).toMatchObject(DRAWN.map((slug) => ({ slug, submitted_at: null })))
  expect(await checkInvariants(shop.db, await shopInvariants(), { orders: null, captures: [] })).toEqual([])
  // None of the others waits for terms.
  const alerts = await shop.db.selectFrom('alerts').select('kind').execute()
  expect(alerts.filter(({ kind }) => kind === 'drawWithoutTerms')).toEqual([])
}, 120_000)
