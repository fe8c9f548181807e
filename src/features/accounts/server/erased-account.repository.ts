import { sql } from 'kysely'
import type { Trx } from '#platform/database.ts'

/** Of a domain that is nobody's (RFC 2606): registration and profile refuse it (`EMAIL_PATTERN`). */
const EMAIL = 'erased@erased.invalid'
/** With a space in front, which registration takes away: nobody else can have the name. */
const USERNAME = ' erased'
/** What no password has for its hash. */
const NO_HASH = 'none'

/** The account that stands for buyers whose time is over: nobody's, suspended, with a password that none matches. */
export const erasedAccount = (trx: Trx) => ({
  /** Its id; undefined while nobody was erased. */
  find: async (): Promise<number | undefined> =>
    (
      await trx
        .selectFrom('users')
        .select('id')
        .where(sql`lower(email)`, '=', EMAIL)
        .where('password_hash', '=', NO_HASH)
        .executeTakeFirst()
    )?.id,

  /** Its id; it is made when there is none. */
  async make(): Promise<number> {
    await sql`
      INSERT INTO users (username, email, password_hash, is_active)
      VALUES (${USERNAME}, ${EMAIL}, ${NO_HASH}, false) ON CONFLICT DO NOTHING`.execute(trx)
    const id = await erasedAccount(trx).find()
    if (id === undefined)
      throw new Error(`the address of the erased, ${EMAIL}, belongs to an account of somebody`)
    return id
  },
})
