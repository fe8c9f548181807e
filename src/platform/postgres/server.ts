import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Binaries } from './binaries.ts'
import {
  asAccount,
  type DatabaseHome,
  EmbeddedPostgresError,
  mustRun,
  type ServerAccount,
  sharedAccount,
  SOCKET_PORT,
  temporaryFolderOf,
} from './home.ts'
import type { PlatformLog } from './log.ts'
import { commandLine, isAlive, listProcesses, processExists } from './process-table.ts'

/** Creates a missing cluster as a draft; one rename puts it in place, so that no half cluster exists. */
export function ensureCluster(home: DatabaseHome, binaries: Binaries, durable: boolean): void {
  if (fs.existsSync(home.cluster)) return refuseOtherMajor(home, binaries)
  const draft = path.join(home.folder, `draft-${randomBytes(6).toString('hex')}`)
  try {
    if (home.account.name === String(home.account.uid)) initialiseForNameless(draft, home, binaries, durable)
    else initialise(draft, home.account, binaries, durable, home.folder)
    fs.renameSync(draft, home.cluster)
  } catch (error) {
    fs.rmSync(draft, { recursive: true, force: true })
    if (!fs.existsSync(home.cluster)) throw error
  }
}

/** Here initdb refuses to run, so an account with a name makes the files, and gives them away before any server runs. */
function initialiseForNameless(
  draft: string,
  home: DatabaseHome,
  binaries: Binaries,
  durable: boolean,
): void {
  const maker = sharedAccount()
  const folder = temporaryFolderOf(maker)
  try {
    const made = path.join(folder, 'cluster')
    initialise(made, maker, binaries, false, home.folder)
    const fault = notCreated(home.folder)
    mustRun(fault, 'cp', ['-a', made, draft])
    mustRun(fault, 'chown', ['-hR', `${home.account.uid}:${home.account.gid}`, draft])
    const initdb = path.join(binaries.binDir, 'initdb')
    if (durable) mustRun(fault, initdb, ['--sync-only', `--pgdata=${draft}`], asAccount(home.account))
  } finally {
    fs.rmSync(folder, { recursive: true, force: true })
  }
}

const notCreated = (folder: string): string => `The database could not be created in ${folder} (DATA_DIR)`

function initialise(
  target: string,
  account: ServerAccount,
  binaries: Binaries,
  durable: boolean,
  folder: string,
): void {
  const options = [
    ['--pgdata', target],
    ['--username', 'postgres'],
    ['--auth', 'peer'],
    ['--encoding', 'UTF8'],
    // The bundled libraries for other collations are old; this one is PostgreSQL's own.
    ['--locale-provider', 'builtin'],
    ['--locale', 'C.UTF-8'],
  ].map(([name, value]) => `${name}=${value}`)
  const flags = ['--no-instructions', ...(durable ? [] : ['--no-sync'])]
  const initdb = path.join(binaries.binDir, 'initdb')
  mustRun(notCreated(folder), initdb, [...options, ...flags], asAccount(account))
}

function refuseOtherMajor(home: DatabaseHome, binaries: Binaries): void {
  const file = path.join(home.cluster, 'PG_VERSION')
  const made = fs.existsSync(file) ? fs.readFileSync(file, 'utf8').trim() : 'an unknown version'
  const major = binaries.version.split('.')[0]
  if (made === major) return
  throw new EmbeddedPostgresError(
    `The database in ${home.folder} was made by PostgreSQL ${made}; the installed programs are version ${major}. ` +
      'Back it up with the version of Volant that made it (npm run backup) and restore it into a new DATA_DIR.',
  )
}

/** Name in the process list. */
const clusterName = (home: DatabaseHome): string =>
  `volant-${createHash('sha256').update(home.cluster).digest('hex').slice(0, 10)}`

// For a small shop on two cores; `ALTER SYSTEM` overrides it. Statements and error details would log personal data.
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

/** The operating system authenticates; there is no password. */
const ACCESS = 'local all all peer map=volant\n'

const identities = ({ clients }: ServerAccount): string =>
  clients.flatMap((name) => ['volant', 'postgres'].map((role) => `volant "${name}" ${role}\n`)).join('')

/** Root may write the files that the server's account reads. */
const READABLE_BY_ALL = 0o644

/** @returns whether the file was another one */
function writeWhole(file: string, text: string): boolean {
  const found = fs.lstatSync(file, { throwIfNoEntry: false })
  const isReadable = found?.isFile() && (found.mode & 0o777) === READABLE_BY_ALL
  if (isReadable && fs.readFileSync(file, 'utf8') === text) return false
  const draft = `${file}.${process.pid}`
  // The folder belongs to the account: root must not write, or change a mode, through a link in it.
  fs.rmSync(draft, { force: true })
  const handle = fs.openSync(draft, 'wx')
  try {
    // A umask would reduce a mode given to open().
    fs.fchmodSync(handle, READABLE_BY_ALL)
    fs.writeSync(handle, text)
  } finally {
    fs.closeSync(handle)
  }
  fs.renameSync(draft, file)
  return true
}

/** Each file appears whole or not at all. @returns whether a running server must read who may connect again */
export function writeSettings(home: DatabaseHome, durable: boolean): boolean {
  writeWhole(path.join(home.folder, 'settings.conf'), SETTINGS + (durable ? DURABLE : THROW_AWAY))
  const access = writeWhole(path.join(home.folder, 'access.conf'), ACCESS)
  const identity = writeWhole(path.join(home.folder, 'identity.conf'), identities(home.account))
  return access || identity
}

/** Arguments keep the server private: no settings file overrides them. */
const serverArguments = (home: DatabaseHome, socketDir: string): string[] => {
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

export interface RunningServer extends Postmaster {
  adopted: boolean
}

interface ServerFiles {
  home: DatabaseHome
  binaries: Binaries
  socketDir: string
  log: PlatformLog
}

// After a kill -9 the old server's children hold its shared memory for a moment.
const PAUSES_MS = [100, 300, 600, 1000]
const POLL_MS = 15
const PATIENCE_MS = 10 * 60_000
const FAST_SHUTDOWN_MS = 30_000

/** Adopts or starts the server, with retries for two seconds. PostgreSQL's pid file decides races; the loser adopts. */
export async function ensureServer(files: ServerFiles): Promise<RunningServer> {
  const { home, log } = files
  const found = await waitUntilReady(home, log)
  if (found) return { ...found, adopted: true }
  for (let attempt = 0; ; attempt += 1) {
    if (clearStaleLocks(home, files.socketDir))
      log.warn({}, 'removed the lock files of a database server that is gone')
    const outcome = await launch(files)
    if (outcome.server) return outcome.server
    const pause = PAUSES_MS[attempt]
    if (pause === undefined) {
      throw new EmbeddedPostgresError(`The database in ${home.folder} does not start: ${outcome.reason}`)
    }
    log.warn({ attempt: attempt + 1, reason: outcome.reason }, 'the database did not start, trying again')
    await sleep(pause)
  }
}

/** Waits while a server is starting or stopping; undefined when none runs. */
async function waitUntilReady(home: DatabaseHome, log: PlatformLog): Promise<Postmaster | undefined> {
  const began = performance.now()
  let loggedAt = began
  for (;;) {
    const server = findPostmaster(home)
    if (!server || server.ready) return server
    const now = performance.now()
    if (now - began > PATIENCE_MS)
      throw new EmbeddedPostgresError(`The database in ${home.folder} is not ready yet.`)
    if (now - loggedAt > 5_000) {
      loggedAt = now
      log.info({ pid: server.pid }, 'waiting for the database, it may be recovering from a crash')
    }
    await sleep(POLL_MS)
  }
}

async function launch(files: ServerFiles): Promise<{ server?: RunningServer; reason: string }> {
  const { home, binaries, socketDir, log } = files
  const logFile = path.join(home.folder, `start-${randomBytes(4).toString('hex')}.log`)
  const output = fs.openSync(logFile, 'wx', 0o600)
  try {
    // Its own process group: Ctrl-C must not stop it before the shop has finished.
    const child = spawn(path.join(binaries.binDir, 'postgres'), serverArguments(home, socketDir), {
      ...asAccount(home.account),
      detached: true,
      stdio: ['ignore', output, output],
    })
    let ended = false
    child.once('exit', () => (ended = true))
    child.once('error', () => (ended = true))
    child.unref()
    while (!ended) {
      const server = await waitUntilReady(home, log)
      if (server) return { server: { ...server, adopted: server.pid !== child.pid }, reason: '' }
      await sleep(POLL_MS)
    }
    const other = await waitUntilReady(home, log)
    if (other) return { server: { ...other, adopted: true }, reason: '' }
    return { reason: whyItFailed(logFile, home) }
  } finally {
    fs.closeSync(output)
    fs.rmSync(logFile, { force: true })
  }
}

/** The last fatal message, from the start log or the newest file of the log folder. */
function whyItFailed(startLog: string, home: DatabaseHome): string {
  const folder = path.join(home.folder, 'log')
  const logs = fs.existsSync(folder) ? fs.readdirSync(folder).map((name) => path.join(folder, name)) : []
  const newest = logs.toSorted((a, b) => fs.statSync(b).mtimeMs - fs.statSync(a).mtimeMs)[0]
  const lines = [newest, startLog].flatMap((file) => (file ? fs.readFileSync(file, 'utf8').split('\n') : []))
  const fatal = lines.findLastIndex((line) => /(FATAL|PANIC):/.test(line))
  if (fatal < 0) return fs.readFileSync(startLog, 'utf8').trim() || `see ${folder}`
  // The line before has the cause, such as "Permission denied"; the fatal one only mentions errors in the file.
  const cause = lines[fatal - 1]?.includes('could not ') ? [lines[fatal - 1]] : []
  return [...cause, lines[fatal]].map((line) => line?.replace(/^.*?(LOG|FATAL|PANIC): +/, '')).join('; ')
}

/** Stops the server so that its next start needs no recovery; after a timeout at once. */
export async function stopServer(home: DatabaseHome, log: PlatformLog): Promise<void> {
  const server = findPostmaster(home)
  if (!server) return
  process.kill(server.pid, 'SIGINT')
  if (await waitForEnd(home, server.pid, FAST_SHUTDOWN_MS)) return
  log.warn({ pid: server.pid }, 'the database does not stop, ending it; its next start will recover')
  if (findPostmaster(home)?.pid === server.pid) process.kill(server.pid, 'SIGQUIT')
  await waitForEnd(home, server.pid, FAST_SHUTDOWN_MS)
}

interface Postmaster {
  pid: number
  socketDir: string
  ready: boolean
}

const pidFile = (home: DatabaseHome) => path.join(home.cluster, 'postmaster.pid')

function readPidFile(home: DatabaseHome): Postmaster | undefined {
  try {
    const lines = fs.readFileSync(pidFile(home), 'utf8').split('\n')
    const pid = Number(lines[0])
    if (!Number.isInteger(pid) || pid <= 0) return undefined
    return { pid, socketDir: lines[4] ?? '', ready: lines[7]?.trim() === 'ready' }
  } catch {
    return undefined
  }
}

const isServerOf = (pid: number, home: DatabaseHome): boolean => {
  const command = commandLine(pid)
  return command.includes('postgres') && command.includes(home.cluster)
}

/** A process that only reuses its pid does not count. */
function findPostmaster(home: DatabaseHome): Postmaster | undefined {
  const noted = readPidFile(home)
  return noted && isAlive(noted.pid) && isServerOf(noted.pid, home) ? noted : undefined
}

/** Removes locks of a dead server whose pid is reused, which prevent a start. Never while the cluster has processes. */
function clearStaleLocks(home: DatabaseHome, socketDir: string): boolean {
  const noted = readPidFile(home)
  if (noted && isAlive(noted.pid) && isServerOf(noted.pid, home)) return false
  const locks = [pidFile(home), path.join(socketDir, `.s.PGSQL.${SOCKET_PORT}.lock`)]
  const stale = locks.flatMap((file) => {
    const pid = firstNumber(file)
    return pid !== undefined && processExists(pid) ? [{ file, pid }] : []
  })
  if (stale.length === 0 || hasProcesses(home)) return false
  return stale.map((lock) => removeLock(lock, home)).includes(true)
}

function removeLock({ file, pid }: { file: string; pid: number }, home: DatabaseHome): boolean {
  const aside = path.join(home.folder, `stale-${process.pid}.lock`)
  try {
    fs.renameSync(file, aside)
  } catch {
    return false
  }
  // Another process may have started the server before the rename.
  const removed = firstNumber(aside) === pid
  if (removed) fs.rmSync(aside)
  else fs.renameSync(aside, file)
  return removed
}

/** Such as a child that outlives its killed server for a moment. */
const hasProcesses = (home: DatabaseHome): boolean => {
  const name = clusterName(home)
  return listProcesses().some(({ pid, command }) => command.includes(name) && isAlive(pid))
}

const firstNumber = (file: string): number | undefined => {
  try {
    return Number.parseInt(fs.readFileSync(file, 'utf8'), 10)
  } catch {
    return undefined
  }
}

async function waitForEnd(home: DatabaseHome, pid: number, ms: number): Promise<boolean> {
  const until = performance.now() + ms
  while (performance.now() < until) {
    if (!isAlive(pid)) return true
    // An ending process has no command line; another command means that the pid is reused.
    if (!fs.existsSync(pidFile(home)) && commandLine(pid) !== '' && !isServerOf(pid, home)) return true
    await sleep(20)
  }
  return !isAlive(pid)
}
