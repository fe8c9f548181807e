import { sql } from 'kysely'
import { padTicketNumber } from '#features/offers/offers.rules.ts'
import type { OfferState } from '#features/offers/offer-states.rules.ts'
import type { DecidedReason } from '#features/draws/claims.rules.ts'
import type { Sql, Trx } from '#platform/database.ts'
import type { Objection, ObjectionAnswerBody, ObjectionBody } from '../objections.contract.ts'
import type { LocalizedText } from '#shared/localized-text.ts'

/** A contest whose entries are objected to. */
export interface ObjectedOffer {
  id: number
  slug: string
  titles: LocalizedText
  total: number
  state: OfferState
  has_terms: boolean
}

export const objectionsRepository = (db: Sql) => ({
  async offer(id: number): Promise<ObjectedOffer | undefined> {
    const { rows } = await sql<ObjectedOffer>`
      SELECT o.id, o.slug, o.titles, o.total_tickets AS total, o.state,
             EXISTS (SELECT FROM draws d WHERE d.offer_id = o.id) AS has_terms
      FROM offers o WHERE o.id = ${id}`.execute(db)
    return rows[0]
  },

  /** Open ones first, then the newest. */
  async all(offerId: number, total: number): Promise<Objection[]> {
    type Row = Omit<Objection, 'number' | 'noted_at' | 'answered_at'> & {
      number: number | null
      noted_at: Date
      answered_at: Date | null
    }
    const { rows } = await sql<Row>`
      SELECT b.id, b.number, b.message_id, b.text, maker.username AS noted_by, b.noted_at, b.outcome, b.answer,
             answerer.username AS answered_by, b.answered_at, b.erased_at IS NOT NULL AS is_erased
      FROM objections b JOIN users maker ON maker.id = b.noted_by LEFT JOIN users answerer ON answerer.id = b.answered_by
      WHERE b.offer_id = ${offerId} ORDER BY b.answered_at IS NOT NULL, b.id DESC`.execute(db)
    return rows.map((row) => ({
      ...row,
      number: row.number === null ? null : padTicketNumber(row.number, total),
      noted_at: row.noted_at.toISOString(),
      answered_at: row.answered_at?.toISOString() ?? null,
    }))
  },

  async voids(offerId: number): Promise<{ number: number; reason: DecidedReason; at: Date }[]> {
    const { rows } = await sql<{ number: number; reason: DecidedReason; at: Date }>`
      SELECT number, reason, voided_at AS at FROM entry_voids WHERE offer_id = ${offerId} ORDER BY voided_at, number`.execute(
      db,
    )
    return rows
  },

  /** Whether an approved request was carried out. */
  async isDone(approvalId: number): Promise<boolean> {
    const { rows } = await sql`SELECT FROM entry_voids WHERE approval_id = ${approvalId} LIMIT 1`.execute(db)
    return rows.length > 0
  },

  /** The id of the card whose number this is. */
  async card(offerId: number, number: number): Promise<string | undefined> {
    const { rows } = await sql<{ id: string }>`
      SELECT id FROM postal_entries WHERE offer_id = ${offerId} AND ticket_number = ${number}`.execute(db)
    return rows[0]?.id
  },

  async hasMessage(id: string): Promise<boolean> {
    const { rows } = await sql`SELECT FROM messages WHERE id = ${id}`.execute(db)
    return rows.length > 0
  },
})

export const objectionsWrites = (trx: Trx) => ({
  /** As the seal locks it. */
  lockOffer: (id: number) => sql`SELECT FROM offers WHERE id = ${id} FOR NO KEY UPDATE`.execute(trx),

  async insert(
    offerId: number,
    { number, message_id, text }: ObjectionBody,
    userId: number,
  ): Promise<number> {
    const { rows } = await sql<{ id: number }>`
      INSERT INTO objections (offer_id, number, message_id, text, noted_by)
      VALUES (${offerId}, ${number}, ${message_id}, ${text}, ${userId}) RETURNING id`.execute(trx)
    return rows[0]!.id
  },

  /** @returns false when it was answered before, or there is none */
  async answer(
    offerId: number,
    id: number,
    { outcome, answer }: ObjectionAnswerBody,
    userId: number,
  ): Promise<boolean> {
    const { rows } = await sql`
      UPDATE objections
      SET outcome = ${outcome}, answer = ${answer}, answered_by = ${userId}, answered_at = clock_timestamp()
      WHERE offer_id = ${offerId} AND id = ${id} AND answered_at IS NULL RETURNING 1 AS one`.execute(trx)
    return rows.length > 0
  },

  insertVoids: (offerId: number, numbers: readonly number[], reason: DecidedReason, approvalId: number) =>
    sql`
      INSERT INTO entry_voids (offer_id, number, reason, approval_id)
      SELECT ${offerId}, number, ${reason}, ${approvalId} FROM unnest(${[...numbers]}::int[]) AS u (number)`.execute(
      trx,
    ),
})

/** Erases what objections say of people, so many days after the end of their contest. @returns how many */
export async function eraseOldObjections(db: Sql, days: number, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    UPDATE objections b
    SET text = '', answer = CASE WHEN answered_at IS NULL THEN NULL ELSE '' END, erased_at = clock_timestamp()
    WHERE b.id IN (
      SELECT old.id FROM objections old JOIN offers o ON o.id = old.offer_id
      WHERE old.erased_at IS NULL AND o.state IN ('awarded', 'cancelled')
        AND (SELECT max(e.at) FROM offer_events e WHERE e.offer_id = o.id) < now() - make_interval(days => ${days})
      LIMIT ${limit}
    )`.execute(db)
  return Number(numAffectedRows ?? 0)
}
