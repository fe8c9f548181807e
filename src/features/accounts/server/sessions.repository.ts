import { sql } from 'kysely'
import type { Sql } from '#platform/database.ts'

/** A session ends when it is not used for so long, or at the latest after so long (decisions, "Tokens"). */
const SESSION_IDLE_DAYS = 7
const SESSION_MAX_DAYS = 30

/** How long a revoked session can be told from one that never was: longer than any access token lives. */
const REVOKED_KEPT_MINUTES = 60

/** How exact `last_used_at` is: one write for many refreshes. */
const TOUCH_MINUTES = 5

const days = (count: number) => sql<Date>`make_interval(days => ${count})`

const isExpired = () =>
  sql<boolean>`(expires_at <= now() or last_used_at <= now() - ${days(SESSION_IDLE_DAYS)})`

/** The SQL of the sessions table. All deadlines are judged by the database's clock. */
export const sessionsRepository = (db: Sql) => ({
  /**
   * Starts a session, if the account's password is still the one that was compared: a login that began before a new
   * password was set must not outlast it. Whoever sets one meanwhile waits, and then ends this session as well.
   * @returns whether it was started
   */
  async start(
    session: { id: string; userId: number; refreshHash: Buffer },
    passwordHash: string,
  ): Promise<boolean> {
    const { rows } = await sql`
      INSERT INTO sessions (id, user_id, refresh_hash, expires_at)
      SELECT ${session.id}, id, ${session.refreshHash}, now() + ${days(SESSION_MAX_DAYS)}
      FROM users WHERE id = ${session.userId} AND password_hash = ${passwordHash} FOR SHARE
      RETURNING 1 AS one`.execute(db)
    return rows.length > 0
  },

  /** The session of a refresh token with its account and whether it still runs; undefined when unknown. */
  findByRefreshHash: (refreshHash: Buffer) =>
    db
      .selectFrom('sessions')
      .innerJoin('users', 'users.id', 'sessions.user_id')
      .select(['sessions.id', 'user_id', 'revoked_at', 'is_active'])
      .select(isExpired().as('is_expired'))
      .where('refresh_hash', '=', refreshHash)
      .executeTakeFirst(),

  /**
   * Deletes sessions that nobody can use any more, a few at a time: expired, left alone for too long, or revoked before
   * the last access token of theirs ran out.
   * @returns how many
   */
  async deleteEnded(limit: number): Promise<number> {
    const { numDeletedRows } = await db
      .deleteFrom('sessions')
      .where('id', 'in', (one) =>
        one
          .selectFrom('sessions')
          .select('id')
          .where((or) =>
            or.or([
              or('expires_at', '<=', sql<Date>`now()`),
              or('last_used_at', '<=', sql<Date>`now() - ${days(SESSION_IDLE_DAYS)}`),
              or('revoked_at', '<=', sql<Date>`now() - make_interval(mins => ${REVOKED_KEPT_MINUTES})`),
            ]),
          )
          .limit(limit),
      )
      .executeTakeFirst()
    return Number(numDeletedRows)
  },

  async touch(id: string): Promise<void> {
    await db
      .updateTable('sessions')
      .set({ last_used_at: sql<Date>`now()` })
      .where('id', '=', id)
      .where('last_used_at', '<', sql<Date>`now() - make_interval(mins => ${TOUCH_MINUTES})`)
      .execute()
  },

  /** The account of a session; undefined when the session is another one's, has run out, or was revoked or deleted. */
  accountOf: (id: string, userId: number) =>
    db
      .selectFrom('sessions')
      .innerJoin('users', 'users.id', 'sessions.user_id')
      .select(['is_active', 'is_staff', 'is_superuser'])
      .where('sessions.id', '=', id)
      .where('users.id', '=', userId)
      .where('revoked_at', 'is', null)
      .where((one) => one.not(isExpired()))
      .executeTakeFirst(),

  /** @returns whether a session that was not revoked yet is now */
  async revokeByRefreshHash(refreshHash: Buffer): Promise<boolean> {
    const { numUpdatedRows } = await db
      .updateTable('sessions')
      .set({ revoked_at: sql<Date>`now()` })
      .where('refresh_hash', '=', refreshHash)
      .where('revoked_at', 'is', null)
      .executeTakeFirst()
    return numUpdatedRows > 0n
  },

  /** Ends every session of an account but one. */
  async revokeOthers(userId: number, keptId: string): Promise<void> {
    await db
      .updateTable('sessions')
      .set({ revoked_at: sql<Date>`now()` })
      .where('user_id', '=', userId)
      .where('id', '<>', keptId)
      .where('revoked_at', 'is', null)
      .execute()
  },

  /** Ends every session of an account. */
  async revokeAll(userId: number): Promise<void> {
    await db
      .updateTable('sessions')
      .set({ revoked_at: sql<Date>`now()` })
      .where('user_id', '=', userId)
      .where('revoked_at', 'is', null)
      .execute()
  },
})
