import { sql } from 'kysely'
import type { Sql, Trx } from '#platform/database.ts'
import type { ForfeitReason, VoidReason } from '#draw-protocol/formats.ts'
import { TERMS_VERSION } from '../draw-steps.repository.ts'
import { type AttemptId, IS_UNPROVEN } from './claims.repository.ts'

/** The last drawn attempt of a contest, as its forfeiture needs it. */
export interface ForfeitFacts {
  slug: string
  number: number
  submitted_at: Date | null
  awarded_at: Date | null
  forfeited_at: Date | null
  /** The claim time has passed, from the time of the result's leaf on. */
  is_over: boolean
  /** The claim was submitted, and no proof of identity was seen in time. */
  is_unproven: boolean
  /** Of the void leaf; null while the number is valid, or its void is not in the log yet. */
  void_index: number | null
  void_reason: VoidReason | null
  /** Its time, and the latest one of a void that nobody has decided: `notice` before the round. In Unix seconds. */
  void_time: number | null
  void_until: number
  result_index: number
  /** Forfeitures of this draw that the shop has decided, and may decide. */
  decided: number
  most: number
  /** Valid rows of the sealed list, without those who won so far. */
  remaining: number
  alternate_delay_seconds: number
  is_last: boolean
}

const isStep = sql`split_part(l.leaf, '-', 2) NOT IN ('entry', 'void')`

export const forfeituresRepository = (db: Sql) => ({
  /** Attempts whose claim may end by itself: its time has passed, or its number is void. */
  async toEnd(): Promise<AttemptId[]> {
    const { rows } = await sql<AttemptId>`
      SELECT c.offer_id AS "offerId", c.attempt FROM draw_claims c
      JOIN draw_attempts a ON a.offer_id = c.offer_id AND a.attempt = c.attempt
      JOIN tickets t ON t.offer_id = c.offer_id AND t.number = a.number
      WHERE c.awarded_at IS NULL AND c.forfeited_at IS NULL
        AND (t.status = 'void' OR (c.submitted_at IS NULL AND c.until <= clock_timestamp() AND NOT draw_letter_waits(c)))
      ORDER BY c.offer_id, c.attempt`.execute(db)
    return rows
  },

  /** Whether an approved request was carried out. */
  async isDone(approvalId: number): Promise<boolean> {
    const { rows } = await sql`SELECT FROM draw_forfeitures WHERE approval_id = ${approvalId}`.execute(db)
    return rows.length > 0
  },

  async facts({ offerId, attempt }: AttemptId): Promise<ForfeitFacts | undefined> {
    const { rows } = await sql<ForfeitFacts>`
      SELECT o.slug, a.number, c.submitted_at, c.awarded_at, c.forfeited_at,
             c.until <= clock_timestamp() AND NOT draw_letter_waits(c) AND result.at + make_interval(secs => d.claim_seconds) <= clock_timestamp() AS is_over,
             ${IS_UNPROVEN} AND result.at + make_interval(secs => 2 * d.claim_seconds) <= clock_timestamp() AS is_unproven,
             v.leaf_index AS void_index, v.reason AS void_reason, extract(epoch FROM void.at)::float8 AS void_time,
             extract(epoch FROM a.round_at)::float8 - d.notice_seconds AS void_until, result.index AS result_index,
             (SELECT count(*)::int FROM draw_forfeitures f WHERE f.offer_id = c.offer_id AND f.is_decided) AS decided,
             d.alternates_decided AS most, list.valid - (c.attempt + 1) AS remaining, d.alternate_delay_seconds,
             NOT EXISTS (SELECT FROM draw_attempts n WHERE n.offer_id = c.offer_id AND n.attempt > c.attempt) AS is_last
      FROM draw_claims c
      JOIN draw_attempts a ON a.offer_id = c.offer_id AND a.attempt = c.attempt
      JOIN offers o ON o.id = c.offer_id
      JOIN draws d ON d.offer_id = c.offer_id AND d.terms_version = ${TERMS_VERSION}
      JOIN draw_lists list ON list.offer_id = c.offer_id AND list.name = 'list.txt'
      CROSS JOIN LATERAL (
        SELECT l.index, k.at FROM draw_leaves l JOIN draw_checkpoints k ON k.log_id = l.log_id AND k.size > l.index
        WHERE l.log_id = c.offer_id AND ${isStep} AND split_part(l.leaf, '-', 2) = 'result'
          AND split_part(l.leaf, E'\t', 3) = c.attempt::text
        ORDER BY k.size, k.id LIMIT 1
      ) AS result
      LEFT JOIN draw_voids v ON v.offer_id = c.offer_id AND v.number = a.number AND v.leaf_index IS NOT NULL
      LEFT JOIN LATERAL (
        SELECT k.at FROM draw_checkpoints k WHERE k.log_id = c.offer_id AND k.size > v.leaf_index
        ORDER BY k.size, k.id LIMIT 1
      ) AS void ON true
      WHERE c.offer_id = ${offerId} AND c.attempt = ${attempt}`.execute(db)
    return rows[0]
  },
})

export const forfeituresWrites = (trx: Trx) => ({
  /** Locks a claim, so that nothing can be submitted until this transaction ends. */
  async lockClaim({ offerId, attempt }: AttemptId): Promise<boolean> {
    const { rows } = await sql`
      SELECT FROM draw_claims WHERE offer_id = ${offerId} AND attempt = ${attempt} FOR NO KEY UPDATE`.execute(
      trx,
    )
    return rows.length > 0
  },

  async insert(
    { offerId, attempt }: AttemptId,
    forfeiture: { reason: ForfeitReason; isDecided: boolean; published: number; approvalId: number | null },
  ): Promise<void> {
    const { reason, isDecided, published, approvalId } = forfeiture
    await sql`
      UPDATE draw_claims SET forfeited_at = to_timestamp(${published})
      WHERE offer_id = ${offerId} AND attempt = ${attempt}`.execute(trx)
    await sql`
      INSERT INTO draw_forfeitures (offer_id, attempt, reason, is_decided, published_at, approval_id)
      VALUES (${offerId}, ${attempt}, ${reason}, ${isDecided}, to_timestamp(${published}), ${approvalId})`.execute(
      trx,
    )
  },
})
