import type { DemoContest, DemoEntry, UpcomingContest, UpcomingEntry } from './demo-contest.ts'
import { endsAt } from './ends-at.ts'
import { cancelledEntry, demoEntries, upcomingEntries } from './entries.ts'
import { textsOf } from './texts.ts'

export type { DemoContest, UpcomingContest } from './demo-contest.ts'

/** The newest contests; the others have sold for a month. */
const PUBLISHED_DAYS_AGO: Readonly<Record<string, number>> = {
  'karst-4-expedition-avec-tente-de-toit': 9,
  'sylvane-break-avec-remorque-et-velos': 3,
}

/** The contests of a demonstration that begins at `now`; their end dates are counted from it. */
export const demoContests = (now: Date): DemoContest[] => demoEntries.map((entry) => contestOf(entry, now))

/** Contests that only staff see. */
export const upcomingContests = (now: Date): UpcomingContest[] =>
  upcomingEntries.map((entry) => upcomingOf(entry, now))

/** A contest that was published, sold and cancelled before `now`, and why. */
export function cancelledContest(now: Date): UpcomingContest & { opensAt: Date; endDate: Date; why: string } {
  const { opensAt, endDate, ...contest } = upcomingOf(cancelledEntry, now)
  if (!opensAt || !endDate) throw new Error('a cancelled contest was open and had an end')
  return { ...contest, opensAt, endDate, why: cancelledEntry.why }
}

function upcomingOf(entry: UpcomingEntry, now: Date): UpcomingContest {
  const { slug, ticketPriceCents, totalTickets, maxPerPerson, prizeValueCents, state, pictures } = entry
  return {
    ...wordsOf(entry),
    ...factsOf(entry, now),
    slug,
    ticketPriceCents,
    totalTickets,
    maxPerPerson,
    prizeValueCents,
    state,
    pictures,
    opensAt: entry.opens && endsAt(now, entry.opens),
    endDate: entry.ends && endsAt(now, entry.ends),
  }
}

function wordsOf({ slug, quiz }: Pick<UpcomingEntry, 'slug' | 'quiz'>) {
  const { questions, ...texts } = textsOf(slug)
  return {
    ...texts,
    questions: quiz && questions,
    choices: quiz?.choices ?? [],
    correct_choice: quiz?.correct ?? null,
  }
}

const factsOf = ({ car }: Pick<UpcomingEntry, 'car'>, now: Date) => ({
  prize_power_kw: car?.powerKw ?? null,
  prize_zero_to_100: car?.zeroTo100 ?? null,
  prize_year: car ? now.getUTCFullYear() - car.yearsOld : null,
  prize_range_km: car?.rangeKm ?? null,
})

const contestOf = ({ ends, ...entry }: DemoEntry, now: Date): DemoContest => ({
  ...wordsOf(entry),
  ...factsOf(entry, now),
  slug: entry.slug,
  ticketPriceCents: entry.ticketPriceCents,
  totalTickets: entry.totalTickets,
  demoSold: entry.demoSold,
  prizeValueCents: entry.prizeValueCents,
  reservePercent: entry.reservePercent ?? 0,
  publishedAt: endsAt(now, { days: -(PUBLISHED_DAYS_AGO[entry.slug] ?? 30) }),
  endDate: endsAt(now, ends),
  drawsSoon: entry.drawsSoon ?? false,
  isActive: entry.isActive,
  pictures: entry.pictures,
})
