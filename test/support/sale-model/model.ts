/**
 * A model of a sale: whole numbers, one step after the other, no database. The commands do the same to a real shop and
 * compare. A function that returns a refusal returns nothing where the shop accepts the call.
 */

/** How the buyer's account at the provider behaves at a capture; the names of the emulator's buyers. */
export type Account = 'buyer' | 'lost' | 'declined' | 'pending' | 'tampered'

interface Offer {
  total: number
  sold: number
  held: number
  price: number
  isRunning: boolean
}

type Ended = 'expired' | 'cancelled' | 'superseded'
type State = 'held' | 'capturing' | 'pending' | 'completed' | 'refunded' | Ended

export interface Order {
  /** The provider's id. */
  id: string
  buyer: number
  state: State
  /** Version of the cart. */
  version: number
  country: string
  subtotal: number
  /** Tickets by offer. */
  lines: Map<number, number>
  holdRanOut: boolean
  wasCompleted: boolean
  isExtended: boolean
  /** How often the hold was renewed. */
  renewals: number
  partialRefunds: number
  /** Who has approved the payment. */
  account?: Account
  money: 'none' | 'pending' | 'captured' | 'denied' | 'refunded'
}

interface Buyer {
  /** Tickets by offer, in the order in which they were first added. */
  cart: Map<number, number>
  version: number
  isSuspended: boolean
}

export interface Model {
  offers: Offer[]
  buyers: Buyer[]
  orders: Order[]
}

/** A refusal as a client sees it. */
interface Refusal {
  status: number
  code: string
}

const NEW_ORDER = {
  state: 'held',
  money: 'none',
  holdRanOut: false,
  wasCompleted: false,
  isExtended: false,
  renewals: 0,
  partialRefunds: 0,
} as const
/** So often a hold is renewed. */
const RENEWALS = 3
const HOLDING: readonly State[] = ['held', 'capturing', 'pending']

const refusal = (code: string, status = 409): Refusal => ({ status, code })
/** Of every call of a suspended buyer. */
export const SUSPENDED = refusal('auth.suspended', 403)
const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)
const heldFor = (orders: readonly Order[], offer: number): number =>
  sum(orders.map(({ lines }) => lines.get(offer) ?? 0))

function changeHolds(model: Model, lines: ReadonlyMap<number, number>, sign: 1 | -1): void {
  for (const [offer, quantity] of lines) model.offers[offer]!.held += sign * quantity
}

/** Why an offer cannot sell a quantity; `own` held tickets count as free. */
function whyNot(offer: Offer, quantity: number, own = 0): Refusal | undefined {
  if (!offer.isRunning) return refusal('offer.ended')
  const left = offer.total - offer.sold
  if (quantity <= left - offer.held + own) return undefined
  if (left === 0) return refusal('offer.soldOut')
  return refusal(quantity > left ? 'offer.fewLeft' : 'offer.fewFree')
}

/** Why an offer cannot sell the tickets of a cart once these orders of the same buyer are released. */
function whyNotAll(model: Model, cart: ReadonlyMap<number, number>, released: readonly Order[]) {
  for (const [offer, quantity] of cart) {
    const why = whyNot(model.offers[offer]!, quantity, heldFor(released, offer))
    if (why) return why
  }
  return undefined
}

/** Sets a line of the cart; the buyer's own open orders count as free, and fewer tickets are always allowed. */
function setLine(model: Model, buyer: number, offer: number, quantity: number): Refusal | undefined {
  const own = model.buyers[buyer]!
  const { total, sold } = model.offers[offer]!
  let why = whyNot(model.offers[offer]!, quantity)
  if (why && quantity <= total - sold) {
    const open = model.orders.filter((order) => order.buyer === buyer && order.state === 'held')
    why = whyNot(model.offers[offer]!, quantity, heldFor(open, offer))
  }
  if (why && quantity > (own.cart.get(offer) ?? 0)) return why
  own.cart.set(offer, quantity)
  own.version += 1
  return undefined
}

export const addItem = (model: Model, buyer: number, offer: number, quantity: number): Refusal | undefined =>
  setLine(model, buyer, offer, (model.buyers[buyer]!.cart.get(offer) ?? 0) + quantity)
export const updateItem = setLine

/** Removes a line of the cart; all lines when none is named. */
export function removeItems(model: Model, buyer: number, offer?: number): void {
  const own = model.buyers[buyer]!
  if (offer === undefined) own.cart.clear()
  else own.cart.delete(offer)
  own.version += 1
}

/** @returns the open order of the same cart, a new order without an id, or a refusal */
export function createOrder(
  model: Model,
  buyer: number,
  country: string,
): Omit<Order, 'id'> | Order | Refusal {
  const { cart, version } = model.buyers[buyer]!
  if (cart.size === 0) return refusal('checkout.cartEmpty')
  if ([...cart.keys()].some((offer) => !model.offers[offer]!.isRunning)) return refusal('offer.ended')
  const subtotal = sum([...cart].map(([offer, quantity]) => quantity * model.offers[offer]!.price))

  const open = model.orders.filter((order) => order.buyer === buyer && HOLDING.includes(order.state))
  if (open.some((order) => order.state !== 'held' && order.version === version))
    return refusal('checkout.confirming')
  const held = () => open.filter((order) => order.state === 'held')
  const same = held().find(
    (one) => one.version === version && one.country === country && one.subtotal === subtotal,
  )
  if (same && !same.holdRanOut) return same

  let why = whyNotAll(model, cart, held())
  if (why && expireHolds(model) > 0) why = whyNotAll(model, cart, held())
  if (why) return why
  // A running hold of the same contest goes on, extended or not.
  const goesOn = held().filter(
    (one) => !one.holdRanOut && [...one.lines.keys()].some((offer) => cart.has(offer)),
  )
  const isExtended = goesOn.some((one) => one.isExtended)
  for (const order of held()) release(model, order, 'superseded')
  const lines = new Map(cart)
  changeHolds(model, lines, 1)
  return { ...NEW_ORDER, isExtended, buyer, version, country, subtotal, lines }
}

/** Ends an order that holds tickets. */
export function release(model: Model, order: Order, to: Ended): void {
  changeHolds(model, order.lines, -1)
  order.state = to
}

/** @returns how many holds expired */
function expireHolds(model: Model): number {
  const overdue = model.orders.filter((order) => order.state === 'held' && order.holdRanOut)
  for (const order of overdue) release(model, order, 'expired')
  return overdue.length
}

/** The buyer's capture call. @returns the response */
export function capture(model: Model, order: Order): Refusal | { status: number } {
  if (order.state === 'expired') {
    if (!order.account) return refusal('checkout.notApproved', 422)
    const why = renewHold(model, order)
    if (why) return refusal(why)
  }
  if (order.state === 'cancelled' || order.state === 'superseded') return refusal('checkout.orderClosed')
  if (order.state === 'refunded')
    return refusal(order.wasCompleted ? 'checkout.takenBack' : 'checkout.refunded')
  if (order.state === 'completed') return { status: 200 }
  if (order.state === 'pending') return { status: 202 }
  if ([...order.lines.keys()].some((offer) => !model.offers[offer]!.isRunning)) {
    release(model, order, 'cancelled')
    return refusal('offer.ended')
  }
  switch (order.account) {
    case undefined:
      return refusal('checkout.notApproved', 422)
    case 'declined':
      return { status: 422 }
    case 'pending':
      Object.assign(order, { money: 'pending', state: 'pending' })
      return { status: 202 }
    case 'tampered':
      changeHolds(model, order.lines, -1)
      refund(order)
      return refusal('checkout.refunded')
    case 'buyer':
    case 'lost':
      complete(model, order)
      return { status: 200 }
  }
}

/** The tickets of an expired hold are held again, where that is possible. @returns why it is not */
function renewHold(model: Model, order: Order): 'checkout.orderClosed' | 'checkout.holdExpired' | undefined {
  const { version } = model.buyers[order.buyer]!
  const hasOpen = model.orders.some(
    (one) => one.buyer === order.buyer && one.version === order.version && HOLDING.includes(one.state),
  )
  if (hasOpen || version !== order.version) return 'checkout.orderClosed'
  if (order.renewals >= RENEWALS || whyNotAll(model, order.lines, [])) return 'checkout.holdExpired'
  changeHolds(model, order.lines, 1)
  Object.assign(order, { state: 'held', holdRanOut: false, renewals: order.renewals + 1 })
  return undefined
}

/** The buyer's call for more time. */
export function extendHold(order: Order): Refusal | undefined {
  if (order.state === 'held' && order.isExtended) return refusal('checkout.alreadyExtended')
  if (order.state === 'held' && !order.holdRanOut) {
    order.isExtended = true
    return undefined
  }
  return refusal(['held', 'expired'].includes(order.state) ? 'checkout.holdExpired' : 'checkout.orderClosed')
}

/** The money is captured: held tickets become sold tickets and leave the cart. */
function complete(model: Model, order: Order): void {
  if (HOLDING.includes(order.state)) changeHolds(model, order.lines, -1)
  const own = model.buyers[order.buyer]!
  for (const [offer, quantity] of order.lines) {
    model.offers[offer]!.sold += quantity
    const rest = (own.cart.get(offer) ?? 0) - quantity
    if (rest > 0) own.cart.set(offer, rest)
    else own.cart.delete(offer)
  }
  own.version += 1
  Object.assign(order, { state: 'completed', wasCompleted: true, money: 'captured' })
}

/** A capture that a killed process began is reconciled: the provider repeats it and it is paid. */
export function reconcile(model: Model, order: Order): void {
  if (order.state === 'capturing') complete(model, order)
}

/** The provider decides a pending capture. */
export function decide(model: Model, order: Order, isCompleted: boolean): void {
  if (isCompleted) return complete(model, order)
  order.money = 'denied'
  release(model, order, 'cancelled')
}

/** Money is captured without a call of the buyer: tickets if any are left, else a refund. */
export function captureLate(model: Model, order: Order): void {
  if (HOLDING.includes(order.state) || !whyNotAll(model, order.lines, [])) complete(model, order)
  else refund(order)
}

/** The background jobs: holds expire, and captures that were begun are completed. */
export function sweep(model: Model): void {
  expireHolds(model)
  for (const order of model.orders) reconcile(model, order)
}

/** All money is refunded: the tickets are void, their numbers are not sold again. */
export function refund(order: Order): void {
  Object.assign(order, { state: 'refunded', money: 'refunded' })
}

/** How many valid tickets an order must have. */
export const ticketsOf = (order: Order): number =>
  order.state === 'completed' ? sum([...order.lines.values()]) : 0
