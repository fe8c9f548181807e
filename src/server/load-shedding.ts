import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { currentRequest } from '#platform/http/request-context.ts'
import type { Metrics } from '#platform/metrics.ts'
import { Refusal } from '#shared/refusal.ts'
import { PLAIN_PAGE_HEADERS } from './pages/plain-pages.ts'

/** Load of a process, or its bounds, where 0 means none. */
interface Load {
  /** Mean recent delay of the event loop, milliseconds. */
  delayMs: number
  requests: number
}

type RequestKind = 'exempt' | 'money' | 'ordinary'

const EXEMPT = ['/api/health/', '/metrics']
/** Steps of a payment that has begun: refused last. */
const MONEY = [
  '/api/paypal/capture-payment/',
  '/api/paypal/webhook/',
  '/api/paypal/orders/',
  '/checkout/return',
  '/api/token/refresh/',
]
const MONEY_FACTOR = 4

const RETRY_SECONDS = 2
const SAMPLE_MS = 500
const RESOLUTION_MS = 10

/** @param route pattern of the request's route */
function kindOf(route: string): RequestKind {
  if (EXEMPT.some((one) => route.startsWith(one))) return 'exempt'
  return MONEY.some((one) => route.startsWith(one)) ? 'money' : 'ordinary'
}

function isTooMuch(kind: RequestKind, load: Load, bounds: Load): boolean {
  if (kind === 'exempt') return false
  const factor = kind === 'money' ? MONEY_FACTOR : 1
  const over = (is: number, bound: number): boolean => bound > 0 && is > bound * factor
  return over(load.delayMs, bounds.delayMs) || over(load.requests, bounds.requests)
}

function watchDelay(app: FastifyInstance): () => number {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  histogram.enable()
  let delayMs = 0
  const timer = setInterval(() => {
    delayMs = Math.max(0, histogram.mean / 1e6 - RESOLUTION_MS) || 0
    histogram.reset()
  }, SAMPLE_MS)
  timer.unref()
  app.addHook('onClose', async () => {
    clearInterval(timer)
    histogram.disable()
  })
  return () => delayMs
}

interface Shedding {
  bounds: Load
  metrics: Pick<Metrics, 'shed'>
  page: (request: FastifyRequest) => string
  /** Delay of the event loop; measured by default. */
  delayMs?: () => number
}

/**
 * Responds to requests above the bounds with 503 and Retry-After, except health checks and metrics.
 * @returns how many requests are under way
 */
export function shedLoad(app: FastifyInstance, { bounds, metrics, page, delayMs }: Shedding): () => number {
  const delay = delayMs ?? watchDelay(app)
  let requests = 0
  // Counted from the arrival of the body to the end of the response or of the connection.
  app.addHook('preValidation', (_request, reply, done) => {
    if (reply.raw.closed) return done()
    requests += 1
    reply.raw.once('close', () => {
      requests -= 1
    })
    done()
  })
  // Before the body is read, after the hooks for language and caller.
  app.addHook('preParsing', (request, reply, _payload, done) => {
    const kind = kindOf(request.routeOptions.url ?? '')
    // A page calls the API for a request that was admitted.
    const isInside = currentRequest() !== undefined
    if (isInside || !isTooMuch(kind, { delayMs: delay(), requests: requests + 1 }, bounds)) return done()
    metrics.shed(kind)
    if (request.method === 'GET' && request.headers.accept?.includes('text/html')) {
      reply.code(503).header('retry-after', String(RETRY_SECONDS)).headers(PLAIN_PAGE_HEADERS)
      return void reply.type('text/html; charset=utf-8').send(page(request))
    }
    done(new Refusal('request.overloaded', 503, 'errors.request.busy', { retryAfter: RETRY_SECONDS }))
  })
  return () => requests
}
