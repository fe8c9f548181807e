import { createHash, randomBytes } from 'node:crypto'
import { type Dirent, createReadStream } from 'node:fs'
import { open, readFile, readdir, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import * as z from 'zod'
import { isAlive } from '#platform/postgres/process-table.ts'
import { DumpError } from '../database/dump.ts'

/** A backup is a folder of this name, with these files. */
const NAME = /^volant-(\d{4}-\d{2}-\d{2})T(\d{2})(\d{2})(\d{2})Z$/
/** What is being written or removed has another name. */
const DRAFT = /^\.volant-\d{4}-\d{2}-\d{2}T\d{6}Z\.part-(\d+)-[0-9a-f]{8}$/
export const MANIFEST = 'backup.json'
export const SUMS = 'SHA256SUMS'
export const ENCRYPTED = '.age'

const KIND = 'volant-backup'
const FORMAT = 1

/** Of any format. */
const description = z.object({ kind: z.literal(KIND), format: z.number() })

const manifestOf = z.object({
  kind: z.literal(KIND),
  format: z.literal(FORMAT),
  name: z.string().regex(NAME),
  /** Version of the shop that wrote it. */
  release: z.string(),
  isEncrypted: z.boolean(),
  rows: z.number(),
  files: z.record(
    z.string().regex(/^[\w.-]+$/),
    z.object({
      bytes: z.number(),
      /** Hexadecimal SHA-256. */
      sha256: z.string(),
    }),
  ),
})

export type Manifest = z.infer<typeof manifestOf>
export type PartOfBackup = Manifest['files'][string]

export interface Backup {
  name: string
  folder: string
  at: Date
  manifest: Manifest
}

/** "volant-2026-01-31T034012Z" */
export const nameAt = (at: Date): string => `volant-${at.toISOString().slice(0, 19).replaceAll(/:/g, '')}Z`

export function timeOf(name: string): Date | undefined {
  const [, day, hour, minute, second] = NAME.exec(name) ?? []
  return day === undefined ? undefined : new Date(`${day}T${hour}:${minute}:${second}Z`)
}

export const draftOf = (name: string): string =>
  `.${name}.part-${process.pid}-${randomBytes(4).toString('hex')}`

export async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return hash.digest('hex')
}

/** Flushes a file or a folder to the disk. */
export async function sync(name: string): Promise<void> {
  const handle = await open(name, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** @throws DumpError for a folder that is no backup, or not whole */
export async function readManifest(folder: string): Promise<Backup> {
  const name = path.basename(folder)
  const text = await readFile(path.join(folder, MANIFEST), 'utf8').catch(() => {
    throw new DumpError(`${folder} is no backup: it has no ${MANIFEST}.`)
  })
  let read: unknown
  try {
    read = JSON.parse(text)
  } catch {
    throw new DumpError(`${folder} is damaged: its ${MANIFEST} cannot be read.`)
  }
  const described = description.safeParse(read).data
  if (!described) throw new DumpError(`${folder} is no backup of Volant.`)
  if (described.format !== FORMAT)
    throw new DumpError(`${folder} has format ${described.format}; this version reads ${FORMAT}.`)
  const manifest = manifestOf.safeParse(read).data
  if (!manifest) throw new DumpError(`${folder} is damaged: its ${MANIFEST} lacks something.`)
  for (const [file, { bytes }] of Object.entries(manifest.files)) {
    const found = await stat(path.join(folder, file)).catch(() => undefined)
    if (found?.size !== bytes)
      throw new DumpError(
        `${folder} is not whole: ${file} has ${found ? found.size : 'no'} of ${bytes} bytes.`,
      )
  }
  return { name, folder, at: timeOf(manifest.name)!, manifest }
}

/** Reads every byte. @throws DumpError when one differs */
export async function verifySums({ folder, manifest }: Backup): Promise<void> {
  for (const [file, { sha256 }] of Object.entries(manifest.files))
    if ((await hashOf(path.join(folder, file))) !== sha256)
      throw new DumpError(`${folder} is damaged: ${file} has another checksum.`)
}

const entriesOf = (parent: string): Promise<Dirent[]> =>
  readdir(parent, { withFileTypes: true }).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  })

/** The whole backups in a folder, the newest first, and what is wrong with others that have such a name. */
export async function listBackups(parent: string): Promise<{ backups: Backup[]; faults: string[] }> {
  const names = (await entriesOf(parent)).filter((one) => one.isDirectory() && NAME.test(one.name))
  const backups: Backup[] = []
  const faults: string[] = []
  for (const { name } of names)
    try {
      const backup = await readManifest(path.join(parent, name))
      if (backup.manifest.name === name) backups.push(backup)
      else faults.push(`${backup.folder} was ${backup.manifest.name} once.`)
    } catch (error) {
      if (!(error instanceof DumpError)) throw error
      faults.push(error.message)
    }
  return { backups: backups.toSorted((one, other) => other.at.getTime() - one.at.getTime()), faults }
}

/** Removes a backup, unless somebody has put something else there. @returns whether it is gone */
export async function removeBackup({ name, folder, manifest }: Backup): Promise<boolean> {
  const own = new Set([MANIFEST, SUMS, ...Object.keys(manifest.files)])
  if ((await readdir(folder)).some((file) => !own.has(file))) return false
  // Never a part of a backup under the name of a whole one.
  const leaving = path.join(path.dirname(folder), draftOf(name))
  await rename(folder, leaving)
  await rm(leaving, { recursive: true })
  return true
}

/** Removes what a run that was killed has left. @returns the number */
export async function removeDrafts(parent: string): Promise<number> {
  let removed = 0
  for (const entry of await entriesOf(parent)) {
    const pid = Number(DRAFT.exec(entry.name)?.[1])
    if (!entry.isDirectory() || !pid || (pid !== process.pid && isAlive(pid))) continue
    await rm(path.join(parent, entry.name), { recursive: true })
    removed += 1
  }
  return removed
}
