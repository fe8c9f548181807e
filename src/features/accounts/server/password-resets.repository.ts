import { sql } from 'kysely'
import type { Sql } from '#platform/database.ts'
import type { LimitRule } from '#platform/limits/limit-states.ts'
import type { Language } from '#shared/languages.ts'
import type { Addressee } from './accounts.repository.ts'

/** Life of a link. */
export const RESET_MINUTES = 60
/** Shortest time between two links of an account. */
const PAUSE_SECONDS = 60
/** How long links are kept, because they are counted. */
const KEPT_DAYS = 1

const now = sql<Date>`clock_timestamp()`

/** The SQL of forgotten passwords, by the clock of the database. */
export const passwordResetsRepository = (db: Sql) => ({
  /** Stores a request; repeated requests for one address count as one. */
  async request(email: string, language: Language): Promise<void> {
    await db
      .insertInto('password_reset_requests')
      .values({ email: sql<string>`lower(${email})`, language })
      .onConflict((conflict) => conflict.column('email').doNothing())
      .execute()
  },

  /** Takes the oldest request; concurrent processes get different ones. */
  takeRequest: () =>
    db
      .deleteFrom('password_reset_requests')
      .where('email', '=', (one) =>
        one
          .selectFrom('password_reset_requests')
          .select('email')
          .orderBy('requested_at')
          .limit(1)
          .forUpdate()
          .skipLocked(),
      )
      .returning(['email', 'language'])
      .executeTakeFirst() as Promise<{ email: string; language: Language } | undefined>,

  /** Locked, so that concurrent requests count the account's links in turn. */
  lockAccount: (email: string) =>
    db
      .selectFrom('users')
      .select(['id', 'username', 'email', 'language', 'is_active'])
      .where(sql`lower(email)`, '=', sql`lower(${email})`)
      .forUpdate()
      .executeTakeFirst() as Promise<(Addressee & { is_active: boolean }) | undefined>,

  async mayHaveAnother(userId: number, { count, seconds }: LimitRule): Promise<boolean> {
    const row = await db
      .selectFrom('password_resets')
      .select([
        sql<number>`count(*) FILTER (WHERE created_at > clock_timestamp() - make_interval(secs => ${seconds}))`.as(
          'lately',
        ),
        sql<number>`count(*) FILTER (WHERE created_at > clock_timestamp() - make_interval(secs => ${PAUSE_SECONDS}))`.as(
          'just_now',
        ),
      ])
      .where('user_id', '=', userId)
      .executeTakeFirstOrThrow()
    return row.lately < count && row.just_now === 0
  },

  async insert(reset: { id: string; user_id: number; token_hash: Buffer }): Promise<void> {
    await db
      .insertInto('password_resets')
      .values({
        ...reset,
        expires_at: sql<Date>`clock_timestamp() + make_interval(mins => ${RESET_MINUTES})`,
      })
      .execute()
  },

  async hashOf(id: string): Promise<Buffer | undefined> {
    const reset = db.selectFrom('password_resets').select('token_hash').where('id', '=', id)
    return (await reset.executeTakeFirst())?.token_hash
  },

  /** @returns the id of the link that is stored with a hash */
  async refOf(tokenHash: Buffer): Promise<string | undefined> {
    const reset = db.selectFrom('password_resets').select('id').where('token_hash', '=', tokenHash)
    return (await reset.executeTakeFirst())?.id
  },

  /** The account of a link that works. */
  ownerOf: (tokenHash: Buffer) =>
    db
      .selectFrom('password_resets')
      .innerJoin('users', 'users.id', 'password_resets.user_id')
      .select(['username', 'email'])
      .where('token_hash', '=', tokenHash)
      .where('ended_at', 'is', null)
      .where('expires_at', '>', now)
      .where('is_active', '=', true)
      .executeTakeFirst(),

  /** Uses a link up; locks the account first, as everywhere. @returns undefined for an unknown, used or expired link */
  async use(tokenHash: Buffer): Promise<{ id: number; email: string } | undefined> {
    const { rows } = await sql<{ id: number; email: string }>`
      WITH account AS (
        SELECT u.id, u.email FROM password_resets r JOIN users u ON u.id = r.user_id
        WHERE r.token_hash = ${tokenHash} AND u.is_active FOR UPDATE OF u
      )
      UPDATE password_resets r SET ended_at = clock_timestamp() FROM account
      WHERE r.token_hash = ${tokenHash} AND r.user_id = account.id
        AND r.ended_at IS NULL AND r.expires_at > clock_timestamp()
      RETURNING account.id, account.email`.execute(db)
    return rows[0]
  },

  /** Deletes expired links that no longer count. @returns how many, at most `limit` */
  async deleteEnded(limit: number): Promise<number> {
    const { numDeletedRows } = await db
      .deleteFrom('password_resets')
      .where('id', 'in', (one) =>
        one
          .selectFrom('password_resets')
          .select('id')
          .where('expires_at', '<=', now)
          .where('created_at', '<', sql<Date>`clock_timestamp() - make_interval(days => ${KEPT_DAYS})`)
          .limit(limit),
      )
      .executeTakeFirst()
    return Number(numDeletedRows)
  },

  async endAll(userId: number): Promise<void> {
    await db
      .updateTable('password_resets')
      .set({ ended_at: now })
      .where('user_id', '=', userId)
      .where('ended_at', 'is', null)
      .execute()
  },
})
