import { sql } from 'kysely'
import { anyOf } from '#platform/any-of.ts'
import { byIds } from '#platform/by-ids.ts'
import type { Sql } from '#platform/database.ts'
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

const UNIQUE_VIOLATION = '23505'

/** The SQL of the users table. */
export const accountsRepository = (db: Sql) => ({
  /** The account that a login name means: its e-mail address before anybody's username, in any case. */
  findByLogin: (name: string) =>
    db
      .selectFrom('users')
      .select([...PROFILE, 'password_hash'])
      .where((or) =>
        or.or([
          or(sql`lower(email)`, '=', sql`lower(${name})`),
          or(sql`lower(username)`, '=', sql`lower(${name})`),
        ]),
      )
      .orderBy(sql`lower(email) = lower(${name})`, 'desc')
      .limit(1)
      .executeTakeFirst(),

  findById: (id: number) => db.selectFrom('users').select(PROFILE).where('id', '=', id).executeTakeFirst(),

  /** To whom mails about an account go. */
  findAddressee: async (id: number) => (await accountsRepository(db).findAddressees([id]))[0],

  findAddressees: (ids: readonly number[]) =>
    addressees(db, ids) as Promise<(Addressee & { is_active: boolean })[]>,

  /** Which of the ids belong to an account that is not suspended. */
  active: async (ids: readonly number[]): Promise<ReadonlySet<number>> =>
    new Set((await active(db, ids)).map((row) => row.id)),

  /** To whom mails about an account went until now; locked, so that its address is changed by one at a time. */
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

  /** Which of the two belong to an account already. */
  async taken(email: string, username: string): Promise<{ email: boolean; username: boolean }> {
    const belongs = (column: 'email' | 'username', value: string) =>
      sql<boolean>`exists (select from users where lower(${sql.ref(column)}) = lower(${value}))`
    return db
      .selectNoFrom([belongs('email', email).as('email'), belongs('username', username).as('username')])
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
