import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { callOf } from './responses.ts'
import type { Behaviour } from './buyers.ts'
import type { Core } from './core.ts'
import { invalid, PayPalError } from './errors.ts'
import { field, headerOf, refusalOf, sendError } from './http.ts'
import type { Remembered } from './model.ts'
import { readOrderRequest, readPatch, readRefundRequest } from './requests.ts'

type WithId = FastifyRequest<{ Params: { id: string } }>
type Made = { resourceId: string; behaviour?: Behaviour }

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const wantsAll = (request: FastifyRequest): boolean =>
  /return=representation/.test(headerOf(request, 'prefer') ?? '')

/** OAuth, Orders v2 and Payments v2. */
export async function apiRoutes(app: FastifyInstance, core: Core): Promise<void> {
  const { auth, book, captures, injector, idempotency, orders, refunds, settings, views } = core

  app.post('/v1/oauth2/token', async (request, reply) => {
    const ordered = core.responses.take('token', '', undefined)
    if (ordered) return reply.code(ordered.status).type(ordered.type).send(ordered.body)
    if (!auth.isClient(request.headers.authorization)) {
      return reply
        .code(401)
        .send({ error: 'invalid_client', error_description: 'Client Authentication failed' })
    }
    const grant = field(request.body, 'grant_type')
    if (grant !== 'client_credentials') {
      const error = grant ? 'unsupported_grant_type' : 'invalid_request'
      return reply.code(400).send({ error, error_description: 'Grant Type is NULL or not supported' })
    }
    return {
      scope: 'https://uri.paypal.com/services/payments/payment',
      access_token: auth.issue(),
      token_type: 'Bearer',
      app_id: 'APP-VOLANTLOCAL',
      expires_in: auth.lifetimeSeconds,
      nonce: `${settings.now().toISOString()}local`,
    }
  })

  await app.register(async (api) => {
    api.addHook('onRequest', (request, reply, done) => {
      const check = auth.check(request.headers.authorization)
      if (check === 'ok') done()
      else void reply.code(401).send(refusalOf(check))
    })
    const delay = async (): Promise<void> => {
      const { delayMs } = injector.current()
      if (delayMs > 0) await wait(injector.upTo(delayMs + 1))
    }
    // Faults strike before anything happens; what strikes after the commit is in `once`.
    api.addHook('preHandler', async (request, reply) => {
      if (request.method !== 'POST') await delay()
      const made = callOf(request.method, request.url.split('?')[0] ?? '')
      const ordered = made && core.responses.take(made.call, made.id, headerOf(request, 'paypal-request-id'))
      if (ordered) return reply.code(ordered.status).type(ordered.type).send(ordered.body)
      if (injector.hits('http5xx')) {
        return sendError(
          reply,
          new PayPalError(injector.upTo(2) === 0 ? 'INTERNAL_SERVER_ERROR' : 'SERVICE_UNAVAILABLE'),
        )
      }
    })

    const bodyOf = (kind: Remembered['kind'], id: string, all: boolean): Record<string, unknown> => {
      if (kind === 'refund') {
        const refund = refunds.find(id)
        return all ? views.refundView(refund) : views.refundMinimal(refund)
      }
      const order = orders.find(id)
      if (all) return views.order(order)
      return kind === 'create' ? views.orderMinimal(order) : views.captureMinimal(order)
    }

    /** Runs a POST at most once per PayPal-Request-Id; the response leaves after the journal is written. */
    const once = async (
      request: FastifyRequest,
      reply: FastifyReply,
      kind: Remembered['kind'],
      act: () => Made,
    ) => {
      const path = request.url.split('?')[0] ?? ''
      const begun = idempotency.begin(kind, headerOf(request, 'paypal-request-id'), path, request.body)
      const all = wantsAll(request)
      if (begun.earlier) {
        const { problem, resourceId } = begun.earlier
        if (problem) return reply.code(problem.status).send(problem.body)
        return reply.code(200).send(bodyOf(kind, resourceId, all))
      }
      let behaviour: Behaviour = 'pays'
      try {
        await delay()
        const made = act()
        behaviour = made.behaviour ?? 'pays'
        await book.written()
        begun.done({ resourceId: made.resourceId })
        await book.written()
        reply.code(201)
        const body = bodyOf(kind, made.resourceId, all)
        if (injector.hits('dropReplyAfterCommit')) return cutOff(request, reply)
        if (behaviour === 'loses') return sendError(reply, new PayPalError('INTERNAL_SERVER_ERROR'))
        if (behaviour === 'hangs') await wait(settings.hangMs)
        return reply.send(body)
      } catch (error) {
        const declined = error instanceof PayPalError && error.details[0]?.issue === 'INSTRUMENT_DECLINED'
        const debug = String(reply.getHeader('paypal-debug-id'))
        const problem = declined ? { status: error.status, body: error.toBody(debug) } : undefined
        begun.done(problem && { resourceId: path.split('/')[4] ?? '', problem })
        await book.written()
        throw error
      } finally {
        begun.done()
      }
    }

    api.post('/v2/checkout/orders', async (request, reply) => {
      const wanted = readOrderRequest(request.body)
      if (wanted.source && !headerOf(request, 'paypal-request-id')) {
        throw invalid('PAYPAL_REQUEST_ID_REQUIRED')
      }
      return once(request, reply, 'create', () => ({ resourceId: orders.create(wanted).id }))
    })
    api.get('/v2/checkout/orders/:id', async (request: WithId) => views.order(orders.find(request.params.id)))
    api.patch('/v2/checkout/orders/:id', async (request: WithId, reply) => {
      orders.patch(request.params.id, readPatch(request.body))
      await book.written()
      return reply.code(204).send()
    })
    api.post('/v2/checkout/orders/:id/capture', async (request: WithId, reply) =>
      once(request, reply, 'capture', () => {
        const { order, behaviour } = captures.capture(request.params.id)
        return { resourceId: order.id, behaviour }
      }),
    )
    api.get('/v2/payments/captures/:id', async (request: WithId) =>
      views.captureView(captures.find(request.params.id)),
    )
    api.post('/v2/payments/captures/:id/refund', async (request: WithId, reply) => {
      const wanted = readRefundRequest(request.body)
      return once(request, reply, 'refund', () => ({
        resourceId: refunds.refund(request.params.id, wanted).id,
      }))
    })
    api.get('/v2/payments/refunds/:id', async (request: WithId) =>
      views.refundView(refunds.find(request.params.id)),
    )
  })
}

function cutOff(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.hijack()
  request.raw.socket.destroy()
  return reply
}
