import { STATUS_CODES, type Server, type ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { FastifyHttpOptions, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { translate } from '#i18n/server-translator.ts'
import { DEFAULT_LANGUAGE, preferredLanguage } from '#shared/languages.ts'
import { Refusal } from '#shared/refusal.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The body is a file, which may take `UPLOAD_MS`. */
    isUpload?: true
  }
}

/** Longest time for the head of a request, and then for its body; then the connection is closed. */
const REQUEST_MS = 30_000
/** The same for a file of 25 MiB from a slow line. */
const UPLOAD_MS = 300_000

/** Any other parser error is 400. */
const PARSER_FAULTS: Record<string, number> = { ERR_HTTP_REQUEST_TIMEOUT: 408, HPE_HEADER_OVERFLOW: 431 }

type StrayOptions = Pick<
  FastifyHttpOptions<Server>,
  'requestTimeout' | 'http' | 'return503OnClosing' | 'frameworkErrors' | 'clientErrorHandler'
>

/**
 * Responds to requests that reach none of our hooks in the common shape of failures, with the headers of every
 * response.
 */
export const strayRequests = (headers: Readonly<Record<string, string>>): StrayOptions => ({
  requestTimeout: UPLOAD_MS,
  // Node would refuse a request without a Host by itself; see `requireOneHost`.
  http: { headersTimeout: REQUEST_MS, connectionsCheckingInterval: 5_000, requireHostHeader: false },

  // Requests on open connections are served while the process stops; the proxy sends no new ones.
  return503OnClosing: false,

  // An address that cannot be decoded, or whose parts are too long.
  frameworkErrors(error, request: FastifyRequest, reply: FastifyReply) {
    const language = preferredLanguage(request.headers['accept-language']) ?? DEFAULT_LANGUAGE
    const isTooLong = error.code === 'FST_ERR_MAX_PARAM_LENGTH'
    const [status, code] = isTooLong ? [404, 'request.notFound' as const] : [400, 'request.invalid' as const]
    void reply.code(status).headers(headers)
    void reply.send({ detail: translate(language, `errors.${code}`), code })
  },

  // Not HTTP, so the caller's language is unknown.
  clientErrorHandler({ code }, socket) {
    if (code === 'ECONNRESET' || socket.destroyed) return
    const status = PARSER_FAULTS[code] ?? 400
    const body = invalidRequest()
    if (socket.writable) {
      const head = [
        `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
        ...Object.entries({ ...headers, ...headersOf(body) }).map(([name, value]) => `${name}: ${value}`),
      ]
      socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
    }
    socket.destroy(undefined)
  },
})

/** Cuts off a body that is no upload and takes longer than `REQUEST_MS`, as Node cuts off a slow head. */
export function limitBodies(app: FastifyInstance, longestMs = REQUEST_MS): void {
  app.addHook('onRequest', ({ raw, headers, routeOptions }, _reply, done) => {
    const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
    // A call of our own pages has no connection.
    if (hasBody && raw.socket instanceof Socket && !routeOptions.config.isUpload) {
      const late = (): unknown =>
        raw.complete || app.server.emit('clientError', { code: 'ERR_HTTP_REQUEST_TIMEOUT' }, raw.socket)
      const timer = setTimeout(late, longestMs).unref()
      raw.once('close', () => clearTimeout(timer))
    }
    done()
  })
}

/** Responds to an `Expect` other than 100-continue, which Node would do by itself without headers. */
export function refuseExpectations(app: FastifyInstance, headers: Readonly<Record<string, string>>): void {
  app.server.on('checkExpectation', (_request, response: ServerResponse) => {
    const body = invalidRequest()
    response.writeHead(417, { ...headers, ...headersOf(body) }).end(body)
  })
}

const invalidRequest = (): string =>
  JSON.stringify({ detail: translate(DEFAULT_LANGUAGE, 'errors.request.invalid'), code: 'request.invalid' })

const headersOf = (body: string) => ({
  'content-type': 'application/json; charset=utf-8',
  'content-length': String(Buffer.byteLength(body)),
  connection: 'close',
})

/** Refuses several Host headers, and none in HTTP/1.1 (RFC 9112, 3.2): Node takes the first, a proxy maybe the last. After `readLanguage`. */
export function requireOneHost(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const named = request.raw.rawHeaders
    let hosts = 0
    for (let index = 0; index < named.length; index += 2) {
      const name = named[index]
      if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1
    }
    const isMissing = hosts === 0 && request.raw.httpVersion === '1.1'
    done(hosts > 1 || isMissing ? new Refusal('request.invalid', 400, 'errors.request.invalid') : undefined)
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
