import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { type DemoContest, demoContests } from './contests.ts'
import { LANGUAGES } from '#shared/languages.ts'
import { inscription } from './inscription.ts'

interface IndexEntry {
  widths: number[]
  width: number
  height: number
  color: string
  ground: string
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

const isOpen = (contest: DemoContest): boolean => contest.isActive && contest.endDate > NOW
const left = (contest: DemoContest): number => contest.totalTickets - contest.demoSold

const inBrussels = (date: Date): string =>
  new Intl.DateTimeFormat('en-GB', {
    timeZone: 'Europe/Brussels',
    hour: '2-digit',
    minute: '2-digit',
  }).format(date)

describe('each demo contest', () => {
  it.each(each)('%s has a slug made of its French title', (slug, { title }) => {
    expect(slugOf(title)).toBe(slug)
  })

  it.each(each)('%s speaks three languages', (_slug, contest) => {
    const { title, title_nl, title_en, description, description_nl, description_en } = contest
    expect(new Set([title, title_nl, title_en]).size).toBe(3)
    for (const text of [title, title_nl, title_en]) expect(text).toMatch(/^\S.{7,59}\S$/)
    for (const text of [description, description_nl, description_en]) {
      const paragraphs = text.split('\n\n')
      expect(paragraphs.length).toBeGreaterThanOrEqual(2)
      expect(paragraphs.length).toBeLessThanOrEqual(4)
      for (const paragraph of paragraphs) expect(paragraph).toMatch(/^\S.{39,}[.»]$/)
    }
    expect(new Set([description, description_nl, description_en]).size).toBe(3)
  })

  it.each(each)('%s names the same figures in every language', (_slug, contest) => {
    const figures = (text: string): string[] =>
      [...text.matchAll(/\d+(?:[\s.,]\d{3})*/g)]
        .map(([figure]) => figure.replaceAll(/[\s.,]/g, ''))
        .filter((figure) => figure.length > 2)
        .toSorted()
    expect(figures(contest.description_nl)).toEqual(figures(contest.description))
    expect(figures(contest.description_en)).toEqual(figures(contest.description))
  })

  it.each(each.filter(([, { question }]) => question !== null))(
    '%s has its answer among the choices',
    (_slug, contest) => {
      const { question, question_nl, question_en, choices, correct_choice } = contest
      for (const text of [question, question_nl, question_en]) expect(text).toMatch(/^\S.{19,}\?$/)
      expect(new Set([question, question_nl, question_en]).size).toBe(3)
      expect(new Set(choices).size).toBe(choices.length)
      expect(choices.length).toBeGreaterThanOrEqual(3)
      expect(choices).toContain(correct_choice)
    },
  )

  it.each(each.filter(([, { question }]) => question === null))(
    '%s asks nothing at all',
    (_slug, contest) => {
      const { question_nl, question_en, choices, correct_choice } = contest
      const nothing = { question_nl: null, question_en: null, choices: [], correct_choice: null }
      expect({ question_nl, question_en, choices, correct_choice }).toEqual(nothing)
    },
  )

  it.each(each)('%s sells at most what there is', (_slug, contest) => {
    expect(contest.demoSold).toBeGreaterThanOrEqual(0)
    expect(contest.demoSold).toBeLessThanOrEqual(Math.min(contest.totalTickets, 4000))
    expect(Number.isInteger(contest.ticketPriceCents)).toBe(true)
    expect(contest.ticketPriceCents).toBeGreaterThanOrEqual(99)
    expect(contest.ticketPriceCents).toBeLessThanOrEqual(2500)
  })

  it.each(each)('%s has pictures that exist, with a text in three languages each', (slug, { pictures }) => {
    expect(pictures.length).toBeGreaterThanOrEqual(3)
    expect(new Set(pictures.map(({ stem }) => stem)).size).toBe(pictures.length)
    for (const { stem, alt } of pictures) {
      expect(Object.keys(index)).toContain(stem)
      expect(new Set([alt.fr, alt.nl, alt.en]).size).toBe(3)
      for (const text of Object.values(alt)) expect(text.length).toBeGreaterThan(20)
    }
    expect(existsSync(pictureFile(`og-${slug}.jpg`))).toBe(true)
  })
})

describe('the demo contests together', () => {
  it('are at least ten, and no slug is used twice', () => {
    expect(contests.length).toBeGreaterThanOrEqual(10)
    expect(new Set(contests.map(({ slug }) => slug)).size).toBe(contests.length)
  })

  const states: [string, (contest: DemoContest) => boolean][] = [
    ['open with a question', (contest) => isOpen(contest) && contest.question !== null],
    ['open without a question', (contest) => isOpen(contest) && contest.question === null],
    ['open with 3 tickets left', (contest) => isOpen(contest) && left(contest) === 3],
    ['open and sold out', (contest) => isOpen(contest) && left(contest) === 0],
    ['ended by its date', (contest) => contest.isActive && contest.endDate < NOW],
    ['taken off sale before its end', (contest) => !contest.isActive && contest.endDate > NOW],
    [
      'ending within the hour',
      (contest) => isOpen(contest) && contest.endDate.getTime() - NOW.getTime() < HOUR_MS,
    ],
    ['of 24 tickets', ({ totalTickets }) => totalTickets === 24],
    ['of 250,000 tickets', ({ totalTickets }) => totalTickets === 250_000],
    ['at EUR 0.99', ({ ticketPriceCents }) => ticketPriceCents === 99],
    ['at EUR 25', ({ ticketPriceCents }) => ticketPriceCents === 2500],
  ]
  it.each(states)('include one %s', (_state, holds) => {
    expect(contests.filter(holds)).not.toEqual([])
  })

  it.each(['2026-03-10T09:30:00Z', '2026-03-27T22:59:00Z', '2026-10-24T23:30:00Z', '2027-12-31T23:30:00Z'])(
    'end 6 to 40 days after %s, at 20:00 in Brussels',
    (iso) => {
      const now = new Date(iso)
      const ordinary = demoContests(now).filter(({ endDate }) => endDate.getTime() - now.getTime() > DAY_MS)
      expect(ordinary.length).toBeGreaterThanOrEqual(8)
      for (const { endDate } of ordinary) {
        const days = (endDate.getTime() - now.getTime()) / DAY_MS
        expect(days).toBeGreaterThan(5)
        expect(days).toBeLessThan(41)
        expect(inBrussels(endDate)).toBe('20:00')
      }
    },
  )

  it('end later by as much as the demonstration begins later', () => {
    const later = demoContests(new Date(NOW.getTime() + DAY_MS))
    expect(later.map(({ endDate }) => endDate.getTime())).toEqual(
      contests.map(({ endDate }) => endDate.getTime() + DAY_MS),
    )
  })
})

describe('the index of pictures', () => {
  it.each(Object.entries(index))(
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

  it.each(LANGUAGES)(
    'comes with a picture for links to the shop that reads as the home page, in %s',
    async (language) => {
      const { exif, width, height } = await sharp(
        fileURLToPath(pictureFile(`og-site-${language}.jpg`)),
      ).metadata()
      expect([width, height]).toEqual([1200, 630])
      // When a text has changed: node art/site-picture.ts
      expect(exif?.toString()).toContain(encodeURIComponent(inscription(language)))
    },
  )
})
