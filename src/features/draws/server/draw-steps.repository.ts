import { sql } from 'kysely'
import type { OfferState } from '#features/offers/offer-states.rules.ts'
import type { Sql, Trx } from '#platform/database.ts'
import { COMMITMENT_TAG } from '#draw-protocol/commitments.ts'
import type { VoidReason } from '#draw-protocol/formats.ts'
import { ENTRY_TAG } from '#draw-protocol/leaves.ts'
import type { LocalizedText } from '#shared/localized-text.ts'
import type { Durations, TimelineFacts } from '../timeline.rules.ts'
import { UNTIL } from './claims/claims.repository.ts'

/** Of the salt of an entry. */
export const SALT_BYTES = 32

/** Of `draws.terms_version`: terms as this version publishes and reads them, and a list that it seals or has sealed. */
export const TERMS_VERSION = 3

/** What of a contest goes into its terms. Times are Unix seconds. */
export interface OfferToPublish {
  id: number
  slug: string
  tickets: number
  per_person: number | null
  post_reserve: number
  price_cents: number
  prize_value_cents: number | null
  closes: number
  draw: number
  questions: LocalizedText | null
  choices: string[]
  draw_terms_texts: LocalizedText
}

/** A contest with a log, from which numbers are appended. */
export interface LoggedOffer {
  id: number
  slug: string
  state: OfferState
  total: number
  sold: number
  key: Buffer
  /** It has a draw instant. */
  hasDraw: boolean
}

export interface StoredAttempt {
  attempt: number
  round: number
  /** Unix seconds */
  round_at: number
  number: number | null
}

/** A contest as the timeline and the job that moves draws see it. */
export interface Situation extends StoredTimeline {
  id: number
  slug: string
  closes_at: Date
  /** Whether the log says that it is closed. */
  is_log_closed: boolean
}

/** What `schedule` reads. */
export interface StoredTimeline extends TimelineFacts {
  /** Of published terms. */
  durations: Durations | null
  now: Date
}

/** Of a contest `o` with the draw `d`: all of it but the attempts. */
export const TIMELINE = sql`
  o.state, o.published_at, o.end_date AS closes_at, coalesce(d.draw_at, o.draw_at) AS draw_at, o.tickets_held AS held,
  clock_timestamp() AS now, CASE WHEN o.cancelled_at IS NOT NULL THEN json_build_object('at', o.cancelled_at) END AS cancelled,
  CASE WHEN d.offer_id IS NOT NULL THEN json_build_object(
    'objections', d.objections_seconds, 'seal_margin', d.seal_margin_seconds,
    'beacon_patience', d.beacon_patience_seconds, 'claim', d.claim_seconds) END AS durations,
  (
    SELECT json_build_object('at', c.at) FROM draw_lists l JOIN draw_checkpoints c ON c.log_id = o.id AND c.size > l.leaf_index
    WHERE l.offer_id = o.id AND l.name = 'provisional.txt' ORDER BY c.size, c.id LIMIT 1
  ) AS provisional`

/** What the timeline and the public see of the claim `c` of the draw `d`; null before it is opened. */
export const CLAIM = sql`CASE WHEN c.until IS NOT NULL THEN json_build_object(
  'until', ${UNTIL}, 'by_letter', draw_letter_waits(c), 'claimed_at', c.submitted_at) END`

export const ATTEMPTS = sql`coalesce((
  SELECT json_agg(json_build_object(
    'round_at', a.round_at,
    'drawn', CASE WHEN a.drawn_at IS NOT NULL THEN json_build_object('at', a.drawn_at, 'claim', ${CLAIM}) END
  ) ORDER BY a.attempt)
  FROM draw_attempts a LEFT JOIN draw_claims c ON c.offer_id = a.offer_id AND c.attempt = a.attempt
  WHERE a.offer_id = o.id
), '[]') AS attempts`

const SITUATIONS = sql`
  SELECT o.id, o.slug, ${TIMELINE}, ${ATTEMPTS},
         EXISTS (
           SELECT FROM draw_leaves WHERE log_id = o.id
             AND split_part(leaf, '-', 2) NOT IN ('entry', 'void') AND split_part(leaf, '-', 2) = 'close'
         ) AS is_log_closed
  FROM offers o JOIN draws d ON d.offer_id = o.id`

/** The one second that the database has cut an instant to. */
const secondsOf = (column: string) => sql`floor(extract(epoch FROM ${sql.ref(column)}))::bigint`

export const drawStepsRepository = (db: Sql) => ({
  /** A contest that sells, or was stopped, with a draw to come and without terms; undefined else. */
  async toPublish(offerId: number): Promise<OfferToPublish | undefined> {
    const { rows } = await sql<OfferToPublish>`
      SELECT o.id, o.slug, o.total_tickets AS tickets, o.max_per_person AS per_person, o.postal_reserve AS post_reserve,
             o.price_cents, o.prize_value_cents, ${secondsOf('o.end_date')} AS closes, ${secondsOf('o.draw_at')} AS draw,
             o.questions, o.choices, o.draw_terms_texts
      FROM offers o WHERE o.id = ${offerId} AND ${LACKS_TERMS} AND ${IS_BEFORE_ITS_END}`.execute(db)
    return rows[0]
  },

  /** Those contests, with the seconds between their end and their draw. */
  async withoutTerms(): Promise<{ id: number; room: number }[]> {
    const { rows } = await sql<{ id: number; room: number }>`
      SELECT o.id, ${secondsOf('o.draw_at')} - ${secondsOf('o.end_date')} AS room
      FROM offers o WHERE ${LACKS_TERMS} AND ${IS_BEFORE_ITS_END} ORDER BY o.id`.execute(db)
    return rows
  },

  /**
   * Slugs of contests that cannot be drawn: their draw is too soon for any terms, so that they have none, or do not open
   * although they are due; they ended without terms; or an older version has published theirs.
   */
  async notToDraw(least: number): Promise<string[]> {
    const { rows } = await sql<{ slug: string }>`
      SELECT o.slug FROM offers o
      WHERE (${LACKS_TERMS} OR (o.state = 'scheduled' AND o.opens_at <= clock_timestamp() AND o.end_date > clock_timestamp()))
        AND ${secondsOf('o.draw_at')} < ${secondsOf('o.end_date')} + ${least}::int
        OR ${LACKS_TERMS} AND NOT ${IS_BEFORE_ITS_END}
        OR o.state IN ('open', 'closed', 'listed', 'sealed')
        AND EXISTS (SELECT FROM draws d WHERE d.offer_id = o.id AND d.terms_version < ${TERMS_VERSION})
      ORDER BY o.slug`.execute(db)
    return rows.map(({ slug }) => slug)
  },

  /**
   * Ids of contests with numbers or voids that are not in their logs yet.
   * @param isHalted leaves out voids of sealed contests, which the register must have
   */
  async toAppend({ isHalted }: { isHalted: boolean }): Promise<number[]> {
    const { rows } = await sql<{ id: number }>`
      SELECT l.id FROM draw_logs l JOIN offers o ON o.id = l.id
      WHERE (o.tickets_sold > l.entries AND o.state IN ('open', 'closed', 'listed'))
         OR EXISTS (
           SELECT FROM draw_voids v JOIN draw_entries e USING (offer_id, number)
           WHERE v.offer_id = l.id AND v.leaf_index IS NULL
             AND NOT (${isHalted} AND EXISTS (SELECT FROM draw_lists s WHERE s.offer_id = l.id AND s.name = 'list.txt'))
         )
      ORDER BY l.id`.execute(db)
    return rows.map(({ id }) => id)
  },

  async logged(offerId: number): Promise<LoggedOffer> {
    const { rows } = await sql<LoggedOffer>`
      SELECT id, slug, state, total_tickets AS total, tickets_sold AS sold, number_key AS key,
             draw_at IS NOT NULL AS "hasDraw"
      FROM offers WHERE id = ${offerId}`.execute(db)
    return rows[0]!
  },

  /** Voids of logged entries that are not in the log. */
  async voids(offerId: number, most: number): Promise<{ number: number; reason: VoidReason }[]> {
    const { rows } = await sql<{ number: number; reason: VoidReason }>`
      SELECT v.number, v.reason FROM draw_voids v JOIN draw_entries e USING (offer_id, number)
      WHERE v.offer_id = ${offerId} AND v.leaf_index IS NULL ORDER BY v.number LIMIT ${most}`.execute(db)
    return rows
  },

  /** Contests with terms of this version whose draw or round may be due. */
  async toAdvance(): Promise<Situation[]> {
    const { rows } = await sql<Situation>`
      ${SITUATIONS} WHERE o.state IN ('closed', 'listed', 'sealed', 'drawn') AND d.terms_version = ${TERMS_VERSION}
      ORDER BY o.id`.execute(db)
    return rows
  },

  /** `undefined` without published terms. */
  async situation(offerId: number): Promise<Situation | undefined> {
    const { rows } = await sql<Situation>`${SITUATIONS} WHERE o.id = ${offerId}`.execute(db)
    return rows[0]
  },

  /**
   * Until when a sealed contest can be cancelled, in Unix seconds (docs/draw-v1.md, section 11); undefined before, null of
   * terms that an older version has published.
   */
  async cancelUntil(offerId: number): Promise<number | null | undefined> {
    const { rows } = await sql<{ until: number | null }>`
      SELECT CASE WHEN d.terms_version = ${TERMS_VERSION} THEN ${secondsOf('a.round_at')} - d.notice_seconds END AS until
      FROM draws d JOIN draw_attempts a ON a.offer_id = d.offer_id AND a.attempt = 0
      WHERE d.offer_id = ${offerId}`.execute(db)
    return rows[0]?.until
  },

  /** The attempts of a draw, in order. */
  async attempts(offerId: number): Promise<StoredAttempt[]> {
    const { rows } = await sql<StoredAttempt>`
      SELECT attempt, round, ${secondsOf('round_at')} AS round_at, number
      FROM draw_attempts WHERE offer_id = ${offerId} ORDER BY attempt`.execute(db)
    return rows
  },

  /** Ids of logs whose last checkpoint is an hour old, of contests that are not over; and the register (ADR 0072). */
  async toSignAgain(): Promise<number[]> {
    const { rows } = await sql<{ id: number }>`
      SELECT l.id FROM draw_logs l LEFT JOIN offers o ON o.id = l.id
      WHERE (l.id = 0 OR o.state NOT IN ('awarded', 'cancelled'))
        AND (SELECT c.at FROM draw_checkpoints c WHERE c.log_id = l.id ORDER BY c.id DESC LIMIT 1)
            <= clock_timestamp() - interval '1 hour'
      ORDER BY l.id`.execute(db)
    return rows.map(({ id }) => id)
  },
})

/** Later terms are none (docs/draw-v1.md, section 13, `seal`). */
const IS_BEFORE_ITS_END = sql`date_trunc('second', o.end_date) > clock_timestamp()`

const LACKS_TERMS = sql`o.state IN ('open', 'closed') AND date_trunc('second', o.draw_at) > clock_timestamp()
  AND NOT EXISTS (SELECT FROM draws d WHERE d.offer_id = o.id)`

export interface NewDraw {
  offer_id: number
  terms_hash: Buffer
  draw_at: Date
  objections_seconds: number
  seal_margin_seconds: number
  beacon_patience_seconds: number
  claim_seconds: number
  alternate_delay_seconds: number
  notice_seconds: number
  alternates_decided: number
}

export const drawStepsWrites = (trx: Trx) => ({
  /** As the purchase and the moves lock it. */
  lockOffer: (offerId: number) =>
    trx.selectFrom('offers').select('id').where('id', '=', offerId).forNoKeyUpdate().executeTakeFirst(),

  insertDraw: (draw: NewDraw) => trx.insertInto('draws').values(draw).execute(),

  /**
   * Inserts entries and their leaves. One statement makes salts, commitments and leaves, as `commitmentOf` and `leafText`
   * do: taken to the worker and back, an entry cost three times as much.
   * @param first index of the first leaf
   * @param salts `SALT_BYTES` for each number; an entry by post has its own
   * @returns how many numbers have tickets, and the hashes of the leaves, one after the other
   */
  async insertEntries(
    { id, slug }: LoggedOffer,
    first: number,
    numbers: readonly number[],
    salts: Buffer,
  ): Promise<{ count: number; hashes: Buffer }> {
    const { rows } = await sql<{ count: number; hashes: Buffer }>`
      WITH issued AS (
        SELECT u.at, t.number, t.source, t.id::text AS id,
               coalesce(p.salt, substring(${salts}::bytea FROM (u.at::int - 1) * ${SALT_BYTES}::int + 1 FOR ${SALT_BYTES}::int)) AS salt
        FROM unnest(${[...numbers]}::int[]) WITH ORDINALITY AS u (number, at)
        JOIN tickets t ON t.offer_id = ${id} AND t.number = u.number
        LEFT JOIN postal_entries p ON t.source = 'postal' AND p.offer_id = t.offer_id AND p.ticket_number = t.number
      ), entries AS (
        INSERT INTO draw_entries (offer_id, number, leaf_index, salt)
        SELECT ${id}, number, ${first}::int + at - 1, salt FROM issued
      ), texts AS MATERIALIZED (
        SELECT at, concat_ws(
          E'\\t', ${ENTRY_TAG}::text, ${slug}::text, number, source,
          encode(sha256(convert_to(${COMMITMENT_TAG}, 'UTF8') || salt || convert_to(id, 'UTF8')), 'hex')
        ) AS leaf
        FROM issued
      ), leaves AS (
        INSERT INTO draw_leaves (log_id, index, leaf) SELECT ${id}, ${first}::int + at - 1, leaf FROM texts
      )
      SELECT count(*)::int AS count,
             coalesce(string_agg(sha256('\\x00'::bytea || convert_to(leaf, 'UTF8')), ''::bytea ORDER BY at), ''::bytea) AS hashes
      FROM texts`.execute(trx)
    return rows[0]!
  },

  markVoids: (offerId: number, voids: readonly { number: number; index: number }[]) =>
    sql`
      UPDATE draw_voids v SET leaf_index = u.index
      FROM unnest(
        ${voids.map(({ number }) => number)}::int[], ${voids.map(({ index }) => index)}::int[]
      ) AS u (number, index)
      WHERE v.offer_id = ${offerId} AND v.number = u.number`.execute(trx),

  insertAttempt: (offerId: number, attempt: number, round: number, roundAt: number) =>
    trx
      .insertInto('draw_attempts')
      .values({ offer_id: offerId, attempt, round, round_at: new Date(roundAt * 1000) })
      .execute(),

  finishAttempt: (
    offerId: number,
    { attempt, ...result }: { attempt: number; relay: string; randomness: Buffer; number: number },
  ) =>
    trx
      .updateTable('draw_attempts')
      .set({ ...result, drawn_at: sql<Date>`clock_timestamp()` })
      .where('offer_id', '=', offerId)
      .where('attempt', '=', attempt)
      .execute(),
})
