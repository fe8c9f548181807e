import { afterAll, beforeAll, expect, test } from 'vitest'
import { translate } from '#i18n/server-translator.ts'
import { LANGUAGES } from '#shared/languages.ts'
import { type TestShop, testShop } from '../support/shop.ts'

let shop: TestShop

beforeAll(async () => {
  shop = await testShop({ pages: true })
  const id = await shop.newOffer()
  const titles = { title: 'Aube', title_nl: 'Dageraad', title_en: 'Dawn' }
  await shop.db.updateTable('offers').set(titles).where('id', '=', id).execute()
})
afterAll(() => shop.close())

const PAGES = ['/', '/offers', '/policies/terms-and-conditions', '/nowhere']

/** A page that is made anew, without what differs each time: its nonce, its request's own words, the time it was made. */
async function made(path: string, look: number, cookies: Record<string, string> = {}): Promise<string> {
  const { body } = await shop.app.inject({ url: `${path}?look=${look}`, cookies })
  return body
    .replaceAll(/nonce="[\w-]{22}"/g, 'nonce=""')
    .replaceAll(`look=${look}`, 'look=')
    .replaceAll(/\b1\d{12}\b/g, 'now')
}

test.each(PAGES)('%s is the same whether its parts were rendered for it or before', async (path) => {
  const first = await made(path, 1)
  expect(await made(path, 2)).toBe(first)
  expect(first).not.toContain('kept-')
})

test('every language and state of the sidebar has parts of its own', async () => {
  const names = { fr: 'Aube', nl: 'Dageraad', en: 'Dawn' }
  for (const round of [1, 2]) {
    for (const language of LANGUAGES) {
      const name = names[language]
      const page = await made('/offers', round, { language })
      expect([...page.matchAll(/<h2 id="offer-\d+"[^>]*>([^<]*)/g)].map(([, title]) => title)).toEqual([name])
      for (const text of ['frame.adultsOnly', 'frame.menu.rules'] as const) {
        const shown = LANGUAGES.filter((one) => page.includes(`>${translate(one, text)}<`))
        expect(shown, text).toEqual([language])
      }
    }
    const open = await made('/offers', round)
    const closed = await made('/offers', round, { sidebar_state: 'false' })
    expect(closed).toContain('data-sidebar="collapsed"')
    // Names beside the icons of a closed sidebar (src/ui/tooltip.tsx).
    const tips = (page: string): number => page.split('role="presentation"').length
    expect(tips(closed)).toBeGreaterThan(tips(open))
  }
})

test('the menu marks the page that is shown, not the one that was shown before', async () => {
  const current = async (path: string, look: number): Promise<string[]> =>
    [...(await made(path, look)).matchAll(/<a\b[^>]*aria-current="page"[^>]*>/g)].map(
      ([link]) => /href="([^"]+)"/.exec(link)![1]!,
    )
  for (const look of [1, 2]) {
    expect(await current('/offers', look)).toEqual(['/offers'])
    expect(await current('/contact', look)).toEqual(['/contact'])
    expect(await current('/nowhere', look)).toEqual([])
  }
})
