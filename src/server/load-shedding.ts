import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Metrics } from '#platform/metrics.ts'
import { Refusal } from '#shared/refusal.ts'
import { PLAIN_PAGE_HEADERS } from './pages/plain-pages.ts'
import { currentRequestId } from './requests.ts'

/** How busy a process is. */
interface Load {
  /** Mean delay of the event loop in the last moments, milliseconds. */
  delayMs: number
  /** Requests that are being answered. */
  requests: number
}

/** What a process can bear; 0 is no bound. */
interface LoadBounds {
  delayMs: number
  requests: number
}

type RequestKind = 'exempt' | 'money' | 'ordinary'

/** Whoever looks whether the shop is well must get an answer most of all when it is not. */
const EXEMPT = ['/api/health/', '/metrics']
/** Money is under way: refused last, since what was begun must come to its end. A token is needed for it. */
const MONEY = [
  '/api/paypal/capture-payment/',
  '/api/paypal/webhook/',
  '/api/paypal/orders/',
  '/checkout/return',
  '/api/token/refresh/',
]
/** What a process bears for the sake of money, in ordinary bounds. */
const MONEY_FACTOR = 4

const RETRY_SECONDS = 2
const SAMPLE_MS = 500
const RESOLUTION_MS = 10

/** @param route pattern of the request's route */
function kindOf(route: string): RequestKind {
  if (EXEMPT.some((one) => route.startsWith(one))) return 'exempt'
  return MONEY.some((one) => route.startsWith(one)) ? 'money' : 'ordinary'
}

/** Whether a request of that kind is to be turned away. */
function isTooMuch(kind: RequestKind, load: Load, bounds: LoadBounds): boolean {
  if (kind === 'exempt') return false
  const factor = kind === 'money' ? MONEY_FACTOR : 1
  const over = (is: number, bound: number): boolean => bound > 0 && is > bound * factor
  return over(load.delayMs, bounds.delayMs) || over(load.requests, bounds.requests)
}

/** Measures the delay of the event loop, a little at a time. */
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
  bounds: LoadBounds
  metrics: Pick<Metrics, 'shed'>
  /** What a browser shows instead of the page it asked for. */
  page: (request: FastifyRequest) => string
  /** Reads the delay of the event loop; measured when left out. */
  delayMs?: () => number
}

/**
 * Turns requests away with 503 and Retry-After while the process has more than it can bear: so those it takes are
 * answered, and the others know when to come back. Health and figures always answer.
 */
export function shedLoad(app: FastifyInstance, { bounds, metrics, page, delayMs }: Shedding): void {
  const delay = delayMs ?? watchDelay(app)
  let requests = 0
  // Once its body is there: one that trickles in costs nothing yet. Its end is that of its connection or its answer,
  // whichever comes first, so whoever hangs up is not counted for ever.
  app.addHook('preValidation', (_request, reply, done) => {
    if (reply.raw.closed) return done()
    requests += 1
    reply.raw.once('close', () => {
      requests -= 1
    })
    done()
  })
  // Before the body is read, and after the hooks that know language and caller.
  app.addHook('preParsing', (request, reply, _payload, done) => {
    const kind = kindOf(request.routeOptions.url ?? '')
    // What a page asks of this very process belongs to a request that was let in.
    const isInside = currentRequestId() !== undefined
    if (isInside || !isTooMuch(kind, { delayMs: delay(), requests: requests + 1 }, bounds)) return done()
    metrics.shed(kind)
    if (request.method === 'GET' && request.headers.accept?.includes('text/html')) {
      reply.code(503).header('retry-after', String(RETRY_SECONDS)).headers(PLAIN_PAGE_HEADERS)
      return void reply.type('text/html; charset=utf-8').send(page(request))
    }
    done(new Refusal('request.overloaded', 503, 'errors.request.busy', { retryAfter: RETRY_SECONDS }))
  })
}
