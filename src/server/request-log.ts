import { type FastifyReply, type FastifyRequest, LogController } from 'fastify'

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
