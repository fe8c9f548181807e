import { sql } from 'kysely'
import type { Sql } from '#platform/database.ts'

/** A session ends when it is not used for so long, or at the latest after so long (decisions, "Tokens"). */
const SESSION_IDLE_DAYS = 7
const SESSION_MAX_DAYS = 30

/** How exact `last_used_at` is: one write for many refreshes. */
const TOUCH_MINUTES = 5

const days = (count: number) => sql<Date>`make_interval(days => ${count})`

/** The SQL of the sessions table. All deadlines are judged by the database's clock. */
export const sessionsRepository = (db: Sql) => ({
  /** Starts a session and drops the account's ended ones, so that the table stays small. */
  async insert(session: { id: string; user_id: number; refresh_hash: Buffer }): Promise<void> {
    await db
      .with('swept', (cte) =>
        cte
          .deleteFrom('sessions')
          .where('user_id', '=', session.user_id)
          .where('expires_at', '<', sql<Date>`now()`),
      )
      .insertInto('sessions')
      .values({ ...session, expires_at: sql<Date>`now() + ${days(SESSION_MAX_DAYS)}` })
      .execute()
  },

  /** The session of a refresh token with its account and whether it still runs; undefined when unknown. */
  findByRefreshHash: (refreshHash: Buffer) =>
    db
      .selectFrom('sessions')
      .innerJoin('users', 'users.id', 'sessions.user_id')
      .select(['sessions.id', 'user_id', 'revoked_at', 'is_active', 'is_staff', 'is_superuser'])
      .select(
        sql<boolean>`expires_at <= now() or last_used_at <= now() - ${days(SESSION_IDLE_DAYS)}`.as(
          'is_expired',
        ),
      )
      .where('refresh_hash', '=', refreshHash)
      .executeTakeFirst(),

  async touch(id: string): Promise<void> {
    await db
      .updateTable('sessions')
      .set({ last_used_at: sql<Date>`now()` })
      .where('id', '=', id)
      .where('last_used_at', '<', sql<Date>`now() - make_interval(mins => ${TOUCH_MINUTES})`)
      .execute()
  },

  /** Whether a session of that account has been neither revoked nor deleted. */
  async stands(id: string, userId: number): Promise<boolean> {
    const row = await db
      .selectFrom('sessions')
      .select('id')
      .where('id', '=', id)
      .where('user_id', '=', userId)
      .where('revoked_at', 'is', null)
      .executeTakeFirst()
    return row !== undefined
  },

  async revokeByRefreshHash(refreshHash: Buffer): Promise<void> {
    await db
      .updateTable('sessions')
      .set({ revoked_at: sql<Date>`now()` })
      .where('refresh_hash', '=', refreshHash)
      .where('revoked_at', 'is', null)
      .execute()
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
})
