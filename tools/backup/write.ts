import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import type { Client } from 'pg'
import { create } from 'tar'
import { releaseName } from '#server/release.ts'
import { dump } from '../database/dump.ts'
import { atEnd } from '../run/ending.ts'
import {
  type Backup,
  ENCRYPTED,
  MANIFEST,
  type Manifest,
  SUMS,
  draftOf,
  hashOf,
  sync,
  timeOf,
} from './folder.ts'
import { writePart } from './streams.ts'

export const DATABASE = 'database.gz'
export const FILES = 'files.tar.gz'

/** What of DATA_DIR nothing makes again. Keys are never in a backup. */
export const KEPT_FILES = ['media', 'paypal-emulator.json'] as const

interface WriteOptions {
  client: Client
  parent: string
  name: string
  dataDir: string
  publicKeys: readonly string[]
}

/** Writes a whole backup; a failure leaves nothing. */
export async function writeWholeBackup(options: WriteOptions): Promise<Backup> {
  const { client, parent, name, dataDir, publicKeys } = options
  const folder = path.join(parent, name)
  if (existsSync(folder)) throw new Error(`${folder} exists already.`)
  await mkdir(parent, { recursive: true, mode: 0o700 })
  const draft = path.join(parent, draftOf(name))
  await mkdir(draft, { mode: 0o700 })
  const remove = () => rm(draft, { recursive: true, force: true })
  const done = atEnd(remove)
  try {
    const end = publicKeys.length > 0 ? ENCRYPTED : ''
    const at = (part: string): string => path.join(draft, part + end)
    const { counts, ...database } = await writeDatabase(client, at(DATABASE), publicKeys)
    const files = await writeFiles(dataDir, at(FILES), publicKeys)
    const manifest: Manifest = {
      kind: 'volant-backup',
      format: 1,
      name,
      release: releaseName(),
      isEncrypted: publicKeys.length > 0,
      rows: Object.values(counts).reduce((sum, rows) => sum + rows, 0),
      files: { [DATABASE + end]: database, [FILES + end]: files },
    }
    const described = path.join(draft, MANIFEST)
    await writeFile(described, `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600, flush: true })
    const sums = Object.entries(manifest.files).map(([file, { sha256 }]) => `${sha256}  ${file}\n`)
    sums.push(`${await hashOf(described)}  ${MANIFEST}\n`)
    await writeFile(path.join(draft, SUMS), sums.join(''), { mode: 0o600, flush: true })
    await sync(draft)
    await rename(draft, folder)
    await sync(parent)
    return { name, folder, at: timeOf(name)!, manifest }
  } catch (error) {
    await remove()
    throw error
  } finally {
    done()
  }
}

/** Writes one snapshot of the database, while the shop sells. @returns the rows of each table, and what the file has */
export async function writeDatabase(client: Client, file: string, publicKeys: readonly string[]) {
  const source = new PassThrough()
  const writing = writePart(file, source, publicKeys)
  const reading = dump(client, async (chunk) => {
    if (!source.write(chunk)) await Promise.race([once(source, 'drain'), writing])
  }).then(
    (counts) => {
      source.end()
      return counts
    },
    (error: unknown) => {
      source.destroy(error as Error)
      throw error
    },
  )
  // The disk's fault, where there is one, and not that nobody reads any more.
  const [read, written] = await Promise.allSettled([reading, writing])
  if (read.status === 'rejected' && source.errored === read.reason) throw read.reason
  if (written.status === 'rejected') throw written.reason
  if (read.status === 'rejected') throw read.reason
  return { counts: read.value, ...written.value }
}

async function writeFiles(dataDir: string, file: string, publicKeys: readonly string[]) {
  const names = KEPT_FILES.filter((name) => existsSync(path.join(dataDir, name)))
  const archive = names.length > 0 ? create({ cwd: dataDir, portable: true, strict: true }, names) : EMPTY_TAR
  return writePart(file, Readable.from(archive), publicKeys)
}

/** Two blocks of zeros are the end of an archive. */
const EMPTY_TAR = [Buffer.alloc(1_024)]
