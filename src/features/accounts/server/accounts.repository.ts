import { sql } from 'kysely'
import { anyOf } from '#platform/any-of.ts'
import { byIds } from '#platform/by-ids.ts'
import type { Sql, Trx } from '#platform/database.ts'
import type { Language } from '#shared/languages.ts'

/** To whom a mail about an account goes. */
export interface Addressee {
  id: number
  username: string
  email: string
  language: Language
}

export interface NewAccount {
  username: string
  email: string
  password_hash: string
  phone: string
  partner_code: string | null
  language: Language
  is_staff?: boolean
  is_superuser?: boolean
}

const addressees = byIds((db, ids: readonly number[]) =>
  db
    .selectFrom('users')
    .select(['id', 'username', 'email', 'language', 'is_active'])
    .where('id', '=', anyOf(ids, 'bigint')),
)

const active = byIds((db, ids: readonly number[]) =>
  db.selectFrom('users').select('id').where('id', '=', anyOf(ids, 'bigint')).where('is_active', '=', true),
)

const PROFILE = ['id', 'username', 'email', 'phone', 'is_active', 'is_staff', 'is_superuser'] as const

/** An account as a login needs it. */
export interface LoginAccount {
  id: number
  is_active: boolean
  is_staff: boolean
  is_superuser: boolean
  password_hash: string
}

const UNIQUE_VIOLATION = '23505'

/** The SQL of the users table. */
export const accountsRepository = (db: Sql) => ({
  /**
   * The account that a login name means: its e-mail address before anybody's username, in any case.
   * @returns the account if there is one, and the key of the name: two names have the same key exactly when the database
   * takes them for the same. Only it can tell: what is one letter in two cases depends on how the database was made, and
   * JavaScript sees some otherwise (`İ` is `i` with a dot to the one, `i` to the other).
   */
  async findByLogin(name: string) {
    // PostgreSQL cannot store a NUL, so no account has one.
    if (name.includes('\0')) return { key: name, account: undefined }
    const { rows } = await sql<{ key: string; account: LoginAccount | null }>`
      SELECT asked.key, to_json(found) AS account
      FROM (SELECT lower(${name}) AS key) asked LEFT JOIN LATERAL (
        SELECT id, is_active, is_staff, is_superuser, password_hash FROM users
        WHERE lower(email) = asked.key OR lower(username) = asked.key
        ORDER BY lower(email) = asked.key DESC LIMIT 1
      ) found ON true`.execute(db)
    const [row] = rows
    if (!row) throw new Error('a name without a row')
    return { key: row.key, account: row.account ?? undefined }
  },

  /** The keys, as of `findByLogin`, of the names that mean an account: not a username that is somebody else's address. */
  async loginKeys(id: number): Promise<string[]> {
    const { rows } = await sql<{ key: string }>`
      SELECT lower(email) AS key FROM users WHERE id = ${id}
      UNION
      SELECT lower(username) FROM users u
      WHERE id = ${id} AND NOT EXISTS (
        SELECT FROM users other WHERE lower(other.email) = lower(u.username) AND other.id <> u.id
      )`.execute(db)
    return rows.map((row) => row.key)
  },

  findById: (id: number) => db.selectFrom('users').select(PROFILE).where('id', '=', id).executeTakeFirst(),

  /** To whom emails about an account go. */
  findAddressee: async (id: number) => (await accountsRepository(db).findAddressees([id]))[0],

  findAddressees: (ids: readonly number[]) =>
    addressees(db, ids) as Promise<(Addressee & { is_active: boolean })[]>,

  /** Which of the ids belong to an account that is not suspended. */
  active: async (ids: readonly number[]): Promise<ReadonlySet<number>> =>
    new Set((await active(db, ids)).map((row) => row.id)),

  /** To whom emails about an account went until now; locked, so that its address is changed by one at a time. */
  lockAddressee: (id: number) =>
    db
      .selectFrom('users')
      .select(['id', 'username', 'email', 'language'])
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirst() as Promise<Addressee | undefined>,

  findPasswordHash: async (id: number) =>
    (await db.selectFrom('users').select('password_hash').where('id', '=', id).executeTakeFirst())
      ?.password_hash,

  /** Which of the two belong to an account already, and whether they are the same but for the case. */
  async taken(
    email: string,
    username: string,
  ): Promise<{ email: boolean; username: boolean; isSame: boolean }> {
    const belongs = (column: 'email' | 'username', value: string) =>
      sql<boolean>`exists (select from users where lower(${sql.ref(column)}) = lower(${value}))`
    return db
      .selectNoFrom([
        belongs('email', email).as('email'),
        belongs('username', username).as('username'),
        sql<boolean>`lower(${email}) = lower(${username})`.as('isSame'),
      ])
      .executeTakeFirstOrThrow()
  },

  /** @returns the new id, or undefined when e-mail or username were taken meanwhile */
  async insert(account: NewAccount): Promise<number | undefined> {
    const row = await db
      .insertInto('users')
      .values(account)
      .onConflict((conflict) => conflict.doNothing())
      .returning('id')
      .executeTakeFirst()
    return row?.id
  },

  /** @returns the changed account, or 'taken' when the e-mail address belongs to another one */
  async updateContact(id: number, change: { email: string; phone?: string }) {
    try {
      return await db
        .updateTable('users')
        .set(change)
        .where('id', '=', id)
        .returning(PROFILE)
        .executeTakeFirst()
    } catch (error) {
      const { code, constraint } = error as { code?: string; constraint?: string }
      if (code === UNIQUE_VIOLATION && constraint === 'users_email_key') return 'taken' as const
      throw error
    }
  },

  async setPasswordHash(id: number, hash: string): Promise<void> {
    await db.updateTable('users').set({ password_hash: hash }).where('id', '=', id).execute()
  },

  /** Replaces a password hash if it is still the one that was read. */
  async replacePasswordHash(id: number, from: string, to: string): Promise<boolean> {
    const { numUpdatedRows } = await db
      .updateTable('users')
      .set({ password_hash: to })
      .where('id', '=', id)
      .where('password_hash', '=', from)
      .executeTakeFirst()
    return numUpdatedRows > 0n
  },
})

/** Of a domain that is nobody's (RFC 2606): registration and profile refuse it (`EMAIL_PATTERN`). */
const ERASED_EMAIL = 'erased@erased.invalid'
/** With a space in front, which registration takes away: nobody else can have the name. */
const ERASED_USERNAME = ' erased'
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
        .where(sql`lower(email)`, '=', ERASED_EMAIL)
        .where('password_hash', '=', NO_HASH)
        .executeTakeFirst()
    )?.id,

  /** Its id; it is made when there is none. */
  async make(): Promise<number> {
    await sql`
      INSERT INTO users (username, email, password_hash, is_active)
      VALUES (${ERASED_USERNAME}, ${ERASED_EMAIL}, ${NO_HASH}, false) ON CONFLICT DO NOTHING`.execute(trx)
    const id = await erasedAccount(trx).find()
    if (id === undefined)
      throw new Error(`the address of the erased, ${ERASED_EMAIL}, belongs to an account of somebody`)
    return id
  },
})
