import { createHash } from 'node:crypto'
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { DatabaseHome } from './home.ts'
import { SOCKET_PORT } from './socket-folder.ts'

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

const writeWhole = (file: string, text: string): void => {
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return
  const draft = `${file}.${process.pid}`
  // The folder is the account's: root must not write through a link laid there.
  rmSync(draft, { force: true })
  writeFileSync(draft, text, { mode: 0o644, flag: 'wx' })
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
