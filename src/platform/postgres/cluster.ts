import { spawnSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fchmodSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import path from 'node:path'
import { asAccount } from './account.ts'
import type { Binaries } from './binaries.ts'
import { EmbeddedPostgresError } from './error.ts'
import { type DatabaseHome, SOCKET_PORT } from './home.ts'

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

/** Name shown in the process list, so that leftovers of this very cluster can be told from others. */
export const clusterName = (home: DatabaseHome): string =>
  `volant-${createHash('sha256').update(home.cluster).digest('hex').slice(0, 10)}`

/**
 * Settings for a small live shop on two cores. They stand in a file that `ALTER SYSTEM` overrides.
 * Statements and error details stay out of the log because they carry personal data.
 */
const SETTINGS = `# Written at every start; change settings with ALTER SYSTEM.
include 'cluster/postgresql.conf'
max_connections = 100
shared_buffers = 128MB
effective_cache_size = 1GB
work_mem = 8MB
random_page_cost = 1.1
jit = off
max_parallel_workers_per_gather = 0
io_method = sync
min_wal_size = 80MB
max_wal_size = 512MB
idle_in_transaction_session_timeout = 60s
timezone = 'UTC'
log_timezone = 'UTC'
logging_collector = on
log_directory = '../log'
log_filename = 'postgresql-%a.log'
log_truncate_on_rotation = on
log_rotation_age = 1d
log_rotation_size = 0
log_checkpoints = off
log_error_verbosity = terse
log_min_error_statement = panic
`

const DURABLE = `fsync = on
synchronous_commit = on
full_page_writes = on
`

const THROW_AWAY = `fsync = off
synchronous_commit = off
full_page_writes = off
autovacuum_naptime = 5min
`

/** Only the operating system's word counts for who connects: nobody else owns a key, and there is no password. */
const ACCESS = 'local all all peer map=volant\n'

const identities = (accountName: string): string =>
  ['root', accountName]
    .flatMap((name) => ['volant', 'postgres'].map((role) => `volant "${name}" ${role}\n`))
    .join('')

/** The server's account reads these files, and root may be the one who writes them. */
const READABLE_BY_ALL = 0o644

function writeWhole(file: string, text: string): void {
  const found = lstatSync(file, { throwIfNoEntry: false })
  const isReadable = found?.isFile() && (found.mode & 0o777) === READABLE_BY_ALL
  if (isReadable && readFileSync(file, 'utf8') === text) return
  const draft = `${file}.${process.pid}`
  // The folder belongs to the account: root must not write, or change a mode, through a link placed there.
  rmSync(draft, { force: true })
  const handle = openSync(draft, 'wx')
  try {
    // Explicitly, because a strict umask takes the bits away from a mode given to open().
    fchmodSync(handle, READABLE_BY_ALL)
    writeSync(handle, text)
  } finally {
    closeSync(handle)
  }
  renameSync(draft, file)
}

/** Writes the settings, access and identity files into the home; each appears whole or not at all. */
export function writeSettings(home: DatabaseHome, durable: boolean): void {
  writeWhole(path.join(home.folder, 'settings.conf'), SETTINGS + (durable ? DURABLE : THROW_AWAY))
  writeWhole(path.join(home.folder, 'access.conf'), ACCESS)
  writeWhole(path.join(home.folder, 'identity.conf'), identities(home.account.name))
}

/** Command line of the server. What keeps it private stands here, where no file can change it. */
export const serverArguments = (home: DatabaseHome, socketDir: string): string[] => {
  const settings = {
    config_file: path.join(home.folder, 'settings.conf'),
    listen_addresses: '',
    port: String(SOCKET_PORT),
    unix_socket_directories: `"${socketDir}"`,
    unix_socket_permissions: '0777',
    hba_file: path.join(home.folder, 'access.conf'),
    ident_file: path.join(home.folder, 'identity.conf'),
    ssl: 'off',
    cluster_name: clusterName(home),
  }
  return [
    '-D',
    home.cluster,
    ...Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${value}`]),
  ]
}
