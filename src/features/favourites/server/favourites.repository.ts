import { sql } from 'kysely'
import type { Database, Sql, Trx } from '#platform/database.ts'
import type { LocalizedText } from '#shared/localized-text.ts'
import type { ReminderKind } from '../favourites.contract.ts'

export interface KeptOffer {
  offer_id: number
  /** When it was marked; null for one with reminders alone. */
  marked_at: Date | null
  /** Asked for, and not sent yet. */
  reminders: ReminderKind[]
}

export const favouritesRepository = (db: Sql) => ({
  /** The contests that an account marked or wants to be reminded of, the newest first. */
  async ofAccount(userId: number, limit: number): Promise<KeptOffer[]> {
    const { rows } = await sql<KeptOffer>`
      SELECT offer_id, f.marked_at, coalesce(r.reminders, '{}') AS reminders
      FROM (SELECT * FROM favourites WHERE user_id = ${userId}) AS f
      FULL JOIN (
        SELECT offer_id, max(asked_at) AS asked_at,
               array_agg(kind ORDER BY kind) FILTER (WHERE told_of IS NULL) AS reminders
        FROM reminders WHERE user_id = ${userId} GROUP BY offer_id
      ) AS r USING (offer_id)
      ORDER BY greatest(f.marked_at, r.asked_at) DESC, offer_id DESC LIMIT ${limit}`.execute(db)
    return rows
  },

  /** Of an account in a contest, sent ones among them. */
  async remindersOf(userId: number, offerId: number): Promise<{ kind: ReminderKind; isTold: boolean }[]> {
    const { rows } = await sql<{ kind: ReminderKind; isTold: boolean }>`
      SELECT kind, told_of IS NOT NULL AS "isTold" FROM reminders
      WHERE user_id = ${userId} AND offer_id = ${offerId}`.execute(db)
    return rows
  },

  /** For an export. */
  async dataOf(userId: number) {
    const { rows } = await sql<{
      titles: LocalizedText
      marked_at: Date | null
      reminders: { kind: ReminderKind; asked_at: string }[]
    }>`
      SELECT o.titles, f.marked_at, coalesce(r.reminders, '[]') AS reminders
      FROM (SELECT * FROM favourites WHERE user_id = ${userId}) AS f
      FULL JOIN (
        SELECT offer_id, max(asked_at) AS asked_at,
               jsonb_agg(jsonb_build_object('kind', kind, 'asked_at', asked_at) ORDER BY kind) AS reminders
        FROM reminders WHERE user_id = ${userId} GROUP BY offer_id
      ) AS r USING (offer_id)
      JOIN offers o ON o.id = offer_id
      ORDER BY greatest(f.marked_at, r.asked_at) DESC, o.id DESC`.execute(db)
    return rows
  },
})

export const favouritesWrites = (trx: Trx) => ({
  /** Makes the changes of an account wait for each other, and for its closing. */
  lockAccount: (userId: number) => sql`SELECT FROM users WHERE id = ${userId} FOR NO KEY UPDATE`.execute(trx),

  async mark(userId: number, offerId: number): Promise<void> {
    await sql`
      INSERT INTO favourites (user_id, offer_id) VALUES (${userId}, ${offerId}) ON CONFLICT DO NOTHING`.execute(
      trx,
    )
  },

  async unmark(userId: number, offerId: number): Promise<void> {
    await sql`DELETE FROM favourites WHERE user_id = ${userId} AND offer_id = ${offerId}`.execute(trx)
  },

  /** Adds those that are new and removes those that are not named. */
  async setReminders(userId: number, offerId: number, kinds: readonly ReminderKind[]): Promise<void> {
    await sql`
      DELETE FROM reminders
      WHERE user_id = ${userId} AND offer_id = ${offerId} AND kind <> ALL(${[...kinds]}::text[])`.execute(trx)
    await sql`
      INSERT INTO reminders (user_id, offer_id, kind)
      SELECT ${userId}, ${offerId}, kind FROM unnest(${[...kinds]}::text[]) AS kind
      ON CONFLICT DO NOTHING`.execute(trx)
  },

  async stopReminders(userId: number): Promise<void> {
    await sql`DELETE FROM reminders WHERE user_id = ${userId}`.execute(trx)
  },

  /** How many contests an account keeps. */
  async count(userId: number): Promise<number> {
    const { rows } = await sql<{ kept: number }>`
      SELECT count(*)::int AS kept FROM (
        SELECT offer_id FROM favourites WHERE user_id = ${userId}
        UNION SELECT offer_id FROM reminders WHERE user_id = ${userId}
      ) AS kept`.execute(trx)
    return rows[0]?.kept ?? 0
  },

  /** @returns how many rows */
  async forget(userId: number): Promise<number> {
    const { rows } = await sql<{ gone: number }>`
      WITH f AS (DELETE FROM favourites WHERE user_id = ${userId} RETURNING 1),
           r AS (DELETE FROM reminders WHERE user_id = ${userId} RETURNING 1)
      SELECT (SELECT count(*) FROM f)::int + (SELECT count(*) FROM r)::int AS gone`.execute(trx)
    return rows[0]?.gone ?? 0
  },
})

/** Deletes what was kept of contests that were over that many days ago. @returns how much, at most `limit` of each */
export async function forgetOver(
  db: Database,
  table: 'favourites' | 'reminders',
  days: number,
  limit: number,
): Promise<number> {
  const { numAffectedRows } = await sql`
    DELETE FROM ${sql.table(table)} WHERE ctid = ANY(ARRAY(
      SELECT k.ctid FROM ${sql.table(table)} k JOIN offers o ON o.id = k.offer_id
      WHERE greatest(o.end_date, o.draw_at, o.cancelled_at) < clock_timestamp() - make_interval(days => ${days})
      LIMIT ${limit} FOR UPDATE OF k SKIP LOCKED
    ))`.execute(db)
  return Number(numAffectedRows ?? 0)
}
