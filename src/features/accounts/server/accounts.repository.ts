import { sql } from 'kysely'
import { anyOf } from '#platform/any-of.ts'
import { byIds } from '#platform/by-ids.ts'
import type { Sql, Trx } from '#platform/database.ts'
import { ERASED_EMAIL } from '#shared/email-address.ts'
import type { Language } from '#shared/languages.ts'

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

export interface LoginAccount {
  id: number
  is_active: boolean
  is_staff: boolean
  is_superuser: boolean
  password_hash: string
}

const UNIQUE_VIOLATION = '23505'

export const accountsRepository = (db: Sql) => ({
  /**
   * The account of a login name: its e-mail address before any username.
   * @returns also the key: equal for names that the database folds to one (JavaScript folds `İ` differently)
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

  /** The keys (`findByLogin`) of an account's names, without a username that is the address of another account. */
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

  findAddressee: async (id: number) => (await accountsRepository(db).findAddressees([id]))[0],

  findAddressees: (ids: readonly number[]) =>
    addressees(db, ids) as Promise<(Addressee & { is_active: boolean })[]>,

  active: async (ids: readonly number[]): Promise<ReadonlySet<number>> =>
    new Set((await active(db, ids)).map((row) => row.id)),

  /** The addressee of an account, locked, so that concurrent changes of the address wait. */
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

  /** Which of the two are taken, and whether they differ only in case. */
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

  /** @returns the new id, or undefined when e-mail or username are taken */
  async insert(account: NewAccount): Promise<number | undefined> {
    const row = await db
      .insertInto('users')
      .values(account)
      .onConflict((conflict) => conflict.doNothing())
      .returning('id')
      .executeTakeFirst()
    return row?.id
  },

  /** @returns the account, or 'taken' when the e-mail belongs to another one */
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

/** Registration trims names, so nobody can register one with a leading space. */
const ERASED_USERNAME = ' erased'
const NO_HASH = 'none'

/** The account that replaces erased buyers: suspended, with no password. */
export const erasedAccount = (trx: Trx) => ({
  find: async (): Promise<number | undefined> =>
    (
      await trx
        .selectFrom('users')
        .select('id')
        .where(sql`lower(email)`, '=', ERASED_EMAIL)
        .where('password_hash', '=', NO_HASH)
        .executeTakeFirst()
    )?.id,

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
