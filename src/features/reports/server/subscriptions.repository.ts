import { type RawBuilder, sql } from 'kysely'
import type { Sql, Trx } from '#platform/database.ts'
import type { Language } from '#shared/languages.ts'
import { STAFF_ROLES, permits } from '#shared/staff-permissions.ts'
import type { Subscriptions } from '../sales.contract.ts'

/** Of which a report is sent, once it is over. */
export type ReportPeriod = keyof Subscriptions

export interface DueReport {
  user_id: number
  email: string
  period: ReportPeriod
  language: Language
  /** The first and the last day of the period. */
  from: string
  to: string
}

const READERS = STAFF_ROLES.filter((role) => permits(role, 'reports.read'))

/** The first day of the last whole week or month in a zone. @param at which ends after this */
const lastWhole = (period: RawBuilder<unknown>, zone: string, at = sql`now()`): RawBuilder<unknown> => sql`
  (date_trunc(${period}, ${at} AT TIME ZONE ${zone}) - ('1 ' || ${period})::interval)::date`

/** What ended at midnight is sent from one o'clock on, when payments of the last minutes are recorded. */
const AN_HOUR_AGO = sql`(now() - interval '1 hour')`
/** Of periods that nobody could be told of, such as those of an outage, the last ones are sent. */
const MOST_LATE = 12

export const subscriptionsRepository = (db: Sql) => ({
  async of(userId: number): Promise<Subscriptions> {
    const { rows } = await sql<{ period: ReportPeriod }>`
      SELECT period FROM report_subscriptions WHERE user_id = ${userId}`.execute(db)
    const has = (period: ReportPeriod): boolean => rows.some((row) => row.period === period)
    return { week: has('week'), month: has('month') }
  },

  removeAll: (userId: number) =>
    db.deleteFrom('report_subscriptions').where('user_id', '=', userId).execute(),

  /** The first report is that of the period that runs. */
  async set(userId: number, wanted: Subscriptions, language: Language, zone: string): Promise<void> {
    const periods = (['week', 'month'] as const).filter((period) => wanted[period])
    await sql`DELETE FROM report_subscriptions WHERE user_id = ${userId} AND period <> ALL(${periods}::text[])`.execute(
      db,
    )
    await sql`
      INSERT INTO report_subscriptions (user_id, period, language, sent_until)
      SELECT ${userId}, period, ${language}, ${lastWhole(sql`period`, zone)} FROM unnest(${periods}::text[]) AS p (period)
      ON CONFLICT (user_id, period) DO UPDATE SET language = excluded.language`.execute(db)
  },
})

/**
 * Takes the earliest report that is due, for a person who may read it; no other process takes it until the transaction
 * ends. One that could not be sent waits for some minutes, behind the others.
 * @returns undefined when none is due
 */
export async function takeDueReport(trx: Trx, zone: string): Promise<DueReport | undefined> {
  const last = lastWhole(sql`s.period`, zone, AN_HOUR_AGO)
  const { rows } = await sql<DueReport>`
    WITH due AS (
      SELECT s.user_id, s.period, u.email, s.language, greatest(
               date_trunc(s.period, s.sent_until + ('1 ' || s.period)::interval)::date,
               (${last} - ('1 ' || s.period)::interval * ${MOST_LATE - 1}::int)::date
             ) AS begins
      FROM report_subscriptions s JOIN users u ON u.id = s.user_id
      WHERE u.is_active AND u.role = ANY(${READERS}::text[]) AND s.sent_until < ${last}
        AND (s.tried_at IS NULL OR s.tried_at < clock_timestamp() - interval '10 minutes')
      ORDER BY s.tried_at NULLS FIRST LIMIT 1 FOR UPDATE OF s SKIP LOCKED
    )
    UPDATE report_subscriptions s SET sent_until = due.begins, tried_at = NULL FROM due
    WHERE s.user_id = due.user_id AND s.period = due.period
    RETURNING due.user_id, due.period, due.email, due.language, due.begins::text AS "from",
              (due.begins + ('1 ' || due.period)::interval - interval '1 day')::date::text AS "to"`.execute(
    trx,
  )
  return rows[0]
}

/** Notes that a report could not be sent. */
export const deferReport = (db: Sql, { user_id, period }: DueReport) =>
  sql`
    UPDATE report_subscriptions SET tried_at = clock_timestamp()
    WHERE user_id = ${user_id} AND period = ${period}`.execute(db)
