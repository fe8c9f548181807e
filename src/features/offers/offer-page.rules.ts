import type { Offer } from './offers.contract.ts'
import { QUANTITY_MIN, whyNotBuyable } from './offers.rules.ts'

/** Quantities that are offered by one press. */
const QUICK_QUANTITIES = [1, 5, 10, 25] as const

/** Those of at most `max` tickets, which takes the place of larger ones. */
export const offeredQuantities = (max: number): number[] => [
  ...new Set(QUICK_QUANTITIES.map((quantity) => Math.min(quantity, Math.max(QUANTITY_MIN, max)))),
]

/**
 * The odds of so many tickets as 1 in how many, when all tickets of the contest take part, those by post included: never better
 * than they are.
 */
export const oddsOf = (quantity: number, total: number): number => Math.ceil(total / Math.max(1, quantity))

/** Contests beside one. */
const RELATED_MOST = 3

/** Others that sell tickets, those that end first. */
export const relatedTo = <
  Listed extends Parameters<typeof whyNotBuyable>[0] & Pick<Offer, 'id' | 'end_date'>,
>(
  offerId: number,
  offers: readonly Listed[],
): Listed[] =>
  offers
    .filter((offer) => offer.id !== offerId && whyNotBuyable(offer) === undefined)
    .toSorted((one, other) => Date.parse(one.end_date) - Date.parse(other.end_date))
    .slice(0, RELATED_MOST)
