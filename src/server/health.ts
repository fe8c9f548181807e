import type { FastifyInstance } from 'fastify'
import { type Database, isReadOnly } from '#platform/database.ts'
import { migrationVersion } from '#platform/migrations.ts'

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
