/** What remains until a contest ends, in the two largest units a person needs. */
export type TimeLeft =
  | { kind: 'over' }
  | { kind: 'lastMinute' }
  | { kind: 'minutes'; minutes: number }
  | { kind: 'hours'; hours: number; minutes: number }
  | { kind: 'days'; days: number; hours: number }

const MINUTE_MS = 60_000
const HOUR_MINUTES = 60
const DAY_MINUTES = 24 * HOUR_MINUTES

/** The minutes at which a screen reader is told, once each (storefront U8). */
export const ANNOUNCED_MINUTES = [10, 5, 1] as const

/** Splits a span into days and hours, hours and minutes, or minutes. Started minutes do not count. */
export function timeLeft(leftMs: number): TimeLeft {
  if (leftMs <= 0) return { kind: 'over' }
  const minutes = Math.floor(leftMs / MINUTE_MS)
  if (minutes < 1) return { kind: 'lastMinute' }
  if (minutes < HOUR_MINUTES) return { kind: 'minutes', minutes }
  const hours = Math.floor(minutes / HOUR_MINUTES)
  if (minutes < DAY_MINUTES) return { kind: 'hours', hours, minutes: minutes % HOUR_MINUTES }
  return { kind: 'days', days: Math.floor(minutes / DAY_MINUTES), hours: hours % 24 }
}

/**
 * The mark (10, 5 or 1 minutes) that was passed between two looks at the clock; undefined when none was.
 * After a long pause only the smallest one passed is worth saying.
 */
export function announcedMark(previousMs: number, leftMs: number): number | undefined {
  if (leftMs <= 0) return undefined
  return ANNOUNCED_MINUTES.findLast((mark) => previousMs > mark * MINUTE_MS && leftMs <= mark * MINUTE_MS)
}

/** Milliseconds until the shown text can change: the rest of the running minute. */
export const untilNextChange = (leftMs: number): number => (leftMs % MINUTE_MS) + 1
