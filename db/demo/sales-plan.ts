/** Pure: which orders the demonstration had in its last fortnight. The same seed and moment give the same plan. */
import { type Hour, chooser, hoursOf } from '../story/hours.ts'
import { seededRandom } from '../story/random.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../story/sales.ts'

export const HISTORY_DAYS = 14
export const BUYERS = 190
const ORDERS = 560
/** Of a hundred orders. */
const UNPAID = { expired: 6, cancelled: 3 }
/** Of a hundred orders: those with tickets of two contests. */
const WITH_TWO = 11
/** What was ordered later is not decided yet. */
const DECIDED_AFTER_MS = 40 * MINUTE_MS

export interface PlannedContest {
  slug: string
  priceCents: number
  publishedAt: Date
  endDate: Date
  /** Its part of the orders, in proportion to the others. */
  share: number
}

export interface PlannedOrder {
  at: Date
  /** The buyer's place in the list of buyers. */
  buyer: number
  lines: { slug: string; quantity: number }[]
  outcome: 'completed' | 'expired' | 'cancelled'
}

/** The hours of a contest in the fortnight. */
function hoursOfContest({ publishedAt, endDate }: PlannedContest, now: Date, timeZone: string): Hour[] {
  const begin = Math.max(+publishedAt, +now - HISTORY_DAYS * DAY_MS)
  const end = Math.min(+now - DECIDED_AFTER_MS, +endDate - HOUR_MS)
  return hoursOf(begin, end, timeZone, +publishedAt > +now - HISTORY_DAYS * DAY_MS)
}

/** Cheap tickets are bought by the dozen. */
function quantityOf(priceCents: number, random: number): number {
  const choices =
    priceCents < 150
      ? [5, 5, 10, 10, 10, 20, 20, 25, 50]
      : priceCents < 600
        ? [1, 1, 2, 2, 3, 3, 5, 5, 5, 10]
        : [1, 1, 1, 2, 2, 3]
  return choices[Math.floor(random * choices.length)] ?? 1
}

/** The orders of the fortnight before `now`, the first one first. */
export function planSales(contests: readonly PlannedContest[], now: Date, timeZone: string): PlannedOrder[] {
  const random = seededRandom(20_141).next
  const sold = contests
    .map((contest) => ({ contest, hours: hoursOfContest(contest, now, timeZone) }))
    .filter(({ hours }) => hours.length > 0)
    .map(({ contest, hours }) => ({ contest, hour: chooser(hours, ({ weight }) => weight) }))
  const choose = chooser(sold, ({ contest }) => contest.share)
  const orders = Array.from({ length: ORDERS }, (): PlannedOrder => {
    const { contest, hour } = choose(random())
    const { from, until } = hour(random())
    const at = new Date(Math.floor(from + random() * (until - from)))
    const lines = [{ slug: contest.slug, quantity: quantityOf(contest.priceCents, random()) }]
    const other = choose(random()).contest
    const isSold = +at > +other.publishedAt && +at < +other.endDate - HOUR_MS
    if (random() * 100 < WITH_TWO && other.slug !== contest.slug && isSold)
      lines.push({ slug: other.slug, quantity: quantityOf(other.priceCents, random()) })
    // Few buy often.
    const buyer = Math.floor(BUYERS * random() ** 1.6)
    const chance = random() * 100
    const outcome =
      chance < UNPAID.expired
        ? 'expired'
        : chance < UNPAID.expired + UNPAID.cancelled
          ? 'cancelled'
          : 'completed'
    return { at, buyer, lines, outcome }
  })
  return orders.toSorted((one, other) => +one.at - +other.at)
}
