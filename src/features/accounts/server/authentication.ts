import fastifyPlugin from 'fastify-plugin'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { batchCalls } from '#platform/batcher.ts'
import type { Database } from '#platform/database.ts'
import { type Caller, STAFF_ROUTES, callerOf } from '#platform/http/request.ts'
import { Refusal } from '#shared/refusal.ts'
import { type OpenSessionRow, sessionsRepository } from './sessions.repository.ts'
import { type AccessTokens, tokenInvalid } from './tokens.ts'

/** Largest batch, and more callers than load shedding admits. */
const BOUNDS = { batch: 256, queue: 50_000 }

/**
 * Fills `request.caller` and refuses the tokens of ended sessions where a token is required. Register on the root, after
 * the language and before any route.
 */
export const authentication = (tokens: AccessTokens, db: Database) =>
  fastifyPlugin(
    async (app: FastifyInstance) => {
      /**
       * Asks the database for many callers at once, so that a logout, a suspension or the loss of a right in one
       * process holds in all.
       */
      const openSession = batchCalls<Caller, OpenSessionRow | undefined>(async (callers) => {
        const open = await sessionsRepository(db).open(callers.map(({ sessionId }) => sessionId))
        return callers.map(({ sessionId, userId }) => {
          const session = open.get(sessionId)
          return { value: session?.user_id === userId ? session : undefined }
        })
      }, BOUNDS)
      app.decorateRequest('caller', null)
      app.addHook('onRequest', async (request) => {
        // The route's own pattern, because the requested address may encode "/api/" differently.
        const { url: pattern = '', config } = request.routeOptions
        const auth = config.auth ?? 'required'
        // Staff calls have the console's sessions: a token of the shop opens none of them.
        if (!pattern.startsWith('/api/') || pattern.startsWith(STAFF_ROUTES)) return
        if (request.is404 || auth === 'ignored') return
        const token = bearerToken(request)
        if (token !== undefined) request.caller = await tokens.read(token)
        if (auth === 'required') {
          const session = await openSession(callerOf(request))
          if (!session) throw tokenInvalid()
          if (!session.is_active) throw new Refusal('auth.suspended', 403, 'errors.auth.suspended')
        }
      })
    },
    { name: 'authentication' },
  )

function bearerToken({ headers: { authorization } }: FastifyRequest): string | undefined {
  if (authorization === undefined || /^(Bearer)?\s*$/i.test(authorization)) return undefined
  const token = /^Bearer +(\S+)\s*$/i.exec(authorization)?.[1]
  if (!token) throw tokenInvalid()
  return token
}
