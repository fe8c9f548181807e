import path from 'node:path'
import { binariesFor, locateBinaries } from './binaries.ts'
import { ensureRoleAndDatabase, type Keeper, keepServer, socketUrl } from './database.ts'
import { EmbeddedPostgresError, resolveHome, socketFolder } from './home.ts'
import type { PlatformLog } from './log.ts'
import { ensureCluster, ensureServer, stopServer, writeSettings } from './server.ts'

export interface EmbeddedPostgresOptions {
  dataDir: string
  projectDir: string
  log: PlatformLog
  /** False only for throw-away databases: a crash may lose everything. */
  durable?: boolean
  /** Begins with an empty database when the data folder is a copy whose database stays with the original. */
  emptyCopy?: boolean
}

export interface EmbeddedPostgres {
  /** For a role that owns this database and nothing else. */
  url: string
  adminUrl: string
  /** The database's files; the server's log is in `log` below it. */
  dataDir: string
  binDir: string
  adopted: boolean
  /** Ends this process's use; the last user of the server stops it. Safe to call twice. */
  stop: () => Promise<void>
}

const RESTART_PAUSE_MS = 250
const RESTART_PAUSE_MAX_MS = 5_000
const CONNECT_ATTEMPTS = 40

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

const describeCopy = (dataDir: string, original: string): string =>
  `${dataDir} is a copy of ${original}, and the database stays there: this shop begins with an empty one`

/** Starts or joins the PostgreSQL of a folder and restarts it when it dies. Processes may share a folder. */
export async function ensureEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { log, projectDir, durable = true, emptyCopy } = options
  if (process.platform === 'win32') {
    throw new EmbeddedPostgresError(
      'On Windows, set DATABASE_URL to a PostgreSQL server, or start inside WSL.',
    )
  }
  const installed = locateBinaries(projectDir)
  const home = resolveHome(path.resolve(options.dataDir), { emptyCopy })
  if (home.copyOf) log.warn({}, describeCopy(options.dataDir, home.copyOf))
  const binaries = binariesFor(home.account, installed)
  const socketDir = socketFolder(home)
  const accessChanged = writeSettings(home, durable)
  ensureCluster(home, binaries, durable)

  let keeper: Keeper | undefined
  let stopping = false
  let restart: Promise<void> | undefined

  const join = async () => {
    for (let attempt = 0; attempt < CONNECT_ATTEMPTS; attempt += 1) {
      const server = await ensureServer({ home, binaries, socketDir, log })
      if (accessChanged && server.adopted) process.kill(server.pid, 'SIGHUP')
      const adminUrl = socketUrl(server.socketDir, { user: 'postgres', database: 'postgres' })
      keeper = await keepServer(adminUrl, log, revive)
      const url = socketUrl(server.socketDir, { user: 'volant', database: 'volant' })
      if (keeper) return { server, adminUrl, url }
      await sleep(100)
    }
    throw new EmbeddedPostgresError(
      `The database in ${home.folder} does not answer; its log is in ${home.folder}/log.`,
    )
  }

  const reviveUntilItRuns = async () => {
    for (let pause = RESTART_PAUSE_MS; !stopping; pause = Math.min(pause * 2, RESTART_PAUSE_MAX_MS)) {
      try {
        const { server } = await join()
        return log.warn({ pid: server.pid }, 'the embedded database runs again')
      } catch (error) {
        log.error({ err: error }, 'the embedded database is down')
        await sleep(pause)
      }
    }
  }

  const revive = () => {
    keeper = undefined
    restart = reviveUntilItRuns().finally(() => (restart = undefined))
  }

  const { server, adminUrl, url } = await join()
  await ensureRoleAndDatabase(adminUrl)
  const about = { folder: home.folder, account: home.account.name, adopted: server.adopted }
  log.info(about, 'embedded database ready')
  const where = `«${home.account.name}» cannot enter ${options.dataDir}: the database's files are in ${home.folder}`
  if (home.elsewhere) log.info({}, where)

  let stopped: Promise<void> | undefined
  const stop = async () => {
    stopping = true
    await restart
    const last = keeper
    keeper = undefined
    const alone = last ? await last.leave().catch(() => false) : false
    if (alone) await stopServer(home, log)
    await last?.close()
  }
  return {
    url,
    adminUrl,
    dataDir: home.folder,
    binDir: binaries.binDir,
    adopted: server.adopted,
    stop: () => (stopped ??= stop()),
  }
}
