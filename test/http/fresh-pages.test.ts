import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { translate } from '#i18n/server-translator.ts'
import { LANGUAGES } from '#shared/languages.ts'
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
      /<script>window\.__reactRouterContext\.streamController\.enqueue\((?:(?!<\/script>).)+\);window\.__reactRouterContext\.streamController\.close\(\);<\/script><\/body><\/html>$/,
    )
  }
})

/** Twice the same page: the second may come from the cache, under both addresses the answers are shared. */
const looks = Object.values(pages).flatMap((address) => [address, address])

test('every language and state of the sidebar has pages of its own', async () => {
  const id = await shop.newOffer()
  const titles = { title: 'Aube', title_nl: 'Dageraad', title_en: 'Dawn' }
  await shop.db.updateTable('offers').set(titles).where('id', '=', id).execute()
  await vi.waitFor(async () => expect(await read(pages.made)).toContain('Dawn'), soon)
  const names = { fr: 'Aube', nl: 'Dageraad', en: 'Dawn' }
  const page = async (url: string, cookies: Record<string, string>): Promise<string> =>
    (await shop.app.inject({ url, cookies })).body
  for (const address of looks) {
    for (const language of LANGUAGES) {
      const shown = await page(address, { language })
      const headings = [...shown.matchAll(/<h2 id="offer-\d+"[^>]*>([^<]*)/g)].map(([, title = '']) => title)
      expect(Object.values(names).filter((name) => headings.includes(name))).toEqual([names[language]])
      for (const text of ['frame.adultsOnly', 'frame.menu.rules'] as const) {
        expect(
          LANGUAGES.filter((one) => shown.includes(`>${translate(one, text)}<`)),
          text,
        ).toEqual([language])
      }
    }
    const [open, closed] = [await page(address, {}), await page(address, { sidebar_state: 'false' })]
    expect([open, closed].map((one) => one.includes('data-sidebar="collapsed"'))).toEqual([false, true])
    // Names beside the icons of a closed sidebar (src/ui/tooltip.tsx).
    const tips = (one: string): number => one.split('role="presentation"').length
    expect(tips(closed)).toBeGreaterThan(tips(open))
  }
})

test('the menu marks the page that is shown', async () => {
  const current = async (path: string): Promise<string[]> =>
    [...(await read(path)).matchAll(/<a\b[^>]*aria-current="page"[^>]*>/g)].map(
      ([link]) => /href="([^"]+)"/.exec(link)![1]!,
    )
  for (const query of ['', '', '?look=1']) {
    expect(await current(`/offers${query}`)).toEqual(['/offers'])
    expect(await current(`/contact${query}`)).toEqual(['/contact'])
    expect(await current(`/nowhere${query}`)).toEqual([])
  }
})
