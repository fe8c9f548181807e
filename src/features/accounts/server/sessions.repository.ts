import { sql } from 'kysely'
import { anyOf } from '#platform/any-of.ts'
import { byIds } from '#platform/by-ids.ts'
import type { Sql } from '#platform/database.ts'
import type { Device } from '../accounts.rules.ts'

/** Longest pause and longest life of a session. */
const SESSION_IDLE_DAYS = 7
const SESSION_MAX_DAYS = 30

/** Revoked sessions are kept longer than any access token lives. */
const REVOKED_KEPT_MINUTES = 60

/** Precision of `last_used_at`, so that many refreshes write once. */
const TOUCH_MINUTES = 5

const days = (count: number) => sql<Date>`make_interval(days => ${count})`

const isExpired = () =>
  sql<boolean>`(expires_at <= now() or last_used_at <= now() - ${days(SESSION_IDLE_DAYS)})`

const openOnes = byIds((db, ids: readonly string[]) =>
  db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .select(['sessions.id', 'user_id', 'is_active'])
    .where('sessions.id', '=', anyOf(ids, 'uuid'))
    .where('revoked_at', 'is', null)
    .where((one) => one.not(isExpired())),
)

/** A session that is neither expired nor revoked, with its account. */
export type OpenSessionRow = Awaited<ReturnType<typeof openOnes>>[number]

/** The SQL of the sessions table, by the clock of the database. */
export const sessionsRepository = (db: Sql) => ({
  /**
   * Starts a session if the account still has the compared password. A concurrent change of the password waits, and
   * then ends the session. @returns whether it was started
   */
  async start(
    session: { id: string; userId: number; refreshHash: Buffer; device: Device },
    passwordHash: string,
  ): Promise<boolean> {
    const { rows } = await sql`
      INSERT INTO sessions (id, user_id, refresh_hash, browser, system, expires_at)
      SELECT ${session.id}, id, ${session.refreshHash}, ${session.device.browser}, ${session.device.system},
             now() + ${days(SESSION_MAX_DAYS)}
      FROM users WHERE id = ${session.userId} AND password_hash = ${passwordHash} FOR SHARE
      RETURNING 1 AS one`.execute(db)
    return rows.length > 0
  },

  findByRefreshHash: (refreshHash: Buffer) =>
    db
      .selectFrom('sessions')
      .innerJoin('users', 'users.id', 'sessions.user_id')
      .select(['sessions.id', 'user_id', 'revoked_at', 'is_active'])
      .select(isExpired().as('is_expired'))
      .where('refresh_hash', '=', refreshHash)
      .executeTakeFirst(),

  /** Deletes sessions that expired, were idle too long or revoked long ago. @returns how many, at most `limit` */
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

  /** Whether the account's session is neither expired nor revoked. */
  isOpen: async (id: string, userId: number): Promise<boolean> =>
    (await openOnes(db, [id])).some((session) => session.user_id === userId),

  /** Which of the sessions are neither expired nor revoked, with their accounts. */
  open: async (ids: readonly string[]) =>
    new Map((await openOnes(db, ids)).map((session) => [session.id, session])),

  /** The open sessions of an account, the last used first. */
  ofUser: (userId: number) =>
    db
      .selectFrom('sessions')
      .select(['id', 'browser', 'system', 'created_at', 'last_used_at'])
      .where('user_id', '=', userId)
      .where('revoked_at', 'is', null)
      .where((one) => one.not(isExpired()))
      .orderBy('last_used_at', 'desc')
      .orderBy('created_at', 'desc')
      .execute(),

  /** @returns the account of the session, if it was open */
  async revokeByRefreshHash(refreshHash: Buffer): Promise<number | undefined> {
    const row = await db
      .updateTable('sessions')
      .set({ revoked_at: sql<Date>`now()` })
      .where('refresh_hash', '=', refreshHash)
      .where('revoked_at', 'is', null)
      .returning('user_id')
      .executeTakeFirst()
    return row?.user_id
  },

  /** @returns whether the account had this session and it was open */
  async revoke(userId: number, id: string): Promise<boolean> {
    const { numUpdatedRows } = await db
      .updateTable('sessions')
      .set({ revoked_at: sql<Date>`now()` })
      .where('id', '=', id)
      .where('user_id', '=', userId)
      .where('revoked_at', 'is', null)
      .executeTakeFirst()
    return numUpdatedRows > 0n
  },

  /** Ends the sessions of an account, all but one if that is given. @returns how many */
  async revokeAll(userId: number, keptId?: string): Promise<number> {
    const { numUpdatedRows } = await db
      .updateTable('sessions')
      .set({ revoked_at: sql<Date>`now()` })
      .where('user_id', '=', userId)
      .where('revoked_at', 'is', null)
      .$if(keptId !== undefined, (all) => all.where('id', '<>', keptId ?? ''))
      .executeTakeFirst()
    return Number(numUpdatedRows)
  },
})
