import { expect, test } from 'vitest'
import { openShop } from '../../../../test/support/shop.ts'
import { postcard } from '../../../../test/support/postcards.ts'

const shop = await openShop({ env: { LIMITS_FACTOR: '1000' } })
const DRAWS = '/api/staff/draws/'
const inDays = (days: number): Date => new Date(Date.now() + days * 86_400_000)

test('contests are listed by the instant of their draw, with what was entered', async () => {
  const staff = await shop.newStaff('witness')
  const clerk = await shop.newStaff('postal')
  const later = await shop.newOffer({ draw_at: inDays(9) })
  const next = await shop.newOffer({ draw_at: inDays(3), total_tickets: 100 })
  const last = await shop.newOffer({ draw_at: inDays(-1), end_date: inDays(-2), state: 'closed' })
  const before = await shop.newOffer({ draw_at: inDays(-5), end_date: inDays(-6), state: 'closed' })
  const undated = await shop.newOffer()
  await shop.newOffer({ draw_at: inDays(4), state: 'draft' })
  const dropped = await shop.newOffer({ draw_at: inDays(5) })
  await shop.paidOrder(2, undefined, dropped)
  await shop.pool.query(
    `UPDATE offers SET state = 'cancelled', cancelled_at = now(), cancelled_why = 'x' WHERE id = $1`,
    [dropped],
  )
  await shop.paidOrder(4, undefined, next)
  await shop.paidOrder(1, undefined, next)
  for (const name of ['Anna One', 'Berta Two']) {
    const card = postcard(next, { name, date_of_birth: name === 'Anna One' ? '1980-01-01' : '1971-07-07' })
    expect((await clerk.post('/api/staff/post/entries/', card)).status).toBe(201)
  }
  await shop.pool.query(
    `UPDATE tickets SET status = 'void', void_reason = 'refunded' WHERE (offer_id, number) IN (
       (SELECT offer_id, number FROM tickets WHERE offer_id = $1 AND source = 'paid' LIMIT 1)
       UNION ALL (SELECT offer_id, number FROM tickets WHERE offer_id = $1 AND source = 'postal' LIMIT 1)
     )`,
    [next],
  )
  const list = async (query: string) => (await staff.get(`${DRAWS}?${query}`)).body
  const ids = async (query: string): Promise<number[]> =>
    (await list(query))['items'].map(({ offer_id: id }: { offer_id: number }) => id)

  expect(await ids('when=coming')).toEqual([next, later])
  expect(await ids('when=past')).toEqual([last, before])
  expect(await ids('when=undated')).toEqual([undated])
  expect((await list('when=cancelled'))['items']).toMatchObject([
    { offer_id: dropped, state: 'cancelled', entries_paid: null, entries_postal: null, terms_locked: true },
  ])
  const { items } = await list('when=coming')
  expect(items[0]).toMatchObject({ state: 'open', entries_paid: 4, entries_postal: 1, terms_locked: true })
  expect(items[1]).toMatchObject({ entries_paid: 0, entries_postal: 0, terms_locked: false })
  expect((await list('when=past'))['items'][0]).toMatchObject({ state: 'closed', terms_locked: true })

  for (const [when, pages] of [
    ['coming', [next, later]],
    ['past', [last, before]],
  ] as const) {
    const first = await list(`when=${when}&limit=1`)
    expect([first['items'][0].offer_id, first['next']]).toEqual([pages[0], String(pages[0])])
    const second = await list(`when=${when}&limit=1&after=${first['next']}`)
    expect([second['items'][0].offer_id, second['next']]).toEqual([pages[1], null])
  }
})
