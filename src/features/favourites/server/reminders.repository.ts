import { type RawBuilder, sql } from 'kysely'
import { exclusionOf } from '#features/accounts/server/index.ts'
import { PICTURE } from '#features/draws/server/index.ts'
import type { Sql, Trx } from '#platform/database.ts'
import type { Language } from '#shared/languages.ts'
import type { LocalizedText } from '#shared/localized-text.ts'
import type { ReminderKind } from '../favourites.contract.ts'
import { CLOSING_BEFORE_MS, DRAW_BEFORE_MS } from '../favourites.rules.ts'

/** Days after the draw in which a reminder of its result is worth sending. */
const RESULT_DAYS = 7

const secondsBefore = (ms: number) => sql`make_interval(secs => ${sql.lit(ms / 1000)})`

/**
 * Of a contest `o`, whose first result is `first`: what a reminder is about, whether it is its time, until when it is of
 * use, and to whom `u` it still says something. Whoever has tickets gets the emails of the draw.
 */
const KINDS = {
  closing: {
    at: sql`o.end_date`,
    isDue: sql`o.state = 'open' AND o.end_date > clock_timestamp()
      AND o.end_date <= clock_timestamp() + ${secondsBefore(CLOSING_BEFORE_MS)}`,
    until: sql`o.end_date`,
    tells: sql`o.tickets_sold + o.postal_reserve - o.postal_reserve_used < o.total_tickets`,
  },
  draw: {
    at: sql`o.draw_at`,
    isDue: sql`o.state IN ('open', 'closed', 'listed', 'sealed') AND o.draw_at > clock_timestamp()
      AND o.draw_at <= clock_timestamp() + ${secondsBefore(DRAW_BEFORE_MS)}`,
    until: sql`o.draw_at`,
    tells: sql`true`,
  },
  result: {
    at: sql`first.drawn_at`,
    isDue: sql`o.state IN ('drawn', 'awarded')
      AND first.drawn_at > clock_timestamp() - make_interval(days => ${sql.lit(RESULT_DAYS)})`,
    until: sql`first.drawn_at + make_interval(days => ${sql.lit(RESULT_DAYS)})`,
    tells: sql`NOT EXISTS (
      SELECT FROM tickets t WHERE t.user_id = u.id AND t.offer_id = o.id AND t.status = 'valid')`,
  },
} satisfies Record<ReminderKind, Record<'at' | 'isDue' | 'until' | 'tells', RawBuilder<unknown>>>

const CONTESTS = sql`offers o LEFT JOIN draw_attempts first ON first.offer_id = o.id AND first.attempt = 0`

/** Whether an account `u` gets reminders. */
const GETS_THEM = sql`(u.is_active AND u.email_confirmed_at IS NOT NULL AND ${exclusionOf('u')} IS NULL)`

const microseconds = (at: RawBuilder<unknown>) => sql<number>`(extract(epoch FROM ${at}) * 1000000)::bigint`

/** Whether a reminder `r` was not sent about this instant. Three ranges of its index. */
const isUntold = (at: RawBuilder<unknown>) =>
  sql`(r.told_of IS NULL OR r.told_of < ${at} OR r.told_of > ${at})`

/** A reminder whose time has come. */
export interface DueReminder {
  user_id: number
  email: string
  language: Language
  titles: LocalizedText
  /** The instant that it is about. */
  at: number
  useful_minutes: number
}

/** Which reminder an email is. */
export interface ReminderId {
  userId: number
  offerId: number
  kind: ReminderKind
  /** The instant that it is about: microseconds, as the database has them. */
  at: number
}

/** What a reminder says. */
export interface ReminderFacts {
  name: string
  slug: string
  titles: LocalizedText
  /** The words of the contest's first picture; null without one. */
  picture: LocalizedText | null
  end_date: Date
  draw_at: Date | null
  total: number
  /** That was drawn last; null before the draw. */
  number: number | null
  drawn_at: Date | null
}

export const remindersRepository = (db: Sql) => ({
  /** Contests with reminders whose time has come, the next first. */
  async toTell(kind: ReminderKind): Promise<number[]> {
    const { at, isDue, until } = KINDS[kind]
    const { rows } = await sql<{ id: number }>`
      SELECT o.id FROM ${CONTESTS}
      WHERE ${isDue} AND EXISTS (
        SELECT FROM reminders r WHERE r.offer_id = o.id AND r.kind = ${kind} AND ${isUntold(at)})
      ORDER BY ${until}, o.id`.execute(db)
    return rows.map(({ id }) => id)
  },

  /** Whether an email that waits still says something, to somebody who still wants it. */
  async isNeeded({ userId, offerId, kind, at: told }: ReminderId): Promise<boolean> {
    const { at, isDue, tells } = KINDS[kind]
    const { rows } = await sql`
      SELECT FROM ${CONTESTS} JOIN reminders r ON r.offer_id = o.id JOIN users u ON u.id = r.user_id
      WHERE o.id = ${offerId} AND u.id = ${userId} AND r.kind = ${kind}
        AND ${microseconds(at)} = ${told} AND ${isDue} AND ${tells} AND ${GETS_THEM}`.execute(db)
    return rows.length > 0
  },

  async facts({
    userId,
    offerId,
  }: Pick<ReminderId, 'userId' | 'offerId'>): Promise<ReminderFacts | undefined> {
    const { rows } = await sql<ReminderFacts>`
      SELECT u.username AS name, o.slug, o.titles, ${PICTURE} AS picture, o.end_date, o.draw_at,
             o.total_tickets AS total, last.number, last.drawn_at
      FROM users u JOIN offers o ON o.id = ${offerId}
      LEFT JOIN LATERAL (
        SELECT a.number, a.drawn_at FROM draw_attempts a
        WHERE a.offer_id = o.id AND a.drawn_at IS NOT NULL ORDER BY a.attempt DESC LIMIT 1
      ) AS last ON true
      WHERE u.id = ${userId}`.execute(db)
    return rows[0]
  },
})

/**
 * Marks the next reminders of a contest as sent, for this transaction to write them. Each one is taken once: those of
 * accounts that get none, and those that say nothing, are left out for good. An account that is being closed is not waited
 * for: its closing waits for reminders.
 */
export async function takeReminders(
  trx: Trx,
  offerId: number,
  kind: ReminderKind,
  limit: number,
): Promise<{ taken: number; due: DueReminder[] }> {
  const { at, isDue, until, tells } = KINDS[kind]
  const { rows } = await sql<DueReminder & { gets_it: boolean }>`
    WITH next AS (
      SELECT r.user_id, ${at} AS at FROM ${CONTESTS} JOIN reminders r ON r.offer_id = o.id JOIN users u ON u.id = r.user_id
      WHERE o.id = ${offerId} AND r.kind = ${kind} AND ${isDue} AND ${isUntold(at)}
      ORDER BY r.user_id LIMIT ${limit} FOR NO KEY UPDATE OF r SKIP LOCKED FOR KEY SHARE OF u SKIP LOCKED
    ), taken AS (
      UPDATE reminders r SET told_of = next.at FROM next
      WHERE r.user_id = next.user_id AND r.offer_id = ${offerId} AND r.kind = ${kind} RETURNING r.user_id, r.told_of
    )
    SELECT taken.user_id, ${microseconds(sql`taken.told_of`)} AS at, u.email, u.language, o.titles,
           ceil(extract(epoch FROM ${until} - clock_timestamp()) / 60)::int AS useful_minutes,
           ${GETS_THEM} AND ${tells} AS gets_it
    FROM taken JOIN users u ON u.id = taken.user_id JOIN (${CONTESTS}) ON o.id = ${offerId}
    ORDER BY taken.user_id`.execute(trx)
  return { taken: rows.length, due: rows.flatMap(({ gets_it, ...row }) => (gets_it ? [row] : [])) }
}
