/** When people buy: by the hour of the day, the day of the week, and how new a contest is. */
import type { Random } from './random.ts'

const HOUR_MS = 3_600_000
/** How much is bought in each hour of a day. */
const HOURS = [
  5, 2, 0.6, 0.4, 0.4, 0.5, 2, 5, 7, 8, 8, 9, 13, 12, 8, 8, 9, 11, 14, 19, 24, 26, 18, 10,
] as const
/** The same of the days of a week, from Sunday. */
const WEEKDAYS = [1.6, 0.8, 0.8, 0.9, 1, 1.3, 1.7] as const
/** The first hours of a contest. */
const SPIKE = [9, 6, 4, 2.5, 1.6] as const

export interface Hour {
  from: number
  until: number
  /** How much of what is bought, in proportion to other hours. */
  weight: number
}

/** The hours of a time, each with its weight. @param isNew whether a contest begins with them */
export function hoursOf(begin: number, end: number, timeZone: string, isNew = false): Hour[] {
  const format = new Intl.DateTimeFormat('en-GB', { timeZone, hour: 'numeric', hourCycle: 'h23' })
  const dayOf = new Intl.DateTimeFormat('en-GB', { timeZone, weekday: 'short' })
  const days = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']
  const hours: Hour[] = []
  for (let from = begin, index = 0; from < end; from += HOUR_MS, index += 1) {
    const until = Math.min(from + HOUR_MS, end)
    const hour = HOURS[Number(format.format(from))] ?? 0
    const weekday = WEEKDAYS[days.indexOf(dayOf.format(from))] ?? 1
    const spike = isNew ? (SPIKE[index] ?? 1) : 1
    hours.push({ from, until, weight: (hour * weekday * spike * (until - from)) / HOUR_MS })
  }
  return hours
}

/** Chooses in proportion to weights. */
export function chooser<Item>(
  items: readonly Item[],
  weightOf: (item: Item) => number,
): (random: number) => Item {
  let sum = 0
  const ends = items.map((item) => (sum += weightOf(item)))
  return (random) => {
    const found = items[ends.findIndex((end) => random * sum < end)] ?? items.at(-1)
    if (found === undefined) throw new RangeError('nothing to choose from')
    return found
  }
}

/** So many moments in the order of time, spread over hours by their weights. */
export function* momentsIn(hours: readonly Hour[], count: number, random: Random): Generator<number> {
  const sum = hours.reduce((all, { weight }) => all + weight, 0)
  let [place, before] = [0, 0]
  for (let index = 0; index < count; index += 1) {
    const goal = (sum * (index + 0.1 + random.next() * 0.8)) / count
    while (place < hours.length - 1 && before + hours[place]!.weight <= goal) {
      before += hours[place]!.weight
      place += 1
    }
    const { from, until, weight } = hours[place]!
    yield Math.floor(from + Math.min(1, (goal - before) / weight) * (until - from))
  }
}
