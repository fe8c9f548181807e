import { AsyncLocalStorage } from 'node:async_hooks'
import type {} from '@fastify/cookie'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { translate } from '#i18n/server-translator.ts'
import { isSame } from '#platform/keyed-hashes.ts'
import type { Config } from './config.ts'

const COOKIE = 'demo_token'
/** The page and the calls of the mailbox, in the spelling that the router of the pages reads. */
const PRIVATE = /^\/(?:api\/)?demo(?:\/|$)/
/** What proxies add, relays of content delivery networks and tunnels among them. */
const FORWARDED =
  /^(?:forwarded|via|x-(?:forwarded|real|original|client|cluster-client)-?.*|(?:cf|true-client|fastly|fly|cdn|ngrok)-.*)$/
const LOOPBACK_NAMES = new Set(['localhost', '127.0.0.1', '[::1]'])

/** Whether the outermost request of a page that calls the API may see the mailbox. */
const pageMay = new AsyncLocalStorage<boolean>()

/**
 * The demonstration's mailbox has reset links of everybody: it responds with the token that the start prints. No
 * request proves that no proxy passed it on (ADR 0052), so the rule for this machine is for an app without a token
 * alone, as in tests. Register it before the routes.
 */
export function guardDemonstration(
  app: FastifyInstance,
  { demoToken, publicUrl }: Pick<Config, 'demoToken' | 'publicUrl'>,
): void {
  const isToken = (given: unknown): boolean =>
    demoToken !== undefined && typeof given === 'string' && isSame(given, demoToken)
  const mayRead = (request: FastifyRequest): boolean =>
    pageMay.getStore() ??
    (demoToken === undefined ? isOnThisMachine(request) : isToken(request.cookies[COOKIE]))

  app.addHook('onRequest', async (request, reply) => {
    // Not resolved against a base: "//other.example/" would name another host.
    const url = new URL(publicUrl + request.url)
    if (!PRIVATE.test(decoded(url.pathname))) return
    const token = url.searchParams.get('token')
    if (isToken(token)) {
      const secure = publicUrl.startsWith('https:')
      reply.setCookie(COOKIE, token!, { path: '/', httpOnly: true, sameSite: 'lax', secure })
      url.searchParams.delete('token')
      // Neither the history nor a link that is passed on keeps the token.
      return reply.redirect(url.pathname + url.search, 303)
    }
    if (mayRead(request)) return
    const detail = translate(request.language, 'errors.demoOnly')
    if (url.pathname.startsWith('/api/')) return reply.code(403).send({ detail, code: 'demo.only' })
    return reply.code(403).type('text/plain; charset=utf-8').send(`${detail}\n`)
  })
  app.addHook('preValidation', (request, _reply, done) => pageMay.run(mayRead(request), done))
}

/** A connection from this machine to a name of this machine, without a trace of a proxy or another site's page. */
function isOnThisMachine({ raw, headers }: FastifyRequest): boolean {
  const from = raw.socket.remoteAddress ?? ''
  const isLoopback = from === '::1' || /^(?:::ffff:)?127\./.test(from)
  const name = (headers.host ?? '').replace(/:\d+$/, '').toLowerCase()
  const isForwarded = Object.keys(headers).some((header) => FORWARDED.test(header))
  return isLoopback && LOOPBACK_NAMES.has(name) && raw.httpVersion !== '1.0' && !isForwarded
}

/** Slashes and letters as the router of the pages takes them; an address that cannot be decoded names no page. */
function decoded(pathname: string): string {
  try {
    return decodeURIComponent(pathname).replace(/^\/+/, '/').toLowerCase()
  } catch {
    return pathname
  }
}
