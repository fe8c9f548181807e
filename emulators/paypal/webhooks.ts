import { createPrivateKey, randomUUID } from 'node:crypto'
import type { Book } from './book.ts'
import type { FaultInjector } from './faults.ts'
import { eventId } from './ids.ts'
import type { Attempt, HookEvent, SigningKey } from './model.ts'
import type { Settings } from './settings.ts'
import { signedText, signText } from './signing.ts'
import type { Urls } from './views.ts'

export type EventType =
  | 'CHECKOUT.ORDER.APPROVED'
  | 'PAYMENT.CAPTURE.COMPLETED'
  | 'PAYMENT.CAPTURE.PENDING'
  | 'PAYMENT.CAPTURE.DENIED'
  | 'PAYMENT.CAPTURE.REFUNDED'
  | 'PAYMENT.CAPTURE.REVERSED'
  | 'CUSTOMER.DISPUTE.CREATED'
  | 'CUSTOMER.DISPUTE.UPDATED'
  | 'CUSTOMER.DISPUTE.RESOLVED'

const atOnce = 8
const responseTimeoutMs = 10_000
const longestPauseMs = 60_000
const attemptsShown = 30

export type Webhooks = ReturnType<typeof createWebhooks>
type Deps = { book: Book; settings: Settings; injector: FaultInjector; key: SigningKey; urls: Urls }

/** Makes events, signs and posts them, tries again until a 2xx or until the tries are used up. */
export function createWebhooks({ book, settings, injector, key, urls }: Deps) {
  const { webhookUrl, webhookId, webhookTries, now } = settings
  const privateKey = createPrivateKey(key.privatePem)
  const certUrl = () => `${urls.api}/v1/notifications/certs/${key.id}`
  const timers = new Set<NodeJS.Timeout>()
  const queue: string[] = []
  const stop = new AbortController()
  let running = 0

  const later = (ms: number, act: () => void): void => {
    const timer = setTimeout(() => {
      timers.delete(timer)
      act()
    }, ms)
    timers.add(timer)
  }

  const post = async (event: HookEvent): Promise<Attempt> => {
    const at = now().toISOString()
    const sentAt = at.replace(/\.\d+Z$/, 'Z')
    const begun = performance.now()
    const took = () => Math.floor(performance.now() - begun)
    try {
      const signed = signedText(event.transmission, sentAt, webhookId, event.body)
      const signature = await signText(signed, privateKey)
      const reply = await fetch(webhookUrl ?? '', {
        method: 'POST',
        body: event.body,
        redirect: 'manual',
        signal: AbortSignal.any([stop.signal, AbortSignal.timeout(responseTimeoutMs)]),
        headers: {
          'content-type': 'application/json',
          'user-agent': 'PayPal/AUHD-volant-emulator',
          'paypal-transmission-id': event.transmission,
          'paypal-transmission-time': sentAt,
          'paypal-transmission-sig': signature,
          'paypal-cert-url': certUrl(),
          'paypal-auth-algo': 'SHA256withRSA',
        },
      })
      await reply.body?.cancel()
      return { at, ms: took(), status: reply.status }
    } catch (error) {
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
      return { at, ms: took(), error: cause instanceof Error ? cause.message : String(cause) }
    }
  }

  const deliver = async (id: string): Promise<void> => {
    const event = book.events.get(id)
    if (!event || !webhookUrl || stop.signal.aborted) return
    const attempt = await post(event)
    if (stop.signal.aborted || !book.events.has(id)) return
    const attempts = [...event.attempts, attempt].slice(-attemptsShown)
    const accepted = attempt.status !== undefined && attempt.status >= 200 && attempt.status < 300
    if (accepted || event.state !== 'waiting') {
      book.update('event', id, { attempts, ...(accepted ? { state: 'delivered' } : {}) })
    } else if (attempts.length >= Math.min(webhookTries, attemptsShown)) {
      book.update('event', id, { attempts, state: 'failed' })
    } else {
      book.update('event', id, { attempts })
      later(Math.min(settings.webhookRetryMs * 2 ** (attempts.length - 1), longestPauseMs), () => enqueue(id))
    }
    await book.written()
  }

  const enqueue = (id: string): void => {
    queue.push(id)
    pump()
  }
  const pump = (): void => {
    while (running < atOnce) {
      const id = queue.shift()
      if (id === undefined) return
      running += 1
      deliver(id)
        .catch(() => {})
        .finally(() => {
          running -= 1
          pump()
        })
    }
  }

  const forget = (): void => {
    for (const timer of timers) clearTimeout(timer)
    timers.clear()
    queue.length = 0
  }

  return {
    certUrl,
    /** Records an event and starts its delivery, as the faults have it. */
    emit(
      type: EventType,
      resourceType: 'checkout-order' | 'capture' | 'refund' | 'dispute',
      summary: string,
      resource: Record<string, unknown>,
    ): void {
      const id = eventId()
      const created = now().toISOString()
      const withheld = injector.hits('missingWebhooks')
      const self = `${urls.api}/v1/notifications/webhooks-events/${id}`
      const body = JSON.stringify({
        id,
        event_version: '1.0',
        create_time: created,
        resource_type: resourceType,
        resource_version: '2.0',
        event_type: type,
        summary,
        resource,
        links: [
          { href: self, rel: 'self', method: 'GET' },
          { href: `${self}/resend`, rel: 'resend', method: 'POST' },
        ],
      })
      const resourceId = typeof resource['id'] === 'string' ? resource['id'] : ''
      const state = !webhookUrl ? 'unsent' : withheld ? 'withheld' : 'waiting'
      const transmission = randomUUID()
      const event: HookEvent = { id, transmission, type, resourceId, created, body, state, attempts: [] }
      if (webhookUrl) book.insert('event', id, event)
      else book.note('event', id, event)
      if (state !== 'waiting') return
      const held = injector.hits('reorderWebhooks') ? injector.upTo(injector.current().reorderMs) : 0
      later(held, () => enqueue(id))
      if (injector.hits('duplicateWebhooks')) later(held + injector.upTo(500), () => enqueue(id))
    },
    /** Sends an event once more by hand; with tries left again when it had given up. */
    resend(id: string): HookEvent | undefined {
      const event = book.events.get(id)
      if (!event || !webhookUrl) return event
      if (event.state !== 'delivered') book.update('event', id, { state: 'waiting', attempts: [] })
      enqueue(id)
      return event
    },
    /** Takes up what a killed process had not delivered. */
    resume(): void {
      for (const event of book.events.values()) if (event.state === 'waiting' && webhookUrl) enqueue(event.id)
    },
    /** Resolves when nothing is queued or under way; waiting retries do not count. */
    async idle(): Promise<void> {
      while (running > 0 || queue.length > 0) await new Promise((resolve) => setTimeout(resolve, 5))
    },
    forget,
    close(): void {
      stop.abort()
      forget()
    },
  }
}
