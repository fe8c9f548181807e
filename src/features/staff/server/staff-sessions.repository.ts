import { sql } from 'kysely'
import { anyOf } from '#platform/any-of.ts'
import type { Sql } from '#platform/database.ts'
import type { StaffPermission, StaffRole } from '#shared/staff-permissions.ts'
import type { SecondFactor } from '#shared/staff-session.ts'

/** Life of a session of the console. */
const SESSION_HOURS = 12
/** How long a step-up lasts. */
const STEP_UP_MINUTES = 10
/** Precision of `last_used_at`. */
const TOUCH_MINUTES = 1
const KEPT_DAYS = 30

export interface StaffSessionRow {
  id: string
  user_id: number
  username: string
  email: string
  role: StaffRole
  second_factor: SecondFactor | null
  expires_at: Date
}

interface NewStaffSession {
  id: string
  userId: number
  tokenHash: Buffer
  secondFactor: SecondFactor | null
  device: { browser: string | null; system: string | null }
}

/** Of session `s` and its account `u`. */
const IS_OPEN = sql`
  s.ended_at IS NULL AND s.expires_at > clock_timestamp() AND u.role IS NOT NULL AND u.is_active`

export const staffSessionsRepository = (db: Sql) => ({
  /** Starts a session of an active staff member, if a given password is still the present one. @returns whether */
  async start(session: NewStaffSession, passwordHash?: string): Promise<boolean> {
    const { rows } = await sql`
      INSERT INTO staff_sessions (id, user_id, token_hash, second_factor, browser, system, expires_at)
      SELECT ${session.id}, id, ${session.tokenHash}, ${session.secondFactor}, ${session.device.browser},
             ${session.device.system}, clock_timestamp() + make_interval(hours => ${SESSION_HOURS})
      FROM users
      WHERE id = ${session.userId} AND role IS NOT NULL AND is_active
        AND password_hash = coalesce(${passwordHash ?? null}, password_hash)
      FOR SHARE
      RETURNING 1 AS one`.execute(db)
    return rows.length > 0
  },

  /** The open session of a token, with the present role; marks it as used. */
  async open(tokenHash: Buffer): Promise<StaffSessionRow | undefined> {
    const { rows } = await sql<StaffSessionRow & { is_stale: boolean }>`
      SELECT s.id, s.user_id, u.username, u.email, u.role, s.second_factor, s.expires_at,
             s.last_used_at < clock_timestamp() - make_interval(mins => ${TOUCH_MINUTES}) AS is_stale
      FROM staff_sessions s JOIN users u ON u.id = s.user_id
      WHERE s.token_hash = ${tokenHash} AND ${IS_OPEN}`.execute(db)
    const [row] = rows
    if (!row) return undefined
    const { is_stale, ...session } = row
    if (is_stale)
      await sql`UPDATE staff_sessions SET last_used_at = clock_timestamp() WHERE id = ${row.id}`.execute(db)
    return session
  },

  /** Which of these sessions are open still, each with the present role of its account. */
  async stillOpen(ids: readonly string[]): Promise<Map<string, StaffRole>> {
    const { rows } = await sql<{ id: string; role: StaffRole }>`
      SELECT s.id, u.role FROM staff_sessions s JOIN users u ON u.id = s.user_id
      WHERE s.id = ${anyOf(ids, 'uuid')} AND ${IS_OPEN}`.execute(db)
    return new Map(rows.map(({ id, role }) => [id, role]))
  },

  async end(userId: number, id: string): Promise<boolean> {
    const { rows } = await sql`
      UPDATE staff_sessions SET ended_at = clock_timestamp()
      WHERE id = ${id} AND user_id = ${userId} AND ended_at IS NULL RETURNING 1 AS one`.execute(db)
    return rows.length > 0
  },

  async endOne(id: string): Promise<void> {
    await sql`
      UPDATE staff_sessions SET ended_at = clock_timestamp() WHERE id = ${id} AND ended_at IS NULL`.execute(
      db,
    )
  },

  /** @returns how many */
  async endAll(userId: number): Promise<number> {
    const { rows } = await sql`
      UPDATE staff_sessions SET ended_at = clock_timestamp()
      WHERE user_id = ${userId} AND ended_at IS NULL RETURNING 1 AS one`.execute(db)
    return rows.length
  },

  ofUser: async (userId: number) =>
    (
      await sql<{
        id: string
        browser: string | null
        system: string | null
        created_at: Date
        last_used_at: Date
      }>`
        SELECT id, browser, system, created_at, last_used_at FROM staff_sessions
        WHERE user_id = ${userId} AND ended_at IS NULL AND expires_at > clock_timestamp()
        ORDER BY last_used_at DESC LIMIT 50`.execute(db)
    ).rows,

  /** @returns false when the session has ended */
  async setSecondFactor(id: string, factor: SecondFactor): Promise<boolean> {
    const { rows } = await sql`
      UPDATE staff_sessions SET second_factor = ${factor}
      WHERE id = ${id} AND ended_at IS NULL RETURNING 1 AS one`.execute(db)
    return rows.length > 0
  },

  /** Ends the sessions of an account that began without a second factor, and their step-ups. */
  async endPasswordOnly(userId: number): Promise<void> {
    await sql`
      WITH ended AS (
        UPDATE staff_sessions SET ended_at = clock_timestamp()
        WHERE user_id = ${userId} AND second_factor IS NULL AND ended_at IS NULL RETURNING id
      )
      DELETE FROM staff_step_ups WHERE session_id IN (SELECT id FROM ended)`.execute(db)
  },

  async stepUp(sessionId: string, permission: StaffPermission): Promise<void> {
    await sql`
      INSERT INTO staff_step_ups (session_id, permission, until)
      VALUES (${sessionId}, ${permission}, clock_timestamp() + make_interval(mins => ${STEP_UP_MINUTES}))
      ON CONFLICT (session_id, permission) DO UPDATE SET until = excluded.until`.execute(db)
  },

  async isSteppedUp(sessionId: string, permission: StaffPermission): Promise<boolean> {
    const { rows } = await sql`
      SELECT 1 AS one FROM staff_step_ups
      WHERE session_id = ${sessionId} AND permission = ${permission} AND until > clock_timestamp()`.execute(
      db,
    )
    return rows.length > 0
  },

  /** Deletes all that an account had open or has ended. */
  async deleteOf(userId: number): Promise<void> {
    await sql`DELETE FROM staff_sessions WHERE user_id = ${userId}`.execute(db)
  },

  /** Deletes sessions that ended long ago, and challenges that nobody completed. */
  async deleteEnded(): Promise<void> {
    await sql`
      DELETE FROM staff_sessions
      WHERE least(ended_at, expires_at) < now() - make_interval(days => ${KEPT_DAYS})`.execute(db)
    await sql`DELETE FROM staff_challenges WHERE expires_at < now()`.execute(db)
  },
})
