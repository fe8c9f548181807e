import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from 'fastify'

const REQUEST_ID_HEADER = 'x-request-id'

/** Anything else could forge a line of the log. */
const WELL_FORMED = /^[\w.-]{8,64}$/

const current = new AsyncLocalStorage<string>()

/** The id of the request that this code works for; undefined in background jobs. */
export const currentRequestId = (): string | undefined => current.getStore()

/** The id of a request: that of the page that calls its own process, a well-formed one of the header, or a new one. */
export function requestId({ headers }: { headers: Record<string, string | string[] | undefined> }): string {
  const outer = currentRequestId()
  if (outer !== undefined) return outer
  const sent = headers[REQUEST_ID_HEADER]
  return typeof sent === 'string' && WELL_FORMED.test(sent) ? sent : randomUUID()
}

/** Adds the id of each request to its answer and to the log lines of the work for it. */
export function tellRequestIds(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.header(REQUEST_ID_HEADER, request.id)
    done()
  })
  // After the body was read: calls from there on keep this context.
  app.addHook('preValidation', (request, _reply, done) => current.run(request.id, done))
}

/**
 * One line for each answered API request; files and pages at debug level. It has the route's pattern, not the address, so
 * that no id, token or e-mail address of a query reaches the log.
 */
export class RequestLog extends LogController {
  override incomingRequest(): void {}

  override requestCompleted(error: Error | null, request: FastifyRequest, reply: FastifyReply): void {
    const route = request.routeOptions.url ?? '(none)'
    const level = error ? 'warn' : route.startsWith('/api/') ? 'info' : 'debug'
    request.log[level](
      { method: request.method, route, status: reply.statusCode, ms: Math.trunc(reply.elapsedTime) },
      error ? 'answer not delivered' : 'answered',
    )
  }
}

/** The path of a request's target, which may be a whole address (RFC 9112, 3.2.2) or anything else. */
export const pathOfTarget = ({ url = '/' }: { url?: string | undefined }): string => {
  if (url.startsWith('/')) return url
  const [, rest] = /^https?:\/\/[^/?#]*(.*)$/is.exec(url) ?? []
  return rest?.startsWith('/') ? rest : `/${rest ?? url}`
}

/** Encoded line ends, which copied links may have. */
const LINE_ENDS = /%0a|%0d|%e2%80%a[89]/gi

/**
 * The canonical path of a page: one slash in front (two name another host in a redirect), none at the end, no line ends.
 * @param pathname as `URL` reads it, with dots and backslashes resolved
 */
export const onePagePath = (pathname: string): string =>
  pathname
    // First, since a line end may stand between two slashes.
    .replace(LINE_ENDS, '')
    .replace(/^\/+/, '/')
    // Looking back keeps a long run of slashes in the middle from being tried from each of its slashes.
    .replace(/(?<=[^/])\/+$/, '')
