import { once } from 'node:events'
import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { crc32, createDeflateRaw } from 'node:zlib'
import { Zip, type ZipInputFile, ZipPassThrough } from 'fflate'
import { translate } from '#i18n/server-translator.ts'
import type { Database, Sql } from '#platform/database.ts'
import { transact } from '#platform/transaction.ts'
import { LANGUAGES } from '#shared/languages.ts'
import { type LocalizedText, textIn } from '#shared/localized-text.ts'
import { toBytes } from '#draw-protocol/bytes.ts'
import { tagOf } from '#draw-protocol/formats.ts'
import { type StoredFile, drawFilesRepository } from '../draw-files.repository.ts'
import { fileParts } from '../draw-files.ts'
import { REGISTER, drawLogsRepository, type StoredCheckpoint } from '../draw-logs.repository.ts'
import { type RegisterFiles, registerOf } from './register-files.ts'

const LEAVES_AT_ONCE = 10_000
/** Below it compression is not worth its header. */
const SMALL_BYTES = 1_024
/** ZIP has no time zone and no year before 1980: every pack of the same files has the same bytes. */
const MODIFIED = new Date('1980-01-01T12:00:00')

/** An entry of an archive that is compressed in a thread, so that the event loop goes on. */
class DeflatedFile implements ZipInputFile {
  readonly filename: string
  readonly compression = 8
  size = 0
  crc = 0
  mtime?: Date
  ondata!: NonNullable<ZipInputFile['ondata']>
  readonly #deflate = createDeflateRaw({ level: 6 })

  constructor(filename: string) {
    this.filename = filename
    this.#deflate.on('data', (chunk: Buffer<ArrayBuffer>) => this.ondata(null, chunk, false))
  }

  async push(part: Uint8Array, isLast = false): Promise<void> {
    this.size += part.length
    this.crc = crc32(part, this.crc)
    if (!isLast) {
      if (!this.#deflate.write(part)) await once(this.#deflate, 'drain')
      return
    }
    this.#deflate.end(part)
    await finished(this.#deflate)
    this.ondata(null, new Uint8Array(), true)
  }
}

/** `log.txt` up to a size, in parts. */
export async function* logFile(db: Sql, logId: number, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < size; at += LEAVES_AT_ONCE) {
    const leaves = await drawLogsRepository(db).leaves(logId, at, Math.min(LEAVES_AT_ONCE, size - at))
    yield Buffer.from(leaves.map((leaf) => `${leaf}\n`).join(''))
  }
}

/** `checkpoints.txt` up to a checkpoint. */
export const checkpointsText = async (db: Sql, logId: number, last: StoredCheckpoint): Promise<string> =>
  (await drawLogsRepository(db).published(logId, last.id)).join('\n')

export interface Contest {
  id: number
  slug: string
  titles: LocalizedText
}

/** First line: docs/draw-v1.md, section 12. */
export const readme = (contest: Pick<Contest, 'titles'>, page: string, rehearsal = false): string =>
  [
    tagOf('volant-evidence-v1', rehearsal),
    ...LANGUAGES.flatMap((language) => {
      const title = textIn(contest.titles, language).text
      return [
        '',
        ...(rehearsal ? [translate(language, 'emails.drawEvidence.rehearsal')] : []),
        translate(language, 'emails.drawEvidence.title', { title }),
        translate(language, 'emails.drawEvidence.meaning'),
        translate(language, 'emails.drawEvidence.check', {
          page,
          protocol: new URL('/draw-v1.md', page).href,
        }),
      ]
    }),
    '',
  ].join('\n')

/** What a pack is made from: the last checkpoint, and the files of that moment. */
export interface PackFacts {
  last: StoredCheckpoint
  register: RegisterFiles
  files: StoredFile[]
}

/** A log without a file that it names, or the reverse, would be refused. */
export const packFacts = (db: Database, contest: Pick<Contest, 'id' | 'slug'>): Promise<PackFacts> =>
  transact(
    db,
    async (trx) => ({
      last: (await drawLogsRepository(trx).lastCheckpoint(contest.id))!,
      register: await registerOf(trx, contest),
      files: await drawFilesRepository(trx).all(contest.id),
    }),
    { isolation: 'repeatable read' },
  )

/**
 * The evidence pack as a stream: the log as the last checkpoint covers it, and the files of that moment.
 * @param page where people check it
 * @param facts those of now when left out
 */
export async function evidencePack(
  db: Database,
  contest: Contest,
  page: string,
  facts?: PackFacts,
): Promise<Readable> {
  const { id, slug } = contest
  const { last, register, files } = facts ?? (await packFacts(db, contest))
  async function* sources(): AsyncGenerator<PackedFile> {
    yield ['README.txt', true, [toBytes(readme(contest, page))]]
    yield ['log.txt', false, logFile(db, id, last.size)]
    yield ['checkpoints.txt', true, [toBytes(await checkpointsText(db, id, last))]]
    yield ['register.txt', false, logFile(db, REGISTER, register.size)]
    yield ['register-checkpoints.txt', true, [toBytes(register.checkpoints)]]
    for (const { name, bytes } of files) yield [name, isSmall(bytes), fileParts(db, id, name)]
  }
  return zipOf(slug, sources())
}

export type PackedFile = [
  name: string,
  isSmall: boolean,
  parts: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
]
export const isSmall = (bytes: number): boolean => bytes < SMALL_BYTES

/** Files in one folder of an archive, as a stream. */
export function zipOf(folder: string, files: AsyncIterable<PackedFile>): Readable {
  async function* zipped(): AsyncGenerator<Uint8Array> {
    let ready: Uint8Array[] = []
    const zip = new Zip((error, chunk) => {
      if (error) throw error
      ready.push(chunk)
    })
    for await (const [name, isSmallFile, parts] of files) {
      const path = `${folder}/${name}`
      const file = isSmallFile ? new ZipPassThrough(path) : new DeflatedFile(path)
      file.mtime = MODIFIED
      zip.add(file)
      for await (const part of parts) {
        await file.push(part)
        yield* ready
        ready = []
      }
      await file.push(new Uint8Array(), true)
    }
    zip.end()
    yield* ready
  }
  return Readable.from(zipped())
}
