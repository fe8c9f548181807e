import fastifyPlugin from 'fastify-plugin'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { batchCalls } from '#platform/batcher.ts'
import type { Database } from '#platform/database.ts'
import { type Caller, STAFF_ROUTES, callerOf } from '#platform/http/request.ts'
import type { SecurityLog } from '#platform/security-log.ts'
import { Refusal } from '#shared/refusal.ts'
import { type OpenSessionRow, sessionsRepository } from './sessions.repository.ts'
import { type AccessTokens, tokenInvalid } from './tokens.ts'

/** Largest batch, and more callers than load shedding admits. */
const BOUNDS = { batch: 256, queue: 50_000 }

/**
 * Fills `request.caller`, refuses the tokens of ended sessions where a token is required, protects staff routes and
 * records who of staff changes something. Register on the root, after the language and before any route.
 */
export const authentication = (tokens: AccessTokens, db: Database, security: SecurityLog) =>
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
      app.addHook('onRequest', async (request, reply) => {
        // The route's own pattern, because the requested address may encode "/api/" differently.
        const { url: pattern = '', config } = request.routeOptions
        const isForStaff = pattern.startsWith(STAFF_ROUTES)
        const auth = isForStaff ? 'required' : (config.auth ?? 'required')
        if (!pattern.startsWith('/api/') || request.is404 || auth === 'ignored') return
        const token = bearerToken(request)
        if (token !== undefined) request.caller = await tokens.read(token)
        if (auth === 'required') {
          const session = await openSession(callerOf(request))
          if (!session) throw tokenInvalid()
          if (!session.is_active) throw new Refusal('auth.suspended', 403, 'errors.auth.suspended')
          if (isForStaff && !session.is_staff && !session.is_superuser)
            throw new Refusal('auth.staffOnly', 403, 'errors.auth.staffOnly')
        }
        if (request.caller) reply.header('cache-control', 'no-store')
      })
      app.addHook('preHandler', async (request) => {
        const { method, routeOptions } = request
        const { url: pattern = '' } = routeOptions
        if (!pattern.startsWith(STAFF_ROUTES) || method === 'GET' || method === 'HEAD') return
        const { userId } = callerOf(request)
        const detail = `${method} ${withParams(pattern, request.params)}`
        await security.recordNow({ event: 'staff_action', userId, address: request.ip, detail })
      })
    },
    { name: 'authentication' },
  )

/** The pattern of a route with its values; a value that is no id or slug is not shown. */
const withParams = (pattern: string, params: unknown): string =>
  pattern.replaceAll(/:(\w+)/g, (_, name: string) => {
    const value = String((params as Record<string, unknown>)[name])
    return /^[\w-]{1,200}$/.test(value) ? value : '?'
  })

function bearerToken({ headers: { authorization } }: FastifyRequest): string | undefined {
  if (authorization === undefined || /^(Bearer)?\s*$/i.test(authorization)) return undefined
  const token = /^Bearer +(\S+)\s*$/i.exec(authorization)?.[1]
  if (!token) throw tokenInvalid()
  return token
}
