import type { ReadDatabase } from '../database.ts'

/** For the pages and responses that everybody sees. */
export interface PublicReads {
  db: ReadDatabase
  /**
   * The same, and from the primary what is not in it yet, or not certain: nothing is said to be missing that is there.
   * @param isCertain whether a response that is a little old may be given
   */
  find<Found>(
    read: (db: ReadDatabase) => Promise<Found | undefined>,
    isCertain?: (found: Found) => boolean,
  ): Promise<Found | undefined>
}
