import type { EndsIn } from './demo-contest.ts'

const DAY_MS = 24 * 3600 * 1000
const MINUTE_MS = 60 * 1000
const EVENING_HOUR = 20

const brussels = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'Europe/Brussels',
  year: 'numeric',
  month: 'numeric',
  day: 'numeric',
  hour: 'numeric',
  hourCycle: 'h23',
})

/** End of a contest that is loaded at `now`. */
export function endsAt(now: Date, ends: EndsIn): Date {
  if ('minutes' in ends) return new Date(now.getTime() + ends.minutes * MINUTE_MS)
  return eveningInBrussels(new Date(now.getTime() + ends.days * DAY_MS))
}

/** 20:00 on the day that `moment` falls on in Brussels. */
function eveningInBrussels(moment: Date): Date {
  const { year, month, day } = partsOf(moment)
  const asIfUtc = Date.UTC(year, month - 1, day, EVENING_HOUR)
  // Clocks change at night, so the hour shown at 20:00 UTC of that day tells the offset at 20:00 local time too.
  const offsetHours = partsOf(new Date(asIfUtc)).hour - EVENING_HOUR
  return new Date(asIfUtc - offsetHours * 3600 * 1000)
}

function partsOf(moment: Date): { year: number; month: number; day: number; hour: number } {
  const parts = new Map(brussels.formatToParts(moment).map(({ type, value }) => [type, Number(value)]))
  const part = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0
  return { year: part('year'), month: part('month'), day: part('day'), hour: part('hour') }
}
