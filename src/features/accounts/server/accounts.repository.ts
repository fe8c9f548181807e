import { sql } from 'kysely'
import { anyOf } from '#platform/any-of.ts'
import { byIds } from '#platform/by-ids.ts'
import type { Sql, Trx } from '#platform/database.ts'
import { ERASED_EMAIL, asAddress } from '#shared/email-address.ts'
import type { Language } from '#shared/languages.ts'
import type { StaffRole } from '#shared/staff-permissions.ts'
import { type Exclusion, exclusionOf } from './exclusions.repository.ts'

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
  created_at?: Date
  email_confirmed_at?: Date
  role?: StaffRole
}

const addressees = byIds((db, ids: readonly number[]) =>
  db
    .selectFrom('users')
    .select(['id', 'username', 'email', 'language', 'is_active'])
    .where('id', '=', anyOf(ids, 'bigint')),
)

/** An account that is not suspended. */
export interface ActiveAccount {
  isConfirmed: boolean
  /** Why it cannot take part in contests. */
  exclusion: Exclusion | null
}

const active = byIds((db, ids: readonly number[]) =>
  db
    .selectFrom('users')
    .select(['id', 'email_confirmed_at', exclusionOf('users').as('exclusion')])
    .where('id', '=', anyOf(ids, 'bigint'))
    .where('is_active', '=', true),
)

const PROFILE = [
  'id',
  'username',
  'email',
  'email_confirmed_at',
  'phone',
  'is_active',
  'is_staff',
  'is_superuser',
] as const

export interface LoginAccount {
  id: number
  is_active: boolean
  username: string
  role: StaffRole | null
  password_hash: string
}

const UNIQUE_VIOLATION = '23505'

export class AddressTaken extends Error {}

function throwTaken(error: { code?: string; constraint?: string }): never {
  throw error.code === UNIQUE_VIOLATION && error.constraint === 'users_email_key' ? new AddressTaken() : error
}

/** Whether a former owner of an address may still undo its change. @param userId an account that may have it */
const isReserved = (email: string, userId?: number) => sql<boolean>`exists (
  select from email_links
  where purpose = 'undo' and ended_at is null and lower(email) = lower(${email}) and expires_at > clock_timestamp()
    and user_id is distinct from ${userId ?? null}::bigint)`

export const accountsRepository = (db: Sql) => ({
  /**
   * The account of a login name: its e-mail address before any username, and the spelling as typed before the stored one,
   * which an account from before that spelling may lack.
   * @returns also the key: equal for names that the database folds to one (JavaScript folds `İ` differently)
   */
  async findByLogin(name: string) {
    // PostgreSQL cannot store a NUL, so no account has one.
    if (name.includes('\0')) return { key: name, account: undefined }
    const { rows } = await sql<{ key: string; account: LoginAccount | null }>`
      SELECT CASE WHEN asked.typed IN (found.mail_key, found.name_key) THEN asked.typed ELSE asked.key END AS key,
        to_json(found) AS account
      FROM (SELECT lower(${asAddress(name)}) AS key, lower(${name}) AS typed) asked LEFT JOIN LATERAL (
        SELECT id, is_active, username, role, password_hash, lower(email) AS mail_key, lower(username) AS name_key
        FROM users
        WHERE lower(email) IN (asked.typed, asked.key) OR lower(username) IN (asked.typed, asked.key)
        ORDER BY lower(email) = asked.typed DESC, lower(email) = asked.key DESC LIMIT 1
      ) found ON true`.execute(db)
    const [row] = rows
    if (!row) throw new Error('a name without a row')
    return { key: row.key, account: row.account ?? undefined }
  },

  findById: (id: number) => db.selectFrom('users').select(PROFILE).where('id', '=', id).executeTakeFirst(),

  findAddressee: async (id: number) => (await accountsRepository(db).findAddressees([id]))[0],

  findAddressees: (ids: readonly number[]) =>
    addressees(db, ids) as Promise<(Addressee & { is_active: boolean })[]>,

  active: async (ids: readonly number[]): Promise<ReadonlyMap<number, ActiveAccount>> =>
    new Map(
      (await active(db, ids)).map(({ id, email_confirmed_at, exclusion }) => [
        id,
        { isConfirmed: email_confirmed_at !== null, exclusion },
      ]),
    ),

  async findConfirmed(email: string): Promise<number | undefined> {
    const row = await db
      .selectFrom('users')
      .select('id')
      .where(sql`lower(email)`, '=', sql`lower(${email})`)
      .where('email_confirmed_at', 'is not', null)
      .executeTakeFirst()
    return row?.id
  },

  /** The addressee of an account, locked, so that concurrent changes of the address wait. */
  lockAddressee: (id: number) =>
    db
      .selectFrom('users')
      .select(['id', 'username', 'email', 'language', 'password_hash', 'email_confirmed_at'])
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirst() as Promise<
      (Addressee & { password_hash: string; email_confirmed_at: Date | null }) | undefined
    >,

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
        sql<boolean>`${belongs('email', email)} or ${isReserved(email)}`.as('email'),
        belongs('username', username).as('username'),
        sql<boolean>`lower(${email}) = lower(${username})`.as('isSame'),
      ])
      .executeTakeFirstOrThrow()
  },

  /** Whether an address is that of another account, or reserved for one. */
  async isTaken(email: string, userId: number): Promise<boolean> {
    const { rows } = await sql<{ taken: boolean }>`
      SELECT EXISTS (SELECT FROM users WHERE lower(email) = lower(${email}) AND id <> ${userId})
        OR ${isReserved(email, userId)} AS taken`.execute(db)
    return rows[0]?.taken ?? false
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

  /** @throws AddressTaken when a database that folds case otherwise finds the e-mail at another account */
  updateContact: (id: number, change: { email: string; phone?: string }) =>
    db
      .updateTable('users')
      .set(change)
      .where('id', '=', id)
      .returning(PROFILE)
      .executeTakeFirst()
      .catch(throwTaken),

  /**
   * Gives an account an address that its owner has confirmed.
   * @throws AddressTaken when it belongs to another account or is reserved for one; the transaction must end
   */
  async setConfirmedEmail(id: number, email: string): Promise<void> {
    await db
      .updateTable('users')
      .set({ email, email_confirmed_at: sql<Date>`clock_timestamp()` })
      .where('id', '=', id)
      .execute()
      .catch(throwTaken)
    // After the update, which waited for whoever gave the address up: now their reservation can be seen.
    if (await accountsRepository(db).isTaken(email, id)) throw new AddressTaken()
  },

  async confirmEmail(id: number): Promise<void> {
    await db
      .updateTable('users')
      .set({ email_confirmed_at: sql<Date>`coalesce(email_confirmed_at, clock_timestamp())` })
      .where('id', '=', id)
      .execute()
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

/** What an account may do in the console; null for nothing. */
export async function setAccountRole(trx: Trx, id: number, role: StaffRole | null): Promise<void> {
  await sql`UPDATE users SET role = ${role} WHERE id = ${id}`.execute(trx)
}

/** Registration trims names, so nobody can register one with a leading space. */
const ERASED_USERNAME = ' erased'
/** Instead of a hash: no password is right. */
export const NO_HASH = 'none'

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
