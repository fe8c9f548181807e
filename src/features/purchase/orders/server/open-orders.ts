import type { Sql, Trx } from '#platform/database.ts'
import { newId } from '#platform/ids.ts'
import type { Outcome, RunOptions } from '#platform/batcher.ts'
import { transact, withCommit } from '#platform/transaction.ts'
import {
  type ActiveAccount,
  activeAccount,
  activeAccounts,
  exclusionRefusal,
} from '#features/accounts/server/index.ts'
import {
  type CartItemRow,
  type CartRow,
  cartItemsOf,
  checkAnswer,
  manyCarts,
} from '#features/purchase/cart/server/index.ts'
import {
  type OfferRow,
  type Wanted,
  anyLocked,
  lockedOffersOf,
  overPersonLimit,
  releaseTickets,
  whyNotAvailable,
} from '#features/offers/server/index.ts'
import { validTicketsOf } from '#features/tickets/server/index.ts'
import type { Language } from '#shared/languages.ts'
import { textIn } from '#shared/localized-text.ts'
import { InvalidFields, Refusal } from '#shared/refusal.ts'
import type { ReasonFor } from '../order-machine.rules.ts'
import {
  type HeldTickets,
  accountCap,
  isOverBudget,
  mayHold,
  networkCap,
  newcomersCap,
} from '../hold-caps.rules.ts'
import type { CreateOrderBody } from '../orders.contract.ts'
import { type NewOrder, NotHeld, orderWrites } from './order-moves.repository.ts'
import type { OrdersBase } from './order-batches.ts'
import {
  type BuyerHistory,
  type OpenOrderRow,
  type OrderLineRow,
  type OrderRow,
  offersAtStake,
  offersOnHold,
  ordersRepository,
  sumByOffer,
} from './orders.repository.ts'
import { formatEur } from '#i18n/format.ts'
import { itemsTotal, taxFor } from '#features/purchase/cart/cart.rules.ts'
import { DEFAULT_PAYMENT_COUNTRY, type TaxedAmount } from '#shared/countries.ts'
import { cents, toDecimal, withinRange } from '#shared/money.ts'
import { shownIsCharged } from '../shown-prices.rules.ts'

export interface OrderRequest {
  userId: number
  language: Language
  body: CreateOrderBody
  /** Keyed hash of the buyer's network. */
  network: string
}

export interface HeldOrder {
  order: OrderRow
  /** Only of a new order. */
  lines?: readonly OrderLineRow[]
}

export class HoldRefused extends Error {
  readonly refusal: Refusal
  constructor(refusal: Refusal) {
    super(refusal.code)
    this.refusal = refusal
  }
}

type Decision = OrderRow | NewOrder | Error

/** A second, different order of a buyer in one batch: it waits for the next batch. */
class SecondOrder extends Error {}

/** Errors of one request; any other error ends the batch. */
const expected = (error: unknown): Error => {
  const isResponse =
    error instanceof Refusal || error instanceof InvalidFields || error instanceof HoldRefused
  if (isResponse || error instanceof SecondOrder) return error
  throw error
}

interface BuyerState {
  cart: CartRow | undefined
  items: CartItemRow[]
  open: OpenOrderRow[]
  /** Undefined for an account that is suspended or gone. */
  active: ActiveAccount | undefined
  history: BuyerHistory | undefined
}

interface Changes {
  stale: Map<ReasonFor<'supersede'>, OpenOrderRow[]>
  made: NewOrder[]
  /** Buyers whose later requests wait for the next batch, so that the last one prevails. */
  deferred: Set<number>
}

/**
 * The open order of each request's cart, or a new one, in one transaction with separate outcomes. A buyer's second,
 * different order supersedes the first.
 */
export async function openOrders(
  deps: OrdersBase,
  requests: readonly OrderRequest[],
  options: RunOptions = {},
): Promise<Outcome<HeldOrder>[]> {
  const outcomes = await openTogether(deps, requests, options)
  const deferred = requests.filter((_, index) => isDeferred(outcomes[index]))
  if (deferred.length === 0) return outcomes
  // Each batch decides at least one request of every buyer, so this ends.
  const later = (await openOrders(deps, deferred, options)).values()
  return outcomes.map((outcome) => (isDeferred(outcome) ? (later.next().value ?? outcome) : outcome))
}

const isDeferred = (outcome: Outcome<HeldOrder> | undefined): boolean =>
  outcome !== undefined && 'refused' in outcome && outcome.refused instanceof SecondOrder

/** For each request whether another transaction has locked an offer that it needs. */
export async function areRequestsLocked(db: Sql, requests: readonly OrderRequest[]): Promise<boolean[]> {
  const ids = [...new Set(requests.map((one) => one.userId))]
  const rows = await Promise.all([cartItemsOf(db, ids), offersOnHold(db, ids)])
  const wanted = Map.groupBy(rows.flat(), (one) => one.user_id)
  return anyLocked(
    db,
    requests.map(({ userId }) => (wanted.get(userId) ?? []).map((one) => one.offer_id)),
  )
}

async function openTogether(deps: OrdersBase, requests: readonly OrderRequest[], options: RunOptions) {
  try {
    // The later durable commit of the provider's id makes this one durable, too (ADR 0028).
    return await transact(deps.db, (trx) => openOnce(deps, trx, requests), { ...options, durable: false })
  } catch (error) {
    throw error instanceof NotHeld ? busy() : error
  }
}

async function openOnce(deps: OrdersBase, trx: Trx, requests: readonly OrderRequest[]) {
  const { buyers, offers } = await readBuyers(trx, requests)
  const held = heldOf(trx, offers)
  const changes: Changes = { stale: new Map(), made: [], deferred: new Set() }
  const decisions: Decision[] = []
  for (const request of requests) {
    const buyer = buyers.get(request.userId)
    decisions.push(await decide(deps, trx, request, buyer, held, changes).catch(expected))
  }
  const outcomes = (stored: readonly OrderRow[]): Outcome<HeldOrder>[] => {
    const byId = new Map(stored.map((order) => [order.id, order]))
    return decisions.map((decision) => {
      if (decision instanceof Error) return { refused: decision }
      const order = byId.get(decision.id)
      if (!order) return { value: { order: decision as OrderRow } }
      return { value: { order, lines: (decision as NewOrder).lines } }
    })
  }
  const freed = await supersede(trx, changes.stale)
  if (changes.made.length === 0) return outcomes([])
  // Pipelined with the commit: an offer without enough tickets rolls back.
  const stored = Promise.all([
    freed.length > 0 ? releaseTickets(trx, freed) : undefined,
    orderWrites(trx).place(changes.made),
  ])
  return withCommit(stored.then(([, orders]) => outcomes(orders)))
}

const offersAtStakeOf = lockedOffersOf(offersAtStake)

/** Locks carts, open orders, offers, in the order of every transaction; the statements are pipelined. */
async function readBuyers(trx: Trx, requests: readonly OrderRequest[]) {
  const ids = [...new Set(requests.map((one) => one.userId))]
  const [carts, items, open, active, rows, histories] = await Promise.all([
    manyCarts(trx).lockOf(ids),
    cartItemsOf(trx, ids),
    ordersRepository(trx).lockOpenOfUsers(ids),
    activeAccounts(trx, ids),
    offersAtStakeOf(trx, ids),
    ordersRepository(trx).histories(ids),
  ])
  const itemsOf = Map.groupBy(items, (one) => one.user_id)
  const openOf = Map.groupBy(open, (one) => one.user_id)
  const historyOf = new Map(histories.map((one) => [one.user_id, one]))
  const cartOf = new Map(carts.map((cart) => [cart.user_id, cart]))
  const stateOf = (id: number): BuyerState => ({
    cart: cartOf.get(id),
    items: itemsOf.get(id) ?? [],
    open: openOf.get(id) ?? [],
    active: active.get(id),
    history: historyOf.get(id),
  })
  const buyers = new Map(ids.map((id) => [id, stateOf(id)]))
  return { buyers, offers: new Map(rows.map((offer) => [offer.id, offer])) }
}

type Line = Pick<OrderLineRow, 'offer_id' | 'quantity'>
type Holder = Pick<OrderRow, 'network' | 'newcomer'>

type Held = ReturnType<typeof heldOf>

/** The tickets that are held of a batch's offers. The batch has locked the offers, so nobody else changes them. */
function heldOf(trx: Trx, offers: ReadonlyMap<number, OfferRow>) {
  /** Changes of this batch, which are not in the database yet. */
  const changed: (Holder & Line)[] = []
  let stored: Promise<readonly (Holder & Line)[]> | undefined

  return {
    offers,

    /** Counts the lines of an order in memory. */
    count(lines: readonly Line[], { network, newcomer }: Holder, sign: 1 | -1): void {
      for (const { offer_id, quantity } of lines) {
        const offer = offers.get(offer_id)
        if (offer) offer.tickets_held += sign * quantity
        changed.push({ offer_id, quantity: sign * quantity, network, newcomer })
      }
    },

    /** Tickets of an offer that a network holds, and newcomers. Orders are read once for each batch. */
    async of(offerId: number, network: string): Promise<Omit<HeldTickets, 'account'>> {
      stored ??= ordersRepository(trx).heldByNetworks([...offers.keys()])
      const sums = { network: 0, newcomers: 0 }
      for (const one of [...(await stored), ...changed]) {
        if (one.offer_id !== offerId) continue
        if (one.network === network) sums.network += one.quantity
        if (one.newcomer) sums.newcomers += one.quantity
      }
      return sums
    },
  }
}

/** Decides one request and counts its tickets on the offers in memory. */
async function decide(
  deps: OrdersBase,
  trx: Trx,
  request: OrderRequest,
  buyer: BuyerState | undefined,
  held: Held,
  changes: Changes,
): Promise<OrderRow | NewOrder> {
  const { offers } = held
  if (!buyer?.active) await activeAccount(trx, request.userId)
  else if (buyer.active.exclusion) throw exclusionRefusal(buyer.active.exclusion)
  const draft = draftOf(deps, buyer, offers, request)
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
    stale.push({ order: open, why: same ? 'hold_replaced' : 'order_changed' })
  }
  const newcomer = buyer?.history?.newcomer ?? true
  if (isOverBudget(deps.holdCaps, buyer?.history?.unpaid_minutes ?? 0)) throw overBudget()
  // In memory only: a refused buyer keeps the older order's tickets.
  for (const { order } of stale) held.count(order.lines, order, -1)
  try {
    checkFree(offers, draft)
    const kept = (buyer?.open ?? []).filter((open) => stale.every(({ order }) => order !== open))
    await checkPersonLimits(trx, offers, draft, request.userId, kept)
    const isConfirmed = buyer?.active?.isConfirmed ?? false
    await checkCaps(deps, held, draft, { network: request.network, newcomer, isConfirmed, kept })
  } catch (error) {
    for (const { order } of stale) held.count(order.lines, order, 1)
    throw error
  }
  for (const { order, why } of stale) changes.stale.set(why, [...(changes.stale.get(why) ?? []), order])
  held.count(draft.lines, { network: request.network, newcomer }, 1)
  const order: NewOrder = {
    ...draft,
    ...inherited(
      draft,
      stale.map(({ order }) => order),
    ),
    newcomer,
    network: request.network,
    id: newId(deps.clock().getTime()),
    userId: request.userId,
    language: request.language,
    holdMinutes: deps.holdMinutes,
    contestsEndAt: earliestEnd(offers, draft),
  }
  changes.made.push(order)
  return order
}

/** @returns the tickets that the orders held */
async function supersede(trx: Trx, stale: Changes['stale']): Promise<Wanted[]> {
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

function checkFree(offers: ReadonlyMap<number, OfferRow>, draft: Draft): void {
  for (const line of draft.lines) {
    const offer = offers.get(line.offer_id)
    const refusal = offer && whyNotAvailable(offer, line.quantity)
    if (refusal) throw new HoldRefused(refusal)
  }
}

/** @throws HoldRefused when the buyer would have more tickets of a contest than one person may */
async function checkPersonLimits(
  trx: Trx,
  offers: ReadonlyMap<number, OfferRow>,
  { lines }: Draft,
  userId: number,
  kept: readonly OpenOrderRow[],
): Promise<void> {
  const limited = lines.filter(({ offer_id }) => (offers.get(offer_id)?.max_per_person ?? null) !== null)
  if (limited.length === 0) return
  const paying = sumByOffer(kept.flatMap((order) => order.lines))
  const valid = await validTicketsOf(
    trx,
    userId,
    limited.map(({ offer_id }) => offer_id),
  )
  for (const { offer_id, quantity } of limited) {
    const own =
      (valid.find((one) => one.offer_id === offer_id)?.tickets ?? 0) +
      (paying.find(({ offerId }) => offerId === offer_id)?.quantity ?? 0)
    const offer = offers.get(offer_id)
    const refusal = offer && overPersonLimit(offer, quantity, own)
    if (refusal) throw new HoldRefused(refusal)
  }
}

interface Wanting {
  network: string
  newcomer: boolean
  /** Whether the buyer's e-mail address is confirmed. */
  isConfirmed: boolean
  /** The buyer's other orders that hold tickets. */
  kept: readonly OpenOrderRow[]
}

/** @throws HoldRefused or Refusal when the buyer, the network or the newcomers would hold too many tickets */
async function checkCaps(
  { holdCaps: caps }: OrdersBase,
  held: Held,
  { lines }: Draft,
  { network, newcomer, isConfirmed, kept }: Wanting,
): Promise<void> {
  const own = sumByOffer(kept.flatMap((order) => order.lines))
  const left = isConfirmed ? Infinity : Math.max(0, caps.unconfirmedTickets - sumOf(own))
  for (const { offer_id, quantity } of lines) {
    const offer = held.offers.get(offer_id)
    if (!offer) continue
    const account = own.find((one) => one.offerId === offer_id)?.quantity ?? 0
    const all = offer.tickets_held + quantity
    const fewer = Math.min(networkCap(caps, offer), newcomer ? newcomersCap(caps, offer) : Infinity)
    // Orders are read only when all held tickets together would exceed a cap.
    if (all <= fewer && account + quantity <= accountCap(caps, offer)) continue
    const available = mayHold(caps, offer, { account, ...(await held.of(offer_id, network)) }, newcomer)
    if (quantity > available)
      throw left < available ? unconfirmed(left) : new HoldRefused(overCap(offer, available))
  }
  if (sumOf(lines) > left) throw unconfirmed(left)
}

const sumOf = (lines: readonly { quantity: number }[]): number =>
  lines.reduce((sum, { quantity }) => sum + quantity, 0)

/** What an order inherits from those that it supersedes: the tickets of a contest are not held for longer. */
function inherited(
  { lines }: Draft,
  stale: readonly OpenOrderRow[],
): Pick<NewOrder, 'holdUntil' | 'holdExtended'> {
  const isWanted = ({ offer_id }: Line): boolean => lines.some((line) => line.offer_id === offer_id)
  const older = stale.filter((order) => order.hold_runs && order.lines.some(isWanted))
  const [holdUntil = null] = older.map((order) => order.hold_until).toSorted((one, other) => +one - +other)
  return { holdUntil, holdExtended: older.some((order) => order.hold_extended) }
}

const earliestEnd = (offers: ReadonlyMap<number, OfferRow>, { lines }: Draft): Date =>
  new Date(Math.min(...lines.map(({ offer_id }) => offers.get(offer_id)?.end_date.getTime() ?? Infinity)))

const sameDraft = (one: Pick<Draft, 'country' | 'total'>, other: Pick<Draft, 'country' | 'total'>): boolean =>
  one.country === other.country && one.total === other.total

const confirming = ({ provider_order_id }: OrderRow): Refusal =>
  new Refusal('checkout.confirming', 409, 'errors.checkout.confirming', {
    body: { order_id: provider_order_id },
  })

const busy = (): Refusal => new Refusal('request.busy', 503, 'errors.request.busy', { retryAfter: 1 })

const overCap = (offer: OfferRow, available: number): Refusal =>
  new Refusal('offer.holdLimit', 409, 'errors.offer.holdLimit', {
    values: (language) => ({ title: textIn(offer.titles, language).text, available }),
    body: { offer_id: offer.id, available },
  })

const unconfirmed = (available: number): Refusal =>
  new Refusal('checkout.unconfirmed', 409, 'errors.checkout.unconfirmed', {
    values: { available },
    body: { available },
  })

const overBudget = (): Refusal => new Refusal('checkout.holdBudget', 409, 'errors.checkout.holdBudget')

type Draft = Pick<NewOrder, 'cartVersion' | 'country' | 'subtotal' | 'taxPercent' | 'tax' | 'total' | 'lines'>

/** @throws Refusal or InvalidFields; what the client sent is only compared */
function draftOf(
  deps: OrdersBase,
  buyer: BuyerState | undefined,
  offers: ReadonlyMap<number, OfferRow>,
  { body, language }: OrderRequest,
): Draft {
  const { cart, items = [] } = buyer ?? {}
  if (!cart || items.length === 0) throw new Refusal('checkout.cartEmpty', 409, 'errors.checkout.cartEmpty')
  const ended = items.flatMap(({ offer_id }) => {
    const offer = offers.get(offer_id)
    return offer && !offer.is_active ? [{ offer_id, title: textIn(offer.titles, language).text }] : []
  })
  if (ended.length > 0) throw endedBeforePayment(ended)
  const lines: Draft['lines'][number][] = []
  for (const item of items) {
    const offer = offers.get(item.offer_id)
    if (!offer) throw new Refusal('offer.notFound', 404, 'errors.offer.notFound')
    const wrong = checkAnswer(offer, item.answer)
    if (wrong) throw wrong
    lines.push({
      offer_id: offer.id,
      quantity: item.quantity,
      unit_cents: offer.price_cents,
      title: textIn(offer.titles, language).text,
      answer: item.answer,
    })
  }
  const priced = items.map((item, index) => ({
    itemId: item.id,
    offerId: item.offer_id,
    quantity: item.quantity,
    unit: cents(lines[index]?.unit_cents ?? 0),
  }))
  const tax = withinRange(
    () =>
      taxFor(
        itemsTotal(priced),
        body.country_code || DEFAULT_PAYMENT_COUNTRY,
        deps.clock(),
        deps.pricesIncludeVat,
      ),
    () => new Refusal('checkout.tooLarge', 409, 'errors.checkout.tooLarge'),
  )
  if (!tax) throw new InvalidFields({ country_code: ['errors.field.country'] })
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

/** Names the contests that keep an order from being paid. */
export const endedBeforePayment = (ended: readonly Pick<OrderLineRow, 'offer_id' | 'title'>[]): Refusal =>
  new Refusal('offer.ended', 409, 'errors.checkout.ended', {
    values: { titles: ended.map(({ title }) => title).join(', ') },
    body: { offer_id: ended[0]?.offer_id },
  })

/** The buyer confirms the new figures. */
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
