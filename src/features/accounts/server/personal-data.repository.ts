import { sql } from 'kysely'
import type { Sql } from '#platform/database.ts'
import type { Language } from '#shared/languages.ts'

/** What an account consists of, for an export. */
export const accountRecords = (db: Sql) => ({
  async account(id: number) {
    const { rows } = await sql<{
      id: number
      username: string
      email: string
      phone: string
      language: Language
      partner_code: string | null
      created_at: Date
      email_confirmed_at: Date | null
      state: string
    }>`
      SELECT id, username, email, phone, language, partner_code, created_at, email_confirmed_at,
             CASE WHEN closed_at IS NOT NULL THEN 'closed' WHEN is_active THEN 'active' ELSE 'suspended' END AS state
      FROM users WHERE id = ${id}`.execute(db)
    if (!rows[0]) throw new Error('an account that was there before')
    return rows[0]
  },

  /** Links about the address that still work: the former address is kept while a change can be undone. */
  async addressLinks(id: number) {
    const { rows } = await sql<{ purpose: string; email: string; created_at: Date; expires_at: Date }>`
      SELECT purpose, email, created_at, expires_at FROM email_links
      WHERE user_id = ${id} AND expires_at > clock_timestamp() AND ended_at IS NULL ORDER BY created_at`.execute(
      db,
    )
    return rows
  },

  async sessions(id: number) {
    const { rows } = await sql<{
      browser: string | null
      system: string | null
      created_at: Date
      last_used_at: Date
      ended_at: Date | null
    }>`
      SELECT browser, system, created_at, last_used_at, revoked_at AS ended_at FROM sessions
      WHERE user_id = ${id} ORDER BY created_at`.execute(db)
    return rows
  },

  async suspensions(id: number) {
    const { rows } = await sql<{ reason: string; suspended_at: Date; lifted_at: Date | null }>`
      SELECT reason, suspended_at, lifted_at FROM account_suspensions WHERE user_id = ${id} ORDER BY id`.execute(
      db,
    )
    return rows
  },
})
