import type { FastifyInstance } from 'fastify'
import { Gauge } from 'prom-client'
import { isSame } from '#platform/keyed-hashes.ts'
import { READY_WARNINGS } from '#features/alerts/alerts.rules.ts'
import { openAlerts, webhookFault } from '#features/alerts/server/index.ts'
import { type LogKey, logOfAnotherKey } from '#features/draws/server/index.ts'
import { countOrders } from '#features/purchase/orders/server/index.ts'
import { countWaitingNotifications } from '#features/purchase/payments/server/index.ts'
import { emailFigures } from '#features/emails/server/index.ts'
import { type Database, isReadOnly } from '#platform/database.ts'
import type { Metrics } from '#platform/metrics.ts'
import type { DatabaseFault } from './database-watch.ts'
import { jobAges } from './jobs.ts'
import { migrationVersion } from '#platform/migrations.ts'
import { nowMs } from '#shared/clock.ts'

/** The database is queried at most this often, and at most a hundredth of the time. */
const FIGURES_KEPT_MS = 10_000
const FIGURES_SHARE = 100

export function measureResponses(app: FastifyInstance, metrics: Metrics): void {
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? '(none)'
    metrics.http(request.method, route, reply.statusCode, reply.elapsedTime / 1000)
    done()
  })
}

/** Metrics that all processes share. */
export function watchShop(metrics: Metrics, db: Database): void {
  let read: Record<'orders' | 'backlog' | 'alerts', Record<string, number>> | undefined
  let goodUntil = 0
  const figures = async () => {
    const begun = nowMs()
    if (read && begun < goodUntil) return read
    const orders = await countOrders(db)
    const notifications = await countWaitingNotifications(db)
    const emails = await emailFigures(db)
    read = {
      orders,
      alerts: await openAlerts(db),
      backlog: {
        notifications: notifications.waiting,
        notifications_oldest_seconds: notifications.oldestSeconds,
        emails: emails.waiting,
        emails_oldest_seconds: emails.oldestSeconds,
        emails_failed: emails.failed,
      },
    }
    const took = nowMs() - begun
    goodUntil = nowMs() + Math.max(FIGURES_KEPT_MS, took * FIGURES_SHARE)
    return read
  }
  type Group = keyof NonNullable<typeof read>
  const gauge = (group: Group, label: string, help: string) =>
    new Gauge({
      name: `volant_${group}`,
      help,
      labelNames: [label],
      registers: [metrics.registry],
      async collect() {
        // Removes resolved alerts.
        if (group === 'alerts') this.reset()
        for (const [name, count] of Object.entries((await figures())[group]))
          this.set({ [label]: name }, count)
      },
    })
  gauge('orders', 'state', 'Orders by state')
  gauge('alerts', 'kind', 'Open alerts by kind')
  new Gauge({
    name: 'volant_alert_webhook_failing',
    help: '1 while messages about alerts do not reach ALERT_WEBHOOK_URL',
    registers: [metrics.registry],
    async collect() {
      this.set(Number((await webhookFault(db)) !== null))
    },
  })
  const backlog = 'notifications of the provider, emails; and emails that were given up'
  gauge('backlog', 'what', `What waits in the database: ${backlog}`)
}

/** GET /metrics, for callers with the token; without a configured token the route does not exist. */
export const metricsRoutes =
  (metrics: Metrics, token: string | undefined) =>
  async (app: FastifyInstance): Promise<void> => {
    if (token === undefined) return
    app.get(
      '/metrics',
      { config: { auth: 'ignored' }, schema: { hide: true } },
      async ({ headers }, reply) => {
        if (!isSame(headers.authorization ?? '', `Bearer ${token}`))
          return reply.code(401).header('www-authenticate', 'Bearer').send({ status: 'token expected' })
        return reply.type(metrics.registry.contentType).send(await metrics.registry.metrics())
      },
    )
  }

interface Health {
  db: Database
  isStopping?: () => boolean
  /** Newest migration that this program needs. */
  migration?: number
  /** Why the last write of this process failed. */
  databaseFault?: (() => Promise<DatabaseFault | undefined>) | undefined
  /** Signs the logs of draws. */
  logKey?: LogKey
}

const WARNINGS_KEPT_MS = 10_000
const LOG_KEY_KEPT_MS = 60_000

/** Asks again once what is known is so old; many ask for readiness, and for all of them once. */
function kept<Value>(keepMs: number, read: () => Promise<Value>): () => Promise<Value> {
  let last: { at: number; value: Promise<Value> } | undefined
  return () => {
    if (!last || nowMs() - last.at >= keepMs) {
      const asked = { at: nowMs(), value: read() }
      last = asked
      asked.value.catch(() => last === asked && (last = undefined))
    }
    return last.value
  }
}

/**
 * GET /api/health/live: the process runs. /jobs: each background job ran lately in some process. /ready: it is not stopping,
 * its database is migrated and takes writes, and its key of the draws is the right one. What else is wrong, such as a partner
 * that is down, would be as wrong for the next process: `/ready` names it as a warning and stays at 200.
 */
export const healthRoutes =
  ({ db, isStopping = () => false, migration = 0, databaseFault: lastWrite, logKey }: Health) =>
  async (app: FastifyInstance): Promise<void> => {
    const open = { config: { auth: 'ignored' as const }, schema: { hide: true } }

    const isForeign = kept(LOG_KEY_KEPT_MS, async () => logKey && (await logOfAnotherKey(db, logKey)))
    const warnings = kept(WARNINGS_KEPT_MS, async () => {
      const kinds = await openAlerts(db)
      return READY_WARNINGS.filter((kind) => kinds[kind] !== undefined)
    })

    app.get('/api/health/live', open, async () => ({ status: 'ok' }))

    // Of the shop as a whole; a web process without a worker can still sell.
    app.get('/api/health/jobs', open, async (_, reply) => {
      const jobs = await jobAges(db)
      const isMissing = jobs.some((one) => one.isMissing)
      return reply.code(isMissing ? 503 : 200).send({ status: isMissing ? 'jobs missing' : 'ok', jobs })
    })

    app.get('/api/health/ready', open, async (request, reply) => {
      const fault = isStopping()
        ? 'stopping'
        : await databaseFault().catch((error: unknown) => {
            request.log.warn({ err: error }, 'not ready')
            return 'database away'
          })
      if (fault === undefined) return { status: 'ok', warnings: await warnings().catch(() => []) }
      return reply.code(503).header('retry-after', '2').send({ status: fault })
    })

    async function databaseFault(): Promise<string | undefined> {
      if ((await migrationVersion(db)) < migration) return 'migrations missing'
      if (await isReadOnly(db)) return 'database read-only'
      if ((await lastWrite?.()) !== undefined) return 'database takes no writes'
      return (await isForeign()) === undefined ? undefined : 'another LOG_KEY than that of the logs'
    }
  }
