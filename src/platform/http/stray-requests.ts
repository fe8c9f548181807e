import { STATUS_CODES, type Server } from 'node:http'
import type { FastifyHttpOptions, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { translate } from '#i18n/server-translator.ts'
import { DEFAULT_LANGUAGE, preferredLanguage } from '#shared/languages.ts'
import { Refusal } from '#shared/refusal.ts'

/** Longest time from a request's first byte to the last one of its body; then the connection is closed. */
const REQUEST_MS = 30_000

/** Any other parser error is 400. */
const PARSER_FAULTS: Record<string, number> = { ERR_HTTP_REQUEST_TIMEOUT: 408, HPE_HEADER_OVERFLOW: 431 }

/** Answers requests that reach none of our hooks in the common shape of failures. */
export const strayRequests: Pick<
  FastifyHttpOptions<Server>,
  'requestTimeout' | 'http' | 'return503OnClosing' | 'frameworkErrors' | 'clientErrorHandler'
> = {
  requestTimeout: REQUEST_MS,
  http: { headersTimeout: REQUEST_MS, connectionsCheckingInterval: 5_000 },

  // Requests on open connections are served while the process stops; the proxy sends no new ones.
  return503OnClosing: false,

  // An address that cannot be decoded, or whose parts are too long.
  frameworkErrors(error, request: FastifyRequest, reply: FastifyReply) {
    const language = preferredLanguage(request.headers['accept-language']) ?? DEFAULT_LANGUAGE
    const isTooLong = error.code === 'FST_ERR_MAX_PARAM_LENGTH'
    const [status, code] = isTooLong ? [404, 'request.notFound' as const] : [400, 'request.invalid' as const]
    void reply.code(status).header('x-content-type-options', 'nosniff')
    void reply.send({ detail: translate(language, `errors.${code}`), code })
  },

  // Not HTTP, so the caller's language is unknown.
  clientErrorHandler({ code }, socket) {
    if (code === 'ECONNRESET' || socket.destroyed) return
    const status = PARSER_FAULTS[code] ?? 400
    const detail = translate(DEFAULT_LANGUAGE, 'errors.request.invalid')
    const body = JSON.stringify({ detail, code: 'request.invalid' })
    if (socket.writable) {
      const head = [
        `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
        'content-type: application/json; charset=utf-8',
        `content-length: ${Buffer.byteLength(body)}`,
        'connection: close',
      ]
      socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
    }
    socket.destroy(undefined)
  },
}

/** Refuses several Host headers (RFC 9112, 3.2): Node takes the first, a proxy maybe the last. After `readLanguage`. */
export function refuseManyHosts(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const named = request.raw.rawHeaders
    let hosts = 0
    for (let index = 0; index < named.length; index += 2) {
      const name = named[index]
      if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1
    }
    done(hosts > 1 ? new Refusal('request.invalid', 400, 'errors.request.invalid') : undefined)
  })
}

export function unknownRequests(app: FastifyInstance): void {
  app.setNotFoundHandler(() => {
    throw new Refusal('request.notFound', 404, 'errors.request.notFound')
  })
}

interface KnownPath {
  pattern: RegExp
  methods: Set<string>
}

/** Unknown API paths get 404, unknown methods 405 with Allow. Call it before the routes are registered. */
export function unknownApiPaths(app: FastifyInstance): void {
  const known = new Map<string, KnownPath>()

  app.addHook('onRoute', ({ url, method }) => {
    if (!url.startsWith('/api/') || url.includes('*')) return
    const path = known.get(url) ?? { pattern: patternOf(url), methods: new Set() }
    for (const one of [method].flat()) path.methods.add(one)
    known.set(url, path)
  })

  for (const url of ['/api', '/api/*'])
    app.route({
      url,
      method: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
      config: { auth: 'ignored' },
      schema: { hide: true },
      onRequest: async (request, reply) => {
        const path = new URL(request.url, 'http://shop').pathname
        const methods = [...known.values()].find((one) => one.pattern.test(path))?.methods
        // With a known method, a part of the path is too long.
        if (!methods || methods.has(request.method))
          throw new Refusal('request.notFound', 404, 'errors.request.notFound')
        reply.header('allow', [...methods].toSorted().join(', '))
        throw new Refusal('request.methodNotAllowed', 405, 'errors.request.methodNotAllowed')
      },
      handler: async () => undefined,
    })
}

const patternOf = (url: string): RegExp =>
  new RegExp(`^${url.replace(/\/+$/, '').replace(/:\w+/g, '[^/]+').replace(/\./g, '\\.')}/?$`)
