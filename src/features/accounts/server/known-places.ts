import type { Sql } from '#platform/database.ts'
import type { Limit } from '#platform/limits/limiter.ts'
import { accountsRepository } from './accounts.repository.ts'

/**
 * Whoever holds an account is no stranger at this network: logins with each of its names are not kept waiting there by
 * what strangers guess elsewhere.
 * @param login the limit of failed logins
 * @param address IP address of the connection
 */
export async function knowHere(
  { db, login }: { db: Sql; login: Limit },
  id: number,
  address: string,
): Promise<void> {
  const keys = await accountsRepository(db).loginKeys(id)
  await Promise.all(keys.map((account) => login.know({ account, holder: id, address })))
}
