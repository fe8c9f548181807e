import { sql } from 'kysely'
import type { Sql, Trx } from '#platform/database.ts'
import type { Language } from '#shared/languages.ts'
import type { StaffRole } from '#shared/staff-permissions.ts'
import type { SecondFactor } from '../staff.contract.ts'

export interface StaffPerson {
  id: number
  username: string
  email: string
  language: Language
  role: StaffRole
  is_active: boolean
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

  person: async (id: number): Promise<StaffPerson | undefined> =>
    (
      await sql<StaffPerson>`
        SELECT id, username, email, language, role, is_active FROM users WHERE id = ${id} AND role IS NOT NULL`.execute(
        db,
      )
    ).rows[0],

  /** The account of an address, of staff or not. */
  accountOf: async (email: string) =>
    (
      await sql<Omit<StaffPerson, 'role'> & { role: StaffRole | null; email_confirmed_at: Date | null }>`
        SELECT id, username, email, language, role, is_active, email_confirmed_at FROM users
        WHERE lower(email) = lower(${email})`.execute(db)
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

  /**
   * Sets a role, or takes it away. Two owners who act at once wait for each other, so that one owner stays.
   * @returns the role before, or `last owner`
   */
  async setRole(id: number, role: StaffRole | null): Promise<StaffRole | null | 'last owner'> {
    const { rows } = await sql<{ id: number; role: StaffRole | null; is_active: boolean }>`
      SELECT id, role, is_active FROM users WHERE role = 'owner' OR id = ${id} ORDER BY id FOR UPDATE`.execute(
      db,
    )
    const person = rows.find((one) => one.id === id)
    if (!person) return null
    const isLast =
      person.role === 'owner' && !rows.some((one) => one.id !== id && one.role === 'owner' && one.is_active)
    if (isLast && role !== 'owner') return 'last owner'
    await sql`UPDATE users SET role = ${role} WHERE id = ${id}`.execute(db as Trx)
    return person.role
  },
})
