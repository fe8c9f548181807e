import { byLanguage } from '#shared/localized-text.ts'
import { cancelledEntry } from './contests/cancelled.ts'
import { enduranceEntries } from './contests/endurance.ts'
import { everydayEntries } from './contests/everyday.ts'
import { experienceEntries } from './contests/experiences.ts'
import { familyEntries } from './contests/family.ts'
import { grandTourEntries } from './contests/grand-tour.ts'
import { sportEntries } from './contests/sport.ts'
import { upcomingEntries } from './contests/upcoming.ts'
import type { DemoContest, DemoEntry, UpcomingContest, UpcomingEntry } from './demo-contest.ts'
import { endsAt } from './ends-at.ts'
import { unbroken } from './unbroken.ts'

export type { DemoContest, UpcomingContest } from './demo-contest.ts'

/** The newest contests; the others have sold for a month. */
const PUBLISHED_DAYS_AGO: Readonly<Record<string, number>> = {
  'karst-4-expedition-avec-tente-de-toit': 9,
  'sylvane-break-avec-remorque-et-velos': 3,
}

const ENTRIES: readonly DemoEntry[] = [
  ...sportEntries,
  ...grandTourEntries,
  ...everydayEntries,
  ...familyEntries,
  ...enduranceEntries,
  ...experienceEntries,
]

/** The contests of a demonstration that begins at `now`; their end dates are counted from it. */
export const demoContests = (now: Date): DemoContest[] => ENTRIES.map((entry) => contestOf(entry, now))

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
    ...textsOf(entry),
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

const textsOf = ({ title, description, quiz }: Pick<UpcomingEntry, 'title' | 'description' | 'quiz'>) => ({
  titles: title,
  descriptions: byLanguage((language) => unbroken(description[language].join('\n\n'))),
  questions: quiz && byLanguage((language) => unbroken(quiz.question[language])),
  choices: quiz?.choices ?? [],
  correct_choice: quiz?.correct ?? null,
})

const contestOf = ({ ends, ...entry }: DemoEntry, now: Date): DemoContest => ({
  ...textsOf(entry),
  slug: entry.slug,
  plate: entry.plate,
  ticketPriceCents: entry.ticketPriceCents,
  totalTickets: entry.totalTickets,
  demoSold: entry.demoSold,
  prizeValueCents: entry.prizeValueCents ?? null,
  reservePercent: entry.reservePercent ?? 0,
  publishedAt: endsAt(now, { days: -(PUBLISHED_DAYS_AGO[entry.slug] ?? 30) }),
  endDate: endsAt(now, ends),
  drawsSoon: entry.drawsSoon ?? false,
  isActive: entry.isActive,
  pictures: entry.pictures,
})
