import { expect, test } from 'vitest'
import { insertDraw } from '../../../../test/support/draws.ts'
import { postcard } from '../../../../test/support/postcards.ts'
import { type Staff, openShop } from '../../../../test/support/shop.ts'

// Of its own: these draws have no entries, which the invariants of a shop would miss.
const shop = await openShop({ env: { LIMITS_FACTOR: '1000' } })

test('tells of draws, prizes and cards whose time comes, to those who may open them', async () => {
  const day = 86_400
  const clerk = await shop.newStaff('postal')
  const soon = await insertDraw(shop, { slug: 'soon', stage: 'open', drawsIn: 2 * day, closesBefore: day })
  await insertDraw(shop, { slug: 'far', stage: 'open', drawsIn: 20 * day })
  const silent = await insertDraw(shop, { slug: 'silent', stage: 'sealed', drawsIn: -day })
  const drawn = await insertDraw(shop, { slug: 'drawn', stage: 'drawn' })
  await shop.pool.query(`ALTER TABLE draw_claims DISABLE TRIGGER draw_claims_stay;
    UPDATE draw_claims SET until = now() + interval '2 days' WHERE offer_id = ${drawn.offerId};
    ALTER TABLE draw_claims ENABLE TRIGGER draw_claims_stay`)
  const undated = await shop.newOffer()
  expect((await clerk.post('/api/staff/post/entries/', postcard(undated))).status).toBe(201)

  const seen = async (staff: Staff) => {
    const { body } = await staff.get('/api/staff/today/')
    const needs = body['deadlines'].map(
      ({ need, offer_id: id }: { need: string; offer_id: number }) => [need, id] as const,
    )
    return { needs, letters: body['needs'].letters, first: body['deadlines'][0] }
  }
  const owner = await seen(await shop.newStaff('owner'))
  expect(owner.needs).toEqual([
    ['late', silent.offerId],
    ['claim', drawn.offerId],
    ['post', soon.offerId],
    ['draw', soon.offerId],
  ])
  expect(owner.letters).toBe(1)
  expect(owner.first).toMatchObject({ title: expect.stringMatching(/./), at: expect.any(String) })
  const accountant = await seen(await shop.newStaff('accountant'))
  expect([accountant.needs, accountant.letters]).toEqual([
    [
      ['late', silent.offerId],
      ['draw', soon.offerId],
    ],
    null,
  ])
  expect(await seen(clerk)).toMatchObject({
    needs: [
      ['late', silent.offerId],
      ['post', soon.offerId],
      ['draw', soon.offerId],
    ],
    letters: 1,
  })
  await shop.pool.query(
    `UPDATE draw_claims SET submitted_at = now(), name = 'A', address = '{B}', city = 'C', country = 'BE'
   WHERE offer_id = $1`,
    [drawn.offerId],
  )
  expect((await seen(await shop.newStaff('support'))).needs).toContainEqual(['identity', drawn.offerId])
})
