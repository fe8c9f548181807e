import { sql } from 'kysely'
import type { Sql } from '#platform/database.ts'
import type { Language } from '#shared/languages.ts'

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
  total: number
  end_date: Date
  /** Tickets of the last seven days. */
  recent: number
  /** Of these seven days, a day at least, and of the time until the end. */
  seconds_recent: number
  seconds_left: number
}

/** Orders that were paid, whatever became of them. */
const PAID = sql`state IN ('completed', 'refunding', 'refunded')`

export const todayRepository = (db: Sql) => ({
  /** Sales by day of the order in the shop's zone, the newest first; days without any are missing. */
  async sales(zone: string, days: number): Promise<SalesRow[]> {
    const { rows } = await sql<SalesRow>`
      WITH paid AS (
        SELECT o.id, o.total_cents, (o.created_at AT TIME ZONE ${zone})::date AS day
        FROM orders o
        WHERE ${PAID}
          AND o.created_at >= (date_trunc('day', now() AT TIME ZONE ${zone}) - make_interval(days => ${days - 1}))
                              AT TIME ZONE ${zone}
      ), bought AS (
        SELECT p.day, sum(l.quantity)::int AS tickets
        FROM paid p JOIN order_lines l ON l.order_id = p.id GROUP BY p.day
      )
      SELECT to_char(p.day, 'YYYY-MM-DD') AS day, count(*)::int AS orders, sum(p.total_cents)::bigint AS cents,
             max(b.tickets) AS tickets
      FROM paid p JOIN bought b ON b.day = p.day GROUP BY p.day ORDER BY p.day DESC`.execute(db)
    return rows
  },

  /** The present day in the shop's zone. */
  async day(zone: string): Promise<string> {
    const { rows } = await sql<{ day: string }>`
      SELECT to_char(now() AT TIME ZONE ${zone}, 'YYYY-MM-DD') AS day`.execute(db)
    return rows[0]?.day ?? ''
  },

  /** Contests that sell at the moment, the next end first, and what they sold in their last seven days. */
  async running(language: Language, limit: number): Promise<RunningOffer[]> {
    const title = {
      fr: sql`title`,
      nl: sql`coalesce(nullif(title_nl, ''), title)`,
      en: sql`coalesce(nullif(title_en, ''), title)`,
    }
    const { rows } = await sql<RunningOffer>`
      SELECT f.id, f.slug, ${title[language]} AS title, f.tickets_sold AS sold, f.total_tickets AS total, f.end_date,
        coalesce((
          SELECT sum(l.quantity)::int FROM order_lines l JOIN orders o ON o.id = l.order_id
          WHERE l.offer_id = f.id AND o.state = 'completed' AND o.created_at >= now() - interval '7 days'
        ), 0) AS recent,
        greatest(86400, extract(epoch FROM least(interval '7 days', now() - f.created_at)))::int AS seconds_recent,
        extract(epoch FROM f.end_date - now())::int AS seconds_left
      FROM (
        SELECT * FROM offers WHERE active AND end_date > now() ORDER BY end_date LIMIT ${limit}
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
