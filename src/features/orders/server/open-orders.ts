import type { Trx } from '#platform/database.ts'
import { newId } from '#platform/ids.ts'
import type { Outcome, RunOptions } from '#platform/batcher.ts'
import { transact, withCommit } from '#platform/transaction.ts'
import { activeAccount, activeAccounts } from '#features/accounts/server/index.ts'
import { type CartItemRow, checkAnswer, manyCarts } from '#features/cart/server/index.ts'
import {
  type OfferRow,
  type Wanted,
  lockedOffersOf,
  offerEnded,
  releaseTickets,
  whyNotAvailable,
} from '#features/offers/server/index.ts'
import { type Language, localized } from '#shared/languages.ts'
import { InvalidFields, Refusal } from '#shared/refusal.ts'
import type { ReasonFor } from '../order-machine.rules.ts'
import type { CreateOrderBody } from '../orders.contract.ts'
import { type NewOrder, NotHeld, orderWrites } from './order-moves.repository.ts'
import type { OrdersBase } from './orders-deps.ts'
import {
  type OpenOrderRow,
  type OrderLineRow,
  type OrderRow,
  offersAtStake,
  ordersRepository,
  sumByOffer,
} from './orders.repository.ts'
import { formatEur } from '#i18n/format.ts'
import { itemsTotal, taxFor } from '#features/cart/cart.rules.ts'
import { DEFAULT_PAYMENT_COUNTRY, type TaxedAmount } from '#shared/countries.ts'
import { cents, toDecimal, withinRange } from '#shared/money.ts'
import { shownIsCharged } from '../shown-prices.rules.ts'

/** A buyer who orders the cart, and in which language. */
export interface OrderRequest {
  userId: number
  language: Language
  body: CreateOrderBody
}

/** An order that holds its tickets. */
export interface HeldOrder {
  order: OrderRow
  /** Known when the order is new. */
  lines?: readonly OrderLineRow[]
}

/** A refusal because too few tickets are free: another try may succeed once expired holds are released. */
export class HoldRefused extends Error {
  readonly refusal: Refusal
  constructor(refusal: Refusal) {
    super(refusal.code)
    this.refusal = refusal
  }
}

type Decision = OrderRow | NewOrder | Error

/** A buyer's second request of one batch, for another order than the first: it waits for the next round. */
class SecondOrder extends Error {}

/** Answers for a buyer; anything else is a fault of ours and ends the batch. */
const expected = (error: unknown): Error => {
  const isAnswer = error instanceof Refusal || error instanceof InvalidFields || error instanceof HoldRefused
  if (isAnswer || error instanceof SecondOrder) return error
  throw error
}

interface BuyerState {
  cart: { id: number; version: number } | undefined
  items: CartItemRow[]
  open: OpenOrderRow[]
  active: boolean
}

/** What a batch changes: orders that give their tickets back, by the reason, and orders that take some. */
interface Changes {
  stale: Map<ReasonFor<'supersede'>, OpenOrderRow[]>
  made: NewOrder[]
  /** Buyers whose further requests wait for the next round, so that the last one of all is the one that stands. */
  deferred: Set<number>
}

/**
 * For each buyer the open order of the cart as it is, or a new one that holds its tickets: one transaction for all of
 * them, in the order in which they came. Every buyer is answered alone. Two round trips, and one more when older orders
 * are given up. Who wants two different orders at once gets them one after the other: the second supersedes the first.
 */
export async function openOrders(
  deps: OrdersBase,
  requests: readonly OrderRequest[],
  options: RunOptions = {},
): Promise<Outcome<HeldOrder>[]> {
  const outcomes = await openTogether(deps, requests, options)
  const deferred = requests.filter((_, index) => isDeferred(outcomes[index]))
  if (deferred.length === 0) return outcomes
  // Each round decides at least the first request of every buyer, so there is an end to it.
  const later = (await openOrders(deps, deferred, options)).values()
  return outcomes.map((outcome) => (isDeferred(outcome) ? (later.next().value ?? outcome) : outcome))
}

const isDeferred = (outcome: Outcome<HeldOrder> | undefined): boolean =>
  outcome !== undefined && 'refused' in outcome && outcome.refused instanceof SecondOrder

async function openTogether(deps: OrdersBase, requests: readonly OrderRequest[], options: RunOptions) {
  try {
    // What follows, the note of the provider's order, is durable, and with it everything before (ADR 0028).
    return await transact(deps.db, (trx) => openOnce(deps, trx, requests), { ...options, durable: false })
  } catch (error) {
    throw error instanceof NotHeld ? busy() : error
  }
}

async function openOnce(deps: OrdersBase, trx: Trx, requests: readonly OrderRequest[]) {
  const { buyers, offers } = await readBuyers(trx, requests)
  const changes: Changes = { stale: new Map(), made: [], deferred: new Set() }
  const decisions: Decision[] = []
  for (const request of requests) {
    const buyer = buyers.get(request.userId)
    decisions.push(await decide(deps, trx, request, buyer, offers, changes).catch(expected))
  }
  const answers = (stored: readonly OrderRow[]): Outcome<HeldOrder>[] => {
    const byId = new Map(stored.map((order) => [order.id, order]))
    return decisions.map((decision) => {
      if (decision instanceof Error) return { refused: decision }
      const order = byId.get(decision.id)
      if (!order) return { value: { order: decision as OrderRow } }
      return { value: { order, lines: (decision as NewOrder).lines } }
    })
  }
  const freed = await giveUp(trx, changes.stale)
  if (changes.made.length === 0) return answers([])
  // Nothing is decided on the answers: an offer that cannot hold ends the transaction.
  const stored = Promise.all([
    freed.length > 0 ? releaseTickets(trx, freed) : undefined,
    orderWrites(trx).place(changes.made),
  ])
  return withCommit(stored.then(([, orders]) => answers(orders)))
}

const offersAtStakeOf = lockedOffersOf(offersAtStake)

/**
 * The buyers, their carts locked first, so that two calls for one cart follow each other; then the open
 * orders, so that none that may be given up is paid or expires meanwhile; and the offers of both, so that nobody else takes
 * from them. Each is asked for by the buyers' ids, so that all of it travels together; the statements run in this order,
 * in which everybody locks.
 */
async function readBuyers(trx: Trx, requests: readonly OrderRequest[]) {
  const ids = [...new Set(requests.map((one) => one.userId))]
  const [carts, items, open, active, rows] = await Promise.all([
    manyCarts(trx).lockOf(ids),
    manyCarts(trx).itemsOf(ids),
    ordersRepository(trx).lockOpenOfUsers(ids),
    activeAccounts(trx, ids),
    offersAtStakeOf(trx, ids),
  ])
  const [itemsOf, openOf] = [
    Map.groupBy(items, (one) => one.user_id),
    Map.groupBy(open, (one) => one.user_id),
  ]
  const cartOf = new Map(carts.map((cart) => [cart.user_id, cart]))
  const buyers = new Map<number, BuyerState>(
    ids.map((id) => [
      id,
      {
        cart: cartOf.get(id),
        items: itemsOf.get(id) ?? [],
        open: openOf.get(id) ?? [],
        active: active.has(id),
      },
    ]),
  )
  return { buyers, offers: new Map(rows.map((offer) => [offer.id, offer])) }
}

/** What a request gets; what it takes from an offer is taken from the row in memory at once. */
async function decide(
  deps: OrdersBase,
  trx: Trx,
  request: OrderRequest,
  buyer: BuyerState | undefined,
  offers: ReadonlyMap<number, OfferRow>,
  changes: Changes,
): Promise<OrderRow | NewOrder> {
  if (!buyer?.active) await activeAccount(trx, request.userId)
  const draft = draftOf(deps, buyer?.cart, buyer?.items ?? [], offers, request)
  const twin = changes.made.find((one) => one.userId === request.userId)
  if (twin) {
    if (sameDraft(twin, draft) && !changes.deferred.has(request.userId)) return twin
    changes.deferred.add(request.userId)
    throw new SecondOrder()
  }

  const stale: { order: OpenOrderRow; why: ReasonFor<'supersede'> }[] = []
  for (const open of buyer?.open ?? []) {
    const sameCart = open.cart_version === draft.cartVersion
    if (open.state !== 'held') {
      if (!sameCart) continue
      throw confirming(open)
    }
    const same = sameCart && sameDraft({ country: open.country, total: open.total_cents }, draft)
    if (same && open.hold_runs) return open
    stale.push({ order: open, why: same ? 'hold_expired' : 'order_changed' })
  }
  // First in memory: whoever is refused keeps what an older order of theirs holds.
  const freed = stale.flatMap(({ order: { lines } }) => lines)
  count(offers, freed, -1)
  try {
    checkFree(offers, draft)
  } catch (error) {
    count(offers, freed, 1)
    throw error
  }
  for (const { order, why } of stale) changes.stale.set(why, [...(changes.stale.get(why) ?? []), order])
  return take(deps, request, draft, offers, changes.made)
}

/** Gives up older orders, which are locked. @returns the tickets that they held */
async function giveUp(trx: Trx, stale: Changes['stale']): Promise<Wanted[]> {
  if (stale.size === 0) return []
  const moved = await Promise.all(
    [...stale].map(([why, orders]) =>
      orderWrites(trx).moveAll(
        orders.map((order) => order.id),
        'supersede',
        why,
      ),
    ),
  )
  const orders = [...stale.values()].flat()
  if (moved.flat().length < orders.length) throw new Error('a locked order was moved')
  return sumByOffer(orders.flatMap((order) => order.lines))
}

/** Counts lines onto what their offers hold, in memory, or off it. */
function count(
  offers: ReadonlyMap<number, OfferRow>,
  lines: readonly Pick<OrderLineRow, 'offer_id' | 'quantity'>[],
  sign: 1 | -1,
): void {
  for (const { offer_id, quantity } of lines) {
    const offer = offers.get(offer_id)
    if (offer) offer.tickets_held += sign * quantity
  }
}

function checkFree(offers: ReadonlyMap<number, OfferRow>, draft: Draft): void {
  for (const line of draft.lines) {
    const offer = offers.get(line.offer_id)
    const refusal = offer && whyNotAvailable(offer, line.quantity)
    if (refusal) throw new HoldRefused(refusal)
  }
}

const sameDraft = (one: Pick<Draft, 'country' | 'total'>, other: Pick<Draft, 'country' | 'total'>): boolean =>
  one.country === other.country && one.total === other.total

const confirming = ({ provider_order_id }: OrderRow): Refusal =>
  new Refusal('checkout.confirming', 409, 'errors.checkout.confirming', {
    body: { order_id: provider_order_id },
  })

const busy = (): Refusal => new Refusal('request.busy', 503, 'errors.request.busy', { retryAfter: 1 })

function take(
  deps: OrdersBase,
  request: OrderRequest,
  draft: Draft,
  offers: ReadonlyMap<number, OfferRow>,
  made: NewOrder[],
): NewOrder {
  checkFree(offers, draft)
  count(offers, draft.lines, 1)
  const order: NewOrder = {
    ...draft,
    id: newId(deps.clock().getTime()),
    userId: request.userId,
    language: request.language,
    holdMinutes: deps.holdMinutes,
  }
  made.push(order)
  return order
}

/** An order as the cart gives it, before it has tickets. */
export type Draft = Omit<NewOrder, 'id' | 'userId' | 'language' | 'holdMinutes'>

/**
 * Checks a cart line by line and prices it; nothing the client sent decides anything.
 * @throws Refusal or InvalidFields
 */
export function draftOf(
  deps: Pick<OrdersBase, 'clock' | 'pricesIncludeVat'>,
  cart: { id: number; version: number } | undefined,
  items: readonly CartItemRow[],
  offers: ReadonlyMap<number, OfferRow>,
  { body, language }: { body: CreateOrderBody; language: Language },
): Draft {
  if (!cart || items.length === 0) throw new Refusal('checkout.cartEmpty', 409, 'errors.checkout.cartEmpty')
  const lines: Draft['lines'][number][] = []
  for (const item of items) {
    const offer = offers.get(item.offer_id)
    if (!offer) throw new Refusal('offer.notFound', 404, 'errors.offer.notFound')
    if (!offer.is_active) throw offerEnded(offer)
    const wrong = checkAnswer(offer, item.answer)
    if (wrong) throw wrong
    lines.push({
      offer_id: offer.id,
      quantity: item.quantity,
      unit_cents: offer.price_cents,
      title: localized(offer, 'title', language).text,
      answer: item.answer,
    })
  }
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

/** "The total is now …": the buyer must confirm the new figures (decisions, "Tax call fails"). */
const priceChanged = (tax: TaxedAmount & { percent: number; country: string }): Refusal =>
  new Refusal('checkout.priceChanged', 409, 'errors.checkout.priceChanged', {
    values: (language) => ({ total: formatEur(tax.total, language) }),
    body: {
      subtotal: toDecimal(tax.subtotal),
      tax_rate: tax.percent,
      tax_amount: toDecimal(tax.tax),
      total: toDecimal(tax.total),
      country: tax.country,
    },
  })
