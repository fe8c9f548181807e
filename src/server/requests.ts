import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from 'fastify'

/** Header with the number of a request: of the answer always, of the request where a proxy numbers them. */
const REQUEST_ID_HEADER = 'x-request-id'

/** What a number may look like; anything else could forge a line of the log. */
const WELL_FORMED = /^[\w.-]{8,64}$/

const current = new AsyncLocalStorage<string>()

/** The number of the request that this code works for; undefined for background work. */
export const currentRequestId = (): string | undefined => current.getStore()

/**
 * The number of a request: its caller's, where a page asks its own process; the one it came with, where that is
 * well-formed; or a new one.
 */
export function requestId({ headers }: { headers: Record<string, string | string[] | undefined> }): string {
  const outer = currentRequestId()
  if (outer !== undefined) return outer
  const sent = headers[REQUEST_ID_HEADER]
  return typeof sent === 'string' && WELL_FORMED.test(sent) ? sent : randomUUID()
}

/** Tells the number of each request to its caller, and to the log lines of everything that is done for it. */
export function tellRequestIds(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.header(REQUEST_ID_HEADER, request.id)
    done()
  })
  // Once the body has been read, since what is called from there on keeps this context.
  app.addHook('preValidation', (request, _reply, done) => current.run(request.id, done))
}

/**
 * One line for each answered API request: method, route, status and milliseconds. The route's pattern stands for the
 * address, so that no id, token or e-mail of a query reaches the log; files and pages are written at debug level.
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
