import type { FastifyInstance } from 'fastify'
import type { Database } from '#platform/database.ts'
import { ping } from '#platform/ping.ts'

/** GET /api/health/live: the process runs. GET /api/health/ready: it can also reach its database. */
export const healthRoutes =
  ({ db }: { db: Database }) =>
  async (app: FastifyInstance): Promise<void> => {
    const open = { config: { auth: 'ignored' as const }, schema: { hide: true } }

    app.get('/api/health/live', open, async () => ({ status: 'ok' }))

    app.get('/api/health/ready', open, async (request, reply) => {
      try {
        await ping(db)
        return { status: 'ok' }
      } catch (error) {
        request.log.warn({ err: error }, 'not ready')
        return reply.code(503).header('retry-after', '2').send({ status: 'database away' })
      }
    })
  }
