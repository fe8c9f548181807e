import { timeOfRound } from '#draw-protocol/beacon.ts'
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import sharp from 'sharp'
import { beforeAll, describe, expect, test } from 'vitest'
import { canonicalPath } from '#client/paths.ts'
import { translate } from '#i18n/server-translator.ts'
import { sharingPictures } from '#server/sharing-pictures.ts'
import { DEFAULT_LANGUAGE, LANGUAGES, type Language } from '#shared/languages.ts'
import { THEME_COLORS } from '#shared/theme-colors.ts'
import { insertDraw } from '../support/draws.ts'
import { readHead } from '../support/head.ts'
import { seenRoutes } from '../support/routes.ts'
import { openShop } from '../support/shop.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { isExtended } from '../support/tier.ts'

/** Behind a proxy with an address of its own: no page may name the host of the request. */
const PUBLIC_URL = 'https://shop.example'
const BRAND = 'Clés & Co'
const ROOT = path.resolve(import.meta.dirname, '../..')

const dataDir = temporaryFolder('volant-site-', 'file')
const media = path.join(dataDir, 'media')
mkdirSync(media)

const env = { PUBLIC_URL, BRAND, CONTACT_EMAIL: 'help@shop.example', DATA_DIR: dataDir }
const shop = await openShop({ env, pages: true, clock: () => new Date('2026-03-01T12:00:00Z') })

/** Stores an offer with one picture. */
async function contest(slug: string, src: string, change: Parameters<typeof shop.newOffer>[0] = {}) {
  const offer_id = await shop.newOffer({ slug, ...change })
  const picture = { src, widths: [480, 1600], width: 1600, height: 1000, color: '#000', position: 0 }
  await shop.db
    .insertInto('offer_pictures')
    .values({ ...picture, offer_id })
    .execute()
  return offer_id
}
await contest('ouverte', '/media/fastback-front', { title: 'L’Ouverte </script><script>alert(1)</script>' })
await contest('terminee', '/media/a&b', { end_date: new Date(Date.now() - 86_400_000) })
const full = await shop.newOffer({ slug: 'complete', total_tickets: 1 })
await shop.db.updateTable('offers').set({ tickets_sold: 1 }).where('id', '=', full).execute()

/** The mailbox responds to loopback hosts only. */
const hostFor = (url: string): string => (url.startsWith('/demo/') ? 'localhost' : 'evil.example')
const get = (url: string) => shop.app.inject({ url, headers: { host: hostFor(url) } })
/** A page as a program without JavaScript reads it. */
async function page(url: string) {
  const { statusCode: status, body: html, headers } = await get(url)
  return { ...readHead(html), status, html, location: headers.location }
}

/** The colours of the page's ground, which are the theme colours. */
const grounds = [
  ...readFileSync(path.join(ROOT, 'src/apps/site/styles/tokens.css'), 'utf8').matchAll(/--ground: (#\w+);/g),
].map(([, color]) => color)

const addressOf = (page: string, language: Language): string => PUBLIC_URL + canonicalPath(page, language)
/** The addresses of a page by language. */
const alternatesOf = (page: string): string[][] => [
  ...LANGUAGES.map((language) => [language, addressOf(page, language)]),
  ['x-default', PUBLIC_URL + page],
]
const inLanguages = seenRoutes.flatMap((route) => LANGUAGES.map((language) => ({ ...route, language })))

test.each(inLanguages.filter(({ language }) => isExtended || language === DEFAULT_LANGUAGE))(
  '$path in $language has a complete head with a picture and structured data [spec 2.34, 2.36]',
  async ({ path: address, kind, language }) => {
    const { status, html, title, one, all, links, things } = await page(`${address}?lang=${language}`)
    expect(status).toBe(kind === 'missing' ? 404 : 200)
    expect(html).toContain(`<html lang="${language}"`)
    expect(html).not.toContain('evil.example')
    expect(html).not.toContain(`127.0.0.1:${shop.port}`)
    const home = `${BRAND} - ${translate(language, 'pages.home.title')}`
    expect(title).toMatch(address === '/' ? new RegExp(`^${home}$`) : new RegExp(`^.+ \\| ${BRAND}$`))
    expect(one('description').length).toBeGreaterThan(15)
    expect(one('keywords')).toContain(translate(language, 'pages.keywords'))
    expect(all('theme-color')).toEqual(grounds)

    // The guarded page of a contest names its public one.
    const here = addressOf(address.replace('/offers/', '/draws/'), language)
    expect(links('canonical').map(({ href }) => href)).toEqual([here])
    expect(one('og:url')).toBe(here)
    for (const prefix of ['og', 'twitter']) {
      expect(one(`${prefix}:title`)).toBe(title)
      expect(one(`${prefix}:description`)).toBe(one('description'))
      expect(one(`${prefix}:image`)).toBe(one('og:image'))
      expect(one(`${prefix}:image:alt`)).toBe(one('og:image:alt'))
    }
    expect(one('og:image:alt')).not.toBe('')
    expect(['og:type', 'og:site_name', 'twitter:card'].map(one)).toEqual([
      'website',
      BRAND,
      'summary_large_image',
    ])

    const isIndexed = kind === 'indexed'
    expect(all('robots')).toEqual(isIndexed ? [] : ['noindex'])
    const alternates = links('alternate').map(({ hreflang, href }) => [hreflang, href])
    expect(alternates).toEqual(isIndexed ? alternatesOf(address) : [])

    expect(one('og:image').startsWith(`${PUBLIC_URL}/media/`)).toBe(true)
    const picture = await get(one('og:image').slice(PUBLIC_URL.length))
    expect([picture.statusCode, picture.headers['content-type']]).toEqual([200, one('og:image:type')])
    const { width, height, format } = await sharp(picture.rawPayload).metadata()
    expect([format, width, height]).toEqual(['jpeg', 1200, 630])
    expect(things('Organization')).toMatchObject([{ name: BRAND, url: `${PUBLIC_URL}/` }])
    // Their content: src/apps/site/head.test.ts.
    expect(things('BreadcrumbList')).toHaveLength(address === '/' ? 0 : 1)
  },
)

describe('personal data', () => {
  test('is in no page, whoever asks for it', async () => {
    const customer = await shop.newCustomer()
    const { access } = await shop.sessionOf(customer)
    await customer.add(await shop.newOffer({ title: 'Dans mon panier' }), 1)
    const headers = { authorization: `Bearer ${access}` }
    const same = (html: string): string => html.replaceAll(/nonce="[^"]+"|\d{13}/g, '')
    for (const { path: url } of seenRoutes.filter(({ kind }) => kind === 'guarded')) {
      const [signedIn, visitor] = [await shop.app.inject({ url, headers }), await shop.app.inject({ url })]
      expect(signedIn.body, url).not.toMatch(new RegExp(`${customer.email}|Dans mon panier`))
      expect(signedIn.headers['set-cookie'], url).toBeUndefined()
      expect(same(signedIn.body), url).toBe(same(visitor.body))
    }
  })

  test('the correct answer is in no page', async () => {
    const question = { question: 'Deux et deux ?', choices: ['3', 'quatre'], correct_choice: 'quatre' }
    await shop.newOffer({ slug: 'question', ...question })
    for (const url of ['/', '/offers', '/offers/question'])
      expect((await page(url)).html, url).not.toContain('correct_choice')
  })
})

describe('an offer', () => {
  test('that has ended is discontinued, one without tickets sold out, in the structured data of the list', async () => {
    const items = (await page('/offers')).things('ItemList')[0]?.['itemListElement'] as {
      item: { sku: string; offers: { availability: string } }
    }[]
    const found = items.map(({ item }) => [item.sku, item.offers.availability.split('/').at(-1)])
    for (const [slug, availability] of [
      ['ouverte', 'InStock'],
      ['terminee', 'Discontinued'],
      ['complete', 'SoldOut'],
    ])
      expect(found).toContainEqual([slug, availability])
  })

  test('shows on its guarded page nothing but the picture that the list shows too', async () => {
    const { html } = await page('/offers/ouverte')
    const main = html.slice(html.indexOf('<main'), html.indexOf('</main>'))
    expect(main).toMatch(/<img src="\/media\/fastback-front-480.webp"[^>]* alt="" [^>]*fetchPriority="high"/)
    expect(main.match(/<img/g)).toHaveLength(1)
    expect(main).not.toMatch(/Ouverte|4,90/)
  })

  test('cannot break out of the structured data by its title', async () => {
    for (const url of ['/offers', '/offers/ouverte', '/'])
      expect((await page(url)).html, url).not.toContain('<script>alert(1)')
    const [product] = (await page('/offers/ouverte')).things('Product')
    expect(product?.['name']).toBe('Billet de concours : L’Ouverte </script><script>alert(1)</script>')
  })

  test('that does not exist is 404 and not indexed', async () => {
    const { status, all, things } = await page('/offers/nowhere')
    expect([status, all('robots'), things('Product')]).toEqual([404, ['noindex'], []])
    const draw = await page('/draws/nowhere')
    expect([draw.status, draw.all('robots'), draw.things('Event')]).toEqual([404, ['noindex'], []])
  })
})

test.each([
  '/a//evil.example',
  '/%2F%2Fevil.example',
  '/\\evil.example',
  '/.evil.example',
  '/offers/%2e%2e%2fevil.example',
  '/login?next=//evil.example/',
  '/offers?lang=//evil.example',
])('%s never leads to another host', async (address) => {
  const { html, location, links, all } = await page(address)
  expect(location ?? '/').toMatch(/^\/(?![/\\])/)
  for (const { href } of links('canonical')) expect(new URL(href ?? '').host).toBe('shop.example')
  const named = all('og:url')
  expect(named.map((url) => new URL(url).host)).toEqual(location === undefined ? ['shop.example'] : [])
  expect(html).not.toMatch(/(?:href|src|action)="(?:https?:)?[/\\]{2}evil/)
})

describe('the sitemap', () => {
  const entries = async (): Promise<[location: string, entry: string][]> =>
    [...(await get('/sitemap.xml')).body.matchAll(/<url>(.*?)<\/url>/gs)].map(([, entry = '']) => [
      /<loc>(.*?)<\/loc>/.exec(entry)?.[1] ?? '',
      entry,
    ])

  test('names every page that may be indexed, in every language, and no other', async () => {
    const { headers, body } = await get('/sitemap.xml')
    expect(headers).toMatchObject({
      'content-type': 'application/xml; charset=utf-8',
      'cache-control': 'public, max-age=600',
    })
    expect(body).toMatch(/^<\?xml version="1.0" encoding="UTF-8"\?>\n<urlset /)
    expect(body).not.toContain('evil.example')
    // As in the heads above.
    const { rows: contests } = await shop.pool.query<{ slug: string }>('SELECT slug FROM offers')
    const indexed = inLanguages.filter(({ kind }) => kind === 'indexed').map(({ path: address }) => address)
    const wanted = [...new Set([...indexed, ...contests.map(({ slug }) => `/draws/${slug}`)])].flatMap(
      (address) =>
        LANGUAGES.map((language) => [addressOf(address, language), alternatesOf(address)] as const),
    )
    const named = (await entries()).map(([location, entry]) => [
      location,
      [...entry.matchAll(/hreflang="([^"]+)" href="([^"]+)"/g)].map(([, ...pair]) => pair),
    ])
    expect(named).toHaveLength(wanted.length)
    expect(Object.fromEntries(named)).toEqual(Object.fromEntries(wanted))
  })

  test('has each contest by its public page, with its last step and its picture', async () => {
    const address = `${PUBLIC_URL}/draws/terminee`
    const [, entry] = (await entries()).find(([location]) => location === address)!
    const { rows } = await shop.pool.query<{ at: Date }>(
      `SELECT greatest(published_at, end_date) AS at FROM offers WHERE slug = 'terminee'`,
    )
    expect(entry).toContain(`<lastmod>${rows[0]!.at.toISOString()}</lastmod>`)
    expect(entry).toContain(`<image:loc>${PUBLIC_URL}/media/a&amp;b-1600.webp</image:loc>`)
  })

  test('has the time of the last change of an offer, and the pictures of the offers', async () => {
    const [, entry] = (await entries()).find(([location]) => location === `${PUBLIC_URL}/offers`)!
    const { rows } = await shop.pool.query<{ at: Date }>('SELECT max(created_at) AS at FROM offers')
    expect(entry).toContain(`<lastmod>${rows[0]!.at.toISOString()}</lastmod>`)
    expect(entry).toContain(`<image:loc>${PUBLIC_URL}/media/a&amp;b-1600.webp</image:loc>`)
  })
})

test('the public page of a contest has the instant of its draw in the structured data, and stays after it', async () => {
  const drawn = await insertDraw(shop, { slug: 'tiree', stage: 'drawn' })
  const { things, status, html } = await page('/draws/tiree')
  expect(status).toBe(200)
  const { beacon } = drawn.draw.terms
  const at = new Date(timeOfRound(beacon, beacon.round) * 1000).toISOString()
  expect(things('Event')).toMatchObject([
    { startDate: at, url: `${PUBLIC_URL}/draws/tiree`, eventStatus: 'https://schema.org/EventScheduled' },
  ])
  expect(things('Product')).toMatchObject([
    { sku: 'tiree', offers: { availability: 'https://schema.org/Discontinued' } },
  ])
  expect(html).toContain(drawn.draw.listHash)
  const cancelled = await insertDraw(shop, { slug: 'annulee', stage: 'cancelled' })
  expect(cancelled.draw.leaves.length).toBeGreaterThan(0)
  expect((await page('/draws/annulee')).things('Event')).toMatchObject([
    { eventStatus: 'https://schema.org/EventCancelled' },
  ])
})

test('robots.txt names the sitemap and forbids no page whose head says noindex', async () => {
  const { headers, body } = await get('/robots.txt')
  expect(headers['content-type']).toBe('text/plain; charset=utf-8')
  expect(body.split('\n')).toContain(`Sitemap: ${PUBLIC_URL}/sitemap.xml`)
  const forbidden = [...body.matchAll(/^Disallow: (\S+)$/gm)].map(([, start = '']) => start)
  expect(forbidden).toContain('/api/')
  for (const route of seenRoutes)
    expect(forbidden.filter((start) => route.path.startsWith(start))).toEqual([])
})

test('security.txt has a contact and expires within a year', async () => {
  const { headers, body } = await get('/.well-known/security.txt')
  expect(headers['content-type']).toBe('text/plain; charset=utf-8')
  expect(body.split('\n')).toEqual([
    'Contact: mailto:help@shop.example',
    'Expires: 2026-08-28T00:00:00.000Z',
    'Preferred-Languages: fr, nl, en',
    `Canonical: ${PUBLIC_URL}/.well-known/security.txt`,
    '',
  ])
})

test.each(LANGUAGES)(
  'the web manifest is linked from every page, in %s, with icons that exist',
  async (lang) => {
    const { href = '' } = (await page(`/offers?lang=${lang}`)).links('manifest')[0] ?? {}
    const { headers, body } = await get(href)
    expect(headers['content-type']).toBe('application/manifest+json; charset=utf-8')
    const start_url = lang === 'fr' ? '/' : `/?lang=${lang}`
    const manifest = JSON.parse(body) as { icons: Record<'src' | 'sizes' | 'type' | 'purpose', string>[] }
    expect(manifest).toMatchObject({ name: BRAND, lang, start_url, theme_color: THEME_COLORS.light })
    expect(manifest.icons.map(({ purpose }) => purpose)).toContain('maskable')
    for (const { src, sizes, type } of manifest.icons) {
      const response = await get(src)
      const [sent] = String(response.headers['content-type']).split(';')
      expect([src, response.statusCode, sent]).toEqual([src, 200, type])
      const { width, height, format } = await sharp(response.rawPayload).metadata()
      expect(sizes).toBe(format === 'svg' ? 'any' : `${width}x${height}`)
    }
  },
)

test('the icons of a page exist, and the drawn one is part of the page', async () => {
  const { links } = await page('/')
  const hrefs = [...links('icon'), ...links('apple-touch-icon')].map(({ href = '' }) => href)
  const files = hrefs.filter((href) => !href.startsWith('data:image/svg+xml,'))
  expect(files.length).toBe(hrefs.length - 1)
  expect(files).not.toEqual([])
  for (const href of files) {
    const { statusCode, headers } = await get(href)
    expect([href, statusCode, headers['cache-control']]).toEqual([href, 200, 'public, max-age=3600'])
    expect(headers['content-type']).toMatch(/^image\//)
  }
  // On phones an icon fills its square, so that no corner is transparent.
  for (const name of ['apple-touch-icon', 'icon-maskable-512'])
    expect((await sharp(path.join(ROOT, 'public', `${name}.png`)).stats()).isOpaque).toBe(true)
})

describe('the sharing picture of an offer', () => {
  const RED = [13, 0, 0]
  const BLUE = [0, 0, 13]
  const sharing = (slug: string) => shop.app.inject({ url: `/media/og-${slug}.jpg?v=1` })
  const kept = (): string[] => readdirSync(path.join(dataDir, 'sharing')).toSorted()
  const meanColor = async (data: Buffer): Promise<number[]> =>
    (await sharp(await middle(data)).stats()).channels.map(({ mean }) => Math.round(mean / 16))
  /** A part that a wide picture fills as well. */
  const middle = (data: Buffer): Promise<Buffer> =>
    sharp(data).extract({ left: 600, top: 250, width: 300, height: 130 }).toBuffer()
  /** How bright the panel with the words is. */
  const panel = async (data: Buffer): Promise<Buffer> =>
    sharp(data).extract({ left: 0, top: 0, width: 290, height: 630 }).greyscale().raw().toBuffer()
  const painted = (file: string, background: string, width = 800, height = 800) =>
    sharp({ create: { width, height, channels: 3, background } })
      .webp()
      .toFile(path.join(media, file))

  beforeAll(async () => {
    await Promise.all([painted('rouge-1600.webp', '#c00'), painted('bleue-1600.webp', '#00c', 1600, 300)])
    writeFileSync(path.join(media, 'fausse-1600.webp'), 'not a picture')
  })

  test('is made of its first picture, and changes with it: a JPEG of 1200x630 that other sites may show', async () => {
    const offerId = await contest('rouge', '/media/rouge')
    const { headers, rawPayload } = await sharing('rouge')
    expect(headers).toMatchObject({
      'content-type': 'image/jpeg',
      'cache-control': 'public, max-age=604800',
      'cross-origin-resource-policy': 'cross-origin',
    })
    const { width, height, format } = await sharp(rawPayload).metadata()
    expect([format, width, height]).toEqual(['jpeg', 1200, 630])
    expect(await meanColor(rawPayload)).toEqual(RED)
    const conditional = { 'if-none-match': String(headers['etag']) }
    const again = await shop.app.inject({ url: '/media/og-rouge.jpg', headers: conditional })
    expect(again.statusCode).toBe(304)
    const pictures = shop.db.updateTable('offer_pictures').set({ src: '/media/bleue' })
    await pictures.where('offer_id', '=', offerId).execute()
    expect(await meanColor((await sharing('rouge')).rawPayload)).toEqual(BLUE)
  })

  test('has brand, price, odds and end beside it, and changes with them', async () => {
    const offerId = await contest('chiffree', '/media/rouge')
    const before = await panel((await sharing('chiffree')).rawPayload)
    const ink = before.filter((one) => one > 128).length / before.length
    expect(ink).toBeGreaterThan(0.02)
    expect(ink).toBeLessThan(0.3)
    await shop.changeOffer(offerId, { end_date: new Date(Date.now() + 9 * 86_400_000) })
    expect((await panel((await sharing('chiffree')).rawPayload)).equals(before)).toBe(false)
  })

  test('is made once for concurrent requests', async () => {
    await contest('demandee', '/media/bleue')
    const responses = await Promise.all(Array.from({ length: 20 }, () => sharing('demandee')))
    expect(new Set(responses.map(({ statusCode }) => statusCode))).toEqual(new Set([200]))
    expect(new Set(responses.map(({ headers }) => headers['etag'])).size).toBe(1)
    expect(kept().filter((name) => name.endsWith('.tmp'))).toEqual([])
  })

  test('may be a file in the media folder', async () => {
    await contest('choisie', '/media/rouge')
    writeFileSync(path.join(media, 'og-choisie.jpg'), 'chosen by a person')
    expect((await sharing('choisie')).body).toBe('chosen by a person')
  })

  test('has no words in emails, which show the first picture alone', async () => {
    await contest('ecrite', '/media/rouge')
    writeFileSync(path.join(media, 'og-ecrite.jpg'), 'with the price on it')
    const email = (slug: string) => shop.app.inject({ url: `/media/email-${slug}.jpg` })
    const { headers, rawPayload } = await email('ecrite')
    expect(headers).toMatchObject({ 'cross-origin-resource-policy': 'cross-origin' })
    expect(await meanColor(rawPayload)).toEqual(RED)
    expect((await email('nowhere')).statusCode).toBe(404)
  })

  test.each([
    ['sans-fichier', '/media/nowhere'],
    ['fausse', '/media/fausse'],
    ['evadee', '/media/../secret-key'],
    ['lointaine', 'https://cdn.example/a'],
  ])('%s is the shop’s own where none can be made of %s', async (slug, src) => {
    await contest(slug, src)
    const { statusCode, headers } = await sharing(slug)
    const found = [statusCode, headers['location'], headers['cache-control']]
    expect(found).toEqual([302, '/media/og-site-fr.jpg', 'no-cache'])
  })

  test.each(['nowhere', '..%2fsecret-key', '%2e%2e', 'A', '%00'])('of %s does not exist', async (slug) => {
    expect((await sharing(slug)).statusCode).toBe(404)
  })

  test('is made in the background where it is missing, and removed where no offer needs it', async () => {
    await shop.db.deleteFrom('offer_pictures').execute()
    await contest('seule', '/media/rouge')
    await contest('montree', '/media/rouge')
    writeFileSync(path.join(media, 'og-montree.jpg'), 'chosen by a person')
    await shop.app.inject({ url: '/media/email-montree.jpg' })
    await sharingPictures({ db: shop.db, config: shop.config, log: shop.app.log }).makeMissing()
    expect(kept()).toEqual(
      ['montree', 'seule'].map((slug) => expect.stringMatching(`^${slug}-[0-9a-f]{16}\\.jpg$`)),
    )
  })
})
