import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import Fastify, { type FastifyBaseLogger, type FastifyInstance } from 'fastify'
import type { AlertSender } from '#features/alerts/server/index.ts'
import { claimPrizes, isDemonstration, loadDemo } from '#features/demo/server/index.ts'
import { logKeyOf, logOfAnotherKey, noteCancellation } from '#features/draws/server/index.ts'
import { createPasswords, respellAccounts } from '#features/accounts/server/index.ts'
import { respellMessages } from '#features/contact/server/index.ts'
import { respellEntries } from '#features/postal/server/index.ts'
import { type Database, type Trx, openDatabase } from '#platform/database.ts'
import { refuseExpectations, strayRequests } from '#platform/http/stray-requests.ts'
import { MINUTE, SECOND } from '#platform/jobs.ts'
import { migrate, MigrationError, readMigrations } from '#platform/migrations.ts'
import { createMetrics, type Metrics } from '#platform/metrics.ts'
import { onceDatabaseResponds } from '#platform/database-errors.ts'
import { LOOK_MS, readReplica } from '#platform/read-replica.ts'
import { ensureEmbeddedPostgres } from '#platform/postgres/embedded.ts'
import { EmbeddedPostgresError } from '#platform/postgres/home.ts'
import { systemClock } from '#shared/clock.ts'
import {
  type AppParts,
  buildApp,
  drawRoomMinutes,
  shopAlertSender,
  shopAlerts,
  shopApprovals,
  shopDraws,
  shopPayments,
  shopTerms,
} from './build-app.ts'
import { ConfigFaults, type Config, demoToken, logKeySeed, readConfig, secretKey } from './config.ts'
import { watchDatabase } from './database-watch.ts'
import { shopChecks } from './doctor/doctor.ts'
import { jobTasks, measureJobs, startPeriodic, watchJobs } from './jobs.ts'
import { resetLinks } from './limits.ts'
import { shopLogs } from './logs.ts'
import { healthRoutes, measureResponses, metricsRoutes, watchShop } from './monitoring.ts'
import { baseHeaders } from './pages/security-headers.ts'
import { registerPages } from './pages/register-pages.ts'
import { storeAssets } from './pages/release-assets.ts'
import { RUNNING, releaseName } from './release.ts'
import { RequestLog, requestId, sendRequestIds } from './requests.ts'
import { sharingPictures } from './sharing-pictures.ts'
import { letterhead, shopMailer } from './shop-mailer.ts'
import { logKeyFault, rootFault, startFault } from './start-faults.ts'
import { seenFrom, watchSurroundings } from './surroundings.ts'
import { readStampAuthority } from './stamp-authority.ts'
import { readWitnessPolicy } from './witness-policy.ts'

const MIGRATIONS = fileURLToPath(new URL('../../db/migrations', import.meta.url))
const PROJECT = fileURLToPath(new URL('../..', import.meta.url))

const DEMO_DATABASE =
  'MODE: live mode refuses this database, which a demonstration has filled with invented contests and accounts; choose an empty one with DATABASE_URL or DATA_DIR'

const DAY = 24 * 60 * MINUTE
const DATABASE_MS = 10_000

const ENDING = ['SIGINT', 'SIGTERM'] as const
const endAtOnce = (): never => process.exit(1)

async function main(): Promise<void> {
  // The first process of a container ends by no signal that it does not take; until the shop runs nothing must be finished.
  if (process.pid === 1) for (const signal of ENDING) process.on(signal, endAtOnce)
  const read = readConfig()
  // A demonstration may stand behind a proxy that nobody told it of: a process has a token always.
  const config = read.demo ? { ...read, demoToken: demoToken(read) } : read
  const witnesses = readWitnessPolicy(config)
  const stamps = readStampAuthority(config)
  const fault = rootFault(config)
  if (fault) throw new ConfigFaults([fault])
  const { log, requests } = shopLogs(config)
  const embedded = config.databaseUrl
    ? undefined
    : await ensureEmbeddedPostgres({
        dataDir: config.dataDir,
        projectDir: PROJECT,
        log,
        emptyCopy: config.demo,
      })
  const url = config.databaseUrl ?? embedded?.url ?? ''
  await onceDatabaseResponds(log, () => migrate({ url, folder: MIGRATIONS, log }))
  const applicationName = `${RUNNING}${config.roles.join('+')} ${releaseName()}`
  const database = openDatabase({ url, max: config.databasePool, log, applicationName })
  for (const respell of [respellAccounts, respellMessages, respellEntries])
    await onceDatabaseResponds(log, () => respell(database.db))
  const metrics = createMetrics({ process: true })
  metrics.watchPool(database.pool)
  measureJobs(metrics, database.db)
  const standby = config.databaseReadUrl
    ? openDatabase({ url: config.databaseReadUrl, max: config.databasePool, log, applicationName })
    : undefined
  const replica = standby && readReplica({ primary: database.db, replica: standby.db, log, metrics })
  const passwords = createPasswords()
  const logKey = logKeyOf(logKeySeed(config))
  const foreign = await onceDatabaseResponds(log, () => logOfAnotherKey(database.db, logKey))
  if (foreign) {
    await tellForeignLog(config, database.db, log, foreign)
    throw new ConfigFaults([logKeyFault(config, foreign)])
  }
  if (config.demo && !config.rehearsal) {
    const { dataDir, demoHistory } = config
    const demo = {
      db: database.db,
      passwords,
      dataDir,
      now: systemClock(),
      drawRoomMinutes: drawRoomMinutes(config),
      ...(demoHistory && {
        history: {
          ...config,
          noteCancellation: (trx: Trx, offerId: number) =>
            noteCancellation(trx, { key: logKey, host: new URL(config.publicUrl).host }, offerId),
        },
      }),
    }
    await onceDatabaseResponds(log, () => loadDemo(demo))
  } else if (!config.demo && (await isDemonstration(database.db))) throw new ConfigFaults([DEMO_DATABASE])
  let isStopping = false
  const sender = shopAlertSender({ config, db: database.db, log, isStopping: () => isStopping })
  const alerts = shopAlerts({ log })
  const databaseWatch = watchDatabase({
    db: database.db,
    alerts,
    sender,
    metrics,
    name: config.publicUrl,
  })
  const parts = {
    config,
    secret: secretKey(config),
    previousSecret: config.previousSecretKey,
    logKey,
    witnesses,
    stamps,
    db: database.db,
    ...(replica && { replica }),
    log,
    requests,
    metrics,
    isStopping: () => isStopping,
    migration: (await readMigrations(MIGRATIONS)).length,
    databaseFault: () => databaseWatch.fault(),
    passwords,
  }
  const look = watchSurroundings({
    db: database.db,
    alerts,
    checks: () => shopChecks(parts),
    isWorker: config.roles.includes('worker'),
  })
  const stops: (() => Promise<void>)[] = []

  stops.push(
    await (config.roles.includes('web') ? startWeb(config, parts, sender) : startHealth(config, parts)),
  )
  const ownTasks = [{ name: 'watch the database', everyMs: DATABASE_MS, run: () => databaseWatch.run() }]
  if (replica) {
    const run = async (): Promise<void> => void (await replica.look())
    ownTasks.push({ name: 'watch the read replica', everyMs: LOOK_MS, run })
  }
  const isWorker = config.roles.includes('worker')
  if (isWorker && config.demo)
    ownTasks.push({
      name: 'claim invented prizes',
      everyMs: 10 * SECOND,
      run: () => claimPrizes({ db: database.db, key: logKey }),
    })
  if (!config.rehearsal)
    stops.push(
      startPeriodic(
        isWorker ? ownTasks : [...ownTasks, { name: 'watch the machine', everyMs: MINUTE, run: look }],
        log,
      ),
    )
  if (isWorker) {
    watchShop(metrics, database.db)
    const payments = shopPayments(parts)
    const mailer = shopMailer(parts)
    const tasks = jobTasks({
      ...parts,
      shop: letterhead(config),
      alerts,
      alertSender: sender,
      payments,
      draws: shopDraws(parts),
      publishTerms: shopTerms(parts),
      approvals: shopApprovals(parts, payments),
      mailer,
      resetLinks: resetLinks(config),
      look,
    })
    const stopTasks = startPeriodic(tasks, log, metrics.job)
    stops.push(() => {
      mailer.stop()
      return stopTasks()
    })
  }

  const stop = async (): Promise<void> => {
    isStopping = true
    await sleep(config.drainSeconds * 1000)
    await Promise.all(stops.map((one) => one()))
    await Promise.all([database.close(), standby?.close()])
    await embedded?.stop()
  }
  let stopping: Promise<void> | undefined
  for (const signal of ENDING) {
    process.off(signal, endAtOnce)
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

/** A process that refuses to start tells of it itself: there may be no other. */
async function tellForeignLog(
  config: Config,
  db: Database,
  log: FastifyBaseLogger,
  foreign: string,
): Promise<void> {
  const finding = { key: 'doctor.logKey.other', values: { log: foreign } } as const
  const matter = { kind: 'logKeyWrong', subject: seenFrom('logKey'), details: { finding } } as const
  try {
    await shopAlerts({ log }).raise(db, matter)
    await shopAlertSender({ config, db, log }, { window: 0 }).send()
    // This process may be the only one, which ends before another one could.
    const keys = { secret: secretKey(config), previousSecret: config.previousSecretKey }
    await shopMailer({ config, db, log, ...keys }).deliver()
  } catch (error) {
    log.error({ err: error }, 'nobody could be told of the other LOG_KEY')
  }
}

/** Node's 511 are too few for a crowd; the system may lower it (Linux: net.core.somaxconn). */
const BACKLOG = 16_384

async function startWeb(config: Config, parts: AppParts, sender: AlertSender): Promise<() => Promise<void>> {
  const app = await buildApp(parts)
  const { db } = parts
  const keepAssets = async (): Promise<void> => void (await storeAssets(db))
  // Before a page of this release names them.
  if (!config.dev) await onceDatabaseResponds(parts.log, keepAssets)
  await registerPages(app, { config, db })
  await app.listen({ host: config.host, port: config.port, backlog: BACKLOG })
  // Its jobs would raise alerts, and send them.
  if (config.rehearsal) return () => closeSoon(app)
  const run = (): Promise<void> => sharingPictures({ db, config, log: parts.log }).makeMissing()
  const alerts = shopAlerts(parts)
  const mailer = shopMailer(parts)
  const stopTask = startPeriodic(
    [
      { name: 'make sharing pictures', everyMs: MINUTE, run },
      ...(config.dev ? [] : [{ name: 'keep assets', everyMs: DAY, afterMs: DAY, run: keepAssets }]),
      {
        name: 'watch the jobs',
        everyMs: MINUTE,
        // A worker that starts at the same time has run each job by then.
        afterMs: 5 * MINUTE,
        run: () =>
          watchJobs(db, alerts, async () => {
            await sender.send()
            await mailer.deliver()
          }),
      },
    ],
    parts.log,
  )
  return async () => {
    mailer.stop()
    await stopTask()
    await closeSoon(app)
  }
}

/** A worker without web pages still responds to health checks. */
async function startHealth(config: Config, parts: AppParts & { metrics: Metrics }) {
  const headers = baseHeaders(config.publicUrl)
  const stray = strayRequests(headers)
  const app = Fastify({
    loggerInstance: (parts.requests ?? parts.log) as FastifyBaseLogger,
    genReqId: requestId,
    logController: new RequestLog(),
    ...stray,
    http: { ...stray.http, requireHostHeader: true },
  }) as unknown as FastifyInstance
  refuseExpectations(app, headers)
  app.addHook('onRequest', async (_request, reply) => void reply.headers(headers))
  measureResponses(app, parts.metrics)
  sendRequestIds(app)
  await app.register(healthRoutes(parts))
  await app.register(metricsRoutes(parts.metrics, config.metricsToken))
  await app.listen({ host: config.host, port: config.port })
  return () => closeSoon(app)
}

/** Finishes running requests and closes each connection once it is idle, not a minute later. */
async function closeSoon(app: FastifyInstance): Promise<void> {
  const timer = setInterval(() => app.server.closeIdleConnections(), 100)
  try {
    await app.close()
  } finally {
    clearInterval(timer)
  }
}

function explain(error: unknown): string {
  const known = [ConfigFaults, MigrationError, EmbeddedPostgresError].some((kind) => error instanceof kind)
  const fault = known ? (error as Error).message : startFault(error, readConfig())
  if (fault) return fault
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

main().catch((error: unknown) => {
  process.stderr.write(`${explain(error)}\n`)
  process.exit(1)
})
