import type { PublicWinner } from '../../claims.contract.ts'
import { type RawBuilder, sql } from 'kysely'
import { wasUnsealed } from '#features/offers/server/index.ts'
import type { ReadDatabase } from '#platform/database.ts'
import { type OfferState, UNPUBLISHED } from '#features/offers/offer-states.rules.ts'
import type { ForfeitReason } from '../../claims.rules.ts'
import type { PublicState } from '../../public-draws.contract.ts'
import type { LocalizedText } from '#shared/localized-text.ts'
import { ALLOWED_SECONDS } from '../../timeline.rules.ts'
import { CLAIM, type StoredTimeline, TERMS_VERSION, TIMELINE } from '../draw-steps.repository.ts'

/** A drawn contest with the number that has its prize. */
export interface WinnerRow {
  offer_id: number
  slug: string
  state: 'drawn' | 'awarded'
  prize_value_cents: number | null
  number: number
  drawn_at: Date
  winner: PublicWinner
}

interface ListRow {
  name: 'provisional.txt' | 'list.txt'
  hash: string
  root: string | null
  paid: number
  postal: number
  demo: number
  valid: number
  log_size: number
  at: string
}

export interface AttemptRow {
  attempt: number
  round: number
  round_at: string
  drawn_at: string | null
  relay: string | null
  randomness: string | null
  number: number | null
  /** What the winner agreed to publish. */
  winner: PublicWinner
  claim: { until: string; by_letter: boolean; claimed_at: string | null } | null
  /** Index of the claim's leaf. */
  claim_leaf: number | null
  forfeited: { reason: ForfeitReason; at: string } | null
}

/** A published contest with what is stored of its draw. */
export interface DrawRow extends Pick<StoredTimeline, 'durations' | 'held' | 'now'> {
  offer_id: number
  slug: string
  state: PublicState
  published_at: Date
  closes_at: Date
  draw_at: Date | null
  cancelled_at: Date | null
  cancelled_why: string | null
  cancelled_by: { event: 'cancel' | 'endWithoutEntries' | 'endWithoutBeacon'; by_job: boolean } | null
  terms_hash: string | null
  entries: number | null
  /** A number that was issued more than `ALLOWED_SECONDS` ago is not in the log. */
  is_behind: boolean
  checkpoint: { size: number; root: string; at: string } | null
  lists: ListRow[]
  attempts: AttemptRow[]
}

export interface WholeDrawRow extends DrawRow {
  prize_value_cents: number | null
  postal_reserve: number
  draw_terms_texts: LocalizedText
  files: { name: string; hash: string }[]
  /** By the authority; null where the terms name none. */
  stamped: { opened: string | null; sealed: string | null } | null
  /** Null also of those that an older version has published. */
  terms: Buffer | null
}

const unpublished = sql.join(UNPUBLISHED.map((state) => sql.lit<OfferState>(state)))

/** Most of the time all numbers are in the log, and nothing is counted; else those of the last moment. */
const IS_BEHIND = sql`CASE WHEN o.tickets_sold > g.entries AND o.state <> 'cancelled' THEN
  o.tickets_sold - g.entries > (
    SELECT count(*) FROM tickets t WHERE t.offer_id = o.id AND t.issued_at > now() - make_interval(secs => ${ALLOWED_SECONDS})
  ) ELSE false END`

/** What the winner of a claim `c` agreed to publish. */
const WINNER = sql`CASE WHEN c.forfeited_at IS NULL AND c.first_name IS NOT NULL AND c.place IS NOT NULL
  THEN json_build_object('first_name', c.first_name, 'place', c.place) END`

/** Of a contest `o`: few rows by primary keys, however many entries it has. */
const FACTS = sql`
  o.id AS offer_id, o.slug, o.cancelled_at, o.cancelled_why, ${TIMELINE},
  CASE WHEN o.state = 'cancelled' THEN (
    SELECT json_build_object('event', e.event, 'by_job', ${wasUnsealed(sql`o`)})
    FROM offer_events e WHERE e.offer_id = o.id AND e.to_state = 'cancelled' ORDER BY e.id DESC LIMIT 1
  ) END AS cancelled_by,
  encode(d.terms_hash, 'hex') AS terms_hash, g.entries, ${IS_BEHIND} AS is_behind,
  (
    SELECT json_build_object('size', c.size, 'root', encode(c.root, 'hex'), 'at', c.at)
    FROM draw_checkpoints c WHERE c.log_id = o.id ORDER BY c.id DESC LIMIT 1
  ) AS checkpoint,
  coalesce((
    SELECT json_agg(json_build_object(
      'name', l.name, 'hash', encode(f.sha256, 'hex'), 'root', encode(l.list_root, 'hex'), 'paid', l.paid,
      'postal', l.postal, 'demo', l.demo, 'valid', l.valid, 'log_size', l.leaf_index, 'at', f.made_at))
    FROM draw_lists l JOIN draw_files f ON f.offer_id = l.offer_id AND f.name = l.name WHERE l.offer_id = o.id
  ), '[]') AS lists,
  coalesce((
    SELECT json_agg(json_build_object(
      'attempt', a.attempt, 'round', a.round, 'round_at', a.round_at, 'drawn_at', a.drawn_at, 'relay', a.relay,
      'randomness', encode(a.randomness, 'hex'), 'number', a.number,
      'winner', ${WINNER},
      'claim', ${CLAIM}, 'claim_leaf', c.leaf_index,
      'forfeited', CASE WHEN f.reason IS NOT NULL THEN json_build_object('reason', f.reason, 'at', f.published_at) END
    ) ORDER BY a.attempt)
    FROM draw_attempts a
    LEFT JOIN draw_claims c ON c.offer_id = a.offer_id AND c.attempt = a.attempt
    LEFT JOIN draw_forfeitures f ON f.offer_id = a.offer_id AND f.attempt = a.attempt
    WHERE a.offer_id = o.id
  ), '[]') AS attempts`

const SOURCES = sql`offers o LEFT JOIN draws d ON d.offer_id = o.id LEFT JOIN draw_logs g ON g.id = o.id`

/** The order of the page: what is to come by its instant, then what was drawn and what was cancelled, the latest first. */
const SECTION = sql`CASE WHEN o.state = 'cancelled' THEN 2 WHEN o.state IN ('drawn', 'awarded') THEN 1 ELSE 0 END`
const PLACE = sql`(CASE WHEN o.state IN ('drawn', 'awarded', 'cancelled') THEN -1 ELSE 1 END * extract(epoch FROM o.draw_at))`
/** A contest from before the protocol has none once its instant is over, unless it was cancelled. */
const HAS_DRAW = sql`o.state NOT IN (${unpublished}) AND o.draw_at IS NOT NULL
  AND (o.draw_at > now() OR o.state = 'cancelled' OR EXISTS (SELECT FROM draws t WHERE t.offer_id = o.id))`

export const publicDrawsRepository = (db: ReadDatabase) => ({
  /** @param after slug of the contest that ended the page before */
  async page(after: string | undefined, limit: number): Promise<DrawRow[]> {
    const behind: RawBuilder<unknown> =
      after === undefined
        ? sql`true`
        : sql`(${SECTION}, ${PLACE}, o.id) > (SELECT ${SECTION}, ${PLACE}, o.id FROM offers o WHERE o.slug = ${after})`
    const { rows } = await sql<DrawRow>`
      SELECT ${FACTS} FROM ${SOURCES} WHERE ${HAS_DRAW} AND ${behind}
      ORDER BY ${SECTION}, ${PLACE}, o.id LIMIT ${limit}`.execute(db)
    return rows
  },

  /** The latest draw first. @param after slug of the contest that ended the page before */
  async winners(after: string | undefined, limit: number): Promise<WinnerRow[]> {
    const behind =
      after === undefined
        ? sql`true`
        : sql`(won.drawn_at, won.offer_id) < (SELECT w.drawn_at, w.offer_id FROM won w WHERE w.slug = ${after})`
    const { rows } = await sql<WinnerRow>`
      WITH won AS (
        SELECT DISTINCT ON (o.id) o.id AS offer_id, o.slug, o.state, o.prize_value_cents, a.number, a.drawn_at,
               ${WINNER} AS winner
        FROM offers o JOIN draw_attempts a ON a.offer_id = o.id
        LEFT JOIN draw_claims c ON c.offer_id = a.offer_id AND c.attempt = a.attempt
        WHERE o.state IN ('drawn', 'awarded') ORDER BY o.id, a.attempt DESC
      )
      SELECT won.* FROM won WHERE won.number IS NOT NULL AND ${behind}
      ORDER BY won.drawn_at DESC, won.offer_id DESC LIMIT ${limit}`.execute(db)
    return rows
  },

  async bySlug(slug: string): Promise<WholeDrawRow | undefined> {
    const { rows } = await sql<WholeDrawRow>`
      SELECT ${FACTS}, o.prize_value_cents, o.postal_reserve, o.draw_terms_texts,
             coalesce((
               SELECT json_agg(json_build_object('name', f.name, 'hash', encode(f.sha256, 'hex')) ORDER BY f.name)
               FROM draw_files f WHERE f.offer_id = o.id
             ), '[]') AS files,
             CASE WHEN EXISTS (SELECT FROM draw_files f WHERE f.offer_id = o.id AND f.name = 'authority.pem') THEN (
               SELECT json_build_object('opened', max(s.stamped_at) FILTER (WHERE s.name = 'terms.tsr'),
                                        'sealed', max(s.stamped_at) FILTER (WHERE s.name = 'seal.tsr'))
               FROM draw_stamps s WHERE s.offer_id = o.id
             ) END AS stamped,
             (SELECT p.content FROM draw_file_parts p
              WHERE p.offer_id = o.id AND p.name = 'terms.txt' AND p.part = 0 AND d.terms_version = ${TERMS_VERSION}) AS terms
      FROM ${SOURCES} WHERE o.slug = ${slug} AND o.state NOT IN (${unpublished})`.execute(db)
    return rows[0]
  },

  /** The public page of every contest, with the instant of its last step. */
  async pages(): Promise<{ slug: string; changed: Date }[]> {
    const { rows } = await sql<{ slug: string; changed: Date }>`
      SELECT o.slug, greatest(
               o.published_at, o.cancelled_at, CASE WHEN o.end_date <= now() THEN o.end_date END,
               (SELECT max(f.made_at) FROM draw_files f WHERE f.offer_id = o.id),
               (SELECT max(a.drawn_at) FROM draw_attempts a WHERE a.offer_id = o.id)
             ) AS changed
      FROM offers o WHERE o.state NOT IN (${unpublished}) ORDER BY o.id`.execute(db)
    return rows
  },
})
