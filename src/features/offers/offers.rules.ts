import type { Offer } from './offers.contract.ts'
import type { LocalizedText } from '#shared/localized-text.ts'
import { DEFAULT_LANGUAGE } from '#shared/languages.ts'

/** Answers to a question, at most. */
export const CHOICES_MAX = 10

type Sellable = Pick<Offer, 'is_active' | Counts>
type Counts = 'tickets_sold' | 'total_tickets' | 'tickets_reserved'

/** Spec section 5, "Quantity". */
export const QUANTITY_MIN = 1

/** @returns undefined when the offer can be bought (spec section 2, "Offer list") */
export function whyNotBuyable(offer: Sellable): 'ended' | 'soldOut' | undefined {
  if (!offer.is_active) return 'ended'
  if (remainingTickets(offer) === 0) return 'soldOut'
  return undefined
}

/**
 * Tickets not issued yet: the stepper's maximum (spec section 5, "Quantity"). Those kept for entries by post cannot be
 * bought (ADR 0048).
 */
export const remainingTickets = (offer: Pick<Offer, Counts>): number =>
  Math.max(0, offer.total_tickets - offer.tickets_sold - (offer.tickets_reserved ?? 0))

/** The stepper's maximum, where a person may not have all that are left. */
export const mostAtOnce = (offer: Pick<Offer, Counts | 'max_per_person'>): number =>
  Math.min(remainingTickets(offer), offer.max_per_person ?? Infinity)

/** Tickets that can be bought and that nobody holds. */
export const freeTickets = (offer: Pick<Offer, Counts | 'tickets_held'>): number =>
  Math.max(0, remainingTickets(offer) - offer.tickets_held)

/** Clamps to 1..remaining; NaN counts as 1. */
export function clampQuantity(wanted: number, remaining: number): number {
  if (!Number.isFinite(wanted)) return QUANTITY_MIN
  return Math.min(Math.max(QUANTITY_MIN, Math.trunc(wanted)), Math.max(QUANTITY_MIN, remaining))
}

/** The question as everybody is asked it at least; null when there is none. */
export const questionOf = ({ questions }: { questions: LocalizedText | null }): string | null =>
  questions?.[DEFAULT_LANGUAGE] || null

/** Compares exactly. An offer without a question accepts everything. */
export function isRightAnswer(
  offer: { questions: LocalizedText | null; correct_choice: string | null },
  answer: string | undefined | null,
): boolean {
  return questionOf(offer) === null || (answer !== null && answer === offer.correct_choice)
}

/** Pads to the width of the contest's highest number: 7 of 250000 gives "000007". */
export const padTicketNumber = (number: number, totalTickets: number): string =>
  String(number).padStart(String(totalTickets).length, '0')
