import fastifyPlugin from 'fastify-plugin'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Database, Sql } from '#platform/database.ts'
import { type Caller, STAFF_ROUTES, callerOf } from '#platform/http/request.ts'
import { Refusal } from '#shared/refusal.ts'
import { sessionsRepository } from './sessions.repository.ts'
import { type AccessTokens, tokenInvalid } from './tokens.ts'

/** Fills `request.caller` and protects staff routes. Register on the root, after the language and before any route. */
export const authentication = (tokens: AccessTokens, db: Database) =>
  fastifyPlugin(
    async (app: FastifyInstance) => {
      app.decorateRequest('caller', null)
      app.addHook('onRequest', async (request, reply) => {
        // The route's own pattern, because the requested address may encode "/api/" differently.
        const { url: pattern = '', config } = request.routeOptions
        const isForStaff = pattern.startsWith(STAFF_ROUTES)
        const auth = isForStaff ? 'required' : (config.auth ?? 'required')
        if (!pattern.startsWith('/api/') || request.is404 || auth === 'ignored') return
        const token = bearerToken(request)
        if (token !== undefined) request.caller = await tokens.read(token)
        if (auth === 'required') callerOf(request)
        if (isForStaff) await requireStaff(db, callerOf(request))
        if (request.caller) reply.header('cache-control', 'no-store')
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

/**
 * Asks the database, not the token, because staff move money and must lose their rights at once.
 * @throws Refusal 401 `auth.tokenInvalid` for an ended session, 403 `auth.suspended` or `auth.staffOnly`
 */
async function requireStaff(db: Sql, { sessionId, userId }: Caller): Promise<void> {
  const account = await sessionsRepository(db).accountOf(sessionId, userId)
  if (!account) throw tokenInvalid()
  if (!account.is_active) throw new Refusal('auth.suspended', 403, 'errors.auth.suspended')
  if (!account.is_staff && !account.is_superuser)
    throw new Refusal('auth.staffOnly', 403, 'errors.auth.staffOnly')
}
