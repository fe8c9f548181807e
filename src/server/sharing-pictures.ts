import { createHash, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FastifyBaseLogger } from 'fastify'
import { type OfferRow, offersRepository } from '#features/offers/server/index.ts'
import { isStored, pictureWorks, sharedPicture, storedPictures } from '#features/pictures/server/index.ts'
import { formatDateTime, formatEur } from '#i18n/format.ts'
import type { Database } from '#platform/database.ts'
import { systemClock } from '#shared/clock.ts'
import { FALLBACK_COUNTRY, findCountry, vatPercent, withTax } from '#shared/countries.ts'
import { DEFAULT_LANGUAGE } from '#shared/languages.ts'
import { cents } from '#shared/money.ts'
import type { Config } from './config.ts'

const DEMO_PICTURES = fileURLToPath(new URL('../../db/demo/pictures', import.meta.url))

const ownFolder = (dataDir: string): string => path.resolve(dataDir, 'media')

/** The shop's own folder first, then that of the demonstration. */
export const mediaFolders = (dataDir: string): string[] =>
  [ownFolder(dataDir), DEMO_PICTURES].filter((folder) => existsSync(folder))

/** A file, or the bytes of one. */
export type FoundPicture = { file: string } | { bytes: Buffer; hash: string }

/** What the pictures tell of the shop. */
type Shop = Pick<Config, 'dataDir' | 'brand' | 'timeZone' | 'pricesIncludeVat'>
type Deps = { db: Database; config: Shop; log: FastifyBaseLogger }

/**
 * Sharing pictures: `og-<slug>.jpg` of the shop's own folder, else the first picture beside a panel with brand, price,
 * odds and end, cached in DATA_DIR/sharing.
 */
export function sharingPictures({ db, config, log }: Deps) {
  const { dataDir } = config
  const offers = offersRepository(db)
  const stored = storedPictures(db)
  const kept = path.resolve(dataDir, 'sharing')
  const folders = mediaFolders(dataDir)
  const underWay = new Map<string, Promise<string | undefined>>()

  const find = (name: string): string | undefined =>
    folders.map((folder) => path.join(folder, name)).find((file) => existsSync(file))

  const chosen = (slug: string): string | undefined =>
    [path.join(ownFolder(dataDir), nameOf(slug))].find((file) => existsSync(file))

  /** Depends on the first picture, and on the words. */
  function keptName({ slug, pictures: [first] }: Shared, words?: Words): string | undefined {
    if (!first) return undefined
    const decides = words ? JSON.stringify([first.src, words]) : first.src
    return `${slug}-${createHash('sha256').update(decides).digest('hex').slice(0, 16)}.jpg`
  }

  /** The largest file of the first picture. */
  async function source(offer: Shared): Promise<Buffer | undefined> {
    const [first] = offer.pictures
    if (first && isStored(first.src))
      return (await stored.find(`${first.src.split('/').at(-1)}-${Math.max(...first.widths)}.webp`))?.bytes
    const file = sourceOf(offer, find)
    return file === undefined ? undefined : await readFile(file)
  }

  async function make(offer: Shared, file: string, words?: Words): Promise<string | undefined> {
    const bytes = await source(offer)
    if (!bytes) return undefined
    const jpeg = await pictureWorks.share({ bytes, ...(words && { words }) })
    await mkdir(kept, { recursive: true })
    const draft = path.join(kept, `${randomUUID()}.tmp`)
    await writeFile(draft, jpeg)
    await rename(draft, file)
    return file
  }

  /** Concurrent callers share one picture. */
  function made(offer: Shared, file: string, words?: Words): Promise<string | undefined> {
    const running = underWay.get(file)
    if (running) return running
    const making = make(offer, file, words)
      .catch((error: unknown) => {
        log.warn({ err: error, slug: offer.slug }, 'no picture for sharing could be made')
        return undefined
      })
      .finally(() => underWay.delete(file))
    underWay.set(file, making)
    return making
  }

  async function keptFile(offer: Shared, words?: Words): Promise<string | undefined> {
    const name = keptName(offer, words)
    if (name === undefined) return undefined
    const file = path.join(kept, name)
    return existsSync(file) ? file : await made(offer, file, words)
  }

  /** One picture serves every language: figures alone, and the arrow leads to the end. */
  function wordsOf({ price_cents: price, total_tickets: total, end_date: end }: OfferRow): Words {
    const country = findCountry(FALLBACK_COUNTRY)!
    const { total: paid } = withTax(cents(price), vatPercent(country, systemClock()), config.pricesIncludeVat)
    const odds = `1\u202f/\u202f${String(total).replaceAll(/\B(?=(?:\d{3})+$)/g, '\u202f')}`
    const [day = '', time = ''] = formatDateTime(end, config.timeZone).split(' ')
    return { brand: config.brand, figures: [formatEur(paid, DEFAULT_LANGUAGE), odds, `→\u202f${day}`, time] }
  }

  return {
    /** Null when the contest has no picture, undefined when there is neither a contest nor a file. */
    async bySlug(slug: string): Promise<FoundPicture | null | undefined> {
      const offer = await offers.bySlug(slug)
      // Without a contest: a picture of the site.
      const file = chosen(slug) ?? (offer ? await keptFile(offer, wordsOf(offer)) : find(nameOf(slug)))
      return file === undefined ? offer && null : { file }
    },

    /** The first picture alone, for emails; undefined when there is none. */
    async forEmails(slug: string): Promise<FoundPicture | undefined> {
      const offer = await offers.bySlug(slug)
      const src = offer?.pictures[0]?.src
      if (!offer || src === undefined) return undefined
      if (isStored(src)) return await sharedPicture(db, src)
      const file = await keptFile(offer)
      return file === undefined ? undefined : { file }
    },

    /** Whether a contest that may not be published yet has a picture for sharing, or can have one made. */
    async canBeShared(offer: Shared): Promise<boolean> {
      const src = offer.pictures[0]?.src
      if (src === undefined) return false
      return isStored(src)
        ? (await sharedPicture(db, src)) !== undefined
        : sourceOf(offer, find) !== undefined
    },

    /** Makes missing pictures and removes unused ones. */
    async makeMissing(): Promise<void> {
      const list = await offers.list()
      const wanting = list.filter(({ slug }) => chosen(slug) === undefined)
      for (const offer of wanting) await keptFile(offer, wordsOf(offer))
      // Those of emails are made when one is opened.
      const needed = new Set([
        ...list.map((offer) => keptName(offer)),
        ...wanting.map((offer) => keptName(offer, wordsOf(offer))),
      ])
      const found = existsSync(kept) ? await readdir(kept) : []
      for (const name of found.filter((one) => one.endsWith('.jpg') && !needed.has(one))) {
        await rm(path.join(kept, name), { force: true })
      }
    },
  }
}

type Shared = Pick<OfferRow, 'slug' | 'pictures'>
type Words = { brand: string; figures: readonly string[] }

const nameOf = (slug: string): string => `og-${slug}.jpg`

/** The first picture in its largest size, if it is in one of our folders. */
function sourceOf(
  { pictures: [first] }: Shared,
  find: (name: string) => string | undefined,
): string | undefined {
  const name = /^\/media\/([\w.-]+)$/.exec(first?.src ?? '')?.[1]
  return name === undefined || !first ? undefined : find(`${name}-${Math.max(...first.widths)}.webp`)
}
