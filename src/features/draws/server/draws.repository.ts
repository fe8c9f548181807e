import { sql } from 'kysely'
import type { ReadDatabase } from '#platform/database.ts'
import { IS_SEEN, UNTIL } from './claims/claims.repository.ts'
import { ATTEMPTS, type StoredTimeline, TIMELINE } from './draw-steps.repository.ts'
import type { ForfeitReason } from '#draw-protocol/formats.ts'
import type { OfferState } from '#features/offers/offer-states.rules.ts'
import type { CALENDAR_EVENTS, DrawPage, DrawRow, DrawsQuery } from '../draws.contract.ts'
import type { LocalizedText, TextFields } from '#shared/localized-text.ts'

type StoredDraw = Omit<DrawRow, 'closes_at' | 'draw_at' | keyof TextFields<'title'>> & {
  titles: LocalizedText
  closes_at: Date | null
  draw_at: Date | null
}

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

export const drawsRepository = (db: ReadDatabase) => ({
  /** Contests by the instant of their draw. Numbers of entries are counted without reading every ticket. */
  async page({ when, after, limit }: DrawsQuery, hidden: readonly OfferState[]): Promise<StoredDraw[]> {
    const { which, order, behind } = TIMES[when]
    const { rows } = await sql<StoredDraw>`
      SELECT o.id AS offer_id, o.titles, o.state, o.end_date AS closes_at, o.draw_at,
             o.tickets_sold - p.entered - v.others AS entries_paid, p.entered - v.postal AS entries_postal,
             o.entered_at IS NOT NULL OR o.state IN ('closed', 'cancelled') AS terms_locked
      FROM (
        SELECT o.* FROM offers o
        WHERE ${which} AND o.state <> ALL(${hidden}::text[]) AND ${
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

  /** A contest with what its draw has made so far. */
  async find(offerId: number): Promise<StoredPage | undefined> {
    const { rows } = await sql<StoredPage>`
      SELECT o.id AS offer_id, o.slug, o.titles, o.total_tickets AS total, ${TIMELINE}, ${ATTEMPTS},
             encode(d.terms_hash, 'hex') AS terms_hash, d.alternate_delay_seconds, d.notice_seconds, d.alternates_decided, l.origin, l.size,
             l.entries, k.root, k.checkpoint_at,
             greatest(o.tickets_sold - coalesce(l.entries, 0), 0) + (
               SELECT count(*)::int FROM draw_voids v
               WHERE v.offer_id = o.id AND v.leaf_index IS NULL
                 AND EXISTS (SELECT FROM draw_entries e WHERE e.offer_id = v.offer_id AND e.number = v.number)
             ) AS waiting
      FROM offers o
      LEFT JOIN draws d ON d.offer_id = o.id
      LEFT JOIN draw_logs l ON l.id = o.id
      LEFT JOIN LATERAL (
        SELECT encode(c.root, 'hex') AS root, c.at AS checkpoint_at FROM draw_checkpoints c
        WHERE c.log_id = l.id ORDER BY c.id DESC LIMIT 1
      ) AS k ON true
      WHERE o.id = ${offerId}`.execute(db)
    return rows[0]
  },

  /** When the contest made its moves, the last time of each. */
  async moves(offerId: number): Promise<{ event: string; at: Date }[]> {
    const { rows } = await sql<{ event: string; at: Date }>`
      SELECT event, max(at) AS at FROM offer_events WHERE offer_id = ${offerId} GROUP BY event`.execute(db)
    return rows
  },

  async lists(offerId: number): Promise<DrawPage['lists']> {
    const { rows } = await sql<DrawPage['lists'][number]>`
      SELECT l.name, encode(f.sha256, 'hex') AS hash, encode(l.list_root, 'hex') AS root, l.paid, l.postal, l.demo, l.valid
      FROM draw_lists l JOIN draw_files f USING (offer_id, name)
      WHERE l.offer_id = ${offerId} ORDER BY f.made_at`.execute(db)
    return rows
  },

  async files(offerId: number): Promise<{ name: string; sha256: string; bytes: number; made_at: Date }[]> {
    const { rows } = await sql<{ name: string; sha256: string; bytes: number; made_at: Date }>`
      SELECT name, encode(sha256, 'hex') AS sha256, bytes, made_at FROM draw_files
      WHERE offer_id = ${offerId} ORDER BY made_at, name`.execute(db)
    return rows
  },

  async attempts(offerId: number): Promise<StoredAttempt[]> {
    const { rows } = await sql<StoredAttempt>`
      SELECT a.attempt, a.round, a.round_at, a.drawn_at, a.relay, encode(a.randomness, 'hex') AS randomness, a.number,
             coalesce(t.status = 'void', false) AS is_void, f.reason, f.is_decided, f.published_at, asked.asked
      FROM draw_attempts a
      LEFT JOIN LATERAL (
        SELECT json_build_object('by', trim(u.username), 'at', p.requested_at, 'reason', p.input ->> 'reason') AS asked
        FROM approvals p JOIN users u ON u.id = p.requested_by
        WHERE p.permission = 'draws.decide' AND p.subject_kind = 'offer' AND p.subject = a.offer_id::text
          AND (p.input ->> 'attempt')::int = a.attempt AND p.decision IS NULL
        ORDER BY p.id DESC LIMIT 1
      ) AS asked ON true
      LEFT JOIN tickets t ON t.offer_id = a.offer_id AND t.number = a.number
      LEFT JOIN draw_forfeitures f ON f.offer_id = a.offer_id AND f.attempt = a.attempt
      WHERE a.offer_id = ${offerId} ORDER BY a.attempt`.execute(db)
    return rows
  },

  /** Contests whose draw comes within so many days, is under way, or has a prize that nobody has been given. */
  async awaited(days: number, limit: number): Promise<AwaitedRow[]> {
    const { rows } = await sql<AwaitedRow>`
      SELECT o.id AS offer_id, o.titles, ${TIMELINE}, ${ATTEMPTS}, c.offer_id IS NOT NULL AS has_claim,
             c.is_over, c.submitted_at, c.is_seen_at AS identity_seen_at, c.awarded_at, c.forfeited_at, c.reason, c.is_void
      FROM offers o
      LEFT JOIN draws d ON d.offer_id = o.id
      LEFT JOIN LATERAL (
        SELECT a.attempt, a.number FROM draw_attempts a
        WHERE a.offer_id = o.id AND a.drawn_at IS NOT NULL ORDER BY a.attempt DESC LIMIT 1
      ) AS last ON true
      LEFT JOIN LATERAL (
        SELECT c.*, CASE WHEN ${IS_SEEN} THEN c.identity_seen_at END AS is_seen_at,
               ${UNTIL} <= clock_timestamp() AS is_over, f.reason, t.status = 'void' AS is_void
        FROM draw_claims c
        LEFT JOIN draw_forfeitures f ON f.offer_id = c.offer_id AND f.attempt = c.attempt
        LEFT JOIN tickets t ON t.offer_id = c.offer_id AND t.number = last.number
        WHERE c.offer_id = o.id AND c.attempt = last.attempt
      ) AS c ON true
      WHERE o.draw_at IS NOT NULL
        AND (o.state IN ('closed', 'listed', 'sealed', 'drawn')
             OR (o.state = 'open' AND o.draw_at <= now() + make_interval(days => ${days})))
      ORDER BY o.draw_at, o.id LIMIT ${limit}`.execute(db)
    return rows
  },

  /** What is planned in a month. @param month its first day */
  async calendar(month: string, timeZone: string, hidden: readonly OfferState[]): Promise<CalendarRow[]> {
    const { rows } = await sql<CalendarRow>`
      WITH month AS (
        SELECT ${month}::date::timestamp AT TIME ZONE ${timeZone} AS first,
               (${month}::date + interval '1 month') AT TIME ZONE ${timeZone} AS next
      ), events AS (
        SELECT o.id, 'closing' AS event, o.end_date AS at FROM offers o CROSS JOIN month m
        WHERE o.end_date >= m.first AND o.end_date < m.next
        UNION ALL
        SELECT o.id, 'draw', o.draw_at FROM offers o CROSS JOIN month m
        WHERE o.draw_at >= m.first AND o.draw_at < m.next
        UNION ALL
        SELECT a.offer_id, 'alternate', a.round_at FROM draw_attempts a CROSS JOIN month m
        WHERE a.attempt > 0 AND a.round_at >= m.first AND a.round_at < m.next
        UNION ALL
        SELECT c.offer_id, 'claimEnd', c.until FROM draw_claims c CROSS JOIN month m
        WHERE c.awarded_at IS NULL AND c.forfeited_at IS NULL AND c.submitted_at IS NULL
          AND c.until >= m.first AND c.until < m.next
      )
      SELECT o.id AS offer_id, o.titles, o.state, e.event, e.at,
             to_char(e.at AT TIME ZONE ${timeZone}, 'YYYY-MM-DD') AS day
      FROM events e JOIN offers o ON o.id = e.id
      WHERE o.state NOT IN ('draft', 'cancelled') AND o.state <> ALL(${hidden}::text[])
      ORDER BY e.at, o.id, e.event`.execute(db)
    return rows
  },
})

interface StoredPage extends StoredTimeline {
  offer_id: number
  slug: string | null
  titles: LocalizedText
  total: number
  draw_at: Date | null
  published_at: Date | null
  /** Null without published terms, as what follows. */
  terms_hash: string | null
  alternate_delay_seconds: number | null
  notice_seconds: number | null
  alternates_decided: number | null
  origin: string | null
  size: number | null
  entries: number | null
  root: string | null
  checkpoint_at: Date | null
  waiting: number
}

interface StoredAttempt {
  attempt: number
  round: number
  round_at: Date
  drawn_at: Date | null
  relay: string | null
  randomness: string | null
  number: number | null
  is_void: boolean
  reason: ForfeitReason | null
  is_decided: boolean | null
  published_at: Date | null
  /** A forfeiture that waits for a second person. */
  asked: { by: string; at: string; reason: ForfeitReason } | null
}

interface AwaitedRow extends StoredTimeline, Pick<StoredPage, 'offer_id' | 'titles'> {
  draw_at: Date
  /** There is a claim of the last drawn attempt; what follows is of it. */
  has_claim: boolean
  is_over: boolean
  is_void: boolean
  submitted_at: Date | null
  identity_seen_at: Date | null
  awarded_at: Date | null
  forfeited_at: Date | null
  reason: ForfeitReason | null
}

interface CalendarRow {
  offer_id: number
  titles: LocalizedText
  state: OfferState
  event: (typeof CALENDAR_EVENTS)[number]
  at: Date
  day: string
}
