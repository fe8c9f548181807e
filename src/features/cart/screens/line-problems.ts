import type { CartItem } from '#features/cart/cart.contract.ts'
import { freeTickets, remainingTickets, whyNotBuyable } from '#features/offers/offers.rules.ts'

/** Why a line cannot be paid. */
export type LineProblem =
  | { kind: 'ended' | 'soldOut' }
  | { kind: 'fewLeft'; remaining: number }
  | { kind: 'fewFree'; free: number }

/** The worst problem of a line. */
export function lineProblem({ offer, quantity }: CartItem): LineProblem | undefined {
  const closed = whyNotBuyable(offer)
  if (closed) return { kind: closed }
  const remaining = remainingTickets(offer)
  if (quantity > remaining) return { kind: 'fewLeft', remaining }
  const free = freeTickets(offer)
  return quantity > free ? { kind: 'fewFree', free } : undefined
}

/** Whether a line blocks the payment. Held tickets do not: they may be the buyer's own. */
export const blocksPayment = (item: CartItem): boolean => {
  const problem = lineProblem(item)
  return problem !== undefined && problem.kind !== 'fewFree'
}
