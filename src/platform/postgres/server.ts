import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { closeSync, existsSync, openSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import { asAccount } from './account.ts'
import type { Binaries } from './binaries.ts'
import { EmbeddedPostgresError } from './error.ts'
import type { DatabaseHome } from './home.ts'
import type { PlatformLog } from './log.ts'
import { clearStaleLocks, findPostmaster, type Postmaster, waitForEnd } from './postmaster.ts'
import { serverArguments } from './settings.ts'

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

/** The last fatal line the server wrote, first to its start log and then to the log folder. */
function whyItFailed(startLog: string, home: DatabaseHome): string {
  const folder = path.join(home.folder, 'log')
  const logs = existsSync(folder) ? readdirSync(folder).map((name) => path.join(folder, name)) : []
  const newest = logs.toSorted((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs)[0]
  const text = [newest, startLog].map((file) => (file ? readFileSync(file, 'utf8') : '')).join('\n')
  const fatal = text.split('\n').findLast((line) => /FATAL|PANIC/.test(line))
  return fatal ?? (readFileSync(startLog, 'utf8').trim() || `see ${folder}`)
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
