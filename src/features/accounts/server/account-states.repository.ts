import { sql } from 'kysely'
import type { Trx } from '#platform/database.ts'
import type { Person } from '#platform/personal-data.ts'
import type { Language } from '#shared/languages.ts'
import { NO_HASH } from './accounts.repository.ts'

/** What decides whether an account may be suspended, restored or closed. */
export interface AccountState {
  id: number
  username: string
  email: string
  language: Language
  isActive: boolean
  isStaff: boolean
  isClosed: boolean
  /** Whether its owner has shown that the address is theirs. */
  isConfirmed: boolean
}

const stateOf = (userId: number) => sql`
  SELECT id, username, email, language, is_active AS "isActive", is_staff AS "isStaff",
         closed_at IS NOT NULL AS "isClosed", email_confirmed_at IS NOT NULL AS "isConfirmed"
  FROM users WHERE id = ${userId}`

/** Moves of an account between open, suspended and closed. Whoever makes one has locked the cart, then the account. */
export const accountStates = (trx: Trx) => ({
  find: async (userId: number): Promise<AccountState | undefined> =>
    (await sql<AccountState>`${stateOf(userId)}`.execute(trx)).rows[0],

  lock: async (userId: number): Promise<AccountState | undefined> =>
    (await sql<AccountState>`${stateOf(userId)} FOR UPDATE`.execute(trx)).rows[0],

  async suspend(userId: number, by: { staffId: number; reason: string; note: string }): Promise<void> {
    await trx.updateTable('users').set({ is_active: false }).where('id', '=', userId).execute()
    await trx
      .insertInto('account_suspensions')
      .values({ user_id: userId, reason: by.reason, note: by.note, suspended_by: by.staffId })
      .execute()
  },

  async restore(userId: number, by: { staffId: number; note: string }): Promise<void> {
    await trx.updateTable('users').set({ is_active: true }).where('id', '=', userId).execute()
    await trx
      .updateTable('account_suspensions')
      .set({ lifted_by: by.staffId, lifted_note: by.note, lifted_at: sql<Date>`clock_timestamp()` })
      .where('user_id', '=', userId)
      .where('lifted_at', 'is', null)
      .execute()
  },

  /** @returns how many */
  async forgetSuspensions(userId: number): Promise<number> {
    const { numDeletedRows } = await trx
      .deleteFrom('account_suspensions')
      .where('user_id', '=', userId)
      .executeTakeFirst()
    return Number(numDeletedRows)
  },

  /**
   * Removes the person from an account, for ever: its row stays as the nameless owner of orders and tickets.
   * @returns how many logins it had
   */
  async close({ userId: id, email }: Pick<Person, 'userId' | 'email'>): Promise<number> {
    await sql`
      UPDATE users
      SET username = ' erased ' || id, email = 'erased-' || id || '@erased.invalid', password_hash = ${NO_HASH},
          phone = '', partner_code = NULL, email_confirmed_at = NULL, is_active = false, closed_at = clock_timestamp()
      WHERE id = ${id}`.execute(trx)
    const gone = (table: 'sessions' | 'email_links' | 'password_resets') =>
      trx.deleteFrom(table).where('user_id', '=', id).executeTakeFirst()
    const sessions = await gone('sessions')
    await gone('email_links')
    await gone('password_resets')
    await sql`DELETE FROM password_reset_requests WHERE lower(email) = lower(${email})`.execute(trx)
    return Number(sessions.numDeletedRows)
  },
})
