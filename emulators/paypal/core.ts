import { createAuth } from './http.ts'
import { openBook } from './book.ts'
import { createSigningKey } from './signing.ts'
import { createFaultInjector, type Faults } from './faults.ts'
import { createIdempotency } from './idempotency.ts'
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
      await book.reset()
    },
  }
}
