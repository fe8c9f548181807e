import { formatDateTime } from '#i18n/format.ts'
import { translate } from '#i18n/server-translator.ts'
import type { Language } from '#shared/languages.ts'
import type { Database, Sql, Trx } from './database.ts'
import type { DB } from './database-types.ts'

/** A column of the database: "orders.network". */
export type PersonalColumn = {
  [Table in keyof DB]: `${Table}.${Extract<keyof DB[Table], string>}`
}[keyof DB]

/** Whose data it is. */
export interface Person {
  userId: number
  email: string
  /** Whether the address was shown to be theirs. An address that nobody has confirmed may be a stranger's. */
  isConfirmed: boolean
}

/** One thing that a slice keeps about a customer. */
export interface PersonalRecord {
  /** ISO 8601; null for what has no date. */
  at: string | null
  title: string
  /** For people, in their language. */
  facts: readonly (readonly [name: string, text: string])[]
  /** For machines: the row as it is, without what concerns others. */
  data: Readonly<Record<string, unknown>>
  /** Its page in the console. */
  path?: string
}

/** What the page of an export shows, one below the other. A fact without a text is left out. */
export type ExportBlock =
  | { heading: string }
  | { paragraph: string }
  | { quote: string; language?: Language }
  | { facts: readonly (readonly [name: string, text: string | null])[] }
  | { heads: readonly string[]; rows: readonly (readonly (string | null)[])[] }

/** A section of an export. */
export interface ExportSection {
  /** In the file for machines: "security_log". */
  name: string
  /** For machines. */
  data: unknown
  title: string
  blocks: readonly ExportBlock[]
  /** Without blocks the page leaves it out, instead of saying that there is nothing. */
  isRare?: boolean
}

/** How long the rules page says that things are kept (policies, "What we keep"). */
export interface Retention {
  keepEmailDays: number
  keepMessageMonths: number
  keepNotificationDays: number
  keepOrderYears: number
  keepPostDays: number
  keepClaimDays: number
  keepSecurityDays: number
}

export interface Erased {
  /** How many rows lost something. */
  rows: number
  /** Keys of the emails about them, which are erased with the account's. */
  emailKeys?: readonly string[]
}

/** What a slice keeps about people (ADR 0047). `src/server/personal-data.ts` lists all of them. */
export interface PersonalDataSource {
  /** "postal_entries": of its section on the customer's page, and of what an erasure tells. */
  name: string
  /** The columns that name people or tell of them. A test holds them against the database. */
  columns: readonly PersonalColumn[]
  /** Of its section on the customer's page and in an export, the newest first. @returns a heading with the records */
  read?(db: Sql, userId: number, language: Language): Promise<{ title: string; records: PersonalRecord[] }>
  /** Sections of an export, for what the customer's page has lists of its own. */
  export?(trx: Trx, person: Person, words: ExportWords): Promise<ExportSection[]>
  /** Removes the person from it, when the account is closed. */
  erase?(trx: Trx, person: Person): Promise<Erased>
  /** The same, after all others and from the end of the list. @param emailKeys what the others named */
  eraseLast?(trx: Trx, person: Person, emailKeys: readonly string[]): Promise<Erased>
  /** Erases what is kept no longer, at most so many rows at a time; by the name that the report gives it. */
  retain?: Readonly<Record<string, (db: Database, keep: Retention, limit: number) => Promise<number>>>
}

/** How an export says things. */
export interface ExportWords {
  language: Language
  /** A text of `ownData.copy`. */
  say: (name: string, values?: Record<string, string | number>) => string
  /** A code by its words; one without words as it is. */
  word: (group: string, code: string) => string
  when: (at: Date | string | null) => string | null
}

/** A code by its words; one without words as it is. */
export function wordsOr(code: string, words: () => string): string {
  try {
    return words()
  } catch (error) {
    if (error instanceof RangeError) return code
    throw error
  }
}

export function exportWords(language: Language, timeZone: string): ExportWords {
  const say: ExportWords['say'] = (name, values) => translate(language, `ownData.copy.${name}`, values)
  return {
    language,
    say,
    word: (group, code) => wordsOr(code, () => say(`${group}.${code.replaceAll('-', '_')}`)),
    when: (at) => (at === null ? null : formatDateTime(at, timeZone)),
  }
}

/** A time as a file for machines has it. */
export const isoOrNull = (at: Date | string | null): string | null =>
  at === null ? null : new Date(at).toISOString()
