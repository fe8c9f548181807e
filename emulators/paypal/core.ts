import { type Auth, createAuth } from './auth.ts'
import { type Book, openBook } from './book.ts'
import { type Captures, createCaptures } from './captures.ts'
import { createSigningKey } from './certificate.ts'
import { createFaultDice, type FaultDice } from './faults.ts'
import { createIdempotency, type Idempotency } from './idempotency.ts'
import type { SigningKey } from './model.ts'
import { createOrders, type Orders } from './orders.ts'
import { createRefunds, type Refunds } from './refunds.ts'
import type { Settings } from './settings.ts'
import { createViews, type Urls, type Views } from './views.ts'
import { createWebhooks, type Webhooks } from './webhooks.ts'

/** Everything behind the routes. */
export type Core = {
  settings: Settings
  urls: Urls
  book: Book
  auth: Auth
  dice: FaultDice
  key: SigningKey
  views: Views
  webhooks: Webhooks
  idempotency: Idempotency
  orders: Orders
  captures: Captures
  refunds: Refunds
}

export async function openCore(settings: Settings, urls: Urls): Promise<Core> {
  const { now } = settings
  const book = await openBook(settings.stateFile)
  const key = book.signingKey() ?? book.insert('key', 'current', await createSigningKey(now()))
  const dice = createFaultDice({ ...book.savedFaults(), ...settings.faults }, settings.seed)
  const views = createViews(book, urls)
  const webhooks = createWebhooks({ book, settings, dice, key, urls })
  const orders = createOrders({ book, views, webhooks, now })
  const captures = createCaptures({ book, orders, views, webhooks, dice, now })
  const refunds = createRefunds({ book, captures, views, webhooks, now })
  await book.written()
  return {
    settings,
    urls,
    book,
    auth: createAuth(settings.clientId, settings.clientSecret, now),
    dice,
    key,
    views,
    webhooks,
    idempotency: createIdempotency(book, now),
    orders,
    captures,
    refunds,
  }
}
