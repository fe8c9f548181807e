import { sql } from 'kysely'
import type { Sql, Trx } from '#platform/database.ts'
import type { Language } from '#shared/languages.ts'
import type { StaffRole } from '#shared/staff-permissions.ts'
import { asAddress } from '#shared/email-address.ts'
import type { SecondFactor } from '#shared/staff-session.ts'

export interface StaffPerson {
  id: number
  username: string
  email: string
  language: Language
  role: StaffRole
  is_active: boolean
}

/** An account whose role is about to change. */
export interface RoleHolder {
  id: number
  role: StaffRole | null
  is_active: boolean
  email_confirmed_at: Date | null
}

interface ListedPerson extends StaffPerson {
  passkey: boolean
  code: boolean
  recovery: boolean
  last_seen_at: Date | null
  open_sessions: number
}

export const staffPeopleRepository = (db: Sql) => ({
  async list(): Promise<(ListedPerson & { methods: SecondFactor[] })[]> {
    const { rows } = await sql<ListedPerson>`
      SELECT u.id, u.username, u.email, u.language, u.role, u.is_active,
        EXISTS (SELECT FROM staff_passkeys k WHERE k.user_id = u.id) AS passkey,
        EXISTS (SELECT FROM staff_authenticators a WHERE a.user_id = u.id AND a.confirmed_at IS NOT NULL) AS code,
        EXISTS (SELECT FROM staff_recovery_codes r WHERE r.user_id = u.id AND r.used_at IS NULL) AS recovery,
        (SELECT max(last_used_at) FROM staff_sessions s WHERE s.user_id = u.id) AS last_seen_at,
        (SELECT count(*)::int FROM staff_sessions s
         WHERE s.user_id = u.id AND s.ended_at IS NULL AND s.expires_at > clock_timestamp()) AS open_sessions
      FROM users u WHERE u.role IS NOT NULL ORDER BY u.id LIMIT 500`.execute(db)
    return rows.map((row) => ({
      ...row,
      methods: (['passkey', 'code', 'recovery'] as const).filter((method) => row[method]),
    }))
  },

  /** Those whose name or address has the text; accents count. */
  containing: async (
    text: string,
    limit: number,
  ): Promise<Pick<StaffPerson, 'id' | 'username' | 'email'>[]> =>
    (
      await sql<StaffPerson>`
        SELECT id, username, email FROM users
        WHERE role IS NOT NULL
          AND (strpos(lower(username), lower(${text})) > 0 OR strpos(lower(email), lower(${asAddress(text)})) > 0)
        ORDER BY id LIMIT ${limit}`.execute(db)
    ).rows,

  person: async (id: number): Promise<StaffPerson | undefined> =>
    (
      await sql<StaffPerson>`
        SELECT id, username, email, language, role, is_active FROM users WHERE id = ${id} AND role IS NOT NULL`.execute(
        db,
      )
    ).rows[0],

  /** Changes of the second factors and sessions of an account follow each other, behind its row. */
  async lock(id: number): Promise<void> {
    await sql`SELECT 1 FROM users WHERE id = ${id} FOR NO KEY UPDATE`.execute(db as Trx)
  },

  /** The account of an address, of staff or not. */
  accountOf: async (email: string) =>
    (
      await sql<Omit<StaffPerson, 'role'> & { role: StaffRole | null; email_confirmed_at: Date | null }>`
        SELECT id, username, email, language, role, is_active, email_confirmed_at FROM users
        WHERE lower(email) = lower(${asAddress(email)})`.execute(db)
    ).rows[0],

  /** Active staff with one of these roles, other than one of them. */
  others: async (roles: readonly StaffRole[], exceptId: number): Promise<StaffPerson[]> =>
    (
      await sql<StaffPerson>`
        SELECT id, username, email, language, role, is_active FROM users
        WHERE role = ANY(${[...roles]}::text[]) AND is_active AND id <> ${exceptId} ORDER BY id LIMIT 100`.execute(
        db,
      )
    ).rows,

  /** Those who had one of these roles within the last day and have none of them now, other than one of them. */
  recentlyWith: async (roles: readonly StaffRole[], exceptId: number): Promise<Omit<StaffPerson, 'role'>[]> =>
    (
      await sql<Omit<StaffPerson, 'role'>>`
        SELECT DISTINCT u.id, u.username, u.email, u.language, u.is_active
        FROM audit_log l
        JOIN users u ON u.id = CASE WHEN l.subject_kind = 'staff' THEN l.subject::bigint END
        WHERE l.at > clock_timestamp() - interval '1 day' AND l.action = 'staff.change'
          AND l.entry::jsonb -> 'before' ->> 'role' = ANY(${[...roles]}::text[])
          AND (u.role IS NULL OR u.role <> ALL(${[...roles]}::text[])) AND u.is_active AND u.id <> ${exceptId}
        ORDER BY u.id LIMIT 100`.execute(db)
    ).rows,

  /** Locks an account and the owners: two owners who act at once wait for each other, so that one of them stays. */
  async lockForRole(id: number): Promise<{ account: RoleHolder | undefined; isLastOwner: boolean }> {
    const { rows } = await sql<RoleHolder>`
      SELECT id, role, is_active, email_confirmed_at FROM users
      WHERE role = 'owner' OR id = ${id} ORDER BY id FOR NO KEY UPDATE`.execute(db as Trx)
    const account = rows.find((one) => one.id === id)
    const hasOther = rows.some((one) => one.id !== id && one.role === 'owner' && one.is_active)
    return { account, isLastOwner: account?.role === 'owner' && !hasOther }
  },

  /** Those who can sign in. */
  async owners(): Promise<{ id: number; email: string; language: Language }[]> {
    const { rows } = await sql<{ id: number; email: string; language: Language }>`
      SELECT id, email, language FROM users
      WHERE role = 'owner' AND is_active AND email_confirmed_at IS NOT NULL ORDER BY id`.execute(db)
    return rows
  },
})
