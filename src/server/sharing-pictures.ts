import { createHash, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FastifyBaseLogger } from 'fastify'
import { type OfferRow, offersRepository } from '#features/offers/server/index.ts'
import { isStored, pictureWorks, sharedPicture } from '#features/pictures/server/index.ts'
import type { Database } from '#platform/database.ts'

const DEMO_PICTURES = fileURLToPath(new URL('../../db/demo/pictures', import.meta.url))

const ownFolder = (dataDir: string): string => path.resolve(dataDir, 'media')

/** The shop's own folder first, then that of the demonstration. */
export const mediaFolders = (dataDir: string): string[] =>
  [ownFolder(dataDir), DEMO_PICTURES].filter((folder) => existsSync(folder))

/** A file, or the bytes of one. */
export type FoundPicture = { file: string } | { bytes: Buffer; hash: string }

type Deps = { db: Database; dataDir: string; log: FastifyBaseLogger }

/**
 * Sharing pictures: `og-<slug>.jpg` of a folder, else that of the first picture: made with the others when it was
 * uploaded, or made of its file and cached in DATA_DIR/sharing.
 */
export function sharingPictures({ db, dataDir, log }: Deps) {
  const offers = offersRepository(db)
  const kept = path.resolve(dataDir, 'sharing')
  const folders = mediaFolders(dataDir)
  const underWay = new Map<string, Promise<string | undefined>>()

  const find = (name: string): string | undefined =>
    folders.map((folder) => path.join(folder, name)).find((file) => existsSync(file))

  /** Depends on the first picture. */
  function keptName(offer: Shared): string | undefined {
    const src = offer.pictures[0]?.src
    if (src === undefined) return undefined
    return `${offer.slug}-${createHash('sha256').update(src).digest('hex').slice(0, 16)}.jpg`
  }

  async function make(offer: Shared, file: string): Promise<string | undefined> {
    const source = sourceOf(offer, find)
    if (!source) return undefined
    const jpeg = await pictureWorks.share(await readFile(source))
    await mkdir(kept, { recursive: true })
    const draft = path.join(kept, `${randomUUID()}.tmp`)
    await writeFile(draft, jpeg)
    await rename(draft, file)
    return file
  }

  /** Concurrent callers share one picture. */
  function made(offer: Shared, file: string): Promise<string | undefined> {
    const running = underWay.get(file)
    if (running) return running
    const making = make(offer, file)
      .catch((error: unknown) => {
        log.warn({ err: error, slug: offer.slug }, 'no picture for sharing could be made')
        return undefined
      })
      .finally(() => underWay.delete(file))
    underWay.set(file, making)
    return making
  }

  async function keptFile(offer: Shared): Promise<string | undefined> {
    const name = keptName(offer)
    if (name === undefined) return undefined
    const file = path.join(kept, name)
    return existsSync(file) ? file : await made(offer, file)
  }

  /** The demonstration's own picture shows what the contest began with. */
  async function fromDatabase({ slug, pictures: [first] }: Shared): Promise<FoundPicture | undefined> {
    if (!first || !isStored(first.src)) return undefined
    const file = path.join(ownFolder(dataDir), nameOf(slug))
    return existsSync(file) ? { file } : await sharedPicture(db, first.src)
  }

  return {
    /** Null when the contest has no picture, undefined when there is neither a contest nor a file. */
    async bySlug(slug: string): Promise<FoundPicture | null | undefined> {
      const offer = await offers.bySlug(slug)
      const stored = offer && (await fromDatabase(offer))
      if (stored) return stored
      const file = find(nameOf(slug)) ?? (offer && (await keptFile(offer)))
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
      const wanting = list.filter(
        ({ slug, pictures: [first] }) => find(nameOf(slug)) === undefined && !isStored(first?.src ?? ''),
      )
      for (const offer of wanting) await keptFile(offer)
      // Those of emails are made when one is opened.
      const needed = new Set(
        list.filter(({ pictures: [first] }) => !isStored(first?.src ?? '')).map(keptName),
      )
      const found = existsSync(kept) ? await readdir(kept) : []
      for (const name of found.filter((one) => one.endsWith('.jpg') && !needed.has(one))) {
        await rm(path.join(kept, name), { force: true })
      }
    },
  }
}

type Shared = Pick<OfferRow, 'slug' | 'pictures'>

const nameOf = (slug: string): string => `og-${slug}.jpg`

/** The first picture in its largest size, if it is in one of our folders. */
function sourceOf(
  { pictures: [first] }: Shared,
  find: (name: string) => string | undefined,
): string | undefined {
  const name = /^\/media\/([\w.-]+)$/.exec(first?.src ?? '')?.[1]
  return name === undefined || !first ? undefined : find(`${name}-${Math.max(...first.widths)}.webp`)
}
