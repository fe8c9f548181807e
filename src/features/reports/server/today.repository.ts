import { sql } from 'kysely'
import type { Sql } from '#platform/database.ts'
import type { Language } from '#shared/languages.ts'
import { textOf } from '#platform/localized-columns.ts'

export interface SalesRow {
  day: string
  orders: number
  tickets: number
  cents: number
}

export interface RunningOffer {
  id: number
  slug: string
  title: string
  sold: number
  /** Of the sold ones, the numbers of entries by post. */
  by_post: number
  total: number
  opened: Date
  end_date: Date
  /** The day in the shop's zone from which its days are counted. */
  since: string
  /** Tickets by day since then; days without any are missing. */
  days: { day: string; tickets: number }[]
}

export const todayRepository = (db: Sql) => ({
  /** Sales by the day of their receipts, as in the reports, the newest first; days without any are missing. */
  async sales(zone: string, days: number): Promise<SalesRow[]> {
    const { rows } = await sql<SalesRow>`
      WITH paid AS MATERIALIZED (
        SELECT e.order_id, (e.at AT TIME ZONE ${zone})::date AS day
        FROM order_events e
        WHERE e.to_state = 'completed'
          -- A subquery is computed once, not for each event.
          AND e.at >= (
            SELECT (date_trunc('day', now() AT TIME ZONE ${zone}) - make_interval(days => ${days - 1}))
                   AT TIME ZONE ${zone})
      ), first AS (SELECT order_id AS id FROM paid ORDER BY order_id LIMIT 1)
      SELECT to_char(p.day, 'YYYY-MM-DD') AS day, count(*)::int AS orders, sum(o.total_cents)::bigint AS cents,
             sum(l.tickets)::int AS tickets
      FROM paid p
      JOIN orders o ON o.id = p.order_id AND o.id >= (SELECT id FROM first)
      JOIN (
        SELECT order_id, sum(quantity) AS tickets FROM order_lines
        WHERE order_id >= (SELECT id FROM first) GROUP BY order_id
      ) AS l ON l.order_id = o.id
      GROUP BY p.day ORDER BY p.day DESC`.execute(db)
    return rows
  },

  /** The present moment, and its day in the shop's zone. */
  async now(zone: string): Promise<{ now: Date; day: string }> {
    const { rows } = await sql<{ now: Date; day: string }>`
      SELECT now(), to_char(now() AT TIME ZONE ${zone}, 'YYYY-MM-DD') AS day`.execute(db)
    return rows[0] ?? { now: new Date(0), day: '' }
  },

  /** Contests that sell at the moment, the next end first, and what they sold today and in the days before. */
  async running(language: Language, limit: number, zone: string, days: number): Promise<RunningOffer[]> {
    const { rows } = await sql<RunningOffer>`
      SELECT f.id, f.slug, ${textOf('f.titles', language)} AS title, f.tickets_sold AS sold,
        (SELECT count(*)::int FROM tickets p WHERE p.offer_id = f.id AND p.order_id IS NULL AND p.source = 'postal') AS by_post,
        f.total_tickets AS total, f.opened, f.end_date,
        f.since::text AS since,
        (
          SELECT coalesce(json_agg(json_build_object('day', sold.day, 'tickets', sold.tickets)), '[]') FROM (
            SELECT (k.issued_at AT TIME ZONE ${zone})::date::text AS day, count(*)::int AS tickets
            FROM tickets k WHERE k.offer_id = f.id AND k.issued_at >= f.since::timestamp AT TIME ZONE ${zone}
            GROUP BY 1
          ) sold
        ) AS days
      FROM (
        SELECT *, coalesce(published_at, created_at) AS opened, greatest(
          (now() AT TIME ZONE ${zone})::date - ${days}::int,
          (coalesce(published_at, created_at) AT TIME ZONE ${zone})::date
        ) AS since
        FROM offers WHERE active AND end_date > now() ORDER BY end_date LIMIT ${limit}
      ) f ORDER BY f.end_date`.execute(db)
    return rows
  },

  async inReview(): Promise<number> {
    const { rows } = await sql<{ orders: number }>`
      SELECT count(*)::int AS orders FROM orders WHERE state = 'review'`.execute(db)
    return rows[0]?.orders ?? 0
  },

  /** Contests that wait to be published. */
  async drafts(): Promise<number> {
    const { rows } = await sql<{ drafts: number }>`
      SELECT count(*)::int AS drafts FROM offers WHERE state = 'draft'`.execute(db)
    return rows[0]?.drafts ?? 0
  },
})
