import { randomUUID } from 'node:crypto'
import { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from 'fastify'
import { type Trace, currentRequest, traceOf, withinRequest } from '#platform/http/request-context.ts'

declare module 'fastify' {
  interface FastifyRequest {
    trace: Trace | null
  }
}

const REQUEST_ID_HEADER = 'x-request-id'

/** Any other id could forge a line of the log. */
const WELL_FORMED = /^[\w.-]{8,64}$/

/** The id of the page that calls its own process, a well-formed one of the header, or a new one. */
export function requestId({ headers }: { headers: Record<string, string | string[] | undefined> }): string {
  const outer = currentRequest()
  if (outer !== undefined) return outer.id
  const sent = headers[REQUEST_ID_HEADER]
  return typeof sent === 'string' && WELL_FORMED.test(sent) ? sent : randomUUID()
}

/** Adds the request id to the response and to log lines, and to these the trace, where the caller names one. */
export function sendRequestIds(app: FastifyInstance): void {
  app.decorateRequest('trace', null)
  app.addHook('onRequest', (request, reply, done) => {
    reply.header(REQUEST_ID_HEADER, request.id)
    request.trace = currentRequest()?.trace ?? traceOf(request.headers)
    if (request.trace) request.log = reply.log = request.log.child({ trace_id: request.trace.id })
    done()
  })
  // After the body was read: later calls keep this context.
  app.addHook('preValidation', ({ id, trace }, _reply, done) => withinRequest({ id, trace }, done))
}

/** Asked every few seconds by proxies and monitors. */
const isProbe = (route: string): boolean => route.startsWith('/api/health/') || route === '/metrics'

/**
 * Logs a route's pattern, since an address may have ids, tokens or e-mail addresses; pages at debug level, and probes only
 * if they may not ask or their response could not be delivered.
 */
export class RequestLog extends LogController {
  override incomingRequest(): void {}

  override requestCompleted(error: Error | null, request: FastifyRequest, reply: FastifyReply): void {
    const route = request.routeOptions.url ?? '(none)'
    if (!error && isProbe(route) && reply.statusCode !== 401) return
    const level = error ? 'warn' : route.startsWith('/api/') ? 'info' : 'debug'
    request.log[level](
      { method: request.method, route, status: reply.statusCode, ms: Math.trunc(reply.elapsedTime) },
      error ? 'answer not delivered' : 'answered',
    )
  }
}

/** The target may be a whole address (RFC 9112, 3.2.2) or any other text. */
export const pathOfTarget = ({ url = '/' }: { url?: string | undefined }): string => {
  if (url.startsWith('/')) return decodable(url)
  const [, rest] = /^https?:\/\/[^/?#]*(.*)$/is.exec(url) ?? []
  return decodable(rest?.startsWith('/') ? rest : `/${rest ?? url}`)
}

/** Below them nobody reads a page. */
export const NO_PAGES = /^\/(?:api|assets|media)(?:\/|$)/i

/** The path of a page that cannot be decoded, such as that of a link cut in two, names no page: its signs stand for themselves. */
function decodable(target: string): string {
  const [path = ''] = target.split('?', 1)
  if (NO_PAGES.test(path)) return target
  try {
    decodeURIComponent(path)
    return target
  } catch {
    return path.replaceAll('%', '%25') + target.slice(path.length)
  }
}
