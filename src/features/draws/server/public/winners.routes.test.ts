import { expect, test } from 'vitest'
import { insertDraw } from '../../../../../test/support/draws.ts'
import { openShop } from '../../../../../test/support/shop.ts'
import { WinnerPage } from '../../winners.contract.ts'

const shop = await openShop({ env: { LIMITS_FACTOR: '1000' } })
const read = async (query = ''): Promise<WinnerPage> =>
  WinnerPage.parse((await shop.anonymous('GET', `/api/winners/${query}`)).body)
const slugs = ({ items }: WinnerPage): string[] => items.map(({ contest }) => contest.slug)

test('the winners are those of drawn contests, the latest first, by pages', async () => {
  expect(await read()).toEqual({ items: [], next: null })
  for (const stage of ['open', 'sealed', 'cancelled', 'alternate'] as const)
    await insertDraw(shop, { slug: stage, stage })
  const { draw } = await insertDraw(shop, { slug: 'older', stage: 'awarded', drawsIn: -40_000 })
  await insertDraw(shop, { slug: 'newer', stage: 'drawn', drawsIn: -30_000 })
  await insertDraw(shop, { slug: 'newest', stage: 'drawn', drawsIn: -20_000 })
  // The response before is kept for a moment.
  await expect.poll(() => read()).toMatchObject({ next: null, items: [{}, {}, { is_awarded: true }] })
  const first = await read('?limit=2')
  expect([slugs(first), first.next]).toEqual([['newest', 'newer'], 'newer'])
  const second = await read('?limit=2&after=newer')
  expect(second).toMatchObject({
    next: null,
    items: [{ contest: { slug: 'older' }, number: draw.results[0]!.number, prize_value: '35000.00' }],
  })
  expect(slugs(await read('?after=nowhere'))).toEqual([])
})

test('a name is there with the consent of the winner only, and no longer once the prize is forfeited', async () => {
  const { claim, offerId } = await insertDraw(shop, { slug: 'claimed', stage: 'drawn', drawsIn: -10_000 })
  const named = async () => (await read()).items.find(({ contest }) => contest.slug === 'claimed')?.winner
  await expect.poll(named).toBeNull()
  await claim()
  await expect.poll(named).toEqual({ first_name: 'Ada', place: 'Namur' })
  await shop.pool.query('UPDATE draw_claims SET forfeited_at = now() WHERE offer_id = $1', [offerId])
  await expect.poll(named).toBeNull()
})
