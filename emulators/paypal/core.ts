import { crc32 } from 'node:zlib'
import { createResponses } from './responses.ts'
import { type Book, openBook } from './book.ts'
import { detail, PayPalError, unprocessable } from './errors.ts'
import { createAuth } from './http.ts'
import type { Remembered } from './model.ts'
import { createSigningKey } from './signing.ts'
import { createFaultInjector, type Faults } from './faults.ts'
import { createOrders } from './orders.ts'
import { createCaptures, createRefunds } from './payments.ts'
import type { Settings } from './settings.ts'
import { createViews, type Urls } from './views.ts'
import { createWebhooks } from './webhooks.ts'

/** Everything behind the routes. */
export type Core = Awaited<ReturnType<typeof openCore>>

export async function openCore(settings: Settings, urls: Urls) {
  const { now } = settings
  const book = await openBook(settings.stateFile, settings.keepOrders)
  const key = book.signingKey() ?? book.insert('key', 'current', await createSigningKey(now()))
  const injector = createFaultInjector({ ...book.savedFaults(), ...settings.faults }, settings.seed)
  const responses = createResponses()
  const views = createViews(book, urls)
  const webhooks = createWebhooks({ book, settings, injector, key, urls })
  const orders = createOrders({ book, views, webhooks, now })
  const captures = createCaptures({ book, orders, views, webhooks, injector, now })
  const refunds = createRefunds({ book, captures, views, webhooks, now })
  await book.written()
  return {
    settings,
    urls,
    book,
    auth: createAuth(settings.clientId, settings.clientSecret, now),
    injector,
    responses,
    key,
    views,
    webhooks,
    idempotency: createIdempotency(book, now),
    orders,
    captures,
    refunds,
    /** Applies faults that were checked by `readFaults`, and keeps them across restarts. */
    changeFaults(faults: Partial<Faults>, seed?: number): void {
      injector.change(faults, seed)
      book.insert('faults', 'current', faults)
    },
    /** Forgets everything but the signing key. */
    async reset(): Promise<void> {
      webhooks.forget()
      captures.close()
      injector.clear()
      responses.clear()
      await book.reset()
    },
  }
}

const hour = 3_600_000
/** How long PayPal keeps a request id: orders 6 hours, payments 45 days (doc comments of its server SDK 2.5.0). */
const retention: Record<Remembered['kind'], number> = {
  create: 6 * hour,
  capture: 6 * hour,
  refund: 45 * 24 * hour,
}
const sweepEvery = 1000

type Begun = { earlier?: Remembered; done(outcome?: Pick<Remembered, 'resourceId' | 'problem'>): void }
/**
 * Remembers what each PayPal-Request-Id did. A second call while the first is under way is refused with
 * 409; later ones get the latest state of what the first made; one with other content is refused.
 */
function createIdempotency(book: Book, now: () => Date) {
  const underWay = new Set<string>()
  let sinceSweep = 0

  const isKept = (entry: Remembered): boolean => now().getTime() - entry.at < retention[entry.kind]
  const isForgotten = ({ kind, resourceId }: Remembered): boolean =>
    !(kind === 'refund' ? book.refunds : book.orders).has(resourceId)
  const sweep = (): void => {
    sinceSweep = (sinceSweep + 1) % sweepEvery
    if (sinceSweep !== 0) return
    for (const [key, entry] of book.remembered)
      if (!isKept(entry) || isForgotten(entry)) book.remove('remembered', key)
  }

  return {
    /** Without a request id every call stands alone, as at PayPal. */
    begin(kind: Remembered['kind'], requestId: string | undefined, path: string, body: unknown): Begun {
      if (!requestId) return { done() {} }
      const key = `${kind} ${requestId}`
      if (underWay.has(key)) {
        throw new PayPalError('RESOURCE_CONFLICT', [detail('PREVIOUS_REQUEST_IN_PROGRESS')])
      }
      const fingerprint = `${path} ${crc32(JSON.stringify(body ?? null)).toString(16)}`
      const known = book.remembered.get(key)
      if (known && isKept(known)) {
        if (known.fingerprint === fingerprint) return { earlier: known, done() {} }
        throw unprocessable('PAYPAL_REQUEST_ID_PREVIOUSLY_USED', {
          field: 'PayPal-Request-Id',
          value: requestId,
          location: 'header',
        })
      }
      underWay.add(key)
      let open = true
      return {
        done(outcome) {
          if (!open) return
          open = false
          underWay.delete(key)
          if (!outcome) return
          if (known) book.remove('remembered', key)
          book.insert('remembered', key, { kind, fingerprint, at: now().getTime(), ...outcome })
          sweep()
        },
      }
    },
  }
}
