import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { PayPalError } from './errors.ts'
import { debugId } from './ids.ts'

const bodyLimit = 1_048_576

/** The web server: JSON and form bodies, a `Paypal-Debug-Id` on every answer, PayPal's error shape. */
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
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, text, done) => {
      done(null, Object.fromEntries(new URLSearchParams(text as string)))
    },
  )

  app.addHook('onRequest', (_request, reply, done) => {
    reply.header('paypal-debug-id', debugId())
    reply.header('x-content-type-options', 'nosniff')
    reply.header('cache-control', 'no-store')
    done()
  })
  app.setErrorHandler((error, _request, reply) => sendError(reply, toPayPalError(error)))
  app.setNotFoundHandler((request, reply) =>
    sendError(
      reply,
      new PayPalError('RESOURCE_NOT_FOUND', [
        {
          issue: 'PATH_NOT_FOUND',
          description: `There is nothing at ${request.method} ${request.url.split('?')[0]}.`,
        },
      ]),
    ),
  )
  return app
}

const malformed = () =>
  new PayPalError('INVALID_REQUEST', [
    {
      field: '/',
      location: 'body',
      issue: 'MALFORMED_REQUEST_JSON',
      description: 'The request JSON is not well formed.',
    },
  ])

function toPayPalError(error: unknown): PayPalError {
  if (error instanceof PayPalError) return error
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : ''
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return new PayPalError('UNSUPPORTED_MEDIA_TYPE')
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return new PayPalError('PAYLOAD_TOO_LARGE')
  const status = typeof error === 'object' && error !== null && 'statusCode' in error ? error.statusCode : 500
  if (typeof status === 'number' && status >= 400 && status < 500) return malformed()
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
