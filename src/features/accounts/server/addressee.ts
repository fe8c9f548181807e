import type { Sql } from '#platform/database.ts'
import { type Addressee, accountsRepository } from './accounts.repository.ts'

export type { Addressee } from './accounts.repository.ts'

/** To whom mails about an account go, suspended or not; undefined when there is no such account. */
export const addresseeOf = (db: Sql, userId: number): Promise<Addressee | undefined> =>
  accountsRepository(db).findAddressee(userId)

/** The same of several accounts, by id. */
export const addresseesOf = async (db: Sql, userIds: readonly number[]): Promise<Map<number, Addressee>> =>
  new Map((await accountsRepository(db).findAddressees(userIds)).map((one) => [one.id, one]))
