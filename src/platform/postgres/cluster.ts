import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs'
import path from 'node:path'
import { asAccount } from './account.ts'
import type { Binaries } from './binaries.ts'
import { EmbeddedPostgresError } from './error.ts'
import type { DatabaseHome } from './home.ts'

/**
 * Creates the cluster unless it exists. It is made aside and put in place by one rename, so a second
 * process doing the same, or a power cut, never leaves half a database.
 */
export function ensureCluster(home: DatabaseHome, binaries: Binaries, durable: boolean): void {
  if (existsSync(home.cluster)) return refuseOtherMajor(home, binaries)
  const draft = path.join(home.folder, `draft-${randomBytes(6).toString('hex')}`)
  try {
    initialise(draft, home, binaries, durable)
    renameSync(draft, home.cluster)
  } catch (error) {
    rmSync(draft, { recursive: true, force: true })
    if (!existsSync(home.cluster)) throw error
  }
}

function initialise(target: string, home: DatabaseHome, binaries: Binaries, durable: boolean): void {
  const options = [
    ['--pgdata', target],
    ['--username', 'postgres'],
    ['--auth', 'peer'],
    ['--encoding', 'UTF8'],
    // The libraries that come along for other collations are old; these are PostgreSQL's own.
    ['--locale-provider', 'builtin'],
    ['--locale', 'C.UTF-8'],
  ].map(([name, value]) => `${name}=${value}`)
  const flags = ['--no-instructions', ...(durable ? [] : ['--no-sync'])]
  const initdb = path.join(binaries.binDir, 'initdb')
  const run = spawnSync(initdb, [...options, ...flags], { ...asAccount(home.account), encoding: 'utf8' })
  if (run.status === 0) return
  const reason = run.error?.message ?? run.stderr.trim()
  throw new EmbeddedPostgresError(`The database could not be created in ${home.folder}: ${reason}`)
}

function refuseOtherMajor(home: DatabaseHome, binaries: Binaries): void {
  const file = path.join(home.cluster, 'PG_VERSION')
  const made = existsSync(file) ? readFileSync(file, 'utf8').trim() : 'an unknown version'
  const major = binaries.version.split('.')[0]
  if (made === major) return
  throw new EmbeddedPostgresError(
    `The database in ${home.folder} was made by PostgreSQL ${made}; the installed programs are version ${major}. ` +
      'Back it up with the version of Volant that made it (npm run db:backup) and restore the file into a new DATA_DIR.',
  )
}
