/** What staff may write in a contest, what it lacks before it can be published, and what cannot change any more. */
import { FALLBACK_COUNTRY, findCountry, vatPercent, withTax } from '#shared/countries.ts'
import { LANGUAGES, type Language } from '#shared/languages.ts'
import { type Cents, MAX_PRICE_CENTS, cents, parseEur, toDecimal } from '#shared/money.ts'
import { cleanLine, cleanText } from '#shared/typed-text.ts'
import { instantOf, wallClockOf } from '#shared/zoned-time.ts'
import { type OfferState, isPublished } from './offer-states.rules.ts'
import type { Check, Checklist, ChecklistItem, DraftField, OfferDraft } from './staff-offers.contract.ts'
import { type AmountFault, readAmount, tidyAmount } from '#shared/typed-amount.ts'
import { fieldIn } from '#shared/localized-text.ts'
import { fieldsOf, forFields } from '#shared/text-fields.ts'

export const TRANSLATED = ['title', 'description', 'question', 'draw_terms'] as const
export type TranslatedField = (typeof TRANSLATED)[number]

export const TIMES = ['opens_at', 'end_date', 'draw_at'] as const
export type TimeField = (typeof TIMES)[number]

/** Columns of the trigger `offers_terms_stay`. */
export const TERMS = [
  'ticket_price',
  'total_tickets',
  'max_per_person',
  'prize_value',
  'end_date',
  'draw_at',
  ...fieldsOf('draw_terms'),
  ...fieldsOf('question'),
  'choices',
  'correct_choice',
] as const satisfies readonly DraftField[]

export const EMPTY_DRAFT: OfferDraft = {
  slug: '',
  ...forFields('title', () => ''),
  ...forFields('description', () => ''),
  ticket_price: '',
  total_tickets: null,
  max_per_person: null,
  postal_reserve_percent: 0,
  prize_value: '',
  prize_power_kw: null,
  prize_zero_to_100: '',
  prize_year: null,
  prize_range_km: null,
  opens_at: '',
  end_date: '',
  draw_at: '',
  ...forFields('draw_terms', () => ''),
  ...forFields('question', () => ''),
  choices: [],
  correct_choice: '',
}

/** Cards that arrive on the last day are registered on the working days that follow, before the draw. */
const POST_NEEDS_MS = 48 * 3_600_000

/** As in the CHECKs of the table. */
export const TOTAL_TICKETS_MAX = 10_000_000
export const RESERVE_MAX_PERCENT = 50

/** Figures of the prize that are whole numbers: from, to, and the name of what is wrong with others. */
export const PRIZE_COUNTS = {
  prize_power_kw: [1, 2_000, 'power'],
  prize_year: [1886, 2100, 'year'],
  prize_range_km: [1, 5_000, 'range'],
} as const

/** Numbers that a contest keeps for entries by post: rounded up, and at least one is for sale, as the table has it. */
export const postalReserve = (total: number | null, percent: number | null): number =>
  total === null || percent === null || total < 1
    ? 0
    : Math.min(total - 1, Math.ceil((total * percent) / 100))

const SLUG = /^[a-z0-9]+(-[a-z0-9]+)*$/
export const SLUG_LENGTH = 80
/** Addresses below /draws/ that are no contest (docs/draw-v1.md, appendix). */
export const RESERVED_SLUGS: ReadonlySet<string> = new Set([
  'checkpoint',
  'consistency',
  'leaf',
  'verifiers',
  'verify',
])

/** An address made of a title: "Été à la mer" gives "ete-a-la-mer". */
export const slugOf = (title: string): string =>
  title
    .normalize('NFD')
    .replaceAll(/\p{Diacritic}/gu, '')
    .replaceAll('œ', 'oe')
    .replaceAll('æ', 'ae')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, SLUG_LENGTH)
    .replaceAll(/^-+|-+$/g, '')

/**
 * Without spaces at the ends and empty choices, and amounts as decimal text.
 * @param language in which the amounts were typed
 */
export function tidyDraft(draft: OfferDraft, language?: Language): OfferDraft {
  const tidy = Object.fromEntries(
    Object.entries(draft).map(([name, value]) => [
      name,
      typeof value === 'string' ? cleanText(value) : value,
    ]),
  ) as unknown as OfferDraft
  const choices = draft.choices.map(cleanLine).filter((choice) => choice !== '')
  return {
    ...tidy,
    slug: tidy.slug.toLowerCase(),
    ticket_price: tidyAmount(tidy.ticket_price, language),
    prize_value: tidyAmount(tidy.prize_value, language),
    prize_zero_to_100: tidySeconds(tidy.prize_zero_to_100),
    choices,
  }
}

const SECONDS = /^(?<whole>\d{1,2})(?:[.,](?<tenth>\d))?(?: ?s)?$/

/** Seconds with one decimal ("4.6"), of 4,6 or 5 s; what is none stays as it was typed, for the message about it. */
function tidySeconds(typed: string): string {
  const { whole, tenth = '0' } = SECONDS.exec(typed)?.groups ?? {}
  return whole === undefined ? typed : `${Number(whole)}.${tenth}`
}

const areSeconds = (text: string): boolean => SECONDS.test(text) && Number(text) >= 1 && Number(text) <= 60

/** Names of messages in `consoleContests.faults`. */
export type DraftFault =
  | 'slugForm'
  | 'slugReserved'
  | AmountFault
  | 'priceZero'
  | 'priceTooHigh'
  | 'prizeZero'
  | 'power'
  | 'zeroTo100'
  | 'year'
  | 'range'
  | 'totalTooLow'
  | 'totalTooHigh'
  | 'capTooLow'
  | 'capAboveTotal'
  | 'reserve'
  | 'choiceTwice'
  | 'timeInvalid'
  | 'timeSkipped'
  | 'timeRepeated'

/** What of a draft cannot be stored. What is only missing can. */
export function faultsOf(draft: OfferDraft, timeZone: string): Partial<Record<DraftField, DraftFault>> {
  const faults: Partial<Record<DraftField, DraftFault>> = {}
  if (draft.slug !== '' && !SLUG.test(draft.slug)) faults.slug = 'slugForm'
  else if (RESERVED_SLUGS.has(draft.slug)) faults.slug = 'slugReserved'
  const price = priceFault(draft.ticket_price, MAX_PRICE_CENTS, 'priceZero')
  if (price) faults.ticket_price = price
  const prize = priceFault(draft.prize_value, Infinity, 'prizeZero')
  if (prize) faults.prize_value = prize
  if (draft.prize_zero_to_100 !== '' && !areSeconds(draft.prize_zero_to_100))
    faults.prize_zero_to_100 = 'zeroTo100'
  for (const [name, [least, most, fault]] of Object.entries(PRIZE_COUNTS)) {
    const count = draft[name as keyof typeof PRIZE_COUNTS]
    if (count !== null && (count < least || count > most)) faults[name as keyof typeof PRIZE_COUNTS] = fault
  }
  const { total_tickets: total, max_per_person: cap } = draft
  if (total !== null && total < 1) faults.total_tickets = 'totalTooLow'
  if (total !== null && total > TOTAL_TICKETS_MAX) faults.total_tickets = 'totalTooHigh'
  if (cap !== null && cap < 1) faults.max_per_person = 'capTooLow'
  else if (cap !== null && cap > (total ?? TOTAL_TICKETS_MAX)) faults.max_per_person = 'capAboveTotal'
  const { postal_reserve_percent: reserve } = draft
  if (reserve !== null && (reserve < 0 || reserve > RESERVE_MAX_PERCENT))
    faults.postal_reserve_percent = 'reserve'
  if (new Set(draft.choices).size < draft.choices.length) faults.choices = 'choiceTwice'
  for (const field of TIMES) {
    const at = draft[field] === '' ? undefined : instantOf(draft[field], timeZone)
    if (typeof at === 'string') faults[field] = TIME_FAULTS[at]
  }
  return faults
}

const TIME_FAULTS = { invalid: 'timeInvalid', skipped: 'timeSkipped', repeated: 'timeRepeated' } as const

function priceFault(text: string, most: number, zero: DraftFault): DraftFault | undefined {
  if (text === '') return undefined
  const read = readAmount(text)
  if ('fault' in read) return read.fault
  const amount = amountOf(read.decimal)
  if (amount === undefined) return 'priceTooHigh'
  if (amount === 0) return zero
  return amount > most ? 'priceTooHigh' : undefined
}

/** @returns undefined for what is no amount */
export function amountOf(text: string): Cents | undefined {
  try {
    return parseEur(text)
  } catch {
    return undefined
  }
}

/**
 * Fields that cannot change any more (triggers `offers_terms_stay`, `offers_address_and_key_stay` and
 * `offers_postal_reserve_stays`).
 */
export const lockedFields = (state: OfferState): DraftField[] =>
  isPublished(state) ? ['slug', 'opens_at', 'postal_reserve_percent', ...TERMS] : []

const isSame = (one: OfferDraft[DraftField], other: OfferDraft[DraftField]): boolean =>
  Array.isArray(one) && Array.isArray(other)
    ? one.length === other.length && one.every((entry, at) => entry === other[at])
    : one === other

/** Fields whose values differ. */
export const differences = (one: OfferDraft, other: OfferDraft): DraftField[] =>
  (Object.keys(EMPTY_DRAFT) as DraftField[]).filter((field) => !isSame(one[field], other[field]))

export interface MergedDraft {
  /** Each field as whoever changed it left it; mine where both did. */
  draft: OfferDraft
  /** Fields that both have changed, to different values. */
  conflicts: DraftField[]
  /** Fields that only they have changed. */
  taken: DraftField[]
}

/** Joins the changes of two people. @param base what both began with */
export function mergeDrafts(base: OfferDraft, mine: OfferDraft, theirs: OfferDraft): MergedDraft {
  const changed = { mine: differences(base, mine), theirs: differences(base, theirs) }
  const differ = differences(mine, theirs)
  const conflicts = differ.filter((field) => changed.mine.includes(field) && changed.theirs.includes(field))
  const taken = differ.filter((field) => !changed.mine.includes(field))
  return { draft: withFields(mine, theirs, taken), conflicts, taken }
}

/** A draft with some fields of another. */
export const withFields = (
  draft: OfferDraft,
  other: OfferDraft,
  fields: readonly DraftField[],
): OfferDraft => ({
  ...draft,
  ...Object.fromEntries(fields.map((field) => [field, other[field]])),
})

/** Every contest has these; the others may be left out in all languages. */
const REQUIRED: readonly TranslatedField[] = ['title', 'description']

/** Texts that a language lacks, such as `title_nl`: those that another language has, or that no contest goes without. */
export const missingTranslations = (draft: OfferDraft): { field: TranslatedField; language: Language }[] =>
  TRANSLATED.flatMap((field) => {
    const missing = LANGUAGES.filter((language) => draft[fieldIn(field, language)] === '')
    const isWanted = missing.length < LANGUAGES.length || REQUIRED.includes(field)
    return isWanted ? missing.map((language) => ({ field, language })) : []
  })

export interface CheckedPicture {
  alt: Record<Language, string>
  /** False while its sizes are being made. */
  isReady: boolean
}

/** What a contest needs of the shop. */
export interface CheckedShop {
  /** How long after the end the draw is at the earliest: payments under way, objections, the seal. */
  drawAfterMinutes: number
  /** Name, number and address of the company, and the address for free entries, of the rules and the legal information. */
  legalTexts: readonly string[]
  /** They are those of the demonstration. */
  isDemo: boolean
}

interface Checked {
  draft: OfferDraft
  /** The instants of the draft's times. */
  times: Record<TimeField, Date | null>
  pictures: readonly CheckedPicture[]
  /** Whether shared links have a picture. */
  isShareable: boolean
  now: Date
}

/** What a contest needs before it can be published. */
export function checklistOf(
  { draft, times, pictures, isShareable, now }: Checked,
  { drawAfterMinutes, legalTexts, isDemo }: CheckedShop,
): Checklist {
  const item = (check: Check, is_done: boolean, more: Partial<ChecklistItem> = {}): ChecklistItem => ({
    check,
    is_done,
    languages: [],
    fault: null,
    warning: null,
    least_minutes: null,
    ...more,
  })
  const texts = (check: Check, field: TranslatedField, isOptional = false): ChecklistItem => {
    const languages = LANGUAGES.filter((language) => draft[fieldIn(field, language)] === '')
    const isDone = languages.length === 0 || (isOptional && languages.length === LANGUAGES.length)
    return item(check, isDone, { languages: isDone ? [] : languages })
  }
  const timed = (
    check: Check,
    at: Date | null,
    fault: ChecklistItem['fault'],
    warning: ChecklistItem['warning'] = null,
  ): ChecklistItem =>
    item(check, at !== null && fault === null, {
      fault: at === null ? null : fault,
      warning: at === null || fault ? null : warning,
    })

  const { opens_at: opens, end_date: end, draw_at: draw } = times
  const drawsAfterMs = draw && end ? draw.getTime() - end.getTime() : Infinity
  const asks = [...fieldsOf('question').map((field) => draft[field]), ...draft.choices].some(
    (text) => text !== '',
  )
  const isAnswerable = draft.choices.length >= 2 && draft.choices.includes(draft.correct_choice)
  const wordless = LANGUAGES.filter((language) => pictures.some(({ alt }) => alt[language].trim() === ''))
  const items: ChecklistItem[] = [
    item('slug', draft.slug !== ''),
    texts('titles', 'title'),
    texts('descriptions', 'description'),
    item('pictures', pictures.length > 0 && pictures.every(({ isReady }) => isReady)),
    item('altTexts', wordless.length === 0, { languages: wordless }),
    item('sharing', isShareable),
    item('price', draft.ticket_price !== ''),
    item('total', draft.total_tickets !== null),
    item('prize', draft.prize_value !== ''),
    texts('question', 'question', !asks),
    item('choices', !asks || isAnswerable),
    item('opening', opens === null || (opens > now && (end === null || opens < end)), {
      fault: opens === null ? null : opens <= now ? 'past' : end !== null && opens >= end ? 'afterEnd' : null,
    }),
    timed('end', end, end !== null && end <= now ? 'past' : null),
    {
      ...timed(
        'draw',
        draw,
        drawsAfterMs < drawAfterMinutes * 60_000 ? 'tooEarly' : null,
        drawsAfterMs < POST_NEEDS_MS ? 'littleTimeForPost' : null,
      ),
      least_minutes: drawAfterMinutes,
    },
    {
      ...texts('drawTerms', 'draw_terms', true),
      // Nothing has to be added to the rules of the shop; staff see that nothing is.
      warning: LANGUAGES.every((language) => draft[fieldIn('draw_terms', language)] === '')
        ? 'noFurtherTerms'
        : null,
    },
    item(
      'legalTexts',
      legalTexts.every((text) => text.trim() !== ''),
      { warning: isDemo ? 'demoCompany' : null },
    ),
  ]
  return { is_complete: items.every(({ is_done }) => is_done), items }
}

/** The instants of a draft's times; null for those that are missing or no time. */
export function timesOf(
  draft: Pick<OfferDraft, TimeField>,
  timeZone: string,
): Record<TimeField, Date | null> {
  const read = (wallClock: string): Date | null => {
    const at = instantOf(wallClock, timeZone)
    return typeof at === 'string' ? null : at
  }
  return { opens_at: read(draft.opens_at), end_date: read(draft.end_date), draw_at: read(draft.draw_at) }
}

const DAY_MS = 86_400_000

/** The same time of the day so many days later; empty where the clocks skip or repeat it. */
export function shiftDays(wallClock: string, days: number, timeZone: string): string {
  if (wallClock === '') return ''
  const shifted = wallClockOf(new Date(Date.parse(`${wallClock}:00Z`) + days * DAY_MS), 'UTC')
  return typeof instantOf(shifted, timeZone) === 'string' ? '' : shifted
}

/** What a ticket costs with VAT, as the shop shows it to somebody who has not chosen a country. */
export function priceWithVat(
  ticketPrice: string,
  pricesIncludeVat: boolean,
  on: Date,
): { country: string; percent: number; total: string } | null {
  const amount = amountOf(ticketPrice)
  const country = findCountry(FALLBACK_COUNTRY)
  if (amount === undefined || amount === 0 || amount > MAX_PRICE_CENTS || !country) return null
  const percent = vatPercent(country, on)
  const { total } = withTax(cents(amount), percent, pricesIncludeVat)
  return { country: country.code, percent, total: toDecimal(total) }
}

/** Days over which the pace is measured. */
export const PACE_DAYS = 7

interface SalesDay {
  /** "2026-03-29" */
  day: string
  tickets: number
}

/** Every day from the first to the last, those without a ticket included. */
export function everyDay(sold: readonly SalesDay[], first: string, last: string): SalesDay[] {
  const known = new Map(sold.map(({ day, tickets }) => [day, tickets]))
  const days: SalesDay[] = []
  for (let at = Date.parse(first); at <= Date.parse(last); at += DAY_MS) {
    const day = new Date(at).toISOString().slice(0, 10)
    days.push({ day, tickets: known.get(day) ?? 0 })
  }
  return days
}

interface Sales {
  sold: number
  days: readonly SalesDay[]
  end: Date | null
}

/**
 * Mean tickets of a day, without today unless it is the first, and how many would be asked for until the end at that
 * pace, even if there are fewer.
 */
export function paceOf(
  { sold, days, end }: Sales,
  today: string,
  now: Date,
): { pace: number; expected: number | null } {
  const whole = days.filter(({ day }) => day < today)
  const recent = (whole.length > 0 ? whole : days).slice(-PACE_DAYS)
  const tickets = recent.reduce((sum, day) => sum + day.tickets, 0)
  const pace = recent.length === 0 ? 0 : tickets / recent.length
  if (!end || end <= now) return { pace, expected: null }
  const ahead = (pace * (end.getTime() - now.getTime())) / DAY_MS
  return { pace, expected: Math.trunc(sold + ahead + 0.5) }
}
