import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import path from 'node:path'
import { asAccount } from './account.ts'
import type { Binaries } from './binaries.ts'
import { EmbeddedPostgresError } from './error.ts'
import { clusterName, serverArguments } from './cluster.ts'
import { type DatabaseHome, SOCKET_PORT } from './home.ts'
import type { PlatformLog } from './log.ts'
import { commandLine, isAlive, listProcesses } from './process-table.ts'

export interface RunningServer extends Postmaster {
  /** True when the server already ran, started by another process. */
  adopted: boolean
}

interface ServerFiles {
  home: DatabaseHome
  binaries: Binaries
  socketDir: string
  log: PlatformLog
}

// After a kill -9 the old server's children need a moment to let go of its shared memory.
const PAUSES_MS = [100, 300, 600, 1000]
const POLL_MS = 15
const PATIENCE_MS = 10 * 60_000
const FAST_SHUTDOWN_MS = 30_000

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/**
 * Makes the server of a cluster run: adopts one that is there, else starts it; attempts that fail are repeated for two seconds.
 * PostgreSQL's own pid file decides between two processes that start it at once; the loser adopts.
 */
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

/** Waits while a server of the cluster is starting or stopping; nothing when none runs (any more). */
async function waitUntilReady(home: DatabaseHome, log: PlatformLog): Promise<Postmaster | undefined> {
  const began = performance.now()
  let told = began
  for (;;) {
    const server = findPostmaster(home)
    if (!server || server.ready) return server
    const now = performance.now()
    if (now - began > PATIENCE_MS)
      throw new EmbeddedPostgresError(`The database in ${home.folder} is not ready yet.`)
    if (now - told > 5_000) {
      told = now
      log.info({ pid: server.pid }, 'waiting for the database, it may be recovering from a crash')
    }
    await sleep(POLL_MS)
  }
}

async function launch(files: ServerFiles): Promise<{ server?: RunningServer; reason: string }> {
  const { home, binaries, socketDir, log } = files
  const logFile = path.join(home.folder, `start-${randomBytes(4).toString('hex')}.log`)
  const output = openSync(logFile, 'wx', 0o600)
  try {
    // A process group of its own: Ctrl-C in the terminal must not stop it before the shop has finished.
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
    closeSync(output)
    rmSync(logFile, { force: true })
  }
}

/** Why the server ended, in its own words: from its start log, else from the newest file of the log folder. */
function whyItFailed(startLog: string, home: DatabaseHome): string {
  const folder = path.join(home.folder, 'log')
  const logs = existsSync(folder) ? readdirSync(folder).map((name) => path.join(folder, name)) : []
  const newest = logs.toSorted((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs)[0]
  const lines = [newest, startLog].flatMap((file) => (file ? readFileSync(file, 'utf8').split('\n') : []))
  const fatal = lines.findLastIndex((line) => /(FATAL|PANIC):/.test(line))
  if (fatal < 0) return readFileSync(startLog, 'utf8').trim() || `see ${folder}`
  // "Permission denied" and its like stand in the line before: the fatal one says only that the file has errors.
  const cause = lines[fatal - 1]?.includes('could not ') ? [lines[fatal - 1]] : []
  return [...cause, lines[fatal]].map((line) => line?.replace(/^.*?(LOG|FATAL|PANIC): +/, '')).join('; ')
}

/** Stops the server so that the next start needs no recovery; one that does not listen is ended at once. */
export async function stopServer(home: DatabaseHome, log: PlatformLog): Promise<void> {
  const server = findPostmaster(home)
  if (!server) return
  process.kill(server.pid, 'SIGINT')
  if (await waitForEnd(home, server.pid, FAST_SHUTDOWN_MS)) return
  log.warn({ pid: server.pid }, 'the database does not stop, ending it; its next start will recover')
  if (findPostmaster(home)?.pid === server.pid) process.kill(server.pid, 'SIGQUIT')
  await waitForEnd(home, server.pid, FAST_SHUTDOWN_MS)
}

/** What `postmaster.pid` says about the server of a cluster. */
interface Postmaster {
  pid: number
  socketDir: string
  ready: boolean
}

const pidFile = (home: DatabaseHome) => path.join(home.cluster, 'postmaster.pid')

function readPidFile(home: DatabaseHome): Postmaster | undefined {
  try {
    const lines = readFileSync(pidFile(home), 'utf8').split('\n')
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

/** The running server of this cluster, or nothing. A process that merely reuses its number is not it. */
function findPostmaster(home: DatabaseHome): Postmaster | undefined {
  const noted = readPidFile(home)
  return noted && isAlive(noted.pid) && isServerOf(noted.pid, home) ? noted : undefined
}

/**
 * Removes the lock files of a server that is gone when they would keep PostgreSQL from starting, because
 * their number still stands in the process table: a zombie, or another program after a reboot or in a new
 * container. Never while any process of this cluster lives; a number that is free is left to PostgreSQL.
 */
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
    renameSync(file, aside)
  } catch {
    return false
  }
  // Between the look and the move another process may have started the server.
  const removed = firstNumber(aside) === pid
  if (removed) rmSync(aside)
  else renameSync(aside, file)
  return removed
}

/** Whether any process of the cluster lives, such as a child that outlives its killed server for a moment. */
const hasProcesses = (home: DatabaseHome): boolean => {
  const name = clusterName(home)
  return listProcesses().some(({ pid, command }) => command.includes(name) && isAlive(pid))
}

const firstNumber = (file: string): number | undefined => {
  try {
    return Number.parseInt(readFileSync(file, 'utf8'), 10)
  } catch {
    return undefined
  }
}

const processExists = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Waits until a server has ended; true when it did within `ms`. */
async function waitForEnd(home: DatabaseHome, pid: number, ms: number): Promise<boolean> {
  const until = performance.now() + ms
  while (performance.now() < until) {
    if (!isAlive(pid)) return true
    // A process that is just ending has no command line any more; one with another command has taken over the number.
    if (!existsSync(pidFile(home)) && commandLine(pid) !== '' && !isServerOf(pid, home)) return true
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return !isAlive(pid)
}
