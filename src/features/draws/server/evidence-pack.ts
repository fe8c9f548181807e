import { Readable } from 'node:stream'
import { Zip, ZipDeflate, ZipPassThrough } from 'fflate'
import { translate } from '#i18n/server-translator.ts'
import type { Database, Sql } from '#platform/database.ts'
import { transact } from '#platform/transaction.ts'
import { LANGUAGES, localized } from '#shared/languages.ts'
import { toBytes } from '../protocol/bytes.ts'
import { drawFilesRepository } from './draw-files.repository.ts'
import { fileParts } from './draw-files.ts'
import { drawLogsRepository, type StoredCheckpoint } from './draw-logs.repository.ts'

const LEAVES_AT_ONCE = 10_000
/** Below it compression is not worth its header. */
const SMALL_BYTES = 1_024
/** ZIP has no time zone and no year before 1980: every pack of the same files has the same bytes. */
const MODIFIED = new Date('1980-01-01T12:00:00')

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

interface Contest {
  id: number
  slug: string
  title: string
  title_nl: string
  title_en: string
}

/** First line: docs/draw-v1.md, section 11. */
const readme = (contest: Contest, page: string): string =>
  [
    'volant-evidence-v1',
    ...LANGUAGES.flatMap((language) => {
      const title = localized(contest, 'title', language).text
      return [
        '',
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

/**
 * The evidence pack as a stream: the log as the last checkpoint covers it, and the files of that moment.
 * @param page where people check it
 */
export async function evidencePack(db: Database, contest: Contest, page: string): Promise<Readable> {
  const { id, slug } = contest
  // A log without a file that it names, or the reverse, would be refused.
  const { last, files } = await transact(
    db,
    async (trx) => ({
      last: (await drawLogsRepository(trx).lastCheckpoint(id))!,
      files: await drawFilesRepository(trx).all(id),
    }),
    { isolation: 'repeatable read' },
  )
  async function* sources(): AsyncGenerator<
    [name: string, isSmall: boolean, parts: Iterable<Uint8Array> | AsyncIterable<Uint8Array>]
  > {
    yield ['README.txt', true, [toBytes(readme(contest, page))]]
    yield ['log.txt', false, logFile(db, id, last.size)]
    yield ['checkpoints.txt', true, [toBytes(await checkpointsText(db, id, last))]]
    for (const { name, bytes } of files) yield [name, bytes < SMALL_BYTES, fileParts(db, id, name)]
  }
  async function* zipped(): AsyncGenerator<Uint8Array> {
    let ready: Uint8Array[] = []
    const zip = new Zip((error, chunk) => {
      if (error) throw error
      ready.push(chunk)
    })
    for await (const [name, isSmall, parts] of sources()) {
      const path = `${slug}/${name}`
      const file = isSmall ? new ZipPassThrough(path) : new ZipDeflate(path, { level: 6 })
      file.mtime = MODIFIED
      zip.add(file)
      for await (const part of parts) {
        file.push(part)
        yield* ready
        ready = []
      }
      file.push(new Uint8Array(), true)
    }
    zip.end()
    yield* ready
  }
  return Readable.from(zipped())
}
