import type { Database, Sql } from '#platform/database.ts'
import type { Caller } from '#platform/http/request.ts'
import { nowMs } from '#shared/clock.ts'
import { Refusal } from '#shared/refusal.ts'
import {
  type ActiveAccount,
  type Addressee,
  type NewAccount,
  accountsRepository,
} from './accounts.repository.ts'
import { emailLinksRepository } from './email-links.repository.ts'
import { passwordResetsRepository } from './password-resets.repository.ts'
import { sessionsRepository } from './sessions.repository.ts'
import { tokenInvalid } from './tokens.ts'

/** The account, also for calls without a token, such as the provider's way back. @throws Refusal if not active */
export async function activeAccount(db: Sql, userId: number) {
  const account = await accountsRepository(db).findById(userId)
  if (!account) throw tokenInvalid()
  if (!account.is_active) throw new Refusal('auth.suspended', 403, 'errors.auth.suspended')
  return account
}

/** Refuses a session that was logged out elsewhere. */
export async function requireOpenSession(db: Sql, { sessionId, userId }: Caller): Promise<void> {
  if (!(await sessionsRepository(db).isOpen(sessionId, userId))) throw tokenInvalid()
}

/** The users whose account is not suspended. */
export const activeAccounts = (
  db: Sql,
  userIds: readonly number[],
): Promise<ReadonlyMap<number, ActiveAccount>> => accountsRepository(db).active(userIds)

/** The addressee of emails, suspended or not. */
export const addresseeOf = (db: Sql, userId: number): Promise<Addressee | undefined> =>
  accountsRepository(db).findAddressee(userId)

export const addresseesOf = async (db: Sql, userIds: readonly number[]): Promise<Map<number, Addressee>> =>
  new Map((await accountsRepository(db).findAddressees(userIds)).map((one) => [one.id, one]))

/** Under which key failed logins are counted. @param of the id of an account, or a name without one */
export const loginKey = (of: number | string): string =>
  typeof of === 'number' ? `account ${of}` : `name ${of}`

/** The account whose confirmed address this is. */
export const confirmedAccountOf = (db: Sql, email: string): Promise<number | undefined> =>
  accountsRepository(db).findConfirmed(email)

/** Rows per statement, so that locks are short. */
const AT_A_TIME = 1_000

/** Deletes ended sessions and links. */
export async function deleteEnded(db: Database): Promise<void> {
  for (const repository of [sessionsRepository(db), passwordResetsRepository(db), emailLinksRepository(db)])
    while ((await repository.deleteEnded(AT_A_TIME)) === AT_A_TIME);
}

type DemoAccount = Omit<NewAccount, 'partner_code' | 'email_confirmed_at'>

/** Creates an account with a confirmed address, without the checks of a registration; an existing one stays unchanged. */
export async function createDemoAccount(
  db: Sql,
  account: DemoAccount,
): Promise<{ id: number; isNew: boolean }> {
  const accounts = accountsRepository(db)
  const { account: present } = await accounts.findByLogin(account.email)
  if (present) return { id: present.id, isNew: false }
  const id = await accounts.insert({
    ...account,
    email_confirmed_at: account.created_at ?? new Date(nowMs()),
    partner_code: null,
  })
  if (id !== undefined) return { id, isNew: true }
  const { account: other } = await accounts.findByLogin(account.email)
  if (!other) throw new Error(`the username of the demo account ${account.email} is taken`)
  return { id: other.id, isNew: false }
}
