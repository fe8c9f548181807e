import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sharingPictures } from '#server/sharing-pictures.ts'
import { type TestShop, testShop } from '../support/shop.ts'

const dataDir = mkdtempSync(path.join(os.tmpdir(), 'volant-sharing-'))
const media = path.join(dataDir, 'media')
const kept = (): string[] => readdirSync(path.join(dataDir, 'sharing')).toSorted()

let shop: TestShop

const painted = (file: string, color: string, width = 800, height = 800): Promise<unknown> =>
  sharp({ create: { width, height, channels: 3, background: color } })
    .webp()
    .toFile(path.join(media, file))

beforeAll(async () => {
  mkdirSync(media)
  await Promise.all([painted('rouge-1600.webp', '#c00'), painted('bleue-1600.webp', '#00c', 1600, 300)])
  writeFileSync(path.join(media, 'fausse-1600.webp'), 'not a picture')
  shop = await testShop({ env: { DATA_DIR: dataDir } })
})
afterAll(async () => {
  await shop?.close()
  rmSync(dataDir, { recursive: true })
})

/** Stores a contest with one picture. */
async function contest(slug: string, src: string): Promise<number> {
  const offerId = await shop.newOffer({ slug })
  const picture = { src, widths: [480, 1600], width: 1600, height: 1000, color: '#000', position: 0 }
  await shop.db
    .insertInto('offer_pictures')
    .values({ ...picture, offer_id: offerId })
    .execute()
  return offerId
}

const get = (slug: string) => shop.app.inject({ url: `/media/og-${slug}.jpg?v=1` })

/** Mean colour of a picture: red, green, blue. */
const colorOf = async (data: Buffer): Promise<number[]> =>
  (await sharp(data).stats()).channels.map(({ mean }) => Math.round(mean / 16))

describe('the picture by which a contest is shared', () => {
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
})

describe('in the background', () => {
  test('what is missing is made, and what no contest needs goes', async () => {
    const own = await testShop({ env: { DATA_DIR: dataDir } })
    const offerId = await own.newOffer({ slug: 'seule' })
    const picture = { src: '/media/rouge', widths: [1600], width: 1600, height: 1000, color: '', position: 0 }
    await own.db
      .insertInto('offer_pictures')
      .values({ ...picture, offer_id: offerId })
      .execute()
    await sharingPictures({ db: own.db, dataDir, log: own.app.log }).makeMissing()
    expect(kept()).toEqual([expect.stringMatching(/^seule-[0-9a-f]{16}\.jpg$/)])
    await own.close()
  })
})
