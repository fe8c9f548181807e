import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestShop, testShop } from '../../test/support/shop.ts'
import { closeContests } from './load.ts'
import { withClient } from './tool.ts'

let shop: TestShop
beforeAll(async () => {
  shop = await testShop()
})
afterAll(() => shop.close())

test('nothing is sold from a closed database until a contest is opened again', async () => {
  const running = await shop.newOffer({ slug: 'running' })
  await shop.newOffer({ slug: 'another' })
  await shop.newOffer({ slug: 'over', end_date: new Date(Date.now() - 60_000) })
  const customer = await shop.newCustomer()
  const close = () => withClient(shop.url, 'restore', closeContests)
  expect(await close()).toEqual(['another', 'running'])
  expect(await close()).toEqual([])
  expect((await customer.order(running, 1)).status).toBe(409)
  expect(await shop.counters(running)).toEqual({ tickets_sold: 0, tickets_held: 0 })
  // The command of docs/operations.md.
  await shop.pool.query(`UPDATE offers SET active = true WHERE slug = 'running'`)
  expect((await customer.order(running, 1)).status).toBe(200)
})
