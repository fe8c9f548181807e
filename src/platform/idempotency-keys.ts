import { sql } from 'kysely'
import type { Database } from './database.ts'

/** What came of a key: it is the caller's now, another call has it, or the answer it got. */
type Begun = 'begun' | 'under way' | 'other call' | { status: number; answer: string }

/** A call that was begun this long ago and never answered was cut off by a crash: the key may be used again. */
const CUT_OFF_AFTER_S = 60

/** The store behind `Idempotency-Key`. */
export const idempotencyKeys = (db: Database) => ({
  async begin(userId: number, key: string, fingerprint: Buffer): Promise<Begun> {
    const { rows: mine } = await sql`
      INSERT INTO idempotency_keys AS k (user_id, key, fingerprint) VALUES (${userId}, ${key}, ${fingerprint})
      ON CONFLICT (user_id, key) DO UPDATE
      SET fingerprint = excluded.fingerprint, status = NULL, answer = NULL, begun_at = clock_timestamp()
      WHERE k.begun_at < clock_timestamp() - interval '1 day'
         OR (k.status IS NULL AND k.fingerprint = excluded.fingerprint
             AND k.begun_at < clock_timestamp() - make_interval(secs => ${CUT_OFF_AFTER_S}))
      RETURNING 1 AS one`.execute(db)
    if (mine.length > 0) return 'begun'
    const known = await db
      .selectFrom('idempotency_keys')
      .select(['fingerprint', 'status', 'answer'])
      .where('user_id', '=', userId)
      .where('key', '=', key)
      .executeTakeFirst()
    // Forgotten in this instant: the caller tries again.
    if (!known) return 'under way'
    if (!known.fingerprint.equals(fingerprint)) return 'other call'
    if (known.status === null || known.answer === null) return 'under way'
    return { status: known.status, answer: known.answer }
  },

  keep: (userId: number, key: string, status: number, answer: string) =>
    db
      .updateTable('idempotency_keys')
      .set({ status, answer })
      .where('user_id', '=', userId)
      .where('key', '=', key)
      .execute(),

  forget: (userId: number, key: string) =>
    db
      .deleteFrom('idempotency_keys')
      .where('user_id', '=', userId)
      .where('key', '=', key)
      .where('status', 'is', null)
      .execute(),

  /** Deletes keys whose day is over. */
  sweep: () => sql`DELETE FROM idempotency_keys WHERE begun_at < now() - interval '1 day'`.execute(db),
})
