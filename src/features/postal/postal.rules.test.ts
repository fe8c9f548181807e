import { describe, expect, test } from 'vitest'
import {
  type Card,
  type Contest,
  type Person,
  addressWords,
  ageOn,
  dayOf,
  daysBetween,
  envelopeLines,
  isCountry,
  isDay,
  likeness,
  nameWords,
  personText,
  postcodeKey,
  isNoSuchDay,
  readDay,
  readPostalNumber,
  refusalOf,
  searchWords,
  shownPostalNumber,
  worldIn,
} from './postal.rules.ts'

test.each([
  ['12041985', '1985-04-12'],
  ['12/4/1985', '1985-04-12'],
  ['1.2.1985', '1985-02-01'],
  ['01 - 02 - 1985', '1985-02-01'],
  ['1985-4-12', '1985-04-12'],
  ['29/02/2000', '2000-02-29'],
  ['29/02/1900', undefined],
  ['31/04/1985', undefined],
  ['12/04/85', undefined],
  ['120485', undefined],
  ['1204198', undefined],
  ['', undefined],
  ['tomorrow', undefined],
])('reads the day "%s" as %s', (typed, day) => {
  expect(readDay(typed)).toBe(day)
})

test('tells a day that the calendar does not have from another text', () => {
  expect(['31/02/1990', '31021990', '28/02/1990', '31/02/90', ''].map(isNoSuchDay)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ])
})

test('a day is one that the calendar has', () => {
  expect(['2024-02-29', '2023-02-29', '2023-13-01', '2023-1-1', '0000-01-01x'].map(isDay)).toEqual([
    true,
    false,
    false,
    false,
    false,
  ])
  expect(daysBetween('2026-02-27', '2026-03-01')).toBe(2)
})

test('a day begins at midnight of the shop’s zone, also when the clocks change', () => {
  expect(dayOf(new Date('2026-03-28T23:30:00Z'), 'Europe/Brussels')).toBe('2026-03-29')
  expect(dayOf(new Date('2026-03-29T21:59:00Z'), 'Europe/Brussels')).toBe('2026-03-29')
  expect(dayOf(new Date('2026-03-29T22:00:00Z'), 'Europe/Brussels')).toBe('2026-03-30')
})

test.each([
  ['2008-11-30', '2026-11-30', 18],
  ['2008-12-01', '2026-11-30', 17],
  ['2008-02-29', '2026-02-28', 17],
  ['2008-02-29', '2026-03-01', 18],
  ['2026-11-30', '2026-11-29', -1],
])('born on %s, somebody is on %s %i years old', (birth, on, age) => {
  expect(ageOn(birth, on)).toBe(age)
})

test('numbers of entries are read as they are shown, and are no order numbers', () => {
  expect(shownPostalNumber('PK7QM2F9P')).toBe('P-K7QM-2F9P')
  for (const typed of ['P-K7QM-2F9P', 'p k7qm 2f9p', 'PK7QM2F9P'])
    expect(readPostalNumber(typed)).toBe('PK7QM2F9P')
  for (const typed of ['K7QM-2F9P', 'P-K7QM-2F9', 'P-K7QM-2F90', ''])
    expect(readPostalNumber(typed)).toBeUndefined()
})

test('the countries of the world are those of today', () => {
  expect(['BE', 'FR', 'RE', 'XK', 'be', 'UK', 'EU', 'SU', 'ZZ', 'AA', ''].filter(isCountry)).toEqual([
    'BE',
    'FR',
    'RE',
    'XK',
  ])
  expect(worldIn('nl').find(({ code }) => code === 'DE')).toEqual({ code: 'DE', name: 'Duitsland' })
  expect(worldIn('fr').length).toBeGreaterThan(240)
})

const contest: Contest = {
  isCancelled: false,
  closesOn: '2026-11-30',
  question: 'Which?',
  correctChoice: 'This',
}
const card: Card = {
  receivedOn: '2026-11-30',
  dateOfBirth: '1985-04-12',
  answer: 'This',
  isCountryOpen: true,
  isExcluded: false,
  seen: null,
}

describe('a card is refused', () => {
  test.each([
    [undefined, {}, {}],
    [undefined, { answer: null }, { question: null, correctChoice: null }],
    [undefined, { dateOfBirth: '2008-11-30' }, {}],
    ['illegible', { seen: 'illegible', answer: null }, { isCancelled: true }],
    ['incomplete', { seen: 'incomplete' }, {}],
    ['incomplete', { dateOfBirth: null }, {}],
    ['cancelled', { receivedOn: '2026-12-01' }, { isCancelled: true }],
    ['late', { receivedOn: '2026-12-01' }, {}],
    ['under_age', { dateOfBirth: '2008-12-01' }, {}],
    ['country', { isCountryOpen: false, answer: 'That' }, {}],
    ['excluded', { isExcluded: true, answer: 'That' }, {}],
    ['wrong_answer', { answer: 'That' }, {}],
    ['wrong_answer', { answer: 'this' }, {}],
    ['wrong_answer', { answer: null }, {}],
  ] as const)('as %s: %o %o [spec 5.49, 5.50, 5.51]', (refusal, change, terms) => {
    expect(refusalOf({ ...card, ...change }, { ...contest, ...terms })).toBe(refusal)
  })
})

test.each([
  ['Jean-Pierre DUPONT', 'dupont, jean pierre'],
  ['M. Émile Lefèvre', 'Lefevre Emile'],
  ['Mme Anne-Sophie Œillet', 'anne sophie oeillet'],
  ['Jürgen Groß', 'Dhr. Gross, Jurgen'],
  ['Mevr. An', 'An'],
])('the names "%s" and "%s" have the same words', (one, other) => {
  expect(nameWords(one)).toEqual(nameWords(other))
  expect(nameWords(one)).not.toEqual([])
})

test('a name that is only a title stays a name', () => {
  expect(nameWords('Prof')).toEqual(['prof'])
})

test.each([
  [['12, rue de la Paix'], ['Rue de la Paix 12']],
  [['12 bis Bd. St-Michel'], ['12bis boulevard Saint Michel']],
  [['Kerkstr. 5 bus 3'], ['Kerkstraat 5', 'box 3']],
  [['Hauptstraße 7'], ['Hauptstr. 7']],
  [['av. Louise 100 bte 4'], ['100 Avenue Louise', 'Boîte 4']],
])('the addresses %o and %o have the same words', (one, other) => {
  expect(addressWords(one)).toEqual(addressWords(other))
})

test.each([
  ['B-1000', '1000'],
  ['L 1234', '1234'],
  ['nl-1011 ab', '1011AB'],
  ['SE1 9AA', 'SE19AA'],
  [' 75 001 ', '75001'],
])('the postcode "%s" is %s', (typed, key) => {
  expect(postcodeKey(typed)).toBe(key)
})

const anne: Person = {
  name: 'Anne Dupont',
  address: ['12 rue de la Paix'],
  postcode: '1000',
  country: 'BE',
  dateOfBirth: '1985-04-12',
}

test('the same person has the same text, however it is written, and nobody else has', () => {
  const written = { name: 'DUPONT Anne', address: ['Rue de la paix, 12'], postcode: 'B-1000' }
  expect(personText({ ...anne, ...written })).toBe(personText(anne))
  const others: Partial<Person>[] = [
    { name: 'Anna Dupont' },
    { address: ['13 rue de la Paix'] },
    { postcode: '1001' },
    { country: 'FR' },
    { dateOfBirth: '1985-12-04' },
  ]
  for (const change of others) expect(personText({ ...anne, ...change })).not.toBe(personText(anne))
})

describe('staff compare', () => {
  const like = (name: boolean, address: boolean, dateOfBirth: boolean) => ({ name, address, dateOfBirth })
  test.each([
    ['the same person', {}, like(true, true, true)],
    ['somebody who moved', { address: ['5 Kerkstraat'], postcode: '9000' }, like(true, false, true)],
    ['a name read wrongly', { name: 'Ane Duppont' }, like(true, true, true)],
    ['an initial', { name: 'A. Dupont', postcode: '9000' }, like(true, false, true)],
    ['a second first name', { name: 'Anne Marie Dupont', postcode: '9000' }, like(true, false, true)],
    ['a name in one word', { name: 'Annedupont', postcode: '9000' }, like(true, false, true)],
    ['twins', { name: 'Bertrand Dupont' }, like(false, true, true)],
    ['a wedding', { name: 'Anne Vandenberghe' }, like(false, true, true)],
    ['a birthday read wrongly', { dateOfBirth: '1985-12-04' }, like(true, true, false)],
    ['a street read wrongly', { address: ['12 rue de la Pais'] }, like(true, true, true)],
  ])('%s', (_, change, found) => {
    expect(likeness({ ...anne, ...change }, anne)).toEqual(found)
    expect(likeness(anne, { ...anne, ...change })).toEqual(found)
  })

  test.each([
    ['a neighbour', { name: 'Karel Peeters', dateOfBirth: '1960-01-01' }],
    ['a spouse', { name: 'Bernard Dupont', dateOfBirth: '1983-07-02' }],
    ['a namesake elsewhere', { postcode: '9000', dateOfBirth: '1960-01-01' }],
    ['a namesake next door', { address: ['14 rue de la Paix'], dateOfBirth: '1960-01-01' }],
    ['somebody of the same day', { name: 'Karel Peeters', address: ['1 Dorp'], postcode: '9000' }],
    ['an empty name', { name: '…', postcode: '9000' }],
  ])('not %s', (_, change) => {
    expect(likeness({ ...anne, ...change }, anne)).toBeNull()
    expect(likeness(anne, { ...anne, ...change })).toBeNull()
  })
})

test('an entry is found by the words of name, town and postcode', () => {
  expect(searchWords('Anne-Sophie Œillet', 'SE1 9AA', 'Liège')).toBe('anne sophie oeillet liege se 1 9 aa')
  expect(searchWords(null, null, null)).toBe('')
})

test('an envelope names the country last, and a British postcode below the town', () => {
  const envelope = { name: 'Anne Dupont', address: ['Rue 1', 'Bte 2'], postcode: '1000', city: 'Bruxelles' }
  expect(envelopeLines({ ...envelope, country: 'BE' })).toEqual([
    'Anne Dupont',
    'Rue 1',
    'Bte 2',
    '1000 Bruxelles',
    'BELGIUM',
  ])
  expect(
    envelopeLines({ ...envelope, postcode: 'se1 9aa', city: 'London', country: 'GB' }).slice(-3),
  ).toEqual(['LONDON', 'SE1 9AA', 'UNITED KINGDOM'])
  expect(envelopeLines({ ...envelope, postcode: null, country: null }).at(-1)).toBe('Bruxelles')
})
