import { dictionary } from '@zxcvbn-ts/language-common'
import type { MessageKey } from '#i18n/keys.ts'
import { PASSWORD_MIN } from '../accounts.rules.ts'
import { FIRST_NAMES, FIRST_WORDS } from './first-words.ts'

/** Passwords of leaks, the most frequent first. */
const LEAKED = dictionary['passwords-common']
/** So many of them are refused with digits and signs around them, too. */
const FREQUENT = 3_000
const WORD_MIN = 4

interface KnownWords {
  leaked: ReadonlySet<string>
  /** Those that stand alone between digits and signs. */
  frequent: ReadonlySet<string>
}

let words: KnownWords | undefined

const known = (): KnownWords =>
  (words ??= {
    leaked: new Set(LEAKED.filter((word) => word.length >= PASSWORD_MIN)),
    frequent: new Set(
      LEAKED.slice(0, FREQUENT).filter((word) => word.length >= WORD_MIN && /^\p{L}+$/u.test(word)),
    ),
  })

const fold = (text: string): string => text.normalize('NFKC').toLowerCase()

/** "12121212", "aaaaaaaa" */
const REPEATED = /^(.{1,4})\1+$/su

const LEET: Readonly<Record<string, string>> = { '0': 'o', '3': 'e', '4': 'a', '5': 's', '7': 't' }
const SIGNS: Readonly<Record<string, string>> = { '@': 'a', $: 's', '!': 'i', '€': 'e' }

/** The letters that digits and signs between them stand for: "w@chtw00rd" is "wachtwoord". */
const spelledOut = (text: string, one: 'i' | 'l'): string =>
  text.replaceAll(/[013457@$!€]/gu, (sign) => (sign === '1' ? one : (LEET[sign] ?? SIGNS[sign] ?? sign)))

const withoutAccents = (text: string): string => text.normalize('NFD').replaceAll(/\p{M}/gu, '')

const lettersOf = (text: string): string => withoutAccents(text).replaceAll(/[^\p{L}]/gu, '')

const AT_START = /^[^\p{L}]+/u
const AT_END = /[^\p{L}]+$/u

/** A text with and without what stands around its letters: in "50leil!" the digits are letters, in "Soleil50" they are not. */
function coresOf(folded: string): string[] {
  const begun = folded.replace(AT_START, '')
  return [begun.replace(AT_END, ''), begun, folded.replace(AT_END, ''), folded]
}

/** "bon2024jour"; in "8f3a1c9e" digits are no addition to a word. */
const hasOneNumberInside = (core: string): boolean => (core.match(/\d+/gu) ?? []).length <= 1

/** All that the letters of a password may say, also read from its end. */
function readingsOf(folded: string): string[] {
  const readings = coresOf(folded).flatMap((core) => [
    ...(hasOneNumberInside(core) ? [core] : []),
    spelledOut(core, 'i'),
    spelledOut(core, 'l'),
  ])
  return [...new Set(readings.map(lettersOf))].flatMap((letters) => [
    letters,
    Array.from(letters).toReversed().join(''),
  ])
}

/** More digits and signs than people put around a word. */
const AROUND_MAX = 8

/** What people put before a word of theirs. */
const BEFORE =
  /^(?:ik|je|le|la|les|mon|ma|mes|mijn|ons|de|het|een|the|my|our|der|die|das|mein|meine|i|love|loves|like|jaime|hou|van|vive|leve)+/u

const isFirst = (word: string): boolean => FIRST_WORDS.has(word) || FIRST_NAMES.has(word)

/** Whether letters are one word that anybody tries first, or two of the own list ("bonjoursoleil"). */
const areFirstWords = (letters: string): boolean =>
  known().frequent.has(letters) ||
  isFirst(letters) ||
  Array.from(letters, (_, at) => at).some(
    (at) => at > 0 && isFirst(letters.slice(0, at)) && isFirst(letters.slice(at)),
  )

/** Whether a password is little more than words that anybody tries first ("Welkom01!", "Mijnhond-2024", "1l0veLouise"). */
const hasFirstWords = (folded: string): boolean =>
  readingsOf(folded).some(
    (letters) =>
      letters !== '' &&
      folded.length - letters.length <= AROUND_MAX &&
      (areFirstWords(letters) || areFirstWords(letters.replace(BEFORE, ''))),
  )

/** Rows and columns of keys as French, Belgian, Dutch and German keyboards have them, digits and the alphabet. */
const LINES = [
  'azertyuiop',
  'qsdfghjklm',
  'wxcvbn',
  'qwertyuiop',
  'asdfghjkl',
  'zxcvbnm',
  'qwertzuiopü',
  'asdfghjklöä',
  'yxcvbnm',
  '12345678901234567890',
  'abcdefghijklmnopqrstuvwxyz',
  `&é"'(-è_çà`,
  `&é"'(§è!çà`,
  '!@#$%^&*()',
  '!"§$%&/()=',
  '1aqw2zsx3edc4rfv5tgb6yhn7uj',
  'aqwzsxedcrfvtgbyhnuj',
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p',
  'qazwsxedcrfvtgbyhnujmikolp',
  '1qay2wsx3edc4rfv5tgb6zhn7ujm8ik9ol0p',
  'qaywsxedcrfvtgbzhnujmikolp',
  '1a2z3e4r5t6y7u8i9o0p',
  'a1z2e3r4t5y6u7i8o9p0',
  '1q2w3e4r5t6y7u8i9o0p',
  'q1w2e3r4t5y6u7i8o9p0',
  '1q2w3e4r5t6z7u8i9o0p',
].flatMap((line) => [line, Array.from(line).toReversed().join('')])

const RUN_MIN = 3

/** How many characters from a place on are neighbours on a keyboard, or the same one. */
function runAt(text: string, at: number): number {
  const same = /^(.)\1*/su.exec(text.slice(at))?.[0].length ?? 0
  let most = same
  while (at + most < text.length && LINES.some((line) => line.includes(text.slice(at, at + most + 1))))
    most += 1
  return most >= RUN_MIN ? most : 0
}

/** Whether all letters of a password are runs of keys that lie side by side ("Azerty123!", "qwe-ASD-2024", "1aqw2zsx"). */
function isOfRuns(folded: string): boolean {
  let between = 0
  for (let at = 0; at < folded.length;) {
    const run = runAt(folded, at)
    if (run === 0 && (/\p{L}/u.test(folded[at] ?? '') || (between += 1) > AROUND_MAX)) return false
    at += run || 1
  }
  return between < folded.length
}

/** Digits of dates and phones. */
const DIGITS_MAX = 12
const SIGNS_MAX = 4

/** Whether a password is a date, a phone number or the like ("14-07-1989", "0612345678!"). */
function isNumber(folded: string): boolean {
  const digits = folded.replaceAll(/\D/gu, '').length
  return digits > 0 && digits <= DIGITS_MAX && !/\p{L}/u.test(folded) && folded.length - digits <= SIGNS_MAX
}

/**
 * Whether a password is among the first that anybody tries, in any case: leaked ones, first words and names with digits
 * and signs, rows of keys, repetitions, dates.
 */
export function isCommonPassword(password: string): boolean {
  const folded = fold(password)
  const forms = [...coresOf(folded), ...coresOf(folded).map((core) => withoutAccents(spelledOut(core, 'i')))]
  return (
    REPEATED.test(folded) ||
    forms.some((form) => known().leaked.has(form)) ||
    hasFirstWords(folded) ||
    isOfRuns(folded) ||
    isNumber(folded)
  )
}

/** Shorter names are too likely to begin a good password. */
const NAME_MIN = 4

/** Whether a password begins with a word and has only digits and signs after it. */
const isWord = (password: string, word: string): boolean =>
  word.length >= NAME_MIN && password.startsWith(word) && !/\p{L}/u.test(password.slice(word.length))

/** Whether a password is a name of its account or the name in its address, also with digits and signs at its end. */
function isOwnName(password: string, { username, email }: PasswordOwner): boolean {
  const folded = fold(password)
  return [username, email, email.split('@')[0] ?? ''].map(fold).some((name) => isWord(folded, name))
}

/** What somebody thinks of first in this shop (docs/security.md, "Passwords"). */
const SHOP_WORDS =
  /^(?:volant|admin|staff|equipe|concours|contests?|wedstrijd|tombola|loterie|loterij|lottery|raffle|tirage|trekking|billets?|tickets?|voitures?|autos?|cars?|mustang|bentley|bmw|gagner?|winnaar|winnen|winner)+[^\p{L}]*$/u

const isShopWord = (password: string): boolean => SHOP_WORDS.test(fold(password))

export interface PasswordOwner {
  username: string
  email: string
}

/** Why a password is too easy to guess; undefined when it is not. */
export function guessableBecause(password: string, owner?: PasswordOwner): MessageKey | undefined {
  if (owner && isOwnName(password, owner)) return 'formErrors.password.ownName'
  return isCommonPassword(password) || isShopWord(password) ? 'formErrors.password.common' : undefined
}
