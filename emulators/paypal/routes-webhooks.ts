import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Core } from './core.ts'
import { notFound } from './errors.ts'
import { refusalOf } from './http.ts'
import { createReader } from './requests.ts'
import { isSigned, signedText } from './signing.ts'

type WithId = FastifyRequest<{ Params: { id: string } }>
const eventsPerPage = 100

/** Notifications v1: certificate, check of a signature, list of events, sending one again. */
export async function webhookRoutes(
  app: FastifyInstance,
  { auth, book, key, settings, webhooks }: Core,
): Promise<void> {
  app.get('/v1/notifications/certs/:id', async (request: WithId, reply) => {
    if (request.params.id !== key.id) throw notFound('cert_id', request.params.id)
    return reply.type('application/x-pem-file').send(key.certificatePem)
  })

  await app.register(async (api) => {
    api.addHook('onRequest', async (request, reply) => {
      const check = auth.check(request.headers.authorization)
      if (check !== 'ok') return reply.code(401).send(refusalOf(check))
    })

    api.post('/v1/notifications/verify-webhook-signature', async (request) => {
      const reader = createReader()
      const root = reader.object(request.body, '')
      const text = (name: string) => reader.text(root, name, `/${name}`, { required: true }) ?? ''
      const algorithm = text('auth_algo')
      const certUrl = text('cert_url')
      const transmission = text('transmission_id')
      const signature = text('transmission_sig')
      const time = text('transmission_time')
      const webhookId = text('webhook_id')
      const event = reader.object(root['webhook_event'], '/webhook_event')
      reader.finish()
      const known =
        algorithm === 'SHA256withRSA' && webhookId === settings.webhookId && certUrl === webhooks.certUrl()
      // An event of ours is written by JSON.stringify, so writing the parsed one again gives the same bytes.
      const signed = signedText(transmission, time, webhookId, JSON.stringify(event))
      return {
        verification_status: known && isSigned(signed, signature, key.certificatePem) ? 'SUCCESS' : 'FAILURE',
      }
    })

    api.get('/v1/notifications/webhooks/:id', async (request: WithId) => {
      const { webhookId, webhookUrl } = settings
      if (request.params.id !== webhookId || webhookUrl === undefined)
        throw notFound('webhook_id', request.params.id)
      return { id: webhookId, url: webhookUrl, event_types: [{ name: '*' }], links: [] }
    })
    api.get('/v1/notifications/webhooks-events', async () => {
      const newest = [...book.events.values()].slice(-eventsPerPage).toReversed()
      return {
        events: newest.map((event) => JSON.parse(event.body) as unknown),
        count: newest.length,
        links: [],
      }
    })
    api.get('/v1/notifications/webhooks-events/:id', async (request: WithId, reply) => {
      const event = book.events.get(request.params.id)
      if (!event) throw notFound('event_id', request.params.id)
      return reply.type('application/json').send(event.body)
    })
    api.post('/v1/notifications/webhooks-events/:id/resend', async (request: WithId, reply) => {
      const event = webhooks.resend(request.params.id)
      if (!event) throw notFound('event_id', request.params.id)
      await book.written()
      return reply.code(202).type('application/json').send(event.body)
    })
  })
}
