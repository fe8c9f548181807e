import { expect, test, vi } from 'vitest'
import { translate } from '#i18n/server-translator.ts'
import { LANGUAGES } from '#shared/languages.ts'
import { byLanguage, textFields } from '#shared/text-fields.ts'
import { openShop } from '../support/shop.ts'
import { isExtended } from '../support/tier.ts'

// The first of two processes sends the pages; changes of the other reach it through the database alone.
const shop = await openShop({ pages: true, processes: 2 })

const read = async (url: string, cookies: Record<string, string> = { language: 'en' }): Promise<string> =>
  (await shop.app.inject({ url, cookies })).body

/** Pages are half a second old at most; a busy machine needs longer to show that. */
const eventually = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 60_000, interval: 50 })

test.runIf(isExtended)('a page shows changes and sales of another process', async () => {
  const total_tickets = 700
  const id = await shop.newOffer({ title: 'Before', price_cents: 490, total_tickets })
  const { customer, orderId } = await shop.approvedOrder(7, 'buyer@buyer.test', id)
  const shows = (...parts: (string | RegExp)[]) =>
    eventually(async () => {
      const page = await read('/offers')
      for (const part of parts) expect(page).toMatch(part)
    })
  const sold = (count: number) => `${count} of ${total_tickets} tickets sold`
  await shows(sold(0), '€4.90')
  expect((await customer.elsewhere.capture(orderId)).status).toBe(200)
  await shows(sold(7))
  expect(await read('/offers')).not.toContain(sold(0))
  const title = 'After'
  await shop.unlockTerms()
  await shop.changeOffer(id, { title, title_en: title, price_cents: 12_345 })
  await shows(title, '€123.45')
  await shop.changeOffer(id, { state: 'closed', end_date: new Date() })
  await shows(new RegExp(`${title}</a></h[23]>(?:(?!</article>).)*<button[^>]*disabled`))
})

test('a page is complete without scripts, and its data follows it', async () => {
  for (const url of ['/', '/offers', '/login', '/cart', '/policies/terms-and-conditions']) {
    const page = await read(url)
    expect(page, url).not.toMatch(/<!--\$[!?]-->|<template/)
    expect(page, url).toMatch(
      /<script>window\.__reactRouterContext\.streamController\.enqueue\((?:(?!<\/script>).)+\);window\.__reactRouterContext\.streamController\.close\(\);<\/script><\/body><\/html>$/,
    )
  }
})

/** Each page twice, since the second may come from the cache. */
const TWICE = ['/offers', '/offers']

test('every language and state of the sidebar has its own pages', async () => {
  const names = byLanguage((language) => (language === 'en' ? 'Dawn' : `Dawn (${language})`))
  const titles = textFields('title', names)
  const id = await shop.newOffer()
  await shop.changeOffer(id, titles)
  for (const url of TWICE) await eventually(async () => expect(await read(url)).toContain('Dawn'))
  for (const url of TWICE) {
    for (const language of LANGUAGES) {
      const page = await read(url, { language })
      const headings = [...page.matchAll(/<h[23] id="offer-\d+"[^>]*><a [^>]*>([^<]*)/g)].map(
        ([, title = '']) => title,
      )
      expect(Object.values(names).filter((name) => headings.includes(name))).toEqual([names[language]])
      for (const text of ['frame.adultsOnly', 'frame.menu.rules'] as const) {
        const found = LANGUAGES.filter((one) => page.includes(`>${translate(one, text)}<`))
        expect(found, text).toEqual([language])
      }
    }
    const states: Record<string, string>[] = [{}, { sidebar_state: 'true' }, { sidebar_state: 'false' }]
    const [unset = '', open = '', closed = ''] = await Promise.all(
      states.map((cookies) => read(url, cookies)),
    )
    const shown = [unset, open, closed].map((page) => /data-sidebar="(\w+)"/.exec(page)?.[1])
    expect(shown).toEqual(['auto', 'expanded', 'collapsed'])
    // Tooltips name the icons of a closed sidebar (src/ui/tooltip.tsx).
    const tooltips = (page: string): number => page.split('role="presentation"').length
    for (const icons of [unset, closed]) expect(tooltips(icons)).toBeGreaterThan(tooltips(open))
  }
})

test.each([
  ['/offers', ['/offers']],
  ['/contact', ['/contact']],
  ['/nowhere', []],
])('the menu of %s marks %j as the current page', async (url, marked) => {
  const links = (await read(url)).matchAll(/<a\b(?=[^>]*aria-current="page")[^>]*href="([^"]+)"/g)
  expect([...links].map(([, href]) => href)).toEqual(marked)
})
