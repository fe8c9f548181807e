import { sql } from 'kysely'
import type { Trx } from '#platform/database.ts'

const EMAIL = 'erased@erased.invalid'

/** The account that stands for buyers whose time is over: nobody's, suspended, with a password that none matches. */
export const erasedAccount = (trx: Trx) => ({
  /** Its id; undefined while nobody was erased. */
  find: async (): Promise<number | undefined> =>
    (
      await trx
        .selectFrom('users')
        .select('id')
        .where(sql`lower(email)`, '=', EMAIL)
        .executeTakeFirst()
    )?.id,

  /** Its id; it is made when there is none. */
  async make(): Promise<number> {
    await sql`
      INSERT INTO users (username, email, password_hash, is_active)
      VALUES (${EMAIL}, ${EMAIL}, 'none', false) ON CONFLICT DO NOTHING`.execute(trx)
    const id = await erasedAccount(trx).find()
    if (id === undefined) throw new Error('the account of the erased has another e-mail address')
    return id
  },
})
