import type { FastifyInstance, FastifyRequest } from 'fastify'
import { throttledReport } from '#platform/limits/network-address.ts'
import { ProviderUnknown } from '#platform/payment/payment-provider.ts'
import { Refusal } from '#shared/refusal.ts'
import { type NotificationDeps, handleNotification } from './notifications.ts'
import { notificationsRepository } from './payments.repository.ts'

const BODY_MAX_BYTES = 256 * 1024

/** Verifies, stores and acknowledges a notification, then handles it (failure modes 7 to 11). */
export const webhookRoutes =
  (deps: NotificationDeps) =>
  async (app: FastifyInstance): Promise<void> => {
    // Anybody can send forgeries: one log entry for each network and minute.
    const forged = throttledReport((times) => deps.log.warn({ times }, 'a notification with a bad signature'))

    // A stop waits for them, before it closes the database.
    const underWay = new Set<Promise<void>>()
    app.addHook('onClose', async () => {
      await Promise.all(underWay)
    })

    // The signature covers the raw bytes.
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: BODY_MAX_BYTES }, (_request, body, done) =>
      done(null, body),
    )

    app.post(
      '/api/paypal/webhook/',
      { config: { auth: 'ignored' }, schema: { hide: true } },
      async (request, reply) => {
        const raw = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
        if (!(await isGenuine(deps, request, raw))) {
          forged(request.ip)
          throw new Refusal('checkout.signatureInvalid', 400, 'errors.checkout.signatureInvalid')
        }
        const notification = deps.notifications.read(readJson(raw))
        // Unknown types are acknowledged, so that the provider does not repeat them.
        if (!notification) return reply.code(200).send({})
        const { id, type, payload } = notification
        if (await notificationsRepository(deps.db).store(id, type, payload)) {
          // The provider's response does not wait for it, and the sweep handles what fails here.
          const work = handleNotification(deps, notification)
            .catch((error: unknown) =>
              request.log.error({ err: error, eventId: id }, 'notification left for the sweep'),
            )
            .finally(() => underWay.delete(work))
          underWay.add(work)
        }
        return reply.code(200).send({})
      },
    )
  }

async function isGenuine(
  deps: NotificationDeps,
  { headers, ip }: FastifyRequest,
  raw: Buffer,
): Promise<boolean> {
  try {
    return await deps.notifications.verify(headers, raw, ip)
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
