import { createHmac, timingSafeEqual } from 'node:crypto'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { detail, invalid, PayPalError } from './errors.ts'
import { debugId, randomHex } from './ids.ts'

const bodyLimit = 1_048_576

/** The web server: JSON and form bodies, a `Paypal-Debug-Id` on every response, PayPal's error shape. */
export function createHttp(): FastifyInstance {
  const app = Fastify({
    bodyLimit,
    logger: false,
    forceCloseConnections: true,
    routerOptions: { ignoreTrailingSlash: true },
  })

  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, text, done) => {
    if (text === '') return done(null, undefined)
    try {
      done(null, JSON.parse(text as string))
    } catch {
      done(malformed())
    }
  })
  const form = 'application/x-www-form-urlencoded'
  app.addContentTypeParser(form, { parseAs: 'string' }, (_request, text, done) =>
    done(null, Object.fromEntries(new URLSearchParams(text as string))),
  )

  app.addHook('onRequest', (_request, reply, done) => {
    reply.header('paypal-debug-id', debugId())
    reply.header('x-content-type-options', 'nosniff')
    reply.header('cache-control', 'no-store')
    done()
  })
  app.setErrorHandler((error, _request, reply) => sendError(reply, toPayPalError(error)))
  app.setNotFoundHandler(({ method, url }, reply) => {
    const description = `There is nothing at ${method} ${url.split('?')[0]}.`
    const fault = detail('PATH_NOT_FOUND', { description })
    return sendError(reply, new PayPalError('RESOURCE_NOT_FOUND', [fault]))
  })
  return app
}

const malformed = () => invalid('MALFORMED_REQUEST_JSON', { field: '/', location: 'body' })

function toPayPalError(error: unknown): PayPalError {
  if (error instanceof PayPalError) return error
  const { code, statusCode = 500 } = error as { code?: string; statusCode?: number }
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return new PayPalError('UNSUPPORTED_MEDIA_TYPE')
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return new PayPalError('PAYLOAD_TOO_LARGE')
  if (statusCode >= 400 && statusCode < 500) return malformed()
  console.error(error)
  return new PayPalError('INTERNAL_SERVER_ERROR')
}

export function sendError(reply: FastifyReply, error: PayPalError): FastifyReply {
  const debug = String(reply.getHeader('paypal-debug-id') ?? debugId())
  return reply.code(error.status).type('application/json').send(error.toBody(debug))
}

/** A field of a parsed form or query, as text. */
export function field(source: unknown, name: string): string {
  if (typeof source !== 'object' || source === null) return ''
  const value: unknown = Object.getOwnPropertyDescriptor(source, name)?.value
  return typeof value === 'string' ? value : ''
}

export const headerOf = (request: FastifyRequest, name: string): string | undefined => {
  const value = request.headers[name]
  return Array.isArray(value) ? value[0] : value
}

const lifetimeSeconds = 32_400

type TokenCheck = 'ok' | 'missing' | 'invalid' | 'expired'
export const same = (left: string, right: string): boolean => {
  const a = Buffer.from(left)
  const b = Buffer.from(right)
  return a.length === b.length && timingSafeEqual(a, b)
}

/** Bearer tokens that carry their end and a seal, so that a restart does not forget them. */
export function createAuth(clientId: string, clientSecret: string, now: () => Date) {
  const seal = (payload: string) => createHmac('sha256', clientSecret).update(payload).digest('base64url')
  /** Ends of tokens whose seal was checked before. */
  const checked = new Map<string, number>()

  return {
    lifetimeSeconds,
    /** Whether an `Authorization: Basic` header holds the client's id and secret. */
    isClient(header: string | undefined): boolean {
      const encoded = /^Basic ([A-Za-z0-9+/=]+)$/i.exec(header ?? '')?.[1]
      if (!encoded) return false
      return same(Buffer.from(encoded, 'base64').toString('utf8'), `${clientId}:${clientSecret}`)
    },
    issue(): string {
      const payload = `${(now().getTime() + lifetimeSeconds * 1000).toString(36)}.${randomHex(16)}`
      return `A21AA${Buffer.from(payload).toString('base64url')}.${seal(payload)}`
    },
    check(header: string | undefined): TokenCheck {
      if (!header) return 'missing'
      const known = checked.get(header)
      if (known !== undefined) return now().getTime() < known ? 'ok' : 'expired'
      const token = /^Bearer (A21AA\S+)$/i.exec(header)?.[1]
      if (!token) return 'invalid'
      const [body = '', signature = ''] = token.slice(5).split('.')
      const payload = Buffer.from(body, 'base64url').toString('utf8')
      if (!same(signature, seal(payload))) return 'invalid'
      const end = Number.parseInt(payload.split('.')[0] ?? '', 36)
      if (checked.size > 1000) checked.clear()
      checked.set(header, end)
      return now().getTime() < end ? 'ok' : 'expired'
    },
  }
}

/** PayPal responds to a missing header in its long error shape, a bad token in OAuth's short one. */
export function refusalOf(check: Exclude<TokenCheck, 'ok'>): Record<string, unknown> {
  if (check === 'missing') return new PayPalError('AUTHENTICATION_FAILURE').toBody()
  const reason = check === 'expired' ? 'Access Token has expired' : 'Token signature verification failed'
  return { error: 'invalid_token', error_description: reason }
}

const controlCookie = 'demo_token'
const forwarded =
  /^(?:forwarded|via|x-(?:forwarded|real|original|client|cluster-client)-?.*|(?:cf|true-client|fastly|fly|cdn|ngrok)-.*)$/
const loopbackNames = new Set(['localhost', '127.0.0.1', '[::1]'])
const controlsRefusal =
  'The controls of the PayPal emulator only answer with the token that its start prints; without one, on the machine that runs it.\n'

/**
 * The emulator's page and its own calls move money and show all buyers: they respond with the token. No request proves
 * that no proxy passed it on, so only an emulator without a token responds on this machine. What PayPal has, too, is
 * open to buyers and shops.
 */
export function guardControls(app: FastifyInstance, token: string | undefined): void {
  const isToken = (given: string | undefined): boolean =>
    token !== undefined && given !== undefined && same(given, token)

  app.addHook('onRequest', async (request, reply) => {
    const route = request.routeOptions.url ?? ''
    if (route !== '/' && (!route.startsWith('/_emulator/') || route === '/_emulator/health')) return
    if (isToken(field(request.query, 'token'))) {
      reply.header('set-cookie', `${controlCookie}=${token}; Path=/; HttpOnly; SameSite=Lax`)
      if (request.method === 'GET' && route === '/') return reply.redirect('/', 303)
      return
    }
    if (token === undefined ? isOnThisMachine(request) : isToken(cookieOf(request))) return
    return reply.code(403).type('text/plain; charset=utf-8').send(controlsRefusal)
  })
}

/** A direct connection from this machine to a name of this machine: neither a proxy nor another site's page. */
function isOnThisMachine(request: FastifyRequest): boolean {
  const from = request.raw.socket.remoteAddress ?? ''
  const isLoopback = from === '::1' || /^(?:::ffff:)?127\./.test(from)
  const name = (request.headers.host ?? '').replace(/:\d+$/, '').toLowerCase()
  const isForwarded = Object.keys(request.headers).some((header) => forwarded.test(header))
  return isLoopback && loopbackNames.has(name) && request.raw.httpVersion !== '1.0' && !isForwarded
}

const cookieOf = ({ headers }: FastifyRequest): string | undefined =>
  headers.cookie
    ?.split('; ')
    .find((one) => one.startsWith(`${controlCookie}=`))
    ?.slice(controlCookie.length + 1)
