import type {} from '@fastify/cookie'
import type { FastifyRequest, FastifyInstance } from 'fastify'
import {
  type Language,
  DEFAULT_LANGUAGE,
  LANGUAGE_COOKIE,
  isLanguage,
  preferredLanguage,
} from '#shared/languages.ts'
import { Refusal } from '#shared/refusal.ts'

/** Who sent a request, by its access token, which carries no rights. */
export interface Caller {
  userId: number
  sessionId: string
}

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null
    language: Language
  }
  interface FastifyContextConfig {
    /**
     * What the route requires of the Authorization header; `required` when left out. `optional`: a token that is sent must
     * be valid. `ignored`: the header is not read. A route below `STAFF_ROUTES` is always for staff.
     */
    auth?: 'required' | 'optional' | 'ignored'
    /**
     * `form`: faults of the body are answered as bare `{field: [messages]}` (spec section 8). `payment`: every failure
     * carries `message`, `details` and `debug_id` too (decisions, "create-order output"). `text`: the route answers its
     * own failures as plain text.
     */
    errors?: 'form' | 'payment' | 'text'
  }
}

/** Routes below it are for staff and superusers alone. */
export const STAFF_ROUTES = '/api/staff/'

export function callerOf(request: FastifyRequest): Caller {
  if (!request.caller) throw new Refusal('auth.required', 401, 'errors.auth.required')
  return request.caller
}

/** Sets the language of each answer: the Accept-Language header, which our pages send, then the cookie, then French. */
export function readLanguage(app: FastifyInstance): void {
  app.decorateRequest('language', DEFAULT_LANGUAGE)
  app.addHook('onRequest', async (request) => {
    const cookie = request.cookies[LANGUAGE_COOKIE]
    request.language =
      preferredLanguage(request.headers['accept-language']) ??
      (isLanguage(cookie) ? cookie : DEFAULT_LANGUAGE)
  })
}
