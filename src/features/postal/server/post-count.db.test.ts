import { expect, test } from 'vitest'
import { drawLab, TIMES } from '../../draws/server/draw-lab.test-support.ts'
import { shopAlerts } from '#server/build-app.ts'
import { watchPostCounts } from './post-count.ts'

const lab = await drawLab()
const { shop, time } = lab
const run = async (statement: string, values: unknown[] = []) =>
  (await shop.pool.query(statement, values)).rows
const pathOf = (id: number): string => `/api/staff/draws/${id}/post-count/`
const alerts = shopAlerts({ log: shop.draws.log as never })
const openAlerts = async (slug: string) => {
  await watchPostCounts(shop.db, alerts)
  return run(
    `SELECT details FROM alerts WHERE kind = 'postNotCounted' AND subject = $1 AND resolved_at IS NULL`,
    [slug],
  )
}

test('two people count the cards; the alert ends with the confirmed count, and a later card makes it outdated', async () => {
  const contest = await lab.newContest()
  const { id, slug } = contest
  const clerk = await shop.newStaff('postal')
  const path = pathOf(id)
  const cards = [lab.newPostcard(id), lab.newPostcard(id, { seen: 'incomplete' })]
  for (const card of cards) expect((await clerk.post('/api/staff/post/entries/', card)).status).toBe(201)
  expect((await clerk.post(path, { cards: 2 })).body).toMatchObject({ code: 'post.notToCount' })

  await lab.goOn(contest, 'list')
  expect((await clerk.get(path)).body).toMatchObject({ can_count: true, is_counted: false, last: null })
  expect(await openAlerts(slug)).toEqual([])
  // Half of the time for objections before the latest seal.
  await time.goTo(contest.draw - TIMES.sealMargin - TIMES.objections / 2)
  expect(JSON.stringify(await openAlerts(slug))).not.toMatch(/\d/)
  expect(await openAlerts(slug)).toHaveLength(1)

  const [first, second] = [await shop.newStaff('postal'), await shop.newStaff('support')]
  for (const cards of [0, 1, 3, 40])
    expect((await first.post(path, { cards })).body).toEqual({
      code: 'post.countDiffers',
      detail: expect.not.stringMatching(/\d/),
    })
  expect((await (await shop.newStaff('witness')).post(path, { cards: 2 })).status).toBe(403)
  const counted = (await first.post(path, { cards: 2 })).body
  expect(counted).toMatchObject({ is_counted: false, last: { cards: 2, is_own: true, confirmed_by: null } })
  // Whoever may confirm it does not see what the first person counted.
  expect((await second.get(path)).body).toMatchObject({ last: { cards: null, is_own: false } })
  expect((await first.get(path)).body).toMatchObject({ last: { cards: 2, is_own: true } })
  const confirm = `${path}${(counted['last'] as { id: number }).id}/confirm/`
  expect((await first.post(confirm, { cards: 2 })).body).toMatchObject({ code: 'staff.secondPersonNeeded' })
  expect((await second.post(confirm, { cards: 1 })).body).toMatchObject({ code: 'post.countDiffers' })
  const responses = await Promise.all([
    second.post(confirm, { cards: 2 }),
    second.post(confirm, { cards: 2 }),
  ])
  expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409])
  expect((await first.get(path)).body).toMatchObject({
    is_counted: true,
    last: { confirmed_by: second.name, counted_by: first.name },
  })
  expect(await openAlerts(slug)).toEqual([])

  expect((await first.post('/api/staff/post/entries/', lab.newPostcard(id))).status).toBe(201)
  expect((await first.get(path)).body).toMatchObject({ is_counted: false, last: { is_outdated: true } })
  expect(await openAlerts(slug)).toHaveLength(1)
  // The seal waits for nobody.
  await time.goTo(contest.sealed)
  await lab.work()
  expect(await lab.stateOf(id)).toBe('sealed')
  expect(await openAlerts(slug)).toEqual([])
  expect((await (await shop.newStaff('postal')).post(path, { cards: 3 })).body).toMatchObject({
    code: 'post.notToCount',
  })
  await expect(run('UPDATE postal_counts SET cards = 7 WHERE offer_id = $1', [id])).rejects.toThrow(/refused/)
})
