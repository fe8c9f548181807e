import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sharingPictures } from '#server/sharing-pictures.ts'
import { LANGUAGES } from '#shared/languages.ts'
import { THEME_COLORS } from '#shared/theme-colors.ts'
import { readHead } from '../support/head.ts'
import { seenRoutes } from '../support/routes.ts'
import { openShop } from '../support/shop.ts'

const PUBLIC_URL = 'https://shop.example'
const ENDED = new Date('2026-01-02T03:04:05.000Z')
const ROOT = path.resolve(import.meta.dirname, '../..')

const dataDir = mkdtempSync(path.join(os.tmpdir(), 'volant-site-'))
const media = path.join(dataDir, 'media')
mkdirSync(media)
afterAll(() => rmSync(dataDir, { recursive: true }))

const env = { PUBLIC_URL, BRAND: 'Les Clés & Co', CONTACT_EMAIL: 'help@shop.example', DATA_DIR: dataDir }
const shop = await openShop({ env, pages: true, clock: () => new Date('2026-03-01T12:00:00Z') })

/** Stores a contest with one picture. */
async function contest(slug: string, src: string, change: { end_date?: Date } = {}): Promise<number> {
  const offerId = await shop.newOffer({ slug, ...change })
  const picture = { src, widths: [480, 1600], width: 1600, height: 1000, color: '#000', position: 0 }
  await shop.db
    .insertInto('offer_pictures')
    .values({ ...picture, offer_id: offerId })
    .execute()
  return offerId
}
await contest('terminee', '/media/a&b', { end_date: ENDED })

const get = (url: string) => shop.app.inject({ url, headers: { host: 'evil.example' } })

describe('the sitemap', () => {
  const entries = async (): Promise<string[]> =>
    [...(await get('/sitemap.xml')).body.matchAll(/<url>(.*?)<\/url>/gs)].map(([, entry = '']) => entry)
  const location = (entry: string): string => /<loc>(.*?)<\/loc>/.exec(entry)?.[1] ?? ''

  test('is XML that may be kept for a while', async () => {
    const { statusCode, headers, body } = await get('/sitemap.xml')
    expect([statusCode, headers['content-type'], headers['cache-control']]).toEqual([
      200,
      'application/xml; charset=utf-8',
      'public, max-age=600',
    ])
    expect(body).toMatch(/^<\?xml version="1.0" encoding="UTF-8"\?>\n<urlset /)
    expect(body).not.toContain('evil.example')
  })

  test('names every page that may be indexed, in every language, and no other', async () => {
    const found = (await entries()).map(location)
    const wanted = seenRoutes
      .filter(({ kind }) => kind === 'indexed')
      .flatMap((route) =>
        LANGUAGES.map((one) => PUBLIC_URL + route.path + (one === 'fr' ? '' : `?lang=${one}`)),
      )
    expect(found.toSorted()).toEqual(wanted.toSorted())
  })

  test('says of each page what the page says of itself', async () => {
    for (const entry of await entries()) {
      const answer = await get(location(entry).slice(PUBLIC_URL.length))
      const { links, all } = readHead(answer.body)
      expect([answer.statusCode, all('robots')], entry).toEqual([200, []])
      expect(links('canonical')[0]?.['href']).toBe(location(entry))
      const alternates = [...entry.matchAll(/hreflang="([^"]+)" href="([^"]+)"/g)].map(([, ...pair]) => pair)
      expect(alternates).toEqual(links('alternate').map(({ hreflang, href }) => [hreflang, href]))
    }
  })

  test('tells when a contest came or ended last, and shows the contests in pictures', async () => {
    const offers = (await entries()).find((entry) => location(entry) === `${PUBLIC_URL}/offers`) ?? ''
    const created = await shop.db.selectFrom('offers').select('created_at').executeTakeFirstOrThrow()
    expect(offers).toContain(`<lastmod>${created.created_at.toISOString()}</lastmod>`)
    expect(offers).toContain(`<image:loc>${PUBLIC_URL}/media/a&amp;b-1600.webp</image:loc>`)
  })
})

test('robots.txt names the sitemap and hides no page whose head says noindex', async () => {
  const { headers, body } = await get('/robots.txt')
  expect(headers['content-type']).toBe('text/plain; charset=utf-8')
  expect(body.split('\n')).toContain(`Sitemap: ${PUBLIC_URL}/sitemap.xml`)
  const forbidden = [...body.matchAll(/^Disallow: (\S+)$/gm)].map(([, start = '']) => start)
  expect(forbidden).toContain('/api/')
  for (const route of seenRoutes) {
    expect(forbidden.filter((start) => route.path.startsWith(start))).toEqual([])
  }
})

test('security.txt tells whom to write to, and runs out within a year', async () => {
  const { headers, body } = await get('/.well-known/security.txt')
  expect(headers['content-type']).toBe('text/plain; charset=utf-8')
  expect(body).toBe(
    [
      'Contact: mailto:help@shop.example',
      'Expires: 2026-08-28T00:00:00.000Z',
      'Preferred-Languages: fr, nl, en',
      `Canonical: ${PUBLIC_URL}/.well-known/security.txt`,
      '',
    ].join('\n'),
  )
})

describe('the web manifest', () => {
  test.each(LANGUAGES)('is linked from every page, in %s', async (language) => {
    const { body: html } = await get(`/offers?lang=${language}`)
    const { href = '' } = readHead(html).links('manifest')[0] ?? {}
    const { headers, body } = await get(href)
    expect(headers['content-type']).toBe('application/manifest+json; charset=utf-8')
    expect(JSON.parse(body)).toMatchObject({
      name: 'Les Clés & Co',
      short_name: 'Les Clés & Co',
      lang: language,
      start_url: language === 'fr' ? '/' : `/?lang=${language}`,
      theme_color: THEME_COLORS.light,
    })
  })

  test('names icons that are there, in the size it says', async () => {
    const { icons } = JSON.parse((await get('/manifest.webmanifest')).body) as {
      icons: { src: string; sizes: string; type: string; purpose: string }[]
    }
    expect(icons.map(({ purpose }) => purpose)).toContain('maskable')
    for (const { src, sizes, type } of icons) {
      const answer = await get(src)
      expect([src, answer.statusCode, answer.headers['content-type']]).toEqual([src, 200, type])
      const { width, height, format } = await sharp(answer.rawPayload).metadata()
      expect(sizes).toBe(format === 'svg' ? 'any' : `${width}x${height}`)
    }
  })
})

describe('the icons', () => {
  test('of every page are there', async () => {
    const { links } = readHead((await get('/')).body)
    const hrefs = [...links('icon'), ...links('apple-touch-icon')].map(({ href = '' }) => href)
    const files = hrefs.filter((href) => !href.startsWith('data:'))
    // The drawn one travels with the page, and saves a request.
    expect(hrefs.filter((href) => href.startsWith('data:image/svg+xml,'))).toHaveLength(1)
    expect(files.length).toBe(hrefs.length - 1)
    expect(files).not.toEqual([])
    for (const href of files) {
      const { statusCode, headers } = await get(href)
      expect([href, statusCode]).toEqual([href, 200])
      expect(headers['content-type']).toMatch(/^image\//)
      expect(headers['cache-control']).toBe('public, max-age=3600')
    }
  })

  test('of phones fill their square, so that no corner shows through', async () => {
    for (const name of ['apple-touch-icon', 'icon-maskable-512']) {
      const { isOpaque } = await sharp(path.join(ROOT, 'public', `${name}.png`)).stats()
      expect([name, isOpaque]).toEqual([name, true])
    }
  })
})

test('the bars around the page have the colours of its ground', async () => {
  const tokens = readFileSync(path.join(ROOT, 'src/app/styles/tokens.css'), 'utf8')
  const grounds = [...tokens.matchAll(/--ground: (#\w+);/g)].map(([, color]) => color)
  expect(grounds).toEqual([THEME_COLORS.light, THEME_COLORS.dark])
  expect(readHead((await get('/')).body).all('theme-color')).toEqual(grounds)
})

/** Mean colour of a picture: red, green, blue. */
const colorOf = async (data: Buffer): Promise<number[]> =>
  (await sharp(data).stats()).channels.map(({ mean }) => Math.round(mean / 16))

describe('the picture by which a contest is shared', () => {
  const get = (slug: string) => shop.app.inject({ url: `/media/og-${slug}.jpg?v=1` })
  const kept = (): string[] => readdirSync(path.join(dataDir, 'sharing')).toSorted()
  const painted = (file: string, color: string, width = 800, height = 800): Promise<unknown> =>
    sharp({ create: { width, height, channels: 3, background: color } })
      .webp()
      .toFile(path.join(media, file))

  beforeAll(async () => {
    await Promise.all([painted('rouge-1600.webp', '#c00'), painted('bleue-1600.webp', '#00c', 1600, 300)])
    writeFileSync(path.join(media, 'fausse-1600.webp'), 'not a picture')
  })

  test('is made of its first one: a JPEG of 1200x630 that other sites may show', async () => {
    await contest('rouge', '/media/rouge')
    const { statusCode, headers, rawPayload } = await get('rouge')
    expect(statusCode).toBe(200)
    expect(headers).toMatchObject({
      'content-type': 'image/jpeg',
      'cache-control': 'public, max-age=604800',
      'cross-origin-resource-policy': 'cross-origin',
    })
    const { width, height, format } = await sharp(rawPayload).metadata()
    expect({ width, height, format }).toEqual({ width: 1200, height: 630, format: 'jpeg' })
    expect(await colorOf(rawPayload)).toEqual([13, 0, 0])
    const again = await shop.app.inject({
      url: '/media/og-rouge.jpg',
      headers: { 'if-none-match': String(headers['etag']) },
    })
    expect(again.statusCode).toBe(304)
  })

  test('is made once, however many ask', async () => {
    await contest('demandee', '/media/bleue')
    const answers = await Promise.all(Array.from({ length: 20 }, () => get('demandee')))
    expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([200]))
    expect(new Set(answers.map(({ headers }) => headers['etag'])).size).toBe(1)
    expect(kept().filter((name) => name.endsWith('.tmp'))).toEqual([])
  })

  test('changes with the first picture', async () => {
    const offerId = await contest('repeinte', '/media/rouge')
    expect(await colorOf((await get('repeinte')).rawPayload)).toEqual([13, 0, 0])
    await shop.db
      .updateTable('offer_pictures')
      .set({ src: '/media/bleue' })
      .where('offer_id', '=', offerId)
      .execute()
    expect(await colorOf((await get('repeinte')).rawPayload)).toEqual([0, 0, 13])
  })

  test('may be one that somebody has put into the folder', async () => {
    await contest('choisie', '/media/rouge')
    writeFileSync(path.join(media, 'og-choisie.jpg'), 'chosen by a person')
    expect((await get('choisie')).body).toBe('chosen by a person')
  })

  test.each([
    ['sans-fichier', '/media/nowhere'],
    ['fausse', '/media/fausse'],
    ['evadee', '/media/../secret-key'],
    ['lointaine', 'https://cdn.example/a'],
  ])('%s: is the shop’s own where none can be made of %s', async (slug, src) => {
    await contest(slug, src)
    const { statusCode, headers } = await get(slug)
    expect([statusCode, headers['location'], headers['cache-control']]).toEqual([
      302,
      '/media/og-site-fr.jpg',
      'no-cache',
    ])
  })

  test.each(['nowhere', '..%2fsecret-key', '%2e%2e', 'A', '%00'])(
    'of a contest that cannot be, %s, does not exist',
    async (slug) => {
      expect((await get(slug)).statusCode).toBe(404)
    },
  )

  test('is made in the background where it is missing, and goes where no contest needs it', async () => {
    await shop.db.deleteFrom('offer_pictures').execute()
    await contest('seule', '/media/rouge')
    await sharingPictures({ db: shop.db, dataDir, log: shop.app.log }).makeMissing()
    expect(kept()).toEqual([expect.stringMatching(/^seule-[0-9a-f]{16}\.jpg$/)])
  })
})
