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

/**
 * Who sent a request, read from its access token. What somebody may do is not in it: a token would go on saying so for
 * minutes after it was taken away.
 */
export interface Caller {
  userId: number
  sessionId: string
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The signed-in caller; null for a visitor. */
    caller: Caller | null
    /** Language for the texts of the answer. */
    language: Language
  }
  interface FastifyContextConfig {
    /**
     * What the route asks of the Authorization header. Left out means `required`, so that a new route is closed.
     * `optional`: a visitor may call, but a token that is sent must be good. `ignored`: the header is not looked at.
     * A route below `STAFF_ROUTES` is for staff whatever stands here.
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

/** Every route whose pattern begins like this is for staff and superusers alone. */
export const STAFF_ROUTES = '/api/staff/'

/** The caller of a route that requires one. */
export function callerOf(request: FastifyRequest): Caller {
  if (!request.caller) throw new Refusal('auth.required', 401, 'errors.auth.required')
  return request.caller
}

/**
 * Gives every request the language of its answer's texts: the Accept-Language header of an API call (our pages send
 * the language they are shown in), then the language cookie, then French.
 */
export function readLanguage(app: FastifyInstance): void {
  app.decorateRequest('language', DEFAULT_LANGUAGE)
  app.addHook('onRequest', async (request) => {
    const cookie = request.cookies[LANGUAGE_COOKIE]
    request.language =
      preferredLanguage(request.headers['accept-language']) ??
      (isLanguage(cookie) ? cookie : DEFAULT_LANGUAGE)
  })
}
