import { sql } from 'kysely'
import type { Database, Trx } from './database.ts'

/** A key whose answer a call makes. */
export interface KeyInUse {
  userId: number
  key: string
  /** When the call began, to the microsecond: one that took the key over later has another. */
  begunAt: string
}

/** What came of a key: it is the caller's now, another call has it, or the answer it got. */
type Begun = KeyInUse | 'under way' | 'other call' | { status: number; answer: string }

/** A call that was begun this long ago and never answered was cut off by a crash: the key may be used again. */
const CUT_OFF_AFTER_S = 60

/** The store behind `Idempotency-Key`. */
export const idempotencyKeys = (db: Database) => ({
  async begin(userId: number, key: string, fingerprint: Buffer): Promise<Begun> {
    const { rows: mine } = await sql<{ begun_at: string }>`
      INSERT INTO idempotency_keys AS k (user_id, key, fingerprint) VALUES (${userId}, ${key}, ${fingerprint})
      ON CONFLICT (user_id, key) DO UPDATE
      SET fingerprint = excluded.fingerprint, status = NULL, answer = NULL, begun_at = clock_timestamp()
      WHERE k.begun_at < clock_timestamp() - interval '1 day'
         OR (k.status IS NULL AND k.fingerprint = excluded.fingerprint
             AND k.begun_at < clock_timestamp() - make_interval(secs => ${CUT_OFF_AFTER_S}))
      RETURNING begun_at::text`.execute(db)
    if (mine[0]) return { userId, key, begunAt: mine[0].begun_at }
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

  keep: ({ userId, key, begunAt }: KeyInUse, status: number, answer: string) =>
    db
      .updateTable('idempotency_keys')
      .set({ status, answer })
      .where('user_id', '=', userId)
      .where('key', '=', key)
      .where('begun_at', '=', sql<Date>`${begunAt}::timestamptz`)
      .execute(),

  /** Frees a key that has no answer yet. */
  forget: ({ userId, key, begunAt }: KeyInUse) =>
    db
      .deleteFrom('idempotency_keys')
      .where('user_id', '=', userId)
      .where('key', '=', key)
      .where('begun_at', '=', sql<Date>`${begunAt}::timestamptz`)
      .where('status', 'is', null)
      .execute(),

  /** Deletes keys whose day is over. */
  sweep: () => sql`DELETE FROM idempotency_keys WHERE begun_at < now() - interval '1 day'`.execute(db),
})

/**
 * Answers kept in the transaction of what they answer, for calls that would be done twice if their answer got lost on its
 * way: either both stand or neither.
 */
export const answersWithin = (trx: Trx) => ({
  /** Locks keys, so that nobody frees one or takes it over meanwhile. @returns those that are still their calls' own */
  async lock(keys: readonly KeyInUse[]): Promise<ReadonlySet<KeyInUse>> {
    if (keys.length === 0) return new Set()
    const { rows } = await sql<{ place: number }>`
      SELECT u.place::int AS place
      FROM idempotency_keys k JOIN ${unnested(keys)}
        ON u.user_id = k.user_id AND u.key = k.key AND u.begun_at = k.begun_at
      WHERE k.status IS NULL
      ORDER BY k.user_id, k.key
      FOR UPDATE OF k`.execute(trx)
    return new Set(rows.map(({ place }) => keys[place - 1] as KeyInUse))
  },

  /** Keeps the answers to calls that succeeded. */
  async keep(answers: readonly { key: KeyInUse; answer: string }[]): Promise<void> {
    if (answers.length === 0) return
    await sql`
      UPDATE idempotency_keys k SET status = 200, answer = (${answers.map((one) => one.answer)}::text[])[u.place]
      FROM ${unnested(answers.map((one) => one.key))}
      WHERE u.user_id = k.user_id AND u.key = k.key AND u.begun_at = k.begun_at`.execute(trx)
  },
})

const unnested = (keys: readonly KeyInUse[]) => sql`
  unnest(
    ${keys.map((one) => one.userId)}::bigint[], ${keys.map((one) => one.key)}::text[],
    ${keys.map((one) => one.begunAt)}::timestamptz[]
  ) WITH ORDINALITY AS u (user_id, key, begun_at, place)`
