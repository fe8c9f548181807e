import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { EMPTY_DRAFT, checklistOf } from '#features/offers/offer-drafts.rules.ts'
import { type DemoContest, demoContests, upcomingContests } from './contests.ts'
import { cancelledEntry, demoEntries, upcomingEntries } from './entries.ts'
import type { PrizePart, Texts } from './demo-contest.ts'
import { textsOf } from './texts.ts'
import { LANGUAGES } from '#shared/languages.ts'
import { inscription } from './inscription.ts'
import { unbroken } from './unbroken.ts'
import { NO_TEXT } from '#shared/localized-text.ts'
import { textFields } from '#shared/text-fields.ts'

type IndexEntry = {
  widths: number[]
  width: number
  height: number
  color: string
  ground: string
  shows?: string[]
  dark?: string
}

const NOW = new Date('2026-03-10T09:30:00Z')
const HOUR_MS = 3600 * 1000
const DAY_MS = 24 * HOUR_MS

const pictureFile = (name: string): URL => new URL(`./pictures/${name}`, import.meta.url)
const index = JSON.parse(readFileSync(pictureFile('index.json'), 'utf8')) as Record<string, IndexEntry>
const contests = demoContests(NOW)
const each = contests.map((contest) => [contest.slug, contest] as const)

const slugOf = (title: string): string =>
  title
    .normalize('NFD')
    .replaceAll(/\p{Diacritic}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')

/** The different texts among some that have a form. */
const formed = (texts: (string | null)[], form: RegExp) =>
  [...new Set(texts)].filter((text) => form.test(text ?? ''))

const isBetween = (least: number, most: number) => (n: number) =>
  Number.isInteger(n) && n >= least && n <= most

const isOpen = (contest: DemoContest): boolean => contest.isActive && contest.endDate > NOW
const left = (contest: DemoContest): number => contest.totalTickets - contest.demoSold

const inBrussels = (date: Date): string =>
  date.toLocaleTimeString('en-GB', { timeZone: 'Europe/Brussels', timeStyle: 'short' })

describe('each demo contest', () => {
  test.each(each)('%s has a slug made of its French title', (slug, { titles }) => {
    expect(slugOf(titles.fr)).toBe(slug)
  })

  test.each(each)('%s speaks every language', (_slug, contest) => {
    const { titles, descriptions } = contest
    expect(formed(Object.values(titles), /^\S.{7,59}\S$/)).toHaveLength(LANGUAGES.length)
    // Two to four paragraphs.
    const paragraphs = /^\S.{39,}[.»](\n\n\S.{39,}[.»]){1,3}$/
    expect(formed(Object.values(descriptions), paragraphs)).toHaveLength(LANGUAGES.length)
  })

  test.each(each)('%s names the same figures in every language', (_slug, contest) => {
    const figures = (text: string): string[] =>
      [...text.matchAll(/\d+(?:[\s.,]\d{3})*/g)]
        .map(([figure]) => figure.replaceAll(/[\s.,]/g, ''))
        .filter((figure) => figure.length > 2)
        .toSorted()
    for (const text of Object.values(contest.descriptions))
      expect(figures(text)).toEqual(figures(contest.descriptions.fr))
  })

  test.each(each)('%s is worth and has what its description says', (_slug, contest) => {
    const { descriptions, prizeValueCents, prize_power_kw, prize_zero_to_100 } = contest
    const said = descriptions.en.replaceAll(/[\u00a0\u202f]/g, ' ')
    expect(said).toMatch(new RegExp(`value: €${(prizeValueCents / 100).toLocaleString('en')}\\.`, 'i'))
    // A prize that is a day or a weekend with a car has no figures of the car.
    if (prize_power_kw === null) return
    expect(said).toContain(`${prize_power_kw} kW`)
    const [, seconds = prize_zero_to_100] = /(\d\.\d) seconds/.exec(said) ?? []
    expect(prize_zero_to_100).toBe(seconds)
  })

  test.each(each.filter(([, { questions }]) => questions))(
    '%s has its answer among the choices',
    (_slug, contest) => {
      const { questions, choices, correct_choice } = contest
      expect(formed(Object.values(questions ?? {}), /^\S.{19,}\?$/)).toHaveLength(3)
      expect(new Set(choices).size).toBe(choices.length)
      expect(choices.length).toBeGreaterThanOrEqual(3)
      expect(choices).toContain(correct_choice)
    },
  )

  test.each(each.filter(([, { questions }]) => !questions))('%s asks nothing at all', (_slug, contest) => {
    const nothing = {
      questions: null,
      choices: [],
      correct_choice: null,
    }
    expect(contest).toMatchObject(nothing)
  })

  test.each(each)('%s sells at most what there is', (_slug, contest) => {
    const { demoSold, totalTickets, ticketPriceCents } = contest
    expect(demoSold).toSatisfy(isBetween(0, Math.min(totalTickets, 4000)))
    expect(ticketPriceCents).toSatisfy(isBetween(99, 2500))
  })

  test.each(each)('%s has pictures that exist, with a text in every language', (_slug, { pictures }) => {
    expect(pictures.length).toBeGreaterThanOrEqual(3)
    expect(new Set(pictures.map(({ stem }) => stem)).size).toBe(pictures.length)
    for (const { stem, alt } of pictures) {
      expect(index).toHaveProperty(stem)
      expect(formed(Object.values(alt), /^.{21,}$/)).toHaveLength(LANGUAGES.length)
    }
  })
})

/** Words by which a title promises something, in every language. */
const PROMISES: readonly [RegExp, PrizePart][] = [
  [/tente|daktent|roof tent/i, 'roof tent'],
  [/remorque|aanhanger|trailer/i, 'trailer'],
  [/vélo|fiets|bicycle|bike/i, 'bicycles'],
  [/borne|laadpaal|wallbox|charger/i, 'charger'],
]
const promisedBy = (titles: Texts): PrizePart[] =>
  PROMISES.filter(([word]) => Object.values(titles).some((title) => word.test(title))).map(([, part]) => part)

/** A journey: neither the title nor the text of a car that is the prize promises one. */
const JOURNEY = /\bnuits|nachten|nights|hôtel|hotel|champagne/i
/** What one can neither drive away nor photograph: no title promises it. */
const UNSEEN = new RegExp(`${JOURNEY.source}|assurance|verzekering|insurance`, 'i')

/** House rule: the picture is the prize. */
describe('the first picture of a contest shows what its title promises', () => {
  const entries = [...demoEntries, ...upcomingEntries, cancelledEntry]
  const titled = entries.map((entry) => ({ ...entry, titles: textsOf(entry.slug).titles }))

  test.each(titled)('$slug declares what its title names', ({ titles, prize }) => {
    expect(prize).toContain('car')
    expect(prize.filter((part) => part !== 'car').toSorted()).toEqual(promisedBy(titles).toSorted())
    for (const title of Object.values(titles)) expect(title).not.toMatch(UNSEEN)
  })

  const isCarWon = ({ prizeValueCents: value }: (typeof titled)[number]): boolean => (value ?? 0) > 1_000_000
  test.each(titled.filter(isCarWon))('$slug describes no journey beside the car', ({ slug }) => {
    for (const description of Object.values(textsOf(slug).descriptions))
      expect(description).not.toMatch(JOURNEY)
  })

  test.each(titled)('$slug has all of its prize in its first picture', ({ prize, pictures }) => {
    const shown = index[pictures[0]?.stem ?? '']?.shows ?? []
    expect(prize.filter((part) => !shown.includes(part))).toEqual([])
  })

  test('a title in any language that names a part counts as a promise', () => {
    expect(promisedBy({ fr: 'Une auto', nl: 'Een auto met daktent', en: 'A car' })).toEqual(['roof tent'])
    expect(promisedBy({ fr: 'Une auto', nl: 'Een auto', en: 'A car with a trailer and bikes' })).toEqual([
      'trailer',
      'bicycles',
    ])
    expect(promisedBy({ fr: 'Corvane S4 rouge rubis', nl: 'Corvane S4', en: 'Corvane S4' })).toEqual([])
  })

  test.each(Object.entries(index).filter(([, { dark }]) => dark !== undefined))(
    '%s shows the same on a dark page',
    (_stem, { dark, ground, shows, widths, width, height }) => {
      expect(ground).toBe('light')
      expect(index[dark ?? '']).toMatchObject({ ground: 'dark', shows, widths, width, height })
    },
  )
})

describe('the demo contests together', () => {
  test('are at least ten, and no slug is used twice', () => {
    expect(contests.length).toBeGreaterThanOrEqual(10)
    expect(new Set(contests.map(({ slug }) => slug)).size).toBe(contests.length)
  })

  const open = contests.filter(isOpen)
  test.each<[string, DemoContest[], (contest: DemoContest) => boolean]>([
    ['open with a question', open, ({ questions }) => questions !== null],
    ['open without a question', open, ({ questions }) => questions === null],
    ['open with 3 tickets left', open, (contest) => left(contest) === 3],
    ['open and sold out', open, (contest) => left(contest) === 0],
    ['ending within the hour', open, ({ endDate }) => endDate.getTime() - NOW.getTime() < HOUR_MS],
    ['ended by its date', contests, ({ isActive, endDate }) => isActive && endDate < NOW],
    ['taken off sale before its end', contests, ({ isActive, endDate }) => !isActive && endDate > NOW],
    ['of 24 tickets', contests, ({ totalTickets }) => totalTickets === 24],
    ['of 250,000 tickets', contests, ({ totalTickets }) => totalTickets === 250_000],
    ['at EUR 0.99', contests, ({ ticketPriceCents }) => ticketPriceCents === 99],
    ['at EUR 25', contests, ({ ticketPriceCents }) => ticketPriceCents === 2500],
  ])('include one %s', (_state, among, holds) => {
    expect(among.some(holds)).toBe(true)
  })

  test.each(['2026-03-10T09:30:00Z', '2026-03-27T22:59:00Z', '2026-10-24T23:30:00Z', '2027-12-31T23:30:00Z'])(
    'end 6 to 40 days after %s, at 20:00 in Brussels',
    (iso) => {
      const now = new Date(iso)
      const ordinary = demoContests(now).filter(({ endDate }) => endDate.getTime() - now.getTime() > DAY_MS)
      expect(ordinary.length).toBeGreaterThanOrEqual(8)
      for (const { endDate } of ordinary) {
        const days = Math.ceil((endDate.getTime() - now.getTime()) / DAY_MS)
        expect(days).toSatisfy(isBetween(6, 41))
        expect(inBrussels(endDate)).toBe('20:00')
      }
    },
  )

  test('end later by as much as the demonstration begins later', () => {
    const later = demoContests(new Date(NOW.getTime() + DAY_MS))
    expect(later.map(({ endDate }) => endDate.getTime())).toEqual(
      contests.map(({ endDate }) => endDate.getTime() + DAY_MS),
    )
  })
})

describe('the contests that only staff see', () => {
  const checked = upcomingContests(NOW).map(({ state, opensAt, endDate, pictures, ...contest }) => {
    const prize_value = contest.prizeValueCents === null ? '' : String(contest.prizeValueCents / 100)
    const draft = {
      ...EMPTY_DRAFT,
      slug: contest.slug,
      choices: contest.choices,
      correct_choice: contest.correct_choice ?? '',
      ...textFields('title', contest.titles),
      ...textFields('description', contest.descriptions),
      ...textFields('question', contest.questions ?? NO_TEXT),
      ticket_price: '1',
      total_tickets: 1,
      max_per_person: null,
      postal_reserve_percent: 0,
      prize_value,
    }
    const draw_at = endDate && new Date(endDate.getTime() + 2 * HOUR_MS)
    const shown = pictures.map(({ alt }) => ({ alt, isReady: true }))
    const times = { opens_at: opensAt, end_date: endDate, draw_at }
    const { items } = checklistOf(
      {
        draft,
        times,
        pictures: shown,
        isShareable: true,
        now: NOW,
      },
      { drawAfterMinutes: 120, legalTexts: ['Volant'], isDemo: true },
    )
    return { state, open: items.filter(({ is_done: isDone }) => !isDone).map(({ check }) => check) }
  })

  test('are one that is complete and opens by itself, and one that lacks translations and dates', () => {
    expect(checked).toEqual([
      { state: 'scheduled', open: [] },
      { state: 'draft', open: ['titles', 'descriptions', 'prize', 'question', 'end', 'draw'] },
    ])
  })

  test.each(upcomingContests(NOW))(
    '$slug has a slug made of its French title, and pictures that exist',
    (contest) => {
      expect(slugOf(contest.titles.fr)).toBe(contest.slug)
      for (const { stem } of contest.pictures) expect(index).toHaveProperty(stem)
    },
  )
})

describe('the index of pictures', () => {
  test.each(Object.entries(index))(
    '%s has every width in both formats, and its true colours',
    (stem, entry) => {
      expect(entry.widths).toEqual(entry.widths.toSorted((a, b) => a - b))
      expect(entry.width).toBe(entry.widths.at(-1))
      expect(entry.height).toBeGreaterThan(0)
      expect(entry.color).toMatch(/^#[0-9a-f]{6}$/)
      expect(['light', 'dark']).toContain(entry.ground)
      for (const width of entry.widths) {
        for (const format of ['avif', 'webp'])
          expect(existsSync(pictureFile(`${stem}-${width}.${format}`))).toBe(true)
      }
    },
  )

  test.each(LANGUAGES)(
    'comes with a picture for links to the shop that reads as the home page, in %s',
    async (language) => {
      const file = fileURLToPath(pictureFile(`og-site-${language}.jpg`))
      const { exif, width, height } = await sharp(file).metadata()
      expect([width, height]).toEqual([1200, 630])
      // When a text has changed: node art/site-picture.ts
      expect(exif?.toString()).toContain(encodeURIComponent(inscription(language)))
    },
  )
})

test.each([
  ['Valeur : 36 500 €.', 'Valeur~: 36~500~€.'],
  ['Waarde: € 36.500.', 'Waarde: €~36.500.'],
  ['dans « Mes participations ».', 'dans «~Mes participations~».'],
  ['162 kW (220 ch) en 2028 à 325 km/h', '162~kW (220~ch) en 2028 à 325~km/h'],
  ['60 mètres, 12 maanden, 24 billets', '60 mètres, 12 maanden, 24 billets'],
  ['de 10 à 80 % en 28 minutes', 'de 10 à 80~% en 28 minutes'],
])('no line breaks inside figures and quotation marks of "%s"', (text, expected) => {
  expect(unbroken(text).replaceAll('\u00a0', '~')).toBe(expected)
})
