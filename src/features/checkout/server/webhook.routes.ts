import type { FastifyInstance, FastifyRequest } from 'fastify'
import { throttledReport as toldSeldom } from '#platform/limits/throttled-report.ts'
import { ProviderUnknown } from '#platform/paypal/faults.ts'
import { Notification } from '#platform/paypal/messages.ts'
import type { VerifyNotification } from '#platform/paypal/webhook-signature.ts'
import { Refusal } from '#shared/refusal.ts'
import type { CheckoutDeps } from './checkout-deps.ts'
import { handleNotification } from './notifications.ts'
import { paymentsRepository } from './payments.repository.ts'

interface WebhookDeps extends CheckoutDeps {
  verify: VerifyNotification
}

const BODY_MAX_BYTES = 256 * 1024

/**
 * POST /api/paypal/webhook/: verified, stored once and answered; only then is the provider asked what is true
 * (reliability, rows 7 to 11).
 */
export const webhookRoutes =
  (deps: WebhookDeps) =>
  async (app: FastifyInstance): Promise<void> => {
    // Anybody can send forgeries, and none of them is worth a line of its own.
    const forged = toldSeldom((times) => deps.log.warn({ times }, 'a notification with a bad signature'))

    // The signature covers the bytes as they came, so they must not be parsed and written anew.
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: BODY_MAX_BYTES }, (_request, body, done) =>
      done(null, body),
    )

    app.post(
      '/api/paypal/webhook/',
      {
        config: { auth: 'ignored' },
        schema: { hide: true },
      },
      async (request, reply) => {
        const raw = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
        if (!(await isGenuine(deps, request, raw))) {
          forged(request.ip)
          throw new Refusal('checkout.signatureInvalid', 400, 'errors.checkout.signatureInvalid')
        }
        const parsed = Notification.safeParse(readJson(raw))
        // Genuine but of a kind we do not know: taken, so that the provider does not send it for days.
        if (!parsed.success) return reply.code(200).send({})
        const { id, event_type } = parsed.data
        const isNew = await paymentsRepository(deps.db).storeNotification(id, event_type, parsed.data)
        if (isNew) {
          // Not awaited: the provider gets its answer at once, and the sweep takes over what fails here.
          void handleNotification(deps, parsed.data).catch((error: unknown) =>
            request.log.error({ err: error, eventId: id }, 'notification left for the sweep'),
          )
        }
        return reply.code(200).send({})
      },
    )
  }

async function isGenuine(deps: WebhookDeps, { headers, ip }: FastifyRequest, raw: Buffer): Promise<boolean> {
  try {
    return await deps.verify(headers, raw, ip)
  } catch (error) {
    if (!(error instanceof ProviderUnknown)) throw error
    throw new Refusal('checkout.providerDown', 503, 'errors.checkout.providerDown', { retryAfter: 60 })
  }
}

function readJson(raw: Buffer): unknown {
  try {
    return JSON.parse(raw.toString('utf8'))
  } catch {
    return undefined
  }
}
