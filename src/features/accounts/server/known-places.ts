import { type Database, logOf } from '#platform/database.ts'
import type { Limit } from '#platform/limits/limiter.ts'
import { accountsRepository } from './accounts.repository.ts'

/**
 * Whoever holds an account is no stranger at this network: logins with each of its names are not kept waiting there by
 * what strangers guess elsewhere. What was done before stands without it, so a failure is only logged.
 * @param login the limit of failed logins
 * @param address IP address of the connection
 */
export async function knowHere(
  { db, login }: { db: Database; login: Limit },
  id: number,
  address: string,
): Promise<void> {
  try {
    const keys = await accountsRepository(db).loginKeys(id)
    await Promise.all(keys.map((account) => login.know({ account, holder: id, address })))
  } catch (error) {
    logOf(db).warn({ err: error, account: id }, 'the place of an account could not be noted')
  }
}
