import type { Database } from '#platform/database.ts'
import { type ClosingDesk, postalRepository } from './postal.repository.ts'

export { linkEntries, respellEntries } from './postal.repository.ts'
export { postalPersonalData } from './personal-data.ts'
export { postCountRoutes } from './post-count.routes.ts'
export { postalJobs, tellEntrants } from './jobs.ts'
export { watchPostCounts } from './post-count.ts'
export { postalRoutes } from './postal.routes.ts'
export { winnerLettersRoutes } from './winner-letters.routes.ts'
export { type PostalDeps, entrySearch, howEntrantIsTold, keyOf as personKey } from './postal.service.ts'
export { voidApproval as voidCardApproval } from './card-changes.ts'
export { postalEmails } from './entrant-emails.ts'

/** Letters that wait for a printer. @param most counts no further */
export const lettersToPrint = (db: Database, most: number): Promise<number> =>
  postalRepository(db).lettersToPrint(most)

/** Contests whose cards must be registered within so many days, the next one first. */
export const closingDesk = (db: Database, days: number): Promise<ClosingDesk[]> =>
  postalRepository(db).closingDesk(days)
