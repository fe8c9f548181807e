import type { Language } from '#shared/languages.ts'
import type { Sql, Trx } from './database.ts'

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

/** What a slice keeps about customers beside what the customer's page and the export have sections for (ADR 0047). */
export interface PersonalDataSource {
  /** Name of the section in an export: "postal_entries". */
  name: string
  /** For the customer's page and the export, the newest first; none is told there. @returns a heading with the records */
  read?(db: Sql, userId: number, language: Language): Promise<{ title: string; records: PersonalRecord[] }>
  /**
   * Removes the person from it, when the account is closed.
   * @returns how many rows lost something, and the keys of the emails about them, which are erased with the account's
   */
  erase(trx: Trx, userId: number): Promise<{ rows: number; emailKeys: readonly string[] }>
}
