import type { Database, Trx } from '#platform/database.ts'
import { newId } from '#platform/ids.ts'
import { ProviderRefused } from '#platform/paypal/faults.ts'
import { approvalUrl } from '#platform/paypal/messages.ts'
import { transact } from '#platform/transaction.ts'
import { activeAccount } from '#features/accounts/server/index.ts'
import { cartRepository, cartWrites, checkAnswer } from '#features/cart/server/index.ts'
import { itemsTotal, taxFor } from '#features/cart/cart.rules.ts'
import { type OfferRow, holdTickets, offerEnded, offersRepository } from '#features/offers/server/index.ts'
import { DEFAULT_PAYMENT_COUNTRY } from '#shared/countries.ts'
import { type Language, localized } from '#shared/languages.ts'
import { cents, withinRange } from '#shared/money.ts'
import { InvalidFields, Refusal } from '#shared/refusal.ts'
import type { CreateOrderBody } from '../checkout.contract.ts'
import { shownIsCharged } from '../shown-prices.rules.ts'
import { type CheckoutDeps, priceChanged, providerFailure } from './checkout-deps.ts'
import { releaseLapsed, releaseOrder, whyHoldRefused } from './holds.ts'
import { type NewOrder, type OrderRow, orderWrites, ordersRepository } from './orders.repository.ts'
import { providerOrder } from './provider-order.ts'

/** Who orders and in which language. */
export interface Buyer {
  userId: number
  language: Language
}

type Draft = Omit<NewOrder, 'id' | 'userId' | 'language' | 'holdMinutes'>

/**
 * Prices the buyer's cart from the database, holds its tickets and makes the provider's order.
 * Asking again for the same cart gives the same order (reliability, rows 1 and 2).
 */
export async function createOrder(
  deps: CheckoutDeps,
  buyer: Buyer,
  body: CreateOrderBody,
): Promise<OrderRow> {
  await activeAccount(deps.db, buyer.userId)
  let order: OrderRow
  try {
    order = await transact(deps.db, (trx) => openOrder(deps, trx, buyer, body))
  } catch (error) {
    if (!(error instanceof HoldRefused)) throw error
    // Lapsed holds go back at once when somebody wants the tickets, not only at the next sweep.
    if ((await releaseLapsed(deps.db)) === 0) throw error.refusal
    order = await transact(deps.db, (trx) => openOrder(deps, trx, buyer, body)).catch((again: unknown) => {
      throw again instanceof HoldRefused ? again.refusal : again
    })
  }
  return order.provider_order_id ? order : createAtProvider(deps, order)
}

class HoldRefused extends Error {
  readonly refusal: Refusal
  constructor(refusal: Refusal) {
    super(refusal.code)
    this.refusal = refusal
  }
}

/** Finds the open order of this very cart, or makes a new one that holds the tickets. */
async function openOrder(
  deps: CheckoutDeps,
  trx: Trx,
  buyer: Buyer,
  body: CreateOrderBody,
): Promise<OrderRow> {
  const cart = await cartWrites(trx).lockUnchanged(buyer.userId)
  const draft = await draftOf(deps, trx, cart, buyer, body)

  for (const open of await ordersRepository(trx).openOfUser(buyer.userId)) {
    const sameCart = open.cart_version === draft.cartVersion
    if (open.state !== 'held') {
      if (sameCart)
        throw new Refusal('checkout.confirming', 409, 'errors.checkout.confirming', orderBody(open))
      continue
    }
    const same = sameCart && open.country === draft.country && open.total_cents === draft.total
    if (same && open.stands) return open
    await releaseOrder(trx, open.id, ['held'], 'superseded', same ? 'hold lapsed' : 'cart or country changed')
  }

  if (
    !(await holdTickets(
      trx,
      draft.lines.map((line) => ({ offerId: line.offer_id, quantity: line.quantity })),
    ))
  ) {
    const refusal = await whyHoldRefused(trx, draft.lines)
    throw new HoldRefused(
      refusal ?? new Refusal('request.busy', 503, 'errors.request.busy', { retryAfter: 1 }),
    )
  }
  return orderWrites(trx).insert({
    ...draft,
    id: newId(deps.clock().getTime()),
    userId: buyer.userId,
    language: buyer.language,
    holdMinutes: deps.holdMinutes,
  })
}

const orderBody = (order: OrderRow) => ({ body: { order_id: order.provider_order_id } })

/** Checks the cart line by line and prices it; nothing the client sent decides anything. */
async function draftOf(
  deps: CheckoutDeps,
  trx: Trx,
  cart: { id: number; version: number } | undefined,
  buyer: Buyer,
  body: CreateOrderBody,
): Promise<Draft> {
  const items = cart ? await cartRepository(trx).items(cart.id) : []
  if (!cart || items.length === 0) throw new Refusal('checkout.cartEmpty', 409, 'errors.checkout.cartEmpty')
  const offers = new Map<number, OfferRow>(
    (await offersRepository(trx).byIds(items.map((item) => item.offer_id))).map((offer) => [offer.id, offer]),
  )
  const lines = items.map((item) => {
    const offer = offers.get(item.offer_id)
    if (!offer) throw new Refusal('offer.notFound', 404, 'errors.offer.notFound')
    if (!offer.is_active) throw offerEnded(offer)
    checkAnswer(offer, item.answer)
    return {
      offer_id: offer.id,
      quantity: item.quantity,
      unit_cents: offer.price_cents,
      title: localized(offer, 'title', buyer.language).text,
      answer: item.answer,
    }
  })
  const tax = withinRange(
    () => {
      const amount = itemsTotal(
        lines.map((line) => ({ quantity: line.quantity, unit: cents(line.unit_cents) })),
      )
      return taxFor(amount, body.country_code || DEFAULT_PAYMENT_COUNTRY, deps.clock(), deps.pricesIncludeVat)
    },
    () => new Refusal('checkout.tooLarge', 409, 'errors.checkout.tooLarge'),
  )
  if (!tax) throw new InvalidFields({ country_code: ['errors.field.country'] })
  const priced = items.map((item, index) => ({
    itemId: item.id,
    offerId: item.offer_id,
    quantity: item.quantity,
    unit: cents(lines[index]?.unit_cents ?? 0),
  }))
  if (!shownIsCharged(body, priced, tax.total)) throw priceChanged(tax)
  return {
    cartVersion: cart.version,
    country: tax.country,
    subtotal: tax.subtotal,
    taxPercent: tax.percent,
    tax: tax.tax,
    total: tax.total,
    lines,
  }
}

/** Requests of one order that are under way in this process: a double click shares one. */
const underWay = new Map<string, Promise<OrderRow>>()

function createAtProvider(deps: CheckoutDeps, order: OrderRow): Promise<OrderRow> {
  const running = underWay.get(order.id)
  if (running) return running
  const request = requestAtProvider(deps, order).finally(() => underWay.delete(order.id))
  underWay.set(order.id, request)
  return request
}

async function requestAtProvider(deps: CheckoutDeps, order: OrderRow): Promise<OrderRow> {
  const lines = await ordersRepository(deps.db).lines(order.id)
  try {
    const made = await deps.paypal.createOrder(providerOrder(order, lines, deps), `${order.id}:create`)
    return await transact(deps.db, (trx) =>
      orderWrites(trx).setProvider(order.id, made.id, approvalUrl(made)),
    )
  } catch (error) {
    const known = await alreadyMade(deps.db, order.id)
    if (known) return known
    // A definite no: nothing exists there, so the tickets go back. An unknown outcome keeps the hold, and the next
    // attempt sends the same request id.
    if (error instanceof ProviderRefused) {
      await transact(deps.db, (trx) => releaseOrder(trx, order.id, ['held'], 'cancelled', 'provider refused'))
    }
    throw providerFailure(error)
  }
}

/** The order when another process has made it at the provider in the meantime. */
async function alreadyMade(db: Database, id: string): Promise<OrderRow | undefined> {
  const order = await ordersRepository(db).byId(id)
  return order?.provider_order_id ? order : undefined
}
