import { sql } from 'kysely'
import type { Sql } from '#platform/database.ts'
import type { SecondFactor } from '#shared/staff-session.ts'

const CHALLENGE_MINUTES = 5
/** How long an authenticator waits for its first code. */
const ENROLMENT_MINUTES = 10

export interface PasskeyRow {
  id: string
  user_id: number
  public_key: Buffer
  counter: number
  transports: string[]
  name: string
  created_at: Date
  last_used_at: Date | null
}

export const secondFactorsRepository = (db: Sql) => ({
  /** The second factors that an account has set up. */
  async methods(userId: number): Promise<SecondFactor[]> {
    const { rows } = await sql<Record<SecondFactor, boolean>>`
      SELECT EXISTS (SELECT FROM staff_passkeys WHERE user_id = ${userId}) AS passkey,
             EXISTS (SELECT FROM staff_authenticators WHERE user_id = ${userId} AND confirmed_at IS NOT NULL) AS code,
             EXISTS (SELECT FROM staff_recovery_codes WHERE user_id = ${userId} AND used_at IS NULL) AS recovery
    `.execute(db)
    return (['passkey', 'code', 'recovery'] as const).filter((method) => rows[0]?.[method])
  },

  passkeysOf: async (userId: number): Promise<PasskeyRow[]> =>
    (
      await sql<PasskeyRow>`SELECT * FROM staff_passkeys WHERE user_id = ${userId} ORDER BY created_at`.execute(
        db,
      )
    ).rows,

  passkey: async (id: string): Promise<PasskeyRow | undefined> =>
    (await sql<PasskeyRow>`SELECT * FROM staff_passkeys WHERE id = ${id}`.execute(db)).rows[0],

  async addPasskey(key: Omit<PasskeyRow, 'created_at' | 'last_used_at'>): Promise<boolean> {
    const { rows } = await sql`
      INSERT INTO staff_passkeys (id, user_id, public_key, counter, transports, name)
      VALUES (${key.id}, ${key.user_id}, ${key.public_key}, ${key.counter}, ${key.transports}, ${key.name})
      ON CONFLICT DO NOTHING RETURNING 1 AS one`.execute(db)
    return rows.length > 0
  },

  /** A counter that does not increase belongs to a copy; authenticators without one always say zero. */
  async usePasskey(id: string, counter: number): Promise<boolean> {
    const { rows } = await sql`
      UPDATE staff_passkeys SET counter = ${counter}, last_used_at = clock_timestamp()
      WHERE id = ${id} AND (counter < ${counter} OR (counter = 0 AND ${counter} = 0)) RETURNING 1 AS one`.execute(
      db,
    )
    return rows.length > 0
  },

  async removePasskey(userId: number, id: string): Promise<boolean> {
    const { rows } = await sql`
      DELETE FROM staff_passkeys WHERE id = ${id} AND user_id = ${userId} RETURNING 1 AS one`.execute(db)
    return rows.length > 0
  },

  async addChallenge(challenge: string, sessionId: string | null): Promise<void> {
    await sql`
      INSERT INTO staff_challenges (challenge, session_id, expires_at)
      VALUES (${challenge}, ${sessionId}, clock_timestamp() + make_interval(mins => ${CHALLENGE_MINUTES}))`.execute(
      db,
    )
  },

  /** Uses up a challenge. @returns whether it was open and made for this session */
  async takeChallenge(challenge: string, sessionId: string | null): Promise<boolean> {
    const { rows } = await sql`
      DELETE FROM staff_challenges
      WHERE challenge = ${challenge} AND session_id IS NOT DISTINCT FROM ${sessionId}::uuid
        AND expires_at > clock_timestamp()
      RETURNING 1 AS one`.execute(db)
    return rows.length > 0
  },

  authenticator: async (userId: number) =>
    (
      await sql<{ secret: Buffer; is_confirmed: boolean; is_open: boolean }>`
        SELECT secret, confirmed_at IS NOT NULL AS is_confirmed,
          confirmed_at IS NULL
            AND started_at > clock_timestamp() - make_interval(mins => ${ENROLMENT_MINUTES}) AS is_open
        FROM staff_authenticators WHERE user_id = ${userId}`.execute(db)
    ).rows[0],

  /** All of them, with the addresses of their owners. */
  authenticators: async () =>
    (
      await sql<{ user_id: number; email: string; secret: Buffer }>`
        SELECT a.user_id, u.email, a.secret FROM staff_authenticators a JOIN users u ON u.id = a.user_id
        ORDER BY a.user_id`.execute(db)
    ).rows,

  /** @returns false when it is another one by now */
  async replaceSecret(userId: number, former: Buffer, secret: Buffer): Promise<boolean> {
    const { rows } = await sql`
      UPDATE staff_authenticators SET secret = ${secret} WHERE user_id = ${userId} AND secret = ${former}
      RETURNING 1 AS one`.execute(db)
    return rows.length > 0
  },

  /** How many people have unused recovery codes. */
  async withRecoveryCodes(): Promise<number> {
    const { rows } = await sql<{ people: number }>`
      SELECT count(DISTINCT user_id)::int AS people FROM staff_recovery_codes WHERE used_at IS NULL`.execute(
      db,
    )
    return rows[0]!.people
  },

  /** Replaces an unconfirmed one. @returns false when the account has a confirmed one */
  async setAuthenticator(userId: number, secret: Buffer): Promise<boolean> {
    const { rows } = await sql`
      INSERT INTO staff_authenticators (user_id, secret) VALUES (${userId}, ${secret})
      ON CONFLICT (user_id) DO UPDATE SET secret = excluded.secret, started_at = clock_timestamp()
      WHERE staff_authenticators.confirmed_at IS NULL RETURNING 1 AS one`.execute(db)
    return rows.length > 0
  },

  /** Marks the code of a time step as used. @returns false for a used code, and before the first one has confirmed */
  async useStep(userId: number, step: number): Promise<boolean> {
    const { rows } = await sql`
      UPDATE staff_authenticators SET last_step = ${step}
      WHERE user_id = ${userId} AND confirmed_at IS NOT NULL AND last_step < ${step} RETURNING 1 AS one`.execute(
      db,
    )
    return rows.length > 0
  },

  /** Confirms an authenticator with the code of a time step. @returns false when another call has, or replaced it */
  async confirmAuthenticator(userId: number, secret: Buffer, step: number): Promise<boolean> {
    const { rows } = await sql`
      UPDATE staff_authenticators SET last_step = ${step}, confirmed_at = clock_timestamp()
      WHERE user_id = ${userId} AND secret = ${secret} AND confirmed_at IS NULL RETURNING 1 AS one`.execute(
      db,
    )
    return rows.length > 0
  },

  async removeAuthenticator(userId: number): Promise<boolean> {
    const { rows } = await sql`
      DELETE FROM staff_authenticators WHERE user_id = ${userId} RETURNING 1 AS one`.execute(db)
    return rows.length > 0
  },

  async replaceRecoveryCodes(userId: number, hashes: readonly Buffer[]): Promise<void> {
    await sql`DELETE FROM staff_recovery_codes WHERE user_id = ${userId}`.execute(db)
    if (hashes.length > 0)
      await db
        .insertInto('staff_recovery_codes')
        .values(hashes.map((code_hash) => ({ user_id: userId, code_hash })))
        .execute()
  },

  async useRecoveryCode(userId: number, hash: Buffer): Promise<boolean> {
    const { rows } = await sql`
      UPDATE staff_recovery_codes SET used_at = clock_timestamp()
      WHERE user_id = ${userId} AND code_hash = ${hash} AND used_at IS NULL RETURNING 1 AS one`.execute(db)
    return rows.length > 0
  },

  async recoveryCodesLeft(userId: number): Promise<number> {
    const { rows } = await sql<{ codes: number }>`
      SELECT count(*) AS codes FROM staff_recovery_codes WHERE user_id = ${userId} AND used_at IS NULL`.execute(
      db,
    )
    return rows[0]?.codes ?? 0
  },

  /** For an account whose owner has lost them. */
  async removeAll(userId: number): Promise<void> {
    for (const table of ['staff_passkeys', 'staff_authenticators', 'staff_recovery_codes'] as const)
      await db.deleteFrom(table).where('user_id', '=', userId).execute()
  },
})
