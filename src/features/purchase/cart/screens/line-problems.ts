import type { CartItem } from '#features/purchase/cart/cart.contract.ts'
import { freeTickets, remainingTickets, whyNotBuyable } from '#features/offers/offers.rules.ts'

/** What the server said when it refused to hold the tickets of a line. */
export interface HoldLimit {
  offerId: number
  available: number
}

export type LineProblem =
  | { kind: 'ended' | 'soldOut' }
  | { kind: 'fewLeft'; remaining: number }
  | { kind: 'fewFree'; free: number }
  | { kind: 'capped'; available: number }

export function lineProblem({ offer, quantity }: CartItem, limit?: HoldLimit): LineProblem | undefined {
  const closed = whyNotBuyable(offer)
  if (closed) return { kind: closed }
  const remaining = remainingTickets(offer)
  if (quantity > remaining) return { kind: 'fewLeft', remaining }
  if (limit && limit.offerId === offer.id && quantity > limit.available)
    return { kind: 'capped', available: limit.available }
  const free = freeTickets(offer)
  return quantity > free ? { kind: 'fewFree', free } : undefined
}

/** Held tickets do not block the payment: they may be the buyer's own. */
export const blocksPayment = (item: CartItem): boolean => {
  const problem = lineProblem(item)
  return problem !== undefined && problem.kind !== 'fewFree'
}
