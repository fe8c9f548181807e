import type { Offer } from './offers.contract.ts'

type Sellable = Pick<Offer, 'is_active' | 'tickets_sold' | 'total_tickets'>

/** Spec section 5, "Quantity". */
export const QUANTITY_MIN = 1

/** @returns undefined when the offer can be bought (spec section 2, "Offer list") */
export function whyNotBuyable(offer: Sellable): 'ended' | 'soldOut' | undefined {
  if (!offer.is_active) return 'ended'
  if (offer.tickets_sold >= offer.total_tickets) return 'soldOut'
  return undefined
}

/** Tickets not issued yet: the stepper's maximum (spec section 5, "Quantity"). */
export const remainingTickets = (offer: Sellable): number =>
  Math.max(0, offer.total_tickets - offer.tickets_sold)

/** Tickets neither issued nor held. */
export const freeTickets = (offer: Sellable & Pick<Offer, 'tickets_held'>): number =>
  Math.max(0, offer.total_tickets - offer.tickets_sold - offer.tickets_held)

/** Clamps to 1..remaining; NaN counts as 1. */
export function clampQuantity(wanted: number, remaining: number): number {
  if (!Number.isFinite(wanted)) return QUANTITY_MIN
  return Math.min(Math.max(QUANTITY_MIN, Math.trunc(wanted)), Math.max(QUANTITY_MIN, remaining))
}

/** Compares exactly. An offer without a question accepts everything. */
export function isRightAnswer(
  offer: { question: string | null; correct_choice: string | null },
  answer: string | undefined | null,
): boolean {
  return offer.question === null || (answer !== null && answer === offer.correct_choice)
}

/** Pads to the width of the contest's highest number: 7 of 250000 gives "000007". */
export const padTicketNumber = (number: number, totalTickets: number): string =>
  String(number).padStart(String(totalTickets).length, '0')
