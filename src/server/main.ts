import { fileURLToPath } from 'node:url'
import Fastify, { type FastifyBaseLogger, type FastifyInstance } from 'fastify'
import pino from 'pino'
import { loadDemo } from '#features/demo/server/index.ts'
import { sweepOrders } from '#features/checkout/server/index.ts'
import { createPasswords } from '#features/accounts/server/index.ts'
import { openDatabase } from '#platform/database.ts'
import { migrate } from '#platform/migrations.ts'
import { startPeriodic } from '#platform/periodic.ts'
import { ensureEmbeddedPostgres } from '#platform/postgres/embedded.ts'
import { systemClock } from '#shared/clock.ts'
import { type AppParts, buildApp, checkoutDeps } from './build-app.ts'
import { ConfigFaults, type Config, readConfig, secretKey } from './config.ts'
import { healthRoutes } from './health.ts'
import { registerPages } from './pages/register-pages.ts'
import { RequestLog } from './request-log.ts'

const MIGRATIONS = fileURLToPath(new URL('../../db/migrations', import.meta.url))
const PROJECT = fileURLToPath(new URL('../..', import.meta.url))

/** Pause between two sweeps; a hold lapses at most this much late. */
const SWEEP_EVERY_MS = 10_000
/** A capture whose answer is this old is asked after: longer than the provider's time limit, so no live request is meant. */
const UNSETTLED_SECONDS = 15

async function main(): Promise<void> {
  const config = readConfig()
  const log = pino({
    level: config.logLevel,
    base: { roles: config.roles.join(',') },
    redact: {
      paths: ['req.headers.authorization', 'req.headers.cookie', 'password', 'refresh', 'access'],
      remove: true,
    },
  })
  const embedded = config.databaseUrl
    ? undefined
    : await ensureEmbeddedPostgres({ dataDir: config.dataDir, projectDir: PROJECT, log })
  const url = config.databaseUrl ?? embedded?.url ?? ''
  await migrate({ url, folder: MIGRATIONS, log })
  const database = openDatabase({ url, max: config.databasePool, log, applicationName: 'volant' })
  const passwords = createPasswords()
  if (config.demo) {
    await loadDemo({ db: database.db, passwords, dataDir: config.dataDir, now: systemClock() })
  }
  const parts = { config, secret: secretKey(config), db: database.db, log, passwords }
  const stops: (() => Promise<void>)[] = []

  stops.push(await (config.roles.includes('web') ? startWeb(config, parts) : startHealth(config, parts)))
  if (config.roles.includes('worker')) {
    const deps = checkoutDeps(parts)
    const run = () => sweepOrders(deps, UNSETTLED_SECONDS)
    stops.push(startPeriodic([{ name: 'sweep orders', everyMs: SWEEP_EVERY_MS, run }], log))
  }

  const stop = async (): Promise<void> => {
    await Promise.all(stops.map((one) => one()))
    await database.close()
    await embedded?.stop()
  }
  let stopping: Promise<void> | undefined
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      log.info({ signal }, 'stopping: requests under way are finished first')
      stopping ??= stop().then(
        () => log.info('stopped'),
        (error: unknown) => {
          log.error({ err: error }, 'could not stop cleanly')
          process.exitCode = 1
        },
      )
    })
  }
}

async function startWeb(config: Config, parts: AppParts): Promise<() => Promise<void>> {
  const app = await buildApp(parts)
  await registerPages(app, { config })
  await app.listen({ host: config.host, port: config.port })
  return () => closeSoon(app)
}

/** A process that only works in the background still tells whether it is well. */
async function startHealth(config: Config, { db, log }: AppParts): Promise<() => Promise<void>> {
  const app = Fastify({ loggerInstance: log as FastifyBaseLogger, logController: new RequestLog() })
  await app.register(healthRoutes({ db }))
  await app.listen({ host: config.host, port: config.port })
  return () => closeSoon(app)
}

/**
 * Stops listening and waits for the requests under way. A connection whose last request was still running when the stop
 * began would otherwise be kept open for another minute, for a request that never comes.
 */
async function closeSoon(app: FastifyInstance): Promise<void> {
  const tidy = setInterval(() => app.server.closeIdleConnections(), 100)
  try {
    await app.close()
  } finally {
    clearInterval(tidy)
  }
}

/** Says what keeps the shop from starting in words that name the setting, not in a stack trace. */
function explain(error: unknown): string {
  if (error instanceof ConfigFaults) return error.message
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'EADDRINUSE')
    return `${message}. Another program uses this port: choose another one with PORT.`
  if (code === 'EACCES') return `${message}. This port needs more rights: choose one above 1023 with PORT.`
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

main().catch((error: unknown) => {
  process.stderr.write(`${explain(error)}\n`)
  process.exit(1)
})
