import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'

/** One step of the database's shape: `db/migrations/0001-name.sql`. */
export interface MigrationFile {
  version: number
  name: string
  sql: string
  /** Of the text with LF line ends, so that a checkout on another system counts as the same. */
  checksum: string
}

/** The migrations cannot be applied; the message tells the operator why. */
export class MigrationError extends Error {
  override name = 'MigrationError'
}

const FILE_NAME = /^(\d{4})-([a-z0-9-]+)\.sql$/

/** Reads the migrations of a folder in order; versions must run 1, 2, 3 without gap or double. */
export async function readMigrations(folder: string): Promise<MigrationFile[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).toSorted()
  const files = await Promise.all(names.map((name) => readMigration(folder, name)))
  for (const [index, file] of files.entries()) {
    if (file.version === index + 1) continue
    throw new MigrationError(
      `${folder}: expected number ${String(index + 1).padStart(4, '0')} and found ${names[index]}.`,
    )
  }
  return files
}

async function readMigration(folder: string, fileName: string): Promise<MigrationFile> {
  const parts = FILE_NAME.exec(fileName)
  if (!parts?.[1] || !parts[2]) {
    throw new MigrationError(`${folder}/${fileName}: a migration is named like 0001-what-it-does.sql.`)
  }
  const sql = (await readFile(path.join(folder, fileName), 'utf8')).replaceAll('\r\n', '\n')
  const checksum = createHash('sha256').update(sql).digest('hex')
  return { version: Number(parts[1]), name: parts[2], sql, checksum }
}
