import { sql } from 'kysely'
import type { Sql } from '#platform/database.ts'
import type { DrawRow, DrawsQuery } from '../draws.contract.ts'

type StoredDraw = Omit<DrawRow, 'closes_at' | 'draw_at'> & { closes_at: Date | null; draw_at: Date | null }

const IS_LISTED = sql`o.state NOT IN ('draft', 'cancelled')`

/** Of a page: which contests, in which order, and those behind `l`, the last one of the page before. */
const TIMES = {
  coming: {
    which: sql`o.draw_at >= now() AND ${IS_LISTED}`,
    order: sql`o.draw_at, o.id`,
    behind: sql`(o.draw_at, o.id) > (l.draw_at, l.id)`,
  },
  past: {
    which: sql`o.draw_at < now() AND ${IS_LISTED}`,
    order: sql`o.draw_at DESC, o.id DESC`,
    behind: sql`(o.draw_at, o.id) < (l.draw_at, l.id)`,
  },
  undated: {
    which: sql`o.draw_at IS NULL AND ${IS_LISTED}`,
    order: sql`o.id DESC`,
    behind: sql`o.id < l.id`,
  },
  cancelled: {
    which: sql`o.state = 'cancelled'`,
    order: sql`o.id DESC`,
    behind: sql`o.id < l.id`,
  },
}

export const drawsRepository = (db: Sql) => ({
  /** Contests by the instant of their draw. Numbers of entries are counted without reading every ticket. */
  async page({ when, after, limit }: DrawsQuery): Promise<StoredDraw[]> {
    const { which, order, behind } = TIMES[when]
    const { rows } = await sql<StoredDraw>`
      SELECT o.id AS offer_id, o.title, o.title_nl, o.title_en, o.state, o.end_date AS closes_at, o.draw_at,
             o.tickets_sold - p.entered - v.others AS entries_paid, p.entered - v.postal AS entries_postal,
             o.entered_at IS NOT NULL OR o.state IN ('closed', 'cancelled') AS terms_locked
      FROM (
        SELECT o.* FROM offers o
        WHERE ${which} AND ${
          after === undefined ? sql`true` : sql`(SELECT ${behind} FROM offers l WHERE l.id = ${after})`
        }
        ORDER BY ${order} LIMIT ${limit}
      ) AS o
      -- All numbers of a cancelled contest become void: there may be a million.
      LEFT JOIN LATERAL (
        SELECT count(*)::int AS entered FROM postal_entries e WHERE e.offer_id = o.id AND e.status = 'entered'
      ) AS p ON o.state <> 'cancelled'
      LEFT JOIN LATERAL (
        SELECT (count(*) FILTER (WHERE t.source = 'postal'))::int AS postal,
               (count(*) FILTER (WHERE t.source <> 'postal'))::int AS others
        FROM tickets t WHERE t.offer_id = o.id AND t.status = 'void'
      ) AS v ON o.state <> 'cancelled'
      ORDER BY ${order}`.execute(db)
    return rows
  },
})
