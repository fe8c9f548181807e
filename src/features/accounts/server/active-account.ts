import type { Sql } from '#platform/database.ts'
import { Refusal } from '#shared/refusal.ts'
import { accountsRepository } from './accounts.repository.ts'
import { tokenInvalid } from './tokens.ts'

/**
 * The account of a user id, which must exist and not be suspended: an access token outlives a suspension by up to five
 * minutes, so what matters asks the account itself.
 */
export async function activeAccount(db: Sql, userId: number) {
  const account = await accountsRepository(db).findById(userId)
  if (!account) throw tokenInvalid()
  if (!account.is_active) throw new Refusal('auth.suspended', 403, 'errors.auth.suspended')
  return account
}

/** Which of these users have an account that is not suspended. */
export const activeAccounts = (db: Sql, userIds: readonly number[]): Promise<ReadonlySet<number>> =>
  accountsRepository(db).active(userIds)
