const NICE = [1, 2, 4, 6, 8, 10]

/** The top of an axis from zero: a round number that is at least the highest value and has a round half. */
export function axisTop(highest: number): number {
  if (highest <= 2) return 2
  const power = 10 ** Math.floor(Math.log10(highest))
  const step = NICE.find((one) => one * power >= highest) ?? 10
  return step * power
}

const DAY_MS = 86_400_000

/** Every day from the first to the last, "2026-11-30". */
export function daysBetween(first: string, last: string): string[] {
  const days: string[] = []
  for (let at = Date.parse(first); at <= Date.parse(last); at += DAY_MS)
    days.push(new Date(at).toISOString().slice(0, 10))
  return days
}

/** Every month from that of the first day to that of the last, "2026-11". */
export const monthsBetween = (first: string, last: string): string[] => [
  ...new Set(daysBetween(first, last).map((day) => day.slice(0, 7))),
]

export interface Pace {
  /** Where each line is at a moment: parts of the time from opening to end, and of the tickets. */
  sold: [time: number, part: number][]
  /** From now to the end, at the pace of the last days. */
  ahead: [time: number, part: number][]
  /** Tickets that would be sold by now if they sold out exactly at the end, at an even pace. */
  target: number
}

interface Running {
  sold: number
  total: number
  opened_at: string
  ends_at: string
  /** The last days, the oldest first, today included. */
  days: readonly number[]
  /** At the end, at the pace of the last days. */
  pace_percent: number
}

/**
 * What a chart of the pace of a contest shows. Before the days that are known its line is straight.
 * @param now milliseconds since the epoch @param passed milliseconds of the present day that have passed
 */
export function paceLines(
  { sold, total, days, pace_percent: percent, ...at }: Running,
  now: number,
  passed: number,
): Pace {
  const [opened, end] = [Date.parse(at.opened_at), Date.parse(at.ends_at)]
  const whole = Math.max(1, end - opened)
  const part = (moment: number): number => Math.min(1, Math.max(0, (moment - opened) / whole))
  const points: [number, number][] = [[part(now), sold / total]]
  let before = sold
  for (const [back, tickets] of days.toReversed().entries()) {
    before -= tickets
    const moment = now - passed - back * DAY_MS
    if (moment <= opened) break
    points.unshift([part(moment), before / total])
  }
  points.unshift([0, 0])
  return {
    sold: points,
    ahead: [
      [part(now), sold / total],
      [1, Math.min(1, percent / 100)],
    ],
    target: Math.trunc(total * part(now)),
  }
}
