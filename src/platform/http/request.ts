import type {} from '@fastify/cookie'
import type { FastifyRequest, FastifyInstance } from 'fastify'
import {
  type Language,
  DEFAULT_LANGUAGE,
  isLanguage,
  languageCookie,
  preferredLanguage,
} from '#shared/languages.ts'
import { Refusal } from '#shared/refusal.ts'

/** The sender by its access token, which carries no rights. */
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
    /** Default `required`. `optional`: a sent token must be valid. `ignored`: the header is not read. */
    auth?: 'required' | 'optional' | 'ignored'
    /** Failures. `form`: bare `{field: [messages]}` (spec section 8); `payment`: see errors.ts; `text`: plain text. */
    errors?: 'form' | 'payment' | 'text'
  }
}

/** For staff and superusers only, whatever a route's `auth`. */
export const STAFF_ROUTES = '/api/staff/'

export function callerOf(request: FastifyRequest): Caller {
  if (!request.caller) throw new Refusal('auth.required', 401, 'errors.auth.required')
  return request.caller
}

/** Language of answers: the Accept-Language header, which our pages send, then the cookie, then French. */
export function readLanguage(app: FastifyInstance, publicUrl: string): void {
  const name = languageCookie(publicUrl)
  app.decorateRequest('language', DEFAULT_LANGUAGE)
  app.addHook('onRequest', async (request) => {
    const cookie = request.cookies[name]
    request.language =
      preferredLanguage(request.headers['accept-language']) ??
      (isLanguage(cookie) ? cookie : DEFAULT_LANGUAGE)
  })
}
