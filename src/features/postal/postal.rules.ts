import { countryName } from '#shared/countries.ts'
import type { Language } from '#shared/languages.ts'

/** A day of the calendar: "2026-11-30". */
export type Day = string

/** Why an entry gets no number. A code; the letter makes a sentence of it. The first that applies counts. */
export const REFUSALS = [
  'illegible',
  'incomplete',
  'cancelled',
  'late',
  'under_age',
  'country',
  // Staff, and who is listed as excluded.
  'excluded',
  'wrong_answer',
  'duplicate',
  // It came in time; the shop has missed the draw.
  'registered_late',
  'sold_out',
] as const
export type PostalRefusal = (typeof REFUSALS)[number]

/** Fields that a correction may change. Who somebody is and when a card came is decided. */
export const CORRECTABLE = ['name', 'address', 'postcode', 'city', 'country', 'email'] as const
export type CorrectableField = (typeof CORRECTABLE)[number]

/** Why two people void the number of a card. */
export const VOID_GROUNDS = ['mistake', 'duplicate', 'late', 'rule'] as const
export type VoidGround = (typeof VOID_GROUNDS)[number]

/** Those that staff see on the card and nothing else can decide. */
export const SEEN_REFUSALS = ['illegible', 'incomplete'] as const

/** Only adults may take part (spec section 5, "Contest rules"). */
export const ADULT_YEARS = 18

/** After a contest's end for so many days the desk registers what arrived in time; the draw follows. */
export const REGISTER_DAYS = 31

const DAY_MS = 86_400_000

/** The day of a moment in a time zone. */
export const dayOf = (at: Date, timeZone: string): Day =>
  // Sweden writes dates as ISO 8601.
  new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' }).format(at)

/** The number of a day, so that days can be subtracted. */
const ordinal = (day: Day): number => Date.parse(`${day}T00:00:00Z`) / DAY_MS

/** @returns negative when `to` is earlier */
export const daysBetween = (from: Day, to: Day): number => ordinal(to) - ordinal(from)

/** Whether a text is a day that the calendar has. */
export const isDay = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(text) && new Date(`${text}T00:00:00Z`).toJSON()?.slice(0, 10) === text

/** Reads a day as people type it: 12041985, 12/4/1985, 12.04.1985 or 1985-04-12. Years have four digits. */
export function readDay(text: string): Day | undefined {
  const written = writtenDay(text)
  return written !== undefined && isDay(written) ? written : undefined
}

/** Whether a text is written like a day that the calendar does not have: 31/02/1990. */
export const isNoSuchDay = (text: string): boolean =>
  writtenDay(text) !== undefined && readDay(text) === undefined

function writtenDay(text: string): string | undefined {
  const typed = text.trim()
  const [, year, month, day] = /^(\d{4})-(\d{1,2})-(\d{1,2})$/.exec(typed) ?? swapped(typed)
  return year && month && day ? `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}` : undefined
}

function swapped(typed: string): readonly (string | undefined)[] {
  const [, day, month, year] =
    /^(\d{2})(\d{2})(\d{4})$/.exec(typed) ?? /^(\d{1,2})[\s./-]+(\d{1,2})[\s./-]+(\d{4})$/.exec(typed) ?? []
  return [undefined, year, month, day]
}

/** Full years of age on a day. Born on 29 February, somebody is a year older on 1 March. */
export const ageOn = (birth: Day, on: Day): number =>
  Number(on.slice(0, 4)) - Number(birth.slice(0, 4)) - (on.slice(5) < birth.slice(5) ? 1 : 0)

/** How people see the number of an entry: "P-K7QM-2F9P". */
export const shownPostalNumber = (number: string): string =>
  `${number.slice(0, 1)}-${number.slice(1, 5)}-${number.slice(5)}`

/** The stored form of the number of an entry that somebody wrote; undefined for another text. */
export function readPostalNumber(text: string): string | undefined {
  const number = text.replace(/[\s-]/g, '').toUpperCase()
  return /^P[2-9A-HJKMNP-TV-Z]{8}$/.test(number) ? number : undefined
}

/** Codes of regions that are no countries. */
const NO_COUNTRIES = new Set([
  'AC',
  'CP',
  'CQ',
  'DG',
  'EA',
  'EU',
  'EZ',
  'IC',
  'QO',
  'TA',
  'UN',
  'XA',
  'XB',
  'ZZ',
])
const LETTERS = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ')

/** Every country that a card may come from, in the order of its name: a card from elsewhere is refused by letter. */
export function worldIn(language: Language): readonly { code: string; name: string }[] {
  const codes = LETTERS.flatMap((first) => LETTERS.map((second) => first + second))
  return codes
    .filter(isCountry)
    .map((code) => ({ code, name: countryName(code, language) }))
    .toSorted((one, other) => one.name.localeCompare(other.name, language))
}

const regions = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })

/** Whether a code of two capital letters is that of a country. A former code ("UK") has another one now. */
export const isCountry = (code: string): boolean =>
  /^[A-Z]{2}$/.test(code) &&
  !NO_COUNTRIES.has(code) &&
  regions.of(code) !== undefined &&
  new Intl.Locale(`und-${code}`).region === code

export interface Contest {
  isCancelled: boolean
  /** The day of its end in the shop's time zone. */
  closesOn: Day
  question: string | null
  correctChoice: string | null
}

export interface Card {
  receivedOn: Day
  dateOfBirth: Day | null
  answer: string | null
  /** Whether the shop takes part in the country of the address. */
  isCountryOpen: boolean
  /** Whether the email address on it is one of staff, or excluded. */
  isExcluded: boolean
  /** What staff see on it. */
  seen: (typeof SEEN_REFUSALS)[number] | null
}

/**
 * Why a card gets no number by what is written on it, whoever else has entered. A card that arrives on the day of the
 * contest's end is in time.
 */
export function refusalOf(card: Card, contest: Contest): PostalRefusal | undefined {
  if (card.seen) return card.seen
  if (contest.isCancelled) return 'cancelled'
  if (card.receivedOn > contest.closesOn) return 'late'
  if (card.dateOfBirth === null) return 'incomplete'
  if (ageOn(card.dateOfBirth, card.receivedOn) < ADULT_YEARS) return 'under_age'
  if (!card.isCountryOpen) return 'country'
  if (card.isExcluded) return 'excluded'
  if (contest.question !== null && card.answer !== contest.correctChoice) return 'wrong_answer'
  return undefined
}

/** Letters that Unicode does not take apart. */
const FOLDED: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ħ: 'h',
  ı: 'i',
}

/** Words in lower case without accents and punctuation; letters and digits apart: "12bis" is "12 bis". */
export const wordsOf = (text: string): string[] =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[ßæœøłđðþħı]/g, (letter) => FOLDED[letter] ?? letter)
    .match(/\p{L}+|\d+/gu) ?? []

const TITLES = new Set(
  'm mr mrs ms miss mme mlle monsieur madame mademoiselle dhr mw mevr mevrouw meneer herr frau fam familie famille dr ir ing prof'.split(
    ' ',
  ),
)

/** The words of a name in any order, without titles: "Dupont, M. Jean-Pierre" is "dupont jean pierre". */
export function nameWords(name: string): string[] {
  const words = wordsOf(name)
  const own = words.filter((word) => !TITLES.has(word))
  return (own.length > 0 ? own : words).toSorted()
}

/** Abbreviations of streets, and what an address means the same with or without. Empty: left out. */
const STREET_WORDS: Readonly<Record<string, string>> = {
  av: 'avenue',
  ave: 'avenue',
  bd: 'boulevard',
  bld: 'boulevard',
  blvd: 'boulevard',
  boul: 'boulevard',
  ch: 'chemin',
  che: 'chemin',
  chauss: 'chaussee',
  chee: 'chaussee',
  chs: 'chaussee',
  all: 'allee',
  imp: 'impasse',
  pl: 'place',
  sq: 'square',
  fg: 'faubourg',
  fbg: 'faubourg',
  rte: 'route',
  r: 'rue',
  st: 'saint',
  ste: 'sainte',
  str: 'straat',
  strasse: 'straat',
  stwg: 'steenweg',
  stw: 'steenweg',
  ln: 'laan',
  pln: 'plein',
  rd: 'road',
  ...Object.fromEntries(
    // How people name a flat or a box, and words that many leave out.
    'n no nr num numero number nummer bte boite bus box bp apt apto app appt appartement apartment flat etage la le les l de des du d van der den het the of en et und and'
      .split(' ')
      .map((word) => [word, '']),
  ),
}

/** "Hauptstr" ends like "Hauptstraße", "Kerkstr." like "Kerkstraat". */
const street = (word: string): string =>
  word.length > 3 ? word.replace(/(?:strasse|straat|str)$/, 'straat') : word

/** The words of an address in any order, abbreviations written out. */
export const addressWords = (lines: readonly string[]): string[] =>
  lines
    .flatMap(wordsOf)
    .map((word) => STREET_WORDS[word] ?? street(word))
    .filter((word) => word !== '')
    .toSorted()

/** A postcode without spaces and without the country's letters: "B-1000" is "1000", "1011 ab" is "1011AB". */
export const postcodeKey = (postcode: string): string =>
  postcode
    .toUpperCase()
    .trim()
    .replace(/^[A-Z]{1,3}(?:\s*-\s*(?=\d)|\s+(?=\d+$))/, '')
    .replaceAll(/[^\p{L}\d]/gu, '')

export interface Person {
  name: string
  address: readonly string[]
  postcode: string
  country: string
  dateOfBirth: Day
}

/** The same text for the same person, however name and address are written. */
export const personText = ({ name, address, postcode, country, dateOfBirth }: Person): string =>
  [
    'volant-person-v1',
    nameWords(name).join(' '),
    addressWords(address).join(' '),
    postcodeKey(postcode),
    country,
    dateOfBirth,
  ].join('\n')

/** From 0 (different) to 1 (equal): the Jaro-Winkler similarity of two words. */
export function wordSimilarity(one: string, other: string): number {
  if (one === other) return 1
  const reach = Math.max(0, Math.floor(Math.max(one.length, other.length) / 2) - 1)
  const taken = new Set<number>()
  const matches: string[] = []
  for (const [index, letter] of Array.from(one).entries()) {
    for (let at = Math.max(0, index - reach); at <= Math.min(other.length - 1, index + reach); at += 1) {
      if (taken.has(at) || other[at] !== letter) continue
      taken.add(at)
      matches.push(letter)
      break
    }
  }
  const { length } = matches
  if (length === 0) return 0
  const inOther = [...taken].toSorted((a, b) => a - b).map((at) => other[at])
  const moved = matches.filter((letter, index) => letter !== inOther[index]).length / 2
  const jaro = (length / one.length + length / other.length + (length - moved) / length) / 3
  let prefix = 0
  while (prefix < 4 && one[prefix] !== undefined && one[prefix] === other[prefix]) prefix += 1
  return jaro + prefix * 0.1 * (1 - jaro)
}

const INITIAL = 0.85
const SIMILAR_WORD = 0.8

/** An initial agrees with a word that begins with it. */
const wordsAgree = (one: string, other: string): number =>
  one !== other && (one.length === 1 || other.length === 1)
    ? one[0] === other[0]
      ? INITIAL
      : 0
    : wordSimilarity(one, other)

/**
 * From 0 to 1: each word of the shorter list with its best partner, if that is similar at all. A list within another is
 * equal to it.
 */
function listSimilarity(one: readonly string[], other: readonly string[]): number {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one]
  if (short.length === 0) return 0
  const left = [...long]
  let sum = 0
  for (const word of short) {
    const scores = left.map((candidate) => wordsAgree(word, candidate))
    const best = scores.indexOf(Math.max(...scores))
    const score = scores[best] ?? 0
    if (score >= SIMILAR_WORD) sum += score
    left.splice(best, 1)
  }
  return sum / short.length
}

export const nameSimilarity = (one: string, other: string): number => {
  const [first, second] = [nameWords(one), nameWords(other)]
  if (first.length === second.length) return listSimilarity(first, second)
  // One may have been written in one word.
  return Math.max(listSimilarity(first, second), wordSimilarity(first.join(''), second.join('')))
}

/** Whether one name is another spelling of the same person's: what a correction may make of it. */
export const isSpellingOf = (one: string, other: string): boolean =>
  nameSimilarity(one, other) >= SIMILAR_NAME

/** House numbers must agree, words may differ a little. */
function addressSimilarity(one: readonly string[], other: readonly string[]): number {
  const [first, second] = [addressWords(one), addressWords(other)]
  const numbers = (words: readonly string[]): string[] => words.filter((word) => /^\d/.test(word))
  const [few, many] = [numbers(first), numbers(second)].toSorted((a, b) => a.length - b.length)
  if (!few?.every((number) => many?.includes(number))) return 0
  const text = (words: readonly string[]): string[] => words.filter((word) => !/^\d/.test(word))
  return listSimilarity(text(first), text(second))
}

/** What two people have in common; null when they are clearly two. */
export interface Likeness {
  name: boolean
  address: boolean
  dateOfBirth: boolean
}

const SIMILAR_NAME = 0.8
const ALMOST_SAME_NAME = 0.9
const SIMILAR_ADDRESS = 0.85

/**
 * Whether staff must judge if two entries are of one person: the same birthday with a similar name (who moved) or at
 * the same address (twins, or a name read wrongly); or almost the same name at the same address (a birthday read
 * wrongly, or father and son).
 */
export function likeness(one: Person, other: Person): Likeness | null {
  const dateOfBirth = one.dateOfBirth === other.dateOfBirth
  const name = nameSimilarity(one.name, other.name)
  const address =
    one.country === other.country &&
    postcodeKey(one.postcode) === postcodeKey(other.postcode) &&
    addressSimilarity(one.address, other.address) >= SIMILAR_ADDRESS
  const isNear = dateOfBirth ? name >= SIMILAR_NAME || address : address && name >= ALMOST_SAME_NAME
  return isNear ? { name: name >= SIMILAR_NAME, address, dateOfBirth } : null
}

/** The words by which an entry is found. */
export const searchWords = (name: string | null, postcode: string | null, city: string | null): string =>
  [...new Set([name, city, postcode].flatMap((text) => wordsOf(text ?? '')))].join(' ')

/** In these countries the postcode has a line of its own, below the town. */
const POSTCODE_BELOW = new Set(['GB', 'IE', 'GG', 'JE', 'IM', 'GI'])

interface Envelope {
  name: string
  address: readonly string[]
  postcode: string | null
  city: string
  country: string | null
}

/** The lines of an envelope. The country is in English and in capitals, as the Universal Postal Union asks. */
export function envelopeLines({ name, address, postcode, city, country }: Envelope): string[] {
  const town =
    country !== null && POSTCODE_BELOW.has(country)
      ? [city.toUpperCase(), ...(postcode === null ? [] : [postcode.toUpperCase()])]
      : [[postcode, city].filter((part) => part !== null).join(' ')]
  return [name, ...address, ...town, ...(country === null ? [] : [countryName(country, 'en').toUpperCase()])]
}
