import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { newId } from '#platform/ids.ts'
import type { Database } from '#platform/database.ts'
import { nowMs } from '#shared/clock.ts'
import { type Contest, type PackFacts, evidencePack, packFacts } from './evidence-pack.ts'

/** An archive that can be sent as it is. */
export interface StoredPack {
  etag: string
  bytes: number
  stream: Readable
}

/**
 * Evidence packs as files, one for each contest, made when somebody asks and something has changed. All who ask while one
 * is made get that one, so that a crowd costs one compression.
 * @param folder may be shared by several processes
 */
export function storedPacks(db: Database, folder: string) {
  const making = new Map<number, Promise<{ etag: string; file: string }>>()

  async function make(contest: Contest, page: string): Promise<{ etag: string; file: string }> {
    const facts = await packFacts(db, contest)
    const etag = etagOf(contest, page, facts)
    const file = path.join(folder, `${contest.slug}.${etag}.zip`)
    if (await isThere(file)) return { etag, file }
    await mkdir(folder, { recursive: true })
    const draft = path.join(folder, `${contest.slug}.${newId(nowMs())}.part`)
    try {
      await pipeline(await evidencePack(db, contest, page, facts), createWriteStream(draft))
      await rename(draft, file)
    } catch (error) {
      await rm(draft, { force: true })
      throw error
    }
    await removeOthers(folder, contest.slug, path.basename(file))
    return { etag, file }
  }

  /** Joins whoever makes it already. */
  async function made(contest: Contest, page: string): Promise<{ etag: string; file: string }> {
    const running = making.get(contest.id)
    if (running) return running
    const begun = make(contest, page)
    making.set(contest.id, begun)
    try {
      return await begun
    } finally {
      making.delete(contest.id)
    }
  }

  return {
    /** The tag of the pack as it is now. */
    etag: async (contest: Contest, page: string): Promise<string> =>
      etagOf(contest, page, await packFacts(db, contest)),

    /** The pack as it is now, or as it was when one began to be made that is not ready yet. The stream must be read or destroyed. */
    async open(contest: Contest, page: string): Promise<StoredPack> {
      for (;;) {
        const { etag, file } = await made(contest, page)
        const handle = await openIfThere(file)
        // Else a later one has taken its place.
        if (handle) return { etag, bytes: (await handle.stat()).size, stream: handle.createReadStream() }
      }
    },
  }
}

/**
 * Every file of a pack but time stamps comes with a leaf, so the checkpoint names its state; titles and address stand in the
 * README.
 */
const etagOf = ({ titles }: Contest, page: string, { last, register, files }: PackFacts): string =>
  createHash('sha256')
    .update(JSON.stringify([titles, page, last.note, register.checkpoints, files.map(({ name }) => name)]))
    .digest('hex')
    .slice(0, 32)

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT'

const isThere = (file: string): Promise<boolean> =>
  stat(file).then(
    () => true,
    (error: unknown) => {
      if (isMissing(error)) return false
      throw error
    },
  )

async function openIfThere(file: string): Promise<FileHandle | undefined> {
  try {
    return await open(file)
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

/** After so long nobody writes a draft any more. */
const DRAFT_MS = 3_600_000

/** Removes former archives of the contest, and drafts that a killed process has left. */
async function removeOthers(folder: string, slug: string, but: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith(`${slug}.`) || name === but) continue
    const file = path.join(folder, name)
    const isOver = name.endsWith('.zip') || (await ageOf(file)) > DRAFT_MS
    if (isOver) await rm(file, { force: true })
  }
}

const ageOf = async (file: string): Promise<number> =>
  stat(file).then(
    ({ mtimeMs }) => nowMs() - mtimeMs,
    () => 0,
  )
