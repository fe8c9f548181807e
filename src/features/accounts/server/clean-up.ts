import type { Database } from '#platform/database.ts'
import { passwordResetsRepository } from './password-resets.repository.ts'
import { sessionsRepository } from './sessions.repository.ts'

/** Rows of one statement, so that none of them holds others up for long. */
const AT_A_TIME = 1_000

/** Background work: deletes sessions and links for new passwords that are over. */
export async function deleteEnded(db: Database): Promise<void> {
  for (const repository of [sessionsRepository(db), passwordResetsRepository(db)])
    while ((await repository.deleteEnded(AT_A_TIME)) === AT_A_TIME);
}
