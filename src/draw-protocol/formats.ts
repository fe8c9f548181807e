/** The values that files are made of (docs/draw-v1.md, section 1): one text for each value, strictly read. */
import { DrawFault, type FaultCode, type FaultValues } from './faults.ts'
import { LF, toBytes, toText } from './bytes.ts'

export const KINDS = ['paid', 'postal', 'demo'] as const
export type Kind = (typeof KINDS)[number]

export const VOID_REASONS = [
  'refunded',
  'disputed',
  'withdrawn',
  'under-age',
  'excluded',
  'staff',
  'postal-rule',
] as const
export type VoidReason = (typeof VOID_REASONS)[number]

export const FORFEIT_REASONS = [
  'unclaimed',
  'voided',
  'under-age',
  'excluded',
  'staff',
  'postal-rule',
] as const
export type ForfeitReason = (typeof FORFEIT_REASONS)[number]

export const CANCEL_REASONS = ['shop', 'no-entries', 'beacon-silent'] as const
export type CancelReason = (typeof CANCEL_REASONS)[number]

export const ALGORITHM = 'draw-v1'
export const SCHEME = 'bls-unchained-g1-rfc9380'
export const NONE = 'none'

const REHEARSAL = 'rehearsal-'
const LAST_TIME = 253_402_300_799

/** A tag as a draw or a rehearsal writes it. */
export const tagOf = (tag: string, rehearsal: boolean): string => (rehearsal ? REHEARSAL + tag : tag)

/** Seconds since 1970 as a time of the protocol; what is beyond the calendar, as the end of a long duration is, as its last second. */
export const timeText = (seconds: number): string => {
  const time = new Date(Math.min(Math.max(seconds, 0), LAST_TIME) * 1000)
  return `${time.toISOString().slice(0, 19)}Z`
}

/** Readers of one value each: the value, or undefined when the text is not the one text of any. */
const integerOf = (text: string): number | undefined =>
  /^(?:0|[1-9][0-9]{0,15})$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : undefined

function timeOf(text: string): number | undefined {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(text)) return undefined
  const seconds = Date.parse(text) / 1000
  return seconds >= 0 && seconds <= LAST_TIME && timeText(seconds) === text ? seconds : undefined
}

const matching =
  (pattern: RegExp) =>
  (text: string): string | undefined =>
    pattern.test(text) ? text : undefined

/** Reads the values of one line; what is wrong with one is a fault of that line. */
export class Values {
  readonly line: number

  constructor(line: number) {
    this.line = line
  }

  fault(code: FaultCode, values: FaultValues = {}): never {
    throw new DrawFault(code, this.line, values)
  }

  private need<T>(value: T | undefined, code: FaultCode, found: string): T {
    return value === undefined ? this.fault(code, { found }) : value
  }

  integer(text: string, least = 0, most = Number.MAX_SAFE_INTEGER): number {
    const value = this.need(integerOf(text), 'integer', text)
    return value < least || value > most ? this.fault('range', { found: value, least, most }) : value
  }

  time(text: string): number {
    return this.need(timeOf(text), 'time', text)
  }

  /** Hexadecimal of so many bytes. */
  hex(text: string, bytes = 32): string {
    return this.need(matching(/^(?:[0-9a-f]{2})+$/)(text), 'hash', text).length === bytes * 2
      ? text
      : this.fault('hash', { found: text })
  }

  slug(text: string): string {
    return this.need(matching(/^[a-z0-9]+(?:-[a-z0-9]+)*$/)(text), 'slug', text)
  }

  host(text: string): string {
    return this.need(matching(/^[a-z0-9.:[\]-]+$/)(text), 'host', text)
  }

  word<const T extends string>(text: string, words: readonly T[]): T {
    return this.need(
      words.find((word) => word === text),
      'word',
      text,
    )
  }

  /** Words of a closed list in its order, joined by commas; `none` for no word. */
  words<const T extends string>(text: string, words: readonly T[]): T[] {
    const found = text.split(',')
    const chosen = words.filter((word) => found.includes(word))
    return text === NONE || (chosen.length > 0 && chosen.join(',') === text)
      ? chosen
      : this.fault('words', { found: text })
  }

  optional<T>(text: string, read: (text: string) => T): T | null {
    return text === NONE ? null : read.call(this, text)
  }
}

export const wordsText = (words: readonly string[]): string => words.join(',') || NONE

/** A file of ASCII lines as texts without their LF. */
export function linesOf(bytes: Uint8Array): string[] {
  let line = 1
  for (const byte of bytes) {
    if (byte === LF) line += 1
    else if ((byte < 0x20 || byte > 0x7e) && byte !== 0x09) throw new DrawFault('character', line, { byte })
  }
  if (bytes.at(-1) !== LF) throw new DrawFault('no-final-newline', line)
  return toText(bytes.subarray(0, -1)).split('\n')
}

/** Reads a file of header lines from the first to the last, each by its name. */
export class HeaderReader {
  readonly rehearsal: boolean
  private readonly lines: string[]
  private at = 0

  constructor(bytes: Uint8Array, tag: string) {
    this.lines = linesOf(bytes)
    const [first = ''] = this.lines
    this.rehearsal = first === tagOf(tag, true)
    if (first !== tagOf(tag, this.rehearsal)) throw new DrawFault('tag', 1, { expected: tag, found: first })
  }

  /** Reads the value of the next line, which must have this name. */
  value<T>(name: string, read: (values: Values, text: string) => T): T {
    this.at += 1
    const line = this.lines[this.at]
    if (line === undefined) throw new DrawFault('too-short', this.at + 1, { expected: name })
    if (!line.startsWith(`${name}: `))
      throw new DrawFault('header', this.at + 1, { expected: name, found: line })
    return read(new Values(this.at + 1), line.slice(name.length + 2))
  }

  integer = (name: string, least?: number, most?: number): number =>
    this.value(name, (values, text) => values.integer(text, least, most))
  time = (name: string): number => this.value(name, (values, text) => values.time(text))
  hash = (name: string, bytes?: number): string => this.value(name, (values, text) => values.hex(text, bytes))
  hashOrNone = (name: string): string | null =>
    this.value(name, (values, text) => (text === NONE ? null : values.hex(text)))
  /** The lines `NAME-LANGUAGE` that follow, one at least, by their language, which is there once. */
  hashesByLanguage(name: string): Record<string, string | null> {
    const hashes: Record<string, string | null> = {}
    const line = new RegExp(`^${name}-([a-z]{2}): `)
    const next = (): string | undefined => line.exec(this.lines[this.at + 1] ?? '')?.[1]
    for (let language = next() ?? 'fr'; language && !(language in hashes); language = next() ?? '')
      hashes[language] = this.hashOrNone(`${name}-${language}`)
    return hashes
  }
  integerOrNone = (name: string): number | null =>
    this.value(name, (values, text) => (text === NONE ? null : values.integer(text)))
  slug = (name: string): string => this.value(name, (values, text) => values.slug(text))
  word = <const T extends string>(name: string, words: readonly T[]): T =>
    this.value(name, (values, text) => values.word(text, words))
  words = <const T extends string>(name: string, words: readonly T[]): T[] =>
    this.value(name, (values, text) => values.words(text, words))

  /** The end of the file. */
  end(): void {
    if (this.at + 1 < this.lines.length)
      throw new DrawFault('too-long', this.at + 2, { found: this.lines[this.at + 1]! })
  }
}

/** A file of header lines. */
export const headerFile = (
  tag: string,
  rehearsal: boolean,
  lines: readonly (readonly [name: string, value: string | number | null])[],
): Uint8Array =>
  toBytes(`${tagOf(tag, rehearsal)}\n${lines.map(([name, value]) => `${name}: ${value ?? NONE}\n`).join('')}`)
