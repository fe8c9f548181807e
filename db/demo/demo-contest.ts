import type { Language } from '#shared/languages.ts'

/** Text in every language of the shop. */
export type Texts = Record<Language, string>

/** One picture of the set in db/demo/pictures, by its name in index.json. */
export interface DemoPicture {
  stem: string
  alt: Texts
}

/** Figures of a prize that is a car, as entries.ts writes them down. */
interface CarFacts {
  powerKw: number
  zeroTo100: string
  /** Zero: a new one. */
  yearsOld: number
  rangeKm: number
}

interface PrizeFacts {
  prize_power_kw: number | null
  prize_zero_to_100: string | null
  prize_year: number | null
  prize_range_km: number | null
}

/** What a title can promise, and a picture of index.json can show. */
export type PrizePart = 'car' | 'roof tent' | 'trailer' | 'bicycles' | 'charger'

/** A contest of the demonstration, ready to be stored. Times are absolute; money is integer cents. */
export interface DemoContest extends PrizeFacts {
  slug: string
  titles: Texts
  descriptions: Texts
  questions: Texts | null
  choices: string[]
  correct_choice: string | null
  ticketPriceCents: number
  totalTickets: number
  demoSold: number
  prizeValueCents: number
  /** Share of the numbers that wait for entries by post. */
  reservePercent: number
  publishedAt: Date
  endDate: Date
  /** Its draw can be watched: it comes as soon after the end as the settings allow. */
  drawsSoon: boolean
  isActive: boolean
  pictures: DemoPicture[]
}

/** A contest of the demonstration that only staff see, ready to be stored. */
export interface UpcomingContest
  extends
    Omit<
      DemoContest,
      'demoSold' | 'prizeValueCents' | 'reservePercent' | 'publishedAt' | 'endDate' | 'drawsSoon' | 'isActive'
    >,
    Pick<UpcomingEntry, 'state' | 'maxPerPerson' | 'prizeValueCents'> {
  opensAt: Date | null
  endDate: Date | null
}

/** When a contest ends, seen from the moment the demonstration is loaded; days end at 20:00 in Brussels. */
export type EndsIn = { days: number } | { minutes: number }

/** A contest as entries.ts writes it down. */
export interface DemoEntry {
  slug: string
  quiz: { choices: string[]; correct: string } | null
  ticketPriceCents: number
  totalTickets: number
  demoSold: number
  prizeValueCents: number
  /** Left out of a prize that is no car. */
  car?: CarFacts
  reservePercent?: number
  ends: EndsIn
  drawsSoon?: true
  isActive: boolean
  /** Parts that the title promises; the first picture shows them all. */
  prize: readonly PrizePart[]
  pictures: DemoPicture[]
}

export interface UpcomingEntry extends Pick<
  DemoEntry,
  'slug' | 'quiz' | 'ticketPriceCents' | 'totalTickets' | 'car' | 'prize' | 'pictures'
> {
  maxPerPerson: number | null
  prizeValueCents: number | null
  opens: EndsIn | null
  ends: EndsIn | null
  state: 'draft' | 'scheduled'
}
