import type { Database, Sql } from '#platform/database.ts'
import type { Language } from '#shared/languages.ts'
import { Refusal } from '#shared/refusal.ts'
import { type Addressee, accountsRepository } from './accounts.repository.ts'
import { passwordResetsRepository } from './password-resets.repository.ts'
import type { Passwords } from './passwords.ts'
import { sessionsRepository } from './sessions.repository.ts'
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

/** To whom emails about an account go, suspended or not; undefined when there is no such account. */
export const addresseeOf = (db: Sql, userId: number): Promise<Addressee | undefined> =>
  accountsRepository(db).findAddressee(userId)

/** The same of several accounts, by id. */
export const addresseesOf = async (db: Sql, userIds: readonly number[]): Promise<Map<number, Addressee>> =>
  new Map((await accountsRepository(db).findAddressees(userIds)).map((one) => [one.id, one]))

/** Rows of one statement, so that none of them holds others up for long. */
const AT_A_TIME = 1_000

/** Maintenance: deletes ended sessions and links for new passwords. */
export async function deleteEnded(db: Database): Promise<void> {
  for (const repository of [sessionsRepository(db), passwordResetsRepository(db)])
    while ((await repository.deleteEnded(AT_A_TIME)) === AT_A_TIME);
}

interface DemoAccount {
  username: string
  email: string
  password: string
  /** Full number ("+33612345678"), or empty. */
  phone: string
  language: Language
  is_staff?: boolean
  is_superuser?: boolean
}

/**
 * Makes an account without the checks of a registration; one that is there already stays as it is.
 * @returns its id, and whether it is new and so has that password
 */
export async function createDemoAccount(
  db: Sql,
  passwords: Passwords,
  demo: DemoAccount,
): Promise<{ id: number; isNew: boolean }> {
  const accounts = accountsRepository(db)
  const { password, ...account } = demo
  const { account: present } = await accounts.findByLogin(account.email)
  if (present) return { id: present.id, isNew: false }
  const id = await accounts.insert({
    ...account,
    partner_code: null,
    password_hash: await passwords.hash(password),
  })
  if (id !== undefined) return { id, isNew: true }
  const { account: other } = await accounts.findByLogin(account.email)
  if (!other) throw new Error(`the username of the demo account ${account.email} is taken`)
  return { id: other.id, isNew: false }
}
