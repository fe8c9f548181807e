import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type TestShop, testShop } from '../support/shop.ts'

let shop: TestShop

beforeAll(async () => {
  // The first of two processes sends the pages; what happens in the other one reaches it through the database alone.
  shop = await testShop({ pages: true, processes: 2 })
})
afterAll(() => shop.close())

/** A page as somebody reads it who looks at it now; `kept` may come from the cache, `made` is always rendered. */
const pages = { kept: '/offers', made: '/offers?look=1' } as const
const read = async (address: string): Promise<string> =>
  (await shop.app.inject({ url: address, cookies: { language: 'en' } })).body

/** Pages are half a second old at the most, and so is what they are made of; a busy machine needs longer to say so. */
const soon = { timeout: 60_000, interval: 50 }

test.each([
  ['kept', pages.kept, 701],
  ['made', pages.made, 702],
])('a %s page shows what another process has sold', async (_, address, total) => {
  const { offerId, customer, orderId } = await shop.approvedOrder(
    7,
    'buyer@buyer.test',
    await shop.newOffer({ total_tickets: total }),
  )
  const [before, after] = [0, 7].map((sold) => `${sold} of ${total} tickets sold`)
  await vi.waitFor(async () => expect(await read(address)).toContain(before), soon)
  expect((await customer.elsewhere.capture(orderId)).status).toBe(200)
  expect((await shop.counters(offerId)).tickets_sold).toBe(7)
  await vi.waitFor(async () => expect(await read(address)).toContain(after), soon)
  expect(await read(address)).not.toContain(before)
})

test.each(Object.entries(pages))(
  'a %s page shows what somebody has changed of a contest',
  async (name, address) => {
    const id = await shop.newOffer({ title: `Before ${name}`, price_cents: 490 })
    await vi.waitFor(async () => expect(await read(address)).toContain('€4.90'), soon)
    const changed = { title: `After ${name}`, title_en: `After ${name}`, price_cents: 12_345 }
    await shop.db.updateTable('offers').set(changed).where('id', '=', id).execute()
    await vi.waitFor(async () => {
      const page = await read(address)
      expect(page).toContain(`After ${name}`)
      expect(page).toContain('€123.45')
    }, soon)
    await shop.db.updateTable('offers').set({ active: false }).where('id', '=', id).execute()
    const button = new RegExp(`After ${name}</h2>(?:(?!</article>).)*<button[^>]*disabled`)
    await vi.waitFor(async () => expect(await read(address)).toMatch(button), soon)
  },
)

test('no part of a page waits for a browser: everything is there, and its data behind it', async () => {
  for (const address of ['/', '/offers', '/login', '/cart', '/policies/terms-and-conditions']) {
    const page = await read(address)
    expect(page, address).not.toMatch(/<!--\$[!?]-->|<template/)
    expect(page, address).toMatch(
      /streamController\.enqueue\((?:(?!<\/script>).)+\);<\/script><script nonce="[\w-]{22}">window\.__reactRouterContext\.streamController\.close\(\);<\/script><\/body><\/html>$/,
    )
  }
})
