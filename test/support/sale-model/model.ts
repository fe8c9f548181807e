/**
 * What the shop promises about a sale, said once more in the plainest way: whole numbers, one thing after the other, no
 * database. The commands beside it do the same to a real shop and compare.
 */

/** What a buyer's account does when the provider captures. */
export type Payment = 'pays' | 'loses' | 'declines' | 'pends' | 'tampers'

export interface Contest {
  total: number
  sold: number
  held: number
  price: number
  isRunning: boolean
}

export type ModelState =
  | 'held'
  | 'capturing'
  | 'pending'
  | 'completed'
  | 'expired'
  | 'cancelled'
  | 'superseded'
  | 'refunded'

export interface Order {
  /** The provider's id. */
  id: string
  buyer: number
  state: ModelState
  version: number
  country: string
  subtotal: number
  /** Tickets by contest. */
  lines: Map<number, number>
  isOverdue: boolean
  /** It had its tickets once, whatever came of it since. */
  wasCompleted: boolean
  /** The buyer has had more time. */
  isExtended: boolean
  /** Parts that went back at the provider. */
  partsBack: number
  approved?: Payment
  /** Where the provider's money is. */
  money: 'none' | 'pending' | 'taken' | 'denied' | 'back'
}

export interface Buyer {
  /** Tickets by contest, in the order in which they were first added. */
  cart: Map<number, number>
  version: number
  isSuspended: boolean
}

export interface Model {
  contests: Contest[]
  buyers: Buyer[]
  orders: Order[]
}

/** A refusal as the buyer's program sees it. */
export interface Refused {
  status: number
  code: string
}

const HOLDING: readonly ModelState[] = ['held', 'capturing', 'pending']
const LATE: readonly ModelState[] = ['expired', 'cancelled', 'superseded']

const refused = (code: string, status = 409): Refused => ({ status, code })
const suspended = refused('auth.suspended', 403)

/** Adds tickets onto what contests hold, or takes them off. */
function hold(model: Model, lines: ReadonlyMap<number, number>, sign: 1 | -1): void {
  for (const [contest, quantity] of lines) model.contests[contest]!.held += sign * quantity
}

/** Why a contest cannot give a quantity; `own` tickets count as free. */
function whyNot(contest: Contest, quantity: number, own = 0): Refused | undefined {
  if (!contest.isRunning) return refused('offer.ended')
  const left = contest.total - contest.sold
  if (quantity <= left - contest.held + own) return undefined
  if (left === 0) return refused('offer.soldOut')
  return refused(quantity > left ? 'offer.fewLeft' : 'offer.fewFree')
}

/** Whether the cart may ask for a quantity: what the buyer's own open orders hold counts as free. */
function whyNotInCart(model: Model, buyer: number, contest: number, quantity: number): Refused | undefined {
  const { total, sold } = model.contests[contest]!
  const refusal = whyNot(model.contests[contest]!, quantity)
  if (!refusal || quantity > total - sold) return refusal
  const own = model.orders
    .filter((order) => order.buyer === buyer && order.state === 'held')
    .reduce((sum, order) => sum + (order.lines.get(contest) ?? 0), 0)
  return whyNot(model.contests[contest]!, quantity, own)
}

/** Puts tickets into the cart. */
export function add(model: Model, buyer: number, contest: number, quantity: number): Refused | undefined {
  const { cart } = model.buyers[buyer]!
  const wanted = (cart.get(contest) ?? 0) + quantity
  const refusal = whyNotInCart(model, buyer, contest, wanted)
  if (refusal) return refusal
  cart.set(contest, wanted)
  model.buyers[buyer]!.version += 1
  return undefined
}

/** Sets a line that is in the cart; fewer are always allowed. */
export function update(model: Model, buyer: number, contest: number, quantity: number): Refused | undefined {
  const { cart } = model.buyers[buyer]!
  const refusal =
    quantity > (cart.get(contest) ?? 0) ? whyNotInCart(model, buyer, contest, quantity) : undefined
  if (refusal) return refusal
  cart.set(contest, quantity)
  model.buyers[buyer]!.version += 1
  return undefined
}

/** Takes lines out of the cart; all of them when none is named. */
export function remove(model: Model, buyer: number, contest?: number): void {
  const own = model.buyers[buyer]!
  if (contest === undefined) own.cart.clear()
  else own.cart.delete(contest)
  own.version += 1
}

/** What a new order would be, or why there can be none. @returns an order to come back to, a draft, or a refusal */
export function create(model: Model, buyer: number, country: string): Order | Omit<Order, 'id'> | Refused {
  const { cart, version, isSuspended } = model.buyers[buyer]!
  if (isSuspended) return suspended
  if (cart.size === 0) return refused('checkout.cartEmpty')
  if ([...cart.keys()].some((contest) => !model.contests[contest]!.isRunning)) return refused('offer.ended')
  const subtotal = [...cart].reduce((sum, [contest, n]) => sum + n * model.contests[contest]!.price, 0)

  const open = model.orders.filter((order) => order.buyer === buyer && HOLDING.includes(order.state))
  if (open.some((order) => order.state !== 'held' && order.version === version)) {
    return refused('checkout.confirming')
  }
  const held = open.filter((order) => order.state === 'held')
  const same = held.find(
    (one) => one.version === version && one.country === country && one.subtotal === subtotal,
  )
  if (same && !same.isOverdue) return same

  let refusal = whyNone(model, cart, held)
  if (refusal && expire(model) > 0) {
    // Their holds have gone back: what was one's own and had expired is free already.
    refusal = whyNone(
      model,
      cart,
      held.filter((one) => one.state === 'held'),
    )
  }
  if (refusal) return refusal
  for (const order of held.filter((one) => one.state === 'held')) give(model, order, 'superseded')
  const order = { buyer, state: 'held', version, country, subtotal, lines: new Map(cart) } as const
  hold(model, order.lines, 1)
  return { ...order, isOverdue: false, wasCompleted: false, isExtended: false, partsBack: 0, money: 'none' }
}

/** Why a cart finds no tickets, if the orders of the same buyer gave theirs up. */
function whyNone(
  model: Model,
  cart: ReadonlyMap<number, number>,
  givenUp: readonly Order[],
): Refused | undefined {
  for (const [contest, quantity] of cart) {
    const own = givenUp.reduce((sum, order) => sum + (order.lines.get(contest) ?? 0), 0)
    const refusal = whyNot(model.contests[contest]!, quantity, own)
    if (refusal) return refusal
  }
  return undefined
}

/** Ends an order that holds tickets, and gives them back. */
export function give(model: Model, order: Order, to: 'expired' | 'cancelled' | 'superseded'): void {
  hold(model, order.lines, -1)
  order.state = to
}

/** Every expired hold goes back. @returns how many */
export function expire(model: Model): number {
  const expired = model.orders.filter((order) => order.state === 'held' && order.isOverdue)
  for (const order of expired) give(model, order, 'expired')
  return expired.length
}

/** The buyer asks for the capture. @returns what the answer must be */
export function capture(model: Model, order: Order): Refused | { status: number } {
  if (order.state === 'expired') {
    if (model.buyers[order.buyer]!.isSuspended) return suspended
    if (!order.approved) return refused('checkout.notApproved', 422)
    const why = holdAgain(model, order)
    if (why) return refused(why)
  }
  if (order.state === 'cancelled' || order.state === 'superseded') return refused('checkout.orderClosed')
  if (order.state === 'refunded')
    return refused(order.wasCompleted ? 'checkout.takenBack' : 'checkout.refunded')
  if (order.state === 'completed') return { status: 200 }
  if (order.state === 'pending') return { status: 202 }
  if (model.buyers[order.buyer]!.isSuspended) return suspended
  if ([...order.lines.keys()].some((contest) => !model.contests[contest]!.isRunning)) {
    give(model, order, 'cancelled')
    return refused('offer.ended')
  }
  switch (order.approved) {
    case undefined:
      return refused('checkout.notApproved', 422)
    case 'declines':
      return { status: 422 }
    case 'pends':
      order.money = 'pending'
      order.state = 'pending'
      return { status: 202 }
    case 'tampers':
      // What was taken is asked for once more, and goes back in the same call.
      hold(model, order.lines, -1)
      order.money = 'back'
      order.state = 'refunded'
      return refused('checkout.refunded')
    case 'pays':
    case 'loses':
      order.money = 'taken'
      complete(model, order)
      return { status: 200 }
  }
}

/** The buyer asks for more time. @returns why there is none */
export function extend(order: Order): Refused | undefined {
  if (order.state === 'held' && !order.isExtended && !order.isOverdue) {
    order.isExtended = true
    return undefined
  }
  if (order.state === 'held' && order.isExtended) return refused('checkout.alreadyExtended')
  return refused(['held', 'expired'].includes(order.state) ? 'checkout.holdExpired' : 'checkout.orderClosed')
}

/** What became of an order whose payment a killed process had begun, once the provider is asked: it is paid. */
export function settle(model: Model, order: Order): void {
  if (order.state !== 'capturing') return
  order.money = 'taken'
  complete(model, order)
}

/** A buyer comes back after the hold had expired. @returns why the tickets are not held again; undefined when they are */
function holdAgain(model: Model, order: Order): 'checkout.orderClosed' | 'checkout.holdExpired' | undefined {
  const isOpenAlready = model.orders.some(
    (other) =>
      other.buyer === order.buyer && other.version === order.version && HOLDING.includes(other.state),
  )
  if (isOpenAlready || model.buyers[order.buyer]!.version !== order.version) return 'checkout.orderClosed'
  if ([...order.lines].some(([contest, n]) => whyNot(model.contests[contest]!, n)))
    return 'checkout.holdExpired'
  hold(model, order.lines, 1)
  order.state = 'held'
  order.isOverdue = false
  return undefined
}

/** Tickets for money: what was held is sold, and leaves the cart. */
function complete(model: Model, order: Order): void {
  if (HOLDING.includes(order.state)) hold(model, order.lines, -1)
  const own = model.buyers[order.buyer]!
  for (const [contest, quantity] of order.lines) {
    model.contests[contest]!.sold += quantity
    const rest = (own.cart.get(contest) ?? 0) - quantity
    if (rest > 0) own.cart.set(contest, rest)
    else own.cart.delete(contest)
  }
  own.version += 1
  order.state = 'completed'
  order.wasCompleted = true
}

/** The provider decides a payment that was pending. */
export function decide(model: Model, order: Order, isCompleted: boolean): void {
  order.money = isCompleted ? 'taken' : 'denied'
  if (isCompleted) complete(model, order)
  else give(model, order, 'cancelled')
}

/** Money that nobody here asked for any more: tickets if any are left, else it goes back. */
export function takeLate(model: Model, order: Order): void {
  order.money = 'taken'
  const isLate = LATE.includes(order.state)
  if (!isLate || [...order.lines].every(([contest, n]) => !whyNot(model.contests[contest]!, n))) {
    return complete(model, order)
  }
  order.state = 'refunded'
  order.money = 'back'
}

/** The background work: expired holds go back, and payments that were begun come to their end. */
export function sweep(model: Model): void {
  expire(model)
  for (const order of model.orders) settle(model, order)
}

/** All the money of a completed order goes back at the provider: its tickets are void, their numbers stay given. */
export function giveBackThere(order: Order): void {
  order.money = 'back'
  order.state = 'refunded'
}

/** Valid tickets that buyers must have, by order. */
export const ticketsOf = (order: Order): number =>
  order.state === 'completed' ? [...order.lines.values()].reduce((sum, n) => sum + n, 0) : 0
