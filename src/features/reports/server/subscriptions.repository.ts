import { type RawBuilder, sql } from 'kysely'
import type { Sql, Trx } from '#platform/database.ts'
import type { Language } from '#shared/languages.ts'
import { STAFF_ROLES, permits } from '#shared/staff-permissions.ts'
import type { Subscriptions } from '../sales.contract.ts'

/** Of which a report is sent, once it is over. */
export type ReportPeriod = keyof Subscriptions

interface DueReport {
  user_id: number
  username: string
  email: string
  period: ReportPeriod
  language: Language
  /** The first and the last day of the period. */
  from: string
  to: string
}

const READERS = STAFF_ROLES.filter((role) => permits(role, 'reports.read'))

/** The first day of the last whole week or month in a zone. */
const lastWhole = (period: RawBuilder<unknown>, zone: string): RawBuilder<unknown> => sql`
  (date_trunc(${period}, now() AT TIME ZONE ${zone}) - ('1 ' || ${period})::interval)::date`

export const subscriptionsRepository = (db: Sql) => ({
  async of(userId: number): Promise<Subscriptions> {
    const { rows } = await sql<{ period: ReportPeriod }>`
      SELECT period FROM report_subscriptions WHERE user_id = ${userId}`.execute(db)
    const has = (period: ReportPeriod): boolean => rows.some((row) => row.period === period)
    return { week: has('week'), month: has('month') }
  },

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
 * Takes a report that is due, for a person who may read it; no other process takes it until the transaction ends.
 * @returns undefined when none is due
 */
export async function takeDueReport(trx: Trx, zone: string): Promise<DueReport | undefined> {
  const { rows } = await sql<DueReport>`
    WITH due AS (
      SELECT s.user_id, s.period, u.username, u.email, s.language, ${lastWhole(sql`s.period`, zone)} AS begins
      FROM report_subscriptions s JOIN users u ON u.id = s.user_id
      WHERE u.is_active AND u.role = ANY(${READERS}::text[]) AND s.sent_until < ${lastWhole(sql`s.period`, zone)}
      LIMIT 1 FOR UPDATE OF s SKIP LOCKED
    )
    UPDATE report_subscriptions s SET sent_until = due.begins FROM due
    WHERE s.user_id = due.user_id AND s.period = due.period
    RETURNING due.user_id, due.period, due.username, due.email, due.language, due.begins::text AS "from",
              (due.begins + ('1 ' || due.period)::interval - interval '1 day')::date::text AS "to"`.execute(
    trx,
  )
  return rows[0]
}
