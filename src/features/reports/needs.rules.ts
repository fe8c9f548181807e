/** What a contest asks of somebody, the most urgent first. */
export const CONTEST_NEEDS = [
  'late',
  'terms',
  'letter',
  'identity',
  'award',
  'claim',
  'post',
  'draw',
] as const
export type ContestNeed = (typeof CONTEST_NEEDS)[number]

/** A draw is announced so many days before. */
export const DRAW_DAYS = 7
/** What is lost once its time is over: a prize that nobody has claimed, and cards that nobody has registered. */
export const LAST_DAYS = 3

const DAY_MS = 86_400_000

/** A draw as `awaitedDraws` tells of it. */
interface Awaited {
  now: Date
  draw_at: Date
  waits: { for: string; until: Date | null; is_late: boolean }
}

/** What a draw asks of somebody, and since or until when; undefined for nothing. */
export function needOf({
  now,
  draw_at: drawAt,
  waits,
}: Awaited): { need: Exclude<ContestNeed, 'post'>; at: Date | null } | undefined {
  const { for: wait, until, is_late: isLate } = waits
  const isWithin = (at: Date | null, days: number): boolean =>
    at !== null && at.getTime() - now.getTime() <= days * DAY_MS
  if (wait === 'terms') return { need: 'terms', at: drawAt }
  if (isLate) return { need: 'late', at: until }
  if (wait === 'letter' || wait === 'identity' || wait === 'award') return { need: wait, at: null }
  if (wait === 'claim') return isWithin(until, LAST_DAYS) ? { need: 'claim', at: until } : undefined
  return drawAt > now && isWithin(drawAt, DRAW_DAYS) ? { need: 'draw', at: drawAt } : undefined
}
