import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import Fastify, { type FastifyBaseLogger, type FastifyInstance } from 'fastify'
import { loadDemo } from '#features/demo/server/index.ts'
import { holdExpiry } from '#features/orders/server/index.ts'
import { reconcileLedger, sweepOrders } from '#features/payments/server/index.ts'
import { createPasswords } from '#features/accounts/server/index.ts'
import { openDatabase } from '#platform/database.ts'
import { migrate, MigrationError, readMigrations } from '#platform/migrations.ts'
import { createMetrics, type Metrics } from '#platform/metrics.ts'
import { onceDatabaseAnswers } from '#platform/database-errors.ts'
import { startPeriodic } from '#platform/periodic.ts'
import { ensureEmbeddedPostgres } from '#platform/postgres/embedded.ts'
import { systemClock } from '#shared/clock.ts'
import { type AppParts, buildApp, shopPayments } from './build-app.ts'
import { ConfigFaults, type Config, readConfig, secretKey } from './config.ts'
import { shopLogs } from './logs.ts'
import { applyRetention, checkShopInvariants, deleteExpired, watchForAlerts } from './maintenance.ts'
import { healthRoutes, measureAnswers, metricsRoutes, watchShop } from './monitoring.ts'
import { registerPages } from './pages/register-pages.ts'
import { RequestLog, requestId, tellRequestIds } from './requests.ts'
import { sharingPictures } from './sharing-pictures.ts'
import { shopMailer, shopPasswordResets } from './shop-mailer.ts'

const MIGRATIONS = fileURLToPath(new URL('../../db/migrations', import.meta.url))
const PROJECT = fileURLToPath(new URL('../..', import.meta.url))

/** Pause between two looks for expired holds; one expires about this much late. */
const EXPIRE_HOLDS_EVERY_MS = 2_000
/** Pause between two sweeps. */
const SWEEP_EVERY_MS = 10_000
/** Pause between two stretches of the comparison of our book with the provider's; a walk covers all orders once a day. */
const RECONCILE_EVERY_MS = 10_000
/** Pause between two looks for contests without a picture for sharing. */
const PICTURES_EVERY_MS = 60_000
/** A capture whose answer is this old is asked after: longer than the provider's time limit, so no live request is meant. */
const UNSETTLED_SECONDS = 15
/** Pause between two looks for what needs staff. */
const WATCH_EVERY_MS = 60_000
/** Minutes between two checks of the invariants; after a start the sweep first has time to repair what lay still. */
const INVARIANTS_MINUTES = 60
const FIRST_CHECK_AFTER_MS = 90_000
/** Pause between two runs of retention. */
const RETENTION_EVERY_MS = 3_600_000
/** Pause between two deletions of expired rows. */
const EXPIRED_EVERY_MS = 600_000
/** Pause between two looks into the outbox: about what a mail waits for after the commit that queued it. */
const EMAILS_EVERY_MS = 1_000

async function main(): Promise<void> {
  const config = readConfig()
  const { log, requests } = shopLogs(config)
  const embedded = config.databaseUrl
    ? undefined
    : await ensureEmbeddedPostgres({ dataDir: config.dataDir, projectDir: PROJECT, log })
  const url = config.databaseUrl ?? embedded?.url ?? ''
  await onceDatabaseAnswers(log, () => migrate({ url, folder: MIGRATIONS, log }))
  const database = openDatabase({ url, max: config.databasePool, log, applicationName: 'volant' })
  const metrics = createMetrics({ process: true })
  metrics.watchPool(database.pool)
  const passwords = createPasswords()
  if (config.demo) {
    const demo = { db: database.db, passwords, dataDir: config.dataDir, now: systemClock() }
    await onceDatabaseAnswers(log, () => loadDemo(demo))
  }
  let isStopping = false
  const parts = {
    config,
    secret: secretKey(config),
    db: database.db,
    log,
    requests,
    metrics,
    isStopping: () => isStopping,
    migration: (await readMigrations(MIGRATIONS)).length,
    passwords,
  }
  const stops: (() => Promise<void>)[] = []

  stops.push(await (config.roles.includes('web') ? startWeb(config, parts) : startHealth(config, parts)))
  if (config.roles.includes('worker')) {
    watchShop(metrics, database.db)
    const deps = shopPayments(parts)
    const mailer = shopMailer(parts)
    const expireHolds = holdExpiry(deps, () => isStopping)
    const stopTasks = startPeriodic(
      [
        {
          name: 'expire holds',
          everyMs: EXPIRE_HOLDS_EVERY_MS,
          run: async () => void (await expireHolds()),
        },
        {
          name: 'sweep orders',
          everyMs: SWEEP_EVERY_MS,
          run: () => sweepOrders(deps, UNSETTLED_SECONDS),
        },
        {
          name: 'reconcile the ledger',
          everyMs: RECONCILE_EVERY_MS,
          run: async () => void (await reconcileLedger(deps)),
        },
        { name: 'deliver emails', everyMs: EMAILS_EVERY_MS, run: () => mailer.deliver() },
        { name: 'send password resets', everyMs: EMAILS_EVERY_MS, run: () => shopPasswordResets(parts) },
        {
          name: 'watch for alerts',
          everyMs: WATCH_EVERY_MS,
          run: () => watchForAlerts(parts.db, deps.alerts),
        },
        {
          name: 'check invariants',
          everyMs: WATCH_EVERY_MS,
          afterMs: FIRST_CHECK_AFTER_MS,
          run: async () => void (await checkShopInvariants(deps, INVARIANTS_MINUTES)),
        },
        {
          name: 'apply retention',
          everyMs: RETENTION_EVERY_MS,
          run: async () => void (await applyRetention(parts.db, log, config)),
        },
        { name: 'delete expired rows', everyMs: EXPIRED_EVERY_MS, run: () => deleteExpired(parts.db) },
      ],
      log,
      metrics.job,
    )
    stops.push(() => {
      mailer.stop()
      return stopTasks()
    })
  }

  const stop = async (): Promise<void> => {
    isStopping = true
    await sleep(config.drainSeconds * 1000)
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

/**
 * Connections that wait to be taken. Node's own 511 are too few for a crowd: whoever comes later is left to guess, second
 * after second, and in the end cut off. The system has the last word (Linux: net.core.somaxconn, 4096).
 */
const BACKLOG = 16_384

async function startWeb(config: Config, parts: AppParts): Promise<() => Promise<void>> {
  const app = await buildApp(parts)
  await registerPages(app, { config })
  await app.listen({ host: config.host, port: config.port, backlog: BACKLOG })
  const { dataDir } = config
  const run = (): Promise<void> => sharingPictures({ db: parts.db, dataDir, log: parts.log }).makeMissing()
  const task = { name: 'make sharing pictures', everyMs: PICTURES_EVERY_MS, run }
  const stopTask = startPeriodic([task], parts.log)
  return async () => {
    await stopTask()
    await closeSoon(app)
  }
}

/** A process that only works in the background still tells whether it is well. */
async function startHealth(
  config: Config,
  parts: AppParts & { metrics: Metrics },
): Promise<() => Promise<void>> {
  const app = Fastify({
    loggerInstance: (parts.requests ?? parts.log) as FastifyBaseLogger,
    genReqId: requestId,
    logController: new RequestLog(),
  }) as unknown as FastifyInstance
  measureAnswers(app, parts.metrics)
  tellRequestIds(app)
  await app.register(healthRoutes(parts))
  await app.register(metricsRoutes(parts.metrics, config.metricsToken))
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
  if (error instanceof ConfigFaults || error instanceof MigrationError) return error.message
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
