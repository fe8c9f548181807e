import { expect, test } from 'vitest'
import { createChain } from '../../../../emulators/drand/chain.ts'
import { publicChain } from '#platform/beacon/chains.ts'
import { shopForfeitures } from '#server/build-app.ts'
import { drawLab } from './draw-lab.test-support.ts'
import { publicDrawsRepository } from './public/public-draws.repository.ts'
import { forfeitPrizes } from './claims/forfeitures.ts'
import { claimTokens, openClaims } from './claims/claims.ts'
import { drawBeacon } from './replace-beacon.ts'

const lab = await drawLab({ env: { DRAW_CLAIM_MINUTES: '60', DRAW_ALTERNATE_DELAY_MINUTES: '30' } })
const { shop, time, beacon } = lab
const run = async (statement: string, values: unknown[] = []) =>
  (await shop.pool.query(statement, values)).rows

/** A chain that ends before the draw: it has no relay. */
const ending = createChain({ seed: 'ending', genesis: 1_600_000_000, period: 30 }).pin
const ENDED = {
  ...shop.draws,
  beacon: {
    chain: { ...ending, scheme: 'bls-unchained-g1-rfc9380' as const },
    round: () => Promise.reject(new Error('ended')),
  },
}
const prizes = shopForfeitures({
  config: shop.config,
  db: shop.db,
  log: shop.draws.log as never,
  logKey: shop.draws.key,
  secret: shop.secret,
})
const pathOf = (id: number): string => `/api/staff/draws/${id}/beacon/`

test('two owners replace a beacon before the closing: lists, draw and alternate use it, and both verifiers pass', async () => {
  const contest = await lab.newContest({}, ENDED)
  const { id, slug } = contest
  for (let left = 3; left > 0; left -= 1) await shop.paidOrder(1, undefined, id)
  const [maker, checker, manager] = [
    await shop.newStaff('owner'),
    await shop.newStaff('owner'),
    await shop.newStaff('manager'),
  ]
  const round = Math.ceil((contest.draw - beacon.chain.genesis) / beacon.chain.period) + 1
  const before = (await manager.get(pathOf(id))).body
  expect(before).toMatchObject({
    in_force: { name: null, chain: ending.hash },
    is_replaced: false,
    can_replace: true,
    candidates: [
      { name: 'quicknet', chain: publicChain('quicknet')?.hash },
      { name: null, chain: beacon.chain.hash, round },
    ],
  })
  const body = { chain: beacon.chain.hash, note: 'Its end is announced' }
  expect((await manager.post(pathOf(id), body)).status).toBe(403)
  expect((await maker.post(pathOf(id), { ...body, chain: ending.hash })).body).toMatchObject({
    fields: { chain: [expect.any(String)] },
  })
  expect((await maker.post(pathOf(id), { ...body, chain: 'a'.repeat(64) })).status).toBe(400)
  const asked = await maker.post(pathOf(id), body)
  expect(asked.status).toBe(202)
  const approval = `/api/staff/approvals/${(asked.body['approval'] as { id: number }).id}/approve/`
  expect((await maker.post(approval)).status).toBe(409)
  expect(await lab.stepsOf(id)).toBe('open')
  const responses = await Promise.all([checker.post(approval), checker.post(approval)])
  expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409])
  expect(await checker.post(approval)).toMatchObject({ status: 409, body: { code: 'staff.approvalDecided' } })
  expect(await lab.stepsOf(id)).toBe('open beacon')
  expect((await manager.get(pathOf(id))).body).toMatchObject({
    in_force: { chain: beacon.chain.hash, round },
    is_replaced: true,
  })
  expect((await publicDrawsRepository(shop.db).bySlug(slug))?.beacon_leaf).toContain(beacon.chain.hash)
  expect((await shop.anonymous('GET', `/api/draws/${slug}`)).body).toMatchObject({
    beacon: { chain: beacon.chain.hash, round },
  })

  await lab.goOn(contest, 'draw')
  expect(await lab.stateOf(id)).toBe('drawn')
  // Nobody claims: the round of the alternate is one of the new chain, too.
  const claims = async (): Promise<void> => {
    await openClaims({ db: shop.db, tokens: claimTokens(shop.secret) })
    await forfeitPrizes(prizes)
  }
  await claims()
  await time.goTo(contest.draw + 3_700)
  await claims()
  await time.goTo(contest.draw + 3_700 + 1_900)
  await lab.work()
  expect(await lab.stepsOf(id)).toBe('open beacon close list seal result forfeit result')
  const { open, remarks, files } = await lab.evidenceOf(slug)
  expect(open.map(({ step }) => step)).toEqual(['end'])
  expect(remarks).toEqual(['chain-unknown'])
  const text = (name: string): string => new TextDecoder().decode(files.get(name))
  for (const name of ['list.txt', 'provisional.txt', 'result-0.txt', 'forfeiture-0.txt', 'result-1.txt'])
    expect(text(name), name).toContain(`chain: ${beacon.chain.hash}\n`)
  expect(text('terms.txt')).toContain(`beacon-chain: ${ending.hash}\n`)
})

test('no beacon is replaced once the contest has closed, also not by a request of before', async () => {
  const contest = await lab.newContest({}, ENDED)
  const [maker, checker] = [await shop.newStaff('owner'), await shop.newStaff('owner')]
  const body = { chain: beacon.chain.hash, note: 'Its end is announced' }
  const asked = await maker.post(pathOf(contest.id), body)
  const { id } = asked.body['approval'] as { id: number }
  await time.goTo(contest.closes)
  const approve = `/api/staff/approvals/${id}/approve/`
  expect((await (await shop.newStaff('owner')).post(approve)).body).toMatchObject({ code: 'draw.closed' })
  await lab.work()
  expect((await checker.get(pathOf(contest.id))).body).toMatchObject({ can_replace: false })
  expect(await lab.stepsOf(contest.id)).not.toContain('beacon')
  expect(
    await run(`SELECT FROM draw_leaves WHERE log_id = $1 AND leaf LIKE 'volant-beacon%'`, [contest.id]),
  ).toEqual([])
})

test('a live shop offers pinned public chains only, and none in the place of quicknet', async () => {
  const contest = await lab.newContest({}, ENDED)
  const quicknet = publicChain('quicknet')!
  const live = { ...prizes, chain: quicknet, isDemo: false }
  const offered = async (): Promise<(string | null)[]> =>
    (await drawBeacon(live, contest.id)).candidates.map(({ name }) => name)
  expect(await offered()).toEqual(['quicknet'])
  const own = await lab.newContest(
    {},
    { ...shop.draws, beacon: { chain: quicknet, round: () => Promise.reject(new Error('not asked')) } },
  )
  expect((await drawBeacon(live, own.id)).candidates).toEqual([])
  // A chain of the shop's own is none, whatever the settings say.
  expect((await drawBeacon({ ...live, chain: shop.config.beaconChain }, contest.id)).candidates).toHaveLength(
    1,
  )
})
