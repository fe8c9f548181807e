import { deleteEnded } from '#features/accounts/server/index.ts'
import type { Database } from '#platform/database.ts'
import { idempotencyKeys } from '#platform/idempotency-keys.ts'
import { limitStore } from '#platform/limits/limit-store.ts'

/**
 * Background work: deletes what is over and means nothing any more: sessions, links for new passwords, counts of limits,
 * answers kept for repeated calls.
 */
export async function tidyUp(db: Database): Promise<void> {
  await deleteEnded(db)
  await limitStore(db).sweep()
  await idempotencyKeys(db).sweep()
}
