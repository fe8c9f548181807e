import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { LANGUAGES } from '#shared/languages.ts'
import { byLanguage, fieldsOf, forFields } from '#shared/text-fields.ts'
import {
  type DraftFault,
  EMPTY_DRAFT,
  TERMS,
  checklistOf,
  differences,
  everyDay,
  faultsOf,
  lockedFields,
  mergeDrafts,
  missingTranslations,
  paceOf,
  postalReserve,
  priceWithVat,
  shiftDays,
  slugOf,
  tidyDraft,
  timesOf,
} from './offer-drafts.rules.ts'
import type { Check, DraftField, OfferDraft } from './staff-offers.contract.ts'

/** All languages but French. */
const TRANSLATIONS = LANGUAGES.slice(1)

const ZONE = 'Europe/Brussels'
const NOW = new Date('2026-03-10T09:30:00Z')

const draft = (change: Partial<OfferDraft> = {}): OfferDraft => ({
  ...EMPTY_DRAFT,
  slug: 'berline-bleue',
  ...forFields('title', (language) => `Saloon (${language})`),
  ...forFields('description', (language) => `A saloon. (${language})`),
  ticket_price: '4.90',
  total_tickets: 1_000,
  prize_value: '35000.00',
  end_date: '2026-04-10T20:00',
  draw_at: '2026-04-10T22:00',
  ...change,
})

const QUESTION = {
  ...forFields('question', (language) => `Two and two? (${language})`),
  choices: ['3', '4'],
  correct_choice: '4',
}
const PICTURE = { alt: byLanguage((language) => `Front in ${language}`), isReady: true }

const SHOP = { drawAfterMinutes: 120, legalTexts: ['Volant Ltd', '1', '1 Road', 'PO Box 1'], isDemo: false }

const checked = (change: Partial<OfferDraft>, pictures = [PICTURE], more: object = {}) => {
  const one = draft(change)
  const facts = { draft: one, times: timesOf(one, ZONE), pictures, isShareable: true, now: NOW }
  return checklistOf({ ...facts, ...more }, { ...SHOP, ...more }).items
}
const open = (...given: Parameters<typeof checked>) =>
  checked(...given).filter(({ is_done: isDone }) => !isDone)
const warnings = (...given: Parameters<typeof checked>) =>
  checked(...given).flatMap(({ check, warning }) => (warning === null ? [] : [[check, warning]]))

/** Of a draft that has them in every language. */
const DRAW_TERMS = forFields('draw_terms', (language) => language)

describe('the checklist before publication', () => {
  test.each([
    ['everything', {}],
    ['a question with its answer', QUESTION],
    ['an opening to come', { opens_at: '2026-03-11T08:00' }],
    ['terms of the draw in every language', DRAW_TERMS],
  ])('is done with %s', (_, change) => {
    expect(open(change)).toEqual([])
  })

  test.each<[string, Partial<OfferDraft>, Check, object?]>([
    ['no address', { slug: '' }, 'slug'],
    [
      'titles in French only',
      { ...forFields('title', () => ''), title: 'Berline' },
      'titles',
      { languages: TRANSLATIONS },
    ],
    ['no title', forFields('title', () => ''), 'titles', { languages: LANGUAGES }],
    ['a missing description', { description_en: '' }, 'descriptions', { languages: ['en'] }],
    ['no price', { ticket_price: '' }, 'price'],
    ['no number of tickets', { total_tickets: null }, 'total'],
    ['no value of the prize', { prize_value: '' }, 'prize'],
    [
      'a question in one language',
      { ...QUESTION, ...forFields('question', () => ''), question: 'Deux et deux ?' },
      'question',
      { languages: TRANSLATIONS },
    ],
    [
      'choices without a question',
      { choices: ['3', '4'], correct_choice: '4' },
      'question',
      { languages: LANGUAGES },
    ],
    ['one choice', { ...QUESTION, choices: ['4'] }, 'choices'],
    ['no right choice', { ...QUESTION, correct_choice: '' }, 'choices'],
    ['a right choice that is none', { ...QUESTION, correct_choice: '5' }, 'choices'],
    ['no end', { end_date: '', draw_at: '2026-04-10T22:00' }, 'end', { fault: null }],
    ['an end in the past', { end_date: '2026-03-10T10:30' }, 'end', { fault: 'past' }],
    ['an opening in the past', { opens_at: '2026-03-10T10:30' }, 'opening', { fault: 'past' }],
    ['an opening after the end', { opens_at: '2026-04-10T20:00' }, 'opening', { fault: 'afterEnd' }],
    ['no draw', { draw_at: '' }, 'draw', { fault: null }],
    [
      'a draw two hours less a minute after the end',
      { draw_at: '2026-04-10T21:59' },
      'draw',
      { fault: 'tooEarly' },
    ],
    ['terms of the draw in one language', { draw_terms: 'a' }, 'drawTerms', { languages: TRANSLATIONS }],
  ])('has open: %s', (_, change, check, more = {}) => {
    expect(open(change)).toEqual([expect.objectContaining({ check, ...more })])
  })

  test.each([
    ['2026-04-10T22:00', 'littleTimeForPost'],
    ['2026-04-12T19:59', 'littleTimeForPost'],
    ['2026-04-12T20:00', null],
    ['2026-04-10T21:59', null],
    ['', null],
  ])('warns of a draw at "%s" that leaves the desk less than 48 hours: %s', (draw_at, warning) => {
    expect(warnings({ draw_at, ...DRAW_TERMS })).toEqual(warning === null ? [] : [['draw', warning]])
  })

  test('says that nothing is added to the terms of the draw, which is allowed', () => {
    const draw_at = '2026-04-20T22:00'
    expect(warnings({ draw_at })).toEqual([['drawTerms', 'noFurtherTerms']])
    expect(warnings({ draw_at, draw_terms: 'a' })).toEqual([])
  })

  test('asks for the company and the postal address of the rules, and says whose they are in a demonstration', () => {
    const draw_at = '2026-04-20T22:00'
    expect(open({}, [PICTURE], { legalTexts: ['Volant Ltd', '1', ' ', 'PO Box 1'] })).toEqual([
      expect.objectContaining({ check: 'legalTexts' }),
    ])
    expect(warnings({ draw_at, ...DRAW_TERMS }, [PICTURE], { isDemo: true })).toEqual([
      ['legalTexts', 'demoCompany'],
    ])
  })

  test('asks for a picture that shared links can show', () => {
    expect(open({}, [PICTURE], { isShareable: false })).toEqual([
      expect.objectContaining({ check: 'sharing' }),
    ])
  })

  test('asks for pictures whose sizes are made, with a text in every language', () => {
    expect(open({}, []).map(({ check }) => check)).toEqual(['pictures'])
    expect(open({}, [{ ...PICTURE, isReady: false }]).map(({ check }) => check)).toEqual(['pictures'])
    const wordless = { ...PICTURE, alt: { ...PICTURE.alt, nl: ' ', en: '' } }
    expect(open({}, [PICTURE, wordless])).toEqual([
      expect.objectContaining({ check: 'altTexts', languages: ['nl', 'en'] }),
    ])
  })
})

test('what cannot be stored is named, and what is only missing can be stored', () => {
  expect(faultsOf(EMPTY_DRAFT, ZONE)).toEqual({})
  expect(faultsOf(draft(QUESTION), ZONE)).toEqual({})
})

test.each<[DraftField, OfferDraft[DraftField], DraftFault]>([
  ['slug', 'Berline Bleue', 'slugForm'],
  ['slug', 'berline--bleue', 'slugForm'],
  ['slug', '../admin', 'slugForm'],
  ['slug', 'verify', 'slugReserved'],
  ['ticket_price', '0', 'priceZero'],
  ['ticket_price', '0.00', 'priceZero'],
  ['ticket_price', '-1', 'amount'],
  ['ticket_price', '4.901', 'amountAmbiguous'],
  ['ticket_price', '4.9011', 'amount'],
  ['ticket_price', 'free', 'amount'],
  ['ticket_price', '5000000', 'priceTooHigh'],
  ['ticket_price', '123456789', 'priceTooHigh'],
  ['prize_value', '0', 'prizeZero'],
  ['prize_value', '99999999', 'priceTooHigh'],
  ['prize_power_kw', 0, 'power'],
  ['prize_power_kw', 2_001, 'power'],
  ['prize_zero_to_100', '0.9', 'zeroTo100'],
  ['prize_zero_to_100', '60.1', 'zeroTo100'],
  ['prize_zero_to_100', '4.65', 'zeroTo100'],
  ['prize_zero_to_100', 'fast', 'zeroTo100'],
  ['prize_year', 1885, 'year'],
  ['prize_year', 2101, 'year'],
  ['prize_range_km', 0, 'range'],
  ['prize_range_km', 5_001, 'range'],
  ['total_tickets', 0, 'totalTooLow'],
  ['total_tickets', 10_000_001, 'totalTooHigh'],
  ['total_tickets', 1_000_000_000, 'totalTooHigh'],
  ['max_per_person', 0, 'capTooLow'],
  ['max_per_person', 1_001, 'capAboveTotal'],
  ['postal_reserve_percent', 51, 'reserve'],
  ['choices', ['3', '3'], 'choiceTwice'],
  ['end_date', '2026-03-29T02:30', 'timeSkipped'],
  ['opens_at', '2026-10-25T02:30', 'timeRepeated'],
  ['draw_at', '2026-02-30T20:00', 'timeInvalid'],
])('%s %j cannot be stored: %s', (field, value, fault) => {
  expect(faultsOf({ ...draft(), [field]: value }, ZONE)).toEqual({ [field]: fault })
})

test('typed texts lose spaces, amounts their comma and euro sign, lists their empty choices', () => {
  const typed = draft({
    title: ' A ',
    ticket_price: ' 4,90 €',
    prize_value: '43 900',
    prize_zero_to_100: ' 5 s',
    slug: 'Ete',
    choices: ['', ' 4 '],
  })
  expect(tidyDraft(typed)).toMatchObject({
    title: 'A',
    ticket_price: '4.90',
    prize_value: '43900',
    prize_zero_to_100: '5.0',
    slug: 'ete',
    choices: ['4'],
  })
})

test.each([
  ['Été à la mer !', 'ete-a-la-mer'],
  ['Un cœur à 400 ch', 'un-coeur-a-400-ch'],
  ['  « Volant »  ', 'volant'],
  ['<b>x</b>', 'b-x-b'],
  ['!?', ''],
  ['a'.repeat(79) + ' b', 'a'.repeat(79)],
])('the address of %j is %j', (title, slug) => {
  expect(slugOf(title)).toBe(slug)
})

test('locked are address and terms once others see the contest', () => {
  for (const state of ['draft', 'scheduled'] as const) expect(lockedFields(state)).toEqual([])
  for (const state of ['open', 'closed', 'listed', 'sealed', 'drawn', 'awarded', 'cancelled'] as const)
    expect(lockedFields(state)).toEqual(['slug', 'opens_at', 'postal_reserve_percent', ...TERMS])
})

test('the locked terms are the columns of the trigger', () => {
  const migration = readFileSync(
    new URL('../../../db/migrations/0038-words-as-data.sql', import.meta.url),
    'utf8',
  )
  const [, columns = ''] = /TRIGGER offers_terms_stay BEFORE UPDATE OF([^]*?) ON offers/.exec(migration) ?? []
  const column: Partial<Record<DraftField, string>> = {
    ticket_price: 'price_cents',
    prize_value: 'prize_value_cents',
  }
  const TEXTS = ['draw_terms', 'question'] as const
  const texts = new Set<string>(TEXTS.flatMap((field) => fieldsOf(field)))
  const fields = TERMS.filter((field) => !texts.has(field)).map((field): string => column[field] ?? field)
  // The columns of the release before, which had one for each language of the specification.
  const before = TEXTS.flatMap((field) => [field, `${field}_nl`, `${field}_en`])
  expect(
    columns
      .split(',')
      .map((one) => one.trim())
      .toSorted(),
  ).toEqual([...fields, ...before, 'draw_terms_texts', 'questions'].toSorted())
})

describe('two editors', () => {
  const base = draft(QUESTION)

  test('join fields that only one of them changed', () => {
    const mine = { ...base, title: 'Mine', choices: ['4', '5'] }
    const theirs = { ...base, title_nl: 'Theirs', total_tickets: 5 }
    expect(mergeDrafts(base, mine, theirs)).toEqual({
      draft: { ...base, title: 'Mine', choices: ['4', '5'], title_nl: 'Theirs', total_tickets: 5 },
      conflicts: [],
      taken: ['title_nl', 'total_tickets'],
    })
  })

  test('decide about fields that both changed, and keep their own until then', () => {
    const mine = { ...base, title: 'Mine', end_date: '2026-05-01T20:00' }
    const theirs = { ...base, title: 'Theirs', end_date: '2026-05-01T20:00' }
    expect(mergeDrafts(base, mine, theirs)).toEqual({ draft: mine, conflicts: ['title'], taken: [] })
  })

  test('differ by lists too', () => {
    expect(differences(base, { ...base, choices: ['4', '3'] })).toEqual(['choices'])
    expect(differences(base, { ...base, choices: [...base.choices] })).toEqual([])
  })
})

test('a translation is missing where another language has the text', () => {
  const bare = { ...forFields('title', () => ''), ...forFields('description', () => 'One') }
  expect(missingTranslations({ ...EMPTY_DRAFT, ...bare })).toEqual(
    LANGUAGES.map((language) => ({ field: 'title', language })),
  )
  expect(missingTranslations(draft({ title_nl: '', question_en: 'Two?' }))).toEqual([
    { field: 'title', language: 'nl' },
    ...LANGUAGES.filter((language) => language !== 'en').map((language) => ({ field: 'question', language })),
  ])
})

test.each([
  ['2026-03-20T20:00', 21, '2026-04-10T20:00'],
  ['2026-03-01T02:30', 28, ''],
  ['2026-12-31T23:59', 1, '2027-01-01T23:59'],
  ['', 7, ''],
])('%j shifted by %i days is %j', (wallClock, days, shifted) => {
  expect(shiftDays(wallClock, days, ZONE)).toBe(shifted)
})

test('the price with VAT is what somebody without a country sees', () => {
  expect(priceWithVat('4.90', false, NOW)).toEqual({ country: 'NL', percent: 21, total: '5.93' })
  expect(priceWithVat('4.90', true, NOW)).toEqual({ country: 'NL', percent: 21, total: '4.90' })
  for (const text of ['', '0', 'x', '9999999']) expect(priceWithVat(text, false, NOW)).toBeNull()
})

test('days without a ticket are shown, and the pace is that of the last seven whole days', () => {
  const days = everyDay(
    [
      { day: '2026-03-01', tickets: 70 },
      { day: '2026-03-10', tickets: 3 },
    ],
    '2026-02-28',
    '2026-03-10',
  )
  expect(days).toHaveLength(11)
  expect(days.slice(0, 3).map(({ tickets }) => tickets)).toEqual([0, 70, 0])
  const end = new Date('2026-03-20T09:30:00Z')
  const sales = { sold: 73, days, end }
  expect(paceOf(sales, '2026-03-10', NOW)).toEqual({ pace: 0, expected: 73 })
  const busy = { ...sales, days: everyDay([{ day: '2026-03-09', tickets: 70 }], '2026-03-03', '2026-03-10') }
  expect(paceOf(busy, '2026-03-10', NOW)).toEqual({ pace: 10, expected: 173 })
  expect(paceOf({ ...busy, end: null }, '2026-03-10', NOW)).toEqual({ pace: 10, expected: null })
  expect(paceOf({ ...busy, days: [] }, '2026-03-10', NOW).pace).toBe(0)
  // The first day.
  expect(paceOf({ ...busy, days: [{ day: '2026-03-10', tickets: 4 }] }, '2026-03-10', NOW).pace).toBe(4)
})

test.each([
  [1_000, 3, 30],
  [999, 5, 50],
  [10, 0, 0],
  [1, 50, 0],
  [2, 50, 1],
  [null, 5, 0],
  [1_000, null, 0],
])('of %s numbers %s %% for post are %i, as in the table', (total, percent, kept) => {
  expect(postalReserve(total, percent)).toBe(kept)
})
