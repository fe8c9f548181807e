import { mkdtempSync, rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import os from 'node:os'
import path from 'node:path'
import sharp from 'sharp'
import { canonicalPath } from '#client/paths.ts'
import { translate } from '#i18n/server-translator.ts'
import { LANGUAGES, LOCALES, type Language } from '#shared/languages.ts'
import { type Head, readHead } from '../support/head.ts'
import { seenRoutes } from '../support/routes.ts'
import { type TestShop, testShop } from '../support/shop.ts'

/** Behind a proxy with an address of its own: no page may name the host it was asked by. */
const PUBLIC_URL = 'https://shop.example'

const dataDir = mkdtempSync(path.join(os.tmpdir(), 'volant-crawlers-'))

let shop: TestShop

beforeAll(async () => {
  shop = await testShop({ env: { PUBLIC_URL, DATA_DIR: dataDir }, pages: true })
  const open = await shop.newOffer({ slug: 'ouverte', title: 'L’Ouverte </script><script>alert(1)</script>' })
  const picture = { src: '/media/fastback-front', widths: [480, 1600], width: 1600, height: 1000, color: '' }
  await shop.db
    .insertInto('offer_pictures')
    .values({ ...picture, offer_id: open, position: 0 })
    .execute()
  const ended = new Date(Date.now() - 86_400_000)
  await shop.newOffer({ slug: 'terminee', title: 'La Terminée', end_date: ended })
  const full = await shop.newOffer({ slug: 'complete', title: 'La Complète', total_tickets: 1 })
  await shop.db.updateTable('offers').set({ tickets_sold: 1 }).where('id', '=', full).execute()
})
afterAll(async () => {
  await shop?.close()
  rmSync(dataDir, { recursive: true })
})

/** A page as somebody without JavaScript gets it; nothing of it comes from the Host header. */
async function page(url: string): Promise<Head & { status: number; html: string; location?: string }> {
  const answer = await shop.app.inject({ url, headers: { host: 'evil.example' } })
  const { location } = answer.headers
  return {
    ...readHead(answer.body),
    status: answer.statusCode,
    html: answer.body,
    ...(location && { location }),
  }
}

const inLanguages = seenRoutes.flatMap((route) => LANGUAGES.map((language) => ({ ...route, language })))
const asked = (path: string, language: Language): string => `${path}?lang=${language}`

describe.each(inLanguages)('$path in $language', ({ path, kind, language }) => {
  test('has the whole head, once, in its language [spec 2.34]', async () => {
    const { status, html, title, one, all, links } = await page(asked(path, language))
    expect(status).toBe(kind === 'missing' ? 404 : 200)
    expect(html).toContain(`<html lang="${language}"`)
    const home = `Volant - ${translate(language, 'pages.home.title')}`
    expect(title).toMatch(path === '/' ? new RegExp(`^${home}$`) : /^.+ \| Volant$/)
    expect(one('description').length).toBeGreaterThan(15)
    expect(one('keywords')).toContain(translate(language, 'pages.keywords'))

    const canonical = PUBLIC_URL + canonicalPath(path, language)
    expect(links('canonical').map(({ href }) => href)).toEqual([canonical])
    expect(one('og:url')).toBe(canonical)
    expect(one('og:title')).toBe(title)
    expect(one('twitter:title')).toBe(title)
    expect(one('og:description')).toBe(one('description'))
    expect(one('twitter:description')).toBe(one('description'))
    expect(one('og:type')).toBe('website')
    expect(one('og:site_name')).toBe('Volant')
    expect(one('og:locale')).toBe(LOCALES[language])
    expect(all('og:locale:alternate').toSorted()).toEqual(
      LANGUAGES.filter((other) => other !== language)
        .map((other) => LOCALES[other])
        .toSorted(),
    )
    expect(one('twitter:card')).toBe('summary_large_image')
    expect(one('twitter:image')).toBe(one('og:image'))
    expect(one('og:image:alt')).not.toBe('')
    expect(one('twitter:image:alt')).toBe(one('og:image:alt'))
    expect(all('theme-color')).toHaveLength(2)
    expect(html).not.toContain('evil.example')
    expect(html).not.toContain(`127.0.0.1:${shop.port}`)
  })

  test('names the same page in every language, or stays out of search engines', async () => {
    const { all, links } = await page(asked(path, language))
    const alternates = links('alternate').map(({ hreflang, href }) => [hreflang, href])
    const everywhere = [
      ...LANGUAGES.map((one) => [one, PUBLIC_URL + canonicalPath(path, one)]),
      ['x-default', PUBLIC_URL + path],
    ]
    const isIndexed = kind === 'indexed'
    expect(all('robots')).toEqual(isIndexed ? [] : ['noindex'])
    expect(alternates).toEqual(isIndexed ? everywhere : [])
  })

  test('is shared by a picture of 1200x630 that every network can read [spec 2.36]', async () => {
    const { one } = await page(asked(path, language))
    const address = one('og:image')
    expect(address.startsWith(`${PUBLIC_URL}/media/`)).toBe(true)
    const answer = await shop.app.inject({ url: address.slice(PUBLIC_URL.length) })
    expect(answer.statusCode).toBe(200)
    expect(answer.headers['content-type']).toBe(one('og:image:type'))
    const { width, height, format } = await sharp(answer.rawPayload).metadata()
    expect({ width, height, format }).toEqual({ width: 1200, height: 630, format: 'jpeg' })
    expect([one('og:image:width'), one('og:image:height')]).toEqual(['1200', '630'])
  })

  test('says in structured data who runs the shop and where the page stands', async () => {
    const { things } = await page(asked(path, language))
    expect(things('Organization')).toHaveLength(1)
    expect(things('Organization')[0]).toMatchObject({
      '@context': 'https://schema.org',
      name: 'Volant',
      url: `${PUBLIC_URL}/`,
      logo: `${PUBLIC_URL}/icon-512.png`,
      contactPoint: { contactType: 'customer service', url: `${PUBLIC_URL}/contact` },
    })
    const steps = things('BreadcrumbList').flatMap(
      (list) => list['itemListElement'] as Record<string, unknown>[],
    )
    const ends = [steps[0]?.['item'], steps.at(-1)?.['item']]
    const home = PUBLIC_URL + canonicalPath('/', language)
    const here = PUBLIC_URL + canonicalPath(path, language)
    expect(steps.map((step) => step['position'])).toEqual(steps.map((_, index) => index + 1))
    expect(ends).toEqual(path === '/' ? [undefined, undefined] : [home, here])
  })
})

describe('what belongs to a person', () => {
  test('is in no page, whoever asks for it', async () => {
    const customer = await shop.newCustomer()
    const login = { username: customer.email, password: customer.password }
    const { body } = await shop.anonymous('POST', '/api/token/', login)
    const contest = await shop.newOffer({ title: 'Dans mon panier' })
    await customer.post(`/api/cart/${customer.cartId}/add_item/`, { offer_id: contest, quantity: 1 })
    const headers = { authorization: `Bearer ${body['access']}`, 'accept-encoding': 'identity' }
    const nonces = /nonce="[^"]+"/g
    const same = (html: string): string => html.replaceAll(nonces, '').replaceAll(/\d{13}/g, '')
    for (const { path } of seenRoutes.filter(({ kind }) => kind === 'guarded')) {
      const [signedIn, visitor] = await Promise.all([
        shop.app.inject({ url: path, headers }),
        shop.app.inject({ url: path }),
      ])
      expect(signedIn.body, path).not.toContain(customer.email)
      expect(signedIn.headers['set-cookie'], path).toBeUndefined()
      expect(signedIn.body, path).not.toContain('Dans mon panier')
      expect(same(signedIn.body), path).toBe(same(visitor.body))
    }
  })

  test('the right answer is in no page', async () => {
    const question = { question: 'Deux et deux ?', choices: ['3', 'quatre'], correct_choice: 'quatre' }
    await shop.newOffer({ slug: 'question', ...question })
    for (const path of ['/', '/offers', '/offers/question']) {
      expect((await page(path)).html, path).not.toContain('correct_choice')
    }
  })
})

describe('a contest', () => {
  test.each([
    ['ouverte', 'InStock'],
    ['terminee', 'Discontinued'],
    ['complete', 'SoldOut'],
  ])('%s is %s', async (slug, availability) => {
    const { things } = await page(`/offers/${slug}`)
    const [product] = things('Product')
    expect(product).toMatchObject({
      sku: slug,
      brand: { '@type': 'Brand', name: 'Volant' },
      offers: {
        '@type': 'Offer',
        url: `${PUBLIC_URL}/offers/${slug}`,
        price: '4.90',
        priceCurrency: 'EUR',
        availability: `https://schema.org/${availability}`,
      },
    })
    const [event] = things('Event')
    expect(event).toMatchObject({
      eventStatus: 'https://schema.org/EventScheduled',
      eventAttendanceMode: 'https://schema.org/OnlineEventAttendanceMode',
      location: { '@type': 'VirtualLocation', url: shop.config.videoUrl },
      organizer: { '@type': 'Organization', name: 'Volant', url: `${PUBLIC_URL}/` },
      offers: { availability: `https://schema.org/${availability}` },
    })
    expect(new Date(String(event?.['startDate'])).toISOString()).toBe(event?.['startDate'])
    expect(String(event?.['name'])).toContain(String(product?.['name']))
  })

  test('shows of its guarded page nothing but the picture that the list shows too', async () => {
    const { html } = await page('/offers/ouverte')
    const main = html.slice(html.indexOf('<main'), html.indexOf('</main>'))
    expect(main).toMatch(/<img src="\/media\/fastback-front-480.webp"[^>]* alt="" [^>]*fetchPriority="high"/)
    expect(main.match(/<img/g)).toHaveLength(1)
    expect(main).not.toContain('Ouverte')
    expect(main).not.toContain('4,90')
  })

  test('is part of the list that search engines may read', async () => {
    const { things } = await page('/offers')
    const items = things('ItemList')[0]?.['itemListElement'] as Record<string, Record<string, unknown>>[]
    expect(items.map(({ item }) => item?.['sku'])).toEqual(
      expect.arrayContaining(['ouverte', 'terminee', 'complete']),
    )
  })

  test('cannot break out of the structured data by its title', async () => {
    for (const path of ['/offers', '/offers/ouverte', '/']) {
      expect((await page(path)).html, path).not.toContain('<script>alert(1)')
    }
    const { things } = await page('/offers/ouverte')
    expect(things('Product')[0]?.['name']).toBe('L’Ouverte </script><script>alert(1)</script>')
  })

  test('that does not exist is 404 and not indexed', async () => {
    const { status, all, things } = await page('/offers/nowhere')
    expect([status, all('robots')]).toEqual([404, ['noindex']])
    expect(things('Product')).toEqual([])
  })
})

describe('an odd address', () => {
  test.each([
    '/a//evil.example',
    '/%2F%2Fevil.example',
    '/\\evil.example',
    '/.evil.example',
    '/offers/%2e%2e%2fevil.example',
    '/login?next=//evil.example/',
    '/offers?lang=//evil.example',
  ])('%s never leads to another host', async (path) => {
    const { html, location, links, one } = await page(path)
    expect(location ?? '/').toMatch(/^\/(?![/\\])/)
    for (const { href } of links('canonical')) expect(new URL(href ?? '').host).toBe('shop.example')
    expect(new URL(one('og:url')).host).toBe('shop.example')
    expect(html).not.toMatch(/(?:href|src|action)="(?:https?:)?[/\\]{2}evil/)
  })
})
