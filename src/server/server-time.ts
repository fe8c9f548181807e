import type { FastifyInstance } from 'fastify'
import type { DatabaseClock } from '#platform/database-clock.ts'
import { SHARED } from '#platform/http/shared-responses.ts'
import { SHARED_MS } from '#shared/freshness.ts'
import { SERVER_TIME, serverTiming } from '#shared/server-time.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Milliseconds since the epoch by the database's clock. */
    databaseNow(): number
  }
}

/**
 * Sends the time of the database with every page and response, kept ones too: browsers count by it (ADR 0083). What
 * shows a read replica says from when it is (ADR 0112).
 */
export function sendServerTime(app: FastifyInstance, clock: DatabaseClock): void {
  app.decorate('databaseNow', () => clock.now())
  app.addHook('onReady', async () => clock.read())
  app.addHook('onClose', async () => clock.stop())
  app.addHook('onSend', (request, reply, payload, done) => {
    const isPage = String(reply.getHeader('content-type')).startsWith('text/html')
    if (isPage || request.url.startsWith('/api/')) {
      const keptMs = reply.getHeader('cache-control') === SHARED ? SHARED_MS : 0
      const { shownFrom: from } = request
      reply.header(
        SERVER_TIME,
        serverTiming({ shown: clock.now(), keptMs, ...(from !== undefined && { from }) }),
      )
    }
    done(null, payload)
  })
}
