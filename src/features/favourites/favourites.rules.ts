import type { Offer } from '#features/offers/offers.contract.ts'

/** A day before a contest closes, an hour before its draw, and when a winner is drawn. */
export const REMINDER_KINDS = ['closing', 'draw', 'result'] as const
export type ReminderKind = (typeof REMINDER_KINDS)[number]

const HOUR_MS = 3_600_000

/** How long before the end of a contest, and before its draw, its reminder is sent. */
export const CLOSING_BEFORE_MS = 24 * HOUR_MS
export const DRAW_BEFORE_MS = HOUR_MS

/** The reminders that somebody can ask for by now; of a contest without a draw instant the draw cannot be foretold. */
export function remindersPossible(
  offer: Pick<Offer, 'end_date' | 'draw_at' | 'stopped_as'>,
  now: number,
): ReminderKind[] {
  if (offer.stopped_as === 'cancelled') return []
  const [end, draw] = [Date.parse(offer.end_date), offer.draw_at === null ? null : Date.parse(offer.draw_at)]
  const isAhead: Record<ReminderKind, boolean> = {
    closing: end - CLOSING_BEFORE_MS > now,
    draw: draw !== null && draw - DRAW_BEFORE_MS > now,
    result: draw !== null && draw > now,
  }
  return REMINDER_KINDS.filter((kind) => isAhead[kind])
}

/** Days for which it is kept what somebody marked, once the contest is over: the rules page says so. */
export const KEPT_DAYS = 90
