import type {} from '@fastify/cookie'
import type { FastifyInstance } from 'fastify'
import { DEFAULT_LANGUAGE, LANGUAGE_COOKIE, isLanguage, preferredLanguage } from '#shared/languages.ts'

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
