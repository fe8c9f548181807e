import { expect, test } from 'vitest'
import { postcard } from '../../../../test/support/postcards.ts'
import { openShop } from '../../../../test/support/shop.ts'

const shop = await openShop({ env: { LIMITS_FACTOR: '1000' } })

test('Today agrees with itself while others buy: every figure of a response is of one moment, paid and by post apart as in the contests', async () => {
  const staff = await shop.newStaff('owner')
  const clerk = await shop.newStaff('postal')
  const contest = await shop.newOffer({ slug: 'paid-and-by-post', total_tickets: 500 })
  for (let card = 0; card < 3; card += 1)
    expect((await clerk.post('/api/staff/post/entries/', postcard(contest))).status).toBe(201)
  // What is held is neither.
  await (await shop.newCustomer()).order(contest, 4)
  const sum = (rows: { tickets: number }[]) => rows.reduce((all, { tickets }) => all + tickets, 0)
  const look = async () => {
    const { body } = await staff.get('/api/staff/today/')
    const sold = body['sold'].find((row: { offer_id: number }) => row.offer_id === contest)
    const running = body['contests'].find((row: { id: number }) => row.id === contest)
    expect(body['days'][0]).toEqual(body['today'])
    expect(sum(body['sold'])).toBe(sum(body['days']))
    expect(running.by_post).toBe(3)
    expect(running.sold - running.by_post).toBe(sold?.tickets ?? 0)
    return running.sold as number
  }
  let isSelling = true
  const buyers = Array.from({ length: 3 }, async () => {
    for (let count = 0; count < 4; count += 1) await shop.paidOrder(2, undefined, contest)
  })
  const all = Promise.all(buyers).finally(() => {
    isSelling = false
  })
  const seen = new Set<number>()
  while (isSelling) for (const sold of await Promise.all([look(), look()])) seen.add(sold)
  await all
  expect(await look()).toBe(27)
  const { items } = (await staff.get('/api/staff/offers/?q=paid-and-by-post')).body
  expect(items).toMatchObject([{ tickets_sold: 27, by_post: 3 }])
  const sales = (await staff.get(`/api/staff/offers/${contest}/sales/`)).body
  expect(sales).toMatchObject({ sold: 27, by_post: 3 })
  expect(seen.size).toBeGreaterThan(2)
})
