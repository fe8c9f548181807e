import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { Gauge } from 'prom-client'
import { openAlerts } from '#features/alerts/server/index.ts'
import { countOrders } from '#features/orders/server/index.ts'
import { countWaitingNotifications } from '#features/payments/server/index.ts'
import { emailFigures } from '#features/emails/server/index.ts'
import { type Database, isReadOnly } from '#platform/database.ts'
import type { Metrics } from '#platform/metrics.ts'
import { migrationVersion } from '#platform/migrations.ts'
import { nowMs } from '#shared/clock.ts'

/** Figures of the database are looked up at most this often, and never take more than a hundredth of the time. */
const FIGURES_KEPT_MS = 10_000
const FIGURES_SHARE = 100

/** Measures every answer of an app. */
export function measureAnswers(app: FastifyInstance, metrics: Metrics): void {
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? '(none)'
    metrics.http(request.method, route, reply.statusCode, reply.elapsedTime / 1000)
    done()
  })
}

/** Shows what all processes share: how orders, notifications and emails stand. One process that tells it is enough. */
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
  const registers = [metrics.registry]
  new Gauge({
    name: 'volant_orders',
    help: 'Orders by state',
    labelNames: ['state'],
    registers,
    async collect() {
      for (const [state, count] of Object.entries((await figures()).orders)) this.set({ state }, count)
    },
  })
  new Gauge({
    name: 'volant_alerts',
    help: 'Open alerts by kind',
    labelNames: ['kind'],
    registers,
    async collect() {
      this.reset()
      for (const [kind, count] of Object.entries((await figures()).alerts)) this.set({ kind }, count)
    },
  })
  new Gauge({
    name: 'volant_backlog',
    help: 'What waits in the database: notifications of the provider, emails; and emails that were given up',
    labelNames: ['what'],
    registers,
    async collect() {
      for (const [what, count] of Object.entries((await figures()).backlog)) this.set({ what }, count)
    },
  })
}

/**
 * GET /metrics: the figures of this process for Prometheus, for whoever shows the token. Without one set there is no
 * such address.
 */
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
        return reply
          .header('cache-control', 'no-store')
          .type(metrics.registry.contentType)
          .send(await metrics.registry.metrics())
      },
    )
  }

/** Compares without telling by its duration how much was right. */
const isSame = (one: string, other: string): boolean => timingSafeEqual(digest(one), digest(other))
const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

interface Health {
  db: Database
  /** Whether the process was told to stop. */
  isStopping?: () => boolean
  /** Number of the newest migration that this program needs. */
  migration?: number
}

/**
 * GET /api/health/live: the process runs. GET /api/health/ready: it may be given requests, because it reaches its
 * database, which has the shape it needs and takes what is written, and was not told to stop.
 */
export const healthRoutes =
  ({ db, isStopping = () => false, migration = 0 }: Health) =>
  async (app: FastifyInstance): Promise<void> => {
    const open = { config: { auth: 'ignored' as const }, schema: { hide: true } }

    app.get('/api/health/live', open, async () => ({ status: 'ok' }))

    app.get('/api/health/ready', open, async (request, reply) => {
      const fault = isStopping()
        ? 'stopping'
        : await databaseFault().catch((error: unknown) => {
            request.log.warn({ err: error }, 'not ready')
            return 'database away'
          })
      if (fault === undefined) return { status: 'ok' }
      return reply.code(503).header('retry-after', '2').send({ status: fault })
    })

    async function databaseFault(): Promise<string | undefined> {
      if ((await migrationVersion(db)) < migration) return 'migrations missing'
      return (await isReadOnly(db)) ? 'database read-only' : undefined
    }
  }
