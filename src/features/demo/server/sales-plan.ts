/** Pure: which orders the demonstration had in its last fortnight. The same seed and moment give the same plan. */

export const HISTORY_DAYS = 14
export const BUYERS = 190
const ORDERS = 560
/** Of a hundred orders. */
const UNPAID = { expired: 6, cancelled: 3 }
/** Of a hundred orders: those with tickets of two contests. */
const WITH_TWO = 11

export const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS
/** What was ordered later is not decided yet. */
const DECIDED_AFTER_MS = 40 * MINUTE_MS

/** How much is bought in each hour of a day. */
const HOURS = [
  5, 2, 0.6, 0.4, 0.4, 0.5, 2, 5, 7, 8, 8, 9, 13, 12, 8, 8, 9, 11, 14, 19, 24, 26, 18, 10,
] as const
/** The same of the days of a week, from Sunday. */
const WEEKDAYS = [1.6, 0.8, 0.8, 0.9, 1, 1.3, 1.7] as const
/** The first hours of a contest. */
const SPIKE = [9, 6, 4, 2.5, 1.6] as const

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
  outcome: 'paid' | 'expired' | 'cancelled'
}

/** Repeatable numbers from 0 to below 1. */
export function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** Chooses in proportion to weights. */
function chooser<Item>(items: readonly Item[], weightOf: (item: Item) => number): (random: number) => Item {
  let sum = 0
  const ends = items.map((item) => (sum += weightOf(item)))
  return (random) => {
    const found = items[ends.findIndex((end) => random * sum < end)] ?? items.at(-1)
    if (found === undefined) throw new RangeError('nothing to choose from')
    return found
  }
}

/** The hours of a contest in the fortnight, each with its weight. */
function momentsOf({ publishedAt, endDate }: PlannedContest, now: Date, timeZone: string) {
  const format = new Intl.DateTimeFormat('en-GB', { timeZone, hour: 'numeric', hourCycle: 'h23' })
  const dayOf = new Intl.DateTimeFormat('en-GB', { timeZone, weekday: 'short' })
  const days = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']
  const begin = Math.max(+publishedAt, +now - HISTORY_DAYS * DAY_MS)
  const end = Math.min(+now - DECIDED_AFTER_MS, +endDate - HOUR_MS)
  const isNew = +publishedAt > +now - HISTORY_DAYS * DAY_MS
  const moments: { from: number; until: number; weight: number }[] = []
  for (let from = begin, index = 0; from < end; from += HOUR_MS, index += 1) {
    const until = Math.min(from + HOUR_MS, end)
    const hour = HOURS[Number(format.format(from))] ?? 0
    const weekday = WEEKDAYS[days.indexOf(dayOf.format(from))] ?? 1
    const spike = isNew ? (SPIKE[index] ?? 1) : 1
    moments.push({ from, until, weight: (hour * weekday * spike * (until - from)) / HOUR_MS })
  }
  return moments
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
  const random = seeded(20_141)
  const sold = contests
    .map((contest) => ({ contest, moments: momentsOf(contest, now, timeZone) }))
    .filter(({ moments }) => moments.length > 0)
    .map(({ contest, moments }) => ({ contest, moment: chooser(moments, ({ weight }) => weight) }))
  const choose = chooser(sold, ({ contest }) => contest.share)
  const orders = Array.from({ length: ORDERS }, (): PlannedOrder => {
    const { contest, moment } = choose(random())
    const { from, until } = moment(random())
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
      chance < UNPAID.expired ? 'expired' : chance < UNPAID.expired + UNPAID.cancelled ? 'cancelled' : 'paid'
    return { at, buyer, lines, outcome }
  })
  return orders.toSorted((one, other) => +one.at - +other.at)
}
