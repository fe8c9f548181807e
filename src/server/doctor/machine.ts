import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { rm, statfs, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { isDemonstration } from '#features/demo/server/index.ts'
import type { Database } from '#platform/database.ts'
import { SETTINGS } from '../settings.ts'
import { type Config, settingsInForce } from '../config.ts'
import { type Check, type Finding, fault, ok, reasonOf, skipped, warning } from './findings.ts'

/** Names that belong to nobody (RFC 2606). */
const RESERVED =
  /(?:^|[\s/.@"])(?:(?:[\w-]+\.)*[\w-]+\.(?:example|test|invalid)|(?:[\w-]+\.)*example\.(?:com|net|org))(?=$|[\s/:"])/i
/** Of nobody's business: a link in the footer. */
const HARMLESS: ReadonlySet<string> = new Set([SETTINGS.developerUrl.name])

/**
 * In live mode nobody reads emails to an address of the demonstration, no link with one leads anywhere, and a shop does not
 * start on the demonstration's contests and accounts.
 */
export const demoValuesCheck =
  (config: Config, db: Database): Check =>
  async () => {
    if (config.demo) return skipped('demo')
    // Whether the database responds at all is a check of its own.
    if (await isDemonstration(db).catch(() => false)) return fault('filled')
    const names = settingsInForce(config)
      .filter(({ name, value }) => value !== null && !HARMLESS.has(name) && RESERVED.test(value))
      .map(({ name }) => name)
    return names.length > 0 ? fault('left', { names: names.join(', ') }) : ok('none')
  }

const MEGABYTE = 1024 ** 2
const TIGHT_BYTES = 2_048 * MEGABYTE
const FULL_BYTES = 256 * MEGABYTE

/** Itself, or what it would be made in. */
const existing = (folder: string): string =>
  existsSync(folder) || path.dirname(folder) === folder ? folder : existing(path.dirname(folder))

/** Whether the folder takes a file, or could be made, and what room is left. */
export const dataDirCheck =
  ({ dataDir }: Pick<Config, 'dataDir'>, tightBytes = TIGHT_BYTES, fullBytes = FULL_BYTES): Check =>
  async () => {
    const folder = path.resolve(dataDir)
    const place = existing(folder)
    const file = path.join(place, `.doctor-${randomUUID()}`)
    try {
      await writeFile(file, 'x', { flag: 'wx', flush: true })
    } catch (error) {
      return fault('unwritable', { folder, reason: reasonOf(error) })
    } finally {
      await rm(file, { force: true }).catch(() => {})
    }
    return roomIn(folder, place, tightBytes, fullBytes)
  }

/** What room is left on the disk of a folder. @param place that exists, where the folder may not yet */
export async function roomIn(
  folder: string,
  place = folder,
  tightBytes = TIGHT_BYTES,
  fullBytes = FULL_BYTES,
): Promise<Finding> {
  const { bavail, bsize } = await statfs(place)
  const free = bavail * bsize
  const values = { folder, megabytes: Math.floor(free / MEGABYTE) }
  if (free < fullBytes) return fault('full', values)
  return free < tightBytes ? warning('tight', values) : ok('room', values)
}
