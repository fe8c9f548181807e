import { sql } from 'kysely'
import type { Sql, Trx } from '#platform/database.ts'
import { CAPTURING, HOLDING } from '#features/purchase/orders/order-machine.rules.ts'
import { isCancellable, noteRefunded } from '#features/offers/server/index.ts'
import { stateIn, tookMoney } from '#features/purchase/orders/server/index.ts'
import type { CaptureRest, RefundableLine } from '../refund-plan.rules.ts'
import type { Cancellation } from '../refunds.contract.ts'
import type { LocalizedText } from '#shared/localized-text.ts'

const OPEN_REFUND = sql`EXISTS (
  SELECT 1 FROM refunds f WHERE f.order_id = o.id AND f.origin = 'shop' AND f.status IN ('requested', 'pending')
)`

/** Tickets of a line whose refund is requested: they are void once it is done. */
const RETURNING = sql`coalesce((
  SELECT sum(p.quantity)::int FROM refunds f JOIN refund_lines p ON p.refund_id = f.id
  WHERE f.order_id = l.order_id AND p.offer_id = l.offer_id AND p.voids AND f.status IN ('requested', 'pending')
), 0)`

interface OfferToCancel {
  id: number
  titles: LocalizedText
  isCancelled: boolean
  /** It is sealed, and its notice has begun. */
  isTooLate: boolean
  payments_in_progress: number
  in_review: number
  tickets_without_order: number
  /** Who entered by post and is told by email, or by a letter that staff print. */
  posters_by_email: number
  letters: number
}

/** Orders whose sum, lines and captures are equal. */
interface SoldAlike {
  orders: number
  total_cents: number
  lines: RefundableLine[]
  captures: CaptureRest[]
}

export const cancellationsRepository = (db: Sql) => ({
  async of(slug: string): Promise<Cancellation | undefined> {
    type Row = Omit<Cancellation, 'cancelled_at' | 'returned_at'> & {
      cancelled_at: Date
      returned_at: Date | null
    }
    const { rows } = await sql<Row>`
      SELECT c.slug, c.cancelled_why AS reason, c.cancelled_at, c.refunds_completed_at AS returned_at,
             count(*) FILTER (WHERE ${stateIn(HOLDING, 'o.state')})::int AS payments_in_progress,
             count(*) FILTER (WHERE o.state = 'completed' AND l.refund_requested_at IS NULL)::int AS waiting,
             count(*) FILTER (WHERE o.state = 'refunding'
               OR (o.state = 'completed' AND l.refund_requested_at IS NOT NULL AND ${OPEN_REFUND}))::int AS returning,
             count(*) FILTER (WHERE o.state = 'review')::int AS in_review,
             count(*) FILTER (WHERE o.state = 'refunded'
               OR (o.state = 'completed' AND l.refund_requested_at IS NOT NULL AND NOT ${OPEN_REFUND}))::int AS returned
      FROM offers c
      LEFT JOIN order_lines l ON l.offer_id = c.id
      LEFT JOIN orders o ON o.id = l.order_id
      WHERE c.slug = ${slug} AND c.cancelled_at IS NOT NULL
      GROUP BY c.id`.execute(db)
    const [row] = rows
    if (!row) return undefined
    const { cancelled_at, returned_at } = row
    return {
      ...row,
      cancelled_at: cancelled_at.toISOString(),
      returned_at: returned_at?.toISOString() ?? null,
    }
  },

  /** An offer with what a cancellation would meet besides its paid orders. */
  async offer(slug: string): Promise<OfferToCancel | undefined> {
    const { rows } = await sql<OfferToCancel>`
      SELECT c.id, c.titles, c.cancelled_at IS NOT NULL AS "isCancelled", c.state IN ('sealed', 'drawn', 'awarded') AND NOT ${isCancellable(sql`c`)} AS "isTooLate",
             (SELECT count(*)::int FROM order_lines l JOIN orders o ON o.id = l.order_id
              WHERE l.offer_id = c.id AND ${stateIn(CAPTURING, 'o.state')}) AS payments_in_progress,
             (SELECT count(*)::int FROM order_lines l JOIN orders o ON o.id = l.order_id
              WHERE l.offer_id = c.id AND o.state = 'review') AS in_review,
             (SELECT count(*)::int FROM tickets t
              WHERE t.offer_id = c.id AND t.order_id IS NULL AND t.status = 'valid') AS tickets_without_order,
             (SELECT count(*)::int FROM postal_entries e
              WHERE e.offer_id = c.id AND e.status = 'entered' AND e.email IS NOT NULL
                AND e.voided_at IS NULL) AS posters_by_email,
             (SELECT count(*)::int FROM postal_entries e
              WHERE e.offer_id = c.id AND e.status = 'entered' AND e.voided_at IS NULL AND e.email IS NULL
                AND e.name IS NOT NULL AND e.address IS NOT NULL AND e.city IS NOT NULL) AS letters
      FROM offers c WHERE c.slug = ${slug}`.execute(db)
    return rows[0]
  },

  /** The id of an order of the offer so many further on; undefined when fewer are left. */
  async orderFrom(offerId: number, after: string, count: number): Promise<string | undefined> {
    const { rows } = await sql<{ id: string }>`
      SELECT order_id AS id FROM order_lines WHERE offer_id = ${offerId} AND order_id > ${after}::uuid
      ORDER BY order_id OFFSET ${count - 1} LIMIT 1`.execute(db)
    return rows[0]?.id
  },

  /**
   * Paid orders with tickets of the offer that are not returned, as many as are alike at a time: of ten thousand orders
   * there are a few hundred kinds. @param upTo the last id; all when left out
   */
  async sold(offerId: number, after: string, upTo: string | undefined): Promise<SoldAlike[]> {
    interface Row {
      orders: number
      total_cents: number
      lines: [offerId: number, quantity: number, unit: number, returned: number, isCancelled: number][]
      captures: [captured: number, refunded: number][] | null
    }
    const { rows } = await sql<Row>`
      SELECT count(*)::int AS orders, total_cents, lines, captures
      FROM (
        SELECT o.total_cents,
               (SELECT array_agg(ARRAY[l.offer_id, l.quantity, l.unit_cents, l.returned_quantity + ${RETURNING},
                                       (c.cancelled_at IS NOT NULL)::int] ORDER BY l.offer_id)
                FROM order_lines l JOIN offers c ON c.id = l.offer_id WHERE l.order_id = o.id) AS lines,
               (SELECT array_agg(ARRAY[p.amount_cents, p.refunded_cents] ORDER BY p.recorded_at, p.capture_id)
                FROM captures p WHERE p.order_id = o.id AND ${tookMoney(sql`p.status`)}) AS captures
        FROM order_lines s JOIN orders o ON o.id = s.order_id
        WHERE s.offer_id = ${offerId} AND s.refund_requested_at IS NULL AND o.state = 'completed'
          AND s.order_id > ${after}::uuid ${upTo === undefined ? sql`` : sql`AND s.order_id <= ${upTo}::uuid`}
      ) AS each
      GROUP BY total_cents, lines, captures`.execute(db)
    return rows.map(({ lines, captures, ...alike }) => ({
      ...alike,
      lines: lines.map(([offer_id, quantity, unit_cents, returned, isCancelled]) => ({
        offer_id,
        title: '',
        quantity,
        unit_cents,
        returned,
        is_cancelled: isCancelled === 1,
      })),
      captures: (captures ?? []).map(([captured, refunded], index) => ({
        captureId: String(index),
        captured,
        refunded,
      })),
    }))
  },

  async open(): Promise<{ id: number; slug: string }[]> {
    const { rows } = await sql<{ id: number; slug: string }>`
      SELECT id, slug FROM offers WHERE cancelled_at IS NOT NULL AND refunds_completed_at IS NULL ORDER BY cancelled_at`.execute(
      db,
    )
    return rows
  },

  /** Ids of completed orders whose share is not requested and that have no open refund; those tried last come last. */
  async waiting(offerId: number, limit: number): Promise<string[]> {
    const { rows } = await sql<{ id: string }>`
      SELECT o.id FROM order_lines l JOIN orders o ON o.id = l.order_id
      WHERE l.offer_id = ${offerId} AND l.refund_requested_at IS NULL AND o.state = 'completed'
        AND NOT ${OPEN_REFUND}
      ORDER BY o.checked_at, o.id LIMIT ${limit}`.execute(db)
    return rows.map(({ id }) => id)
  },
})

/** By offer. */
export async function refundableLines(db: Sql, orderId: string): Promise<RefundableLine[]> {
  const { rows } = await sql<RefundableLine>`
    SELECT l.offer_id, l.title, l.quantity, l.unit_cents, l.returned_quantity AS returned,
           c.cancelled_at IS NOT NULL AS is_cancelled
    FROM order_lines l JOIN offers c ON c.id = l.offer_id
    WHERE l.order_id = ${orderId} ORDER BY l.offer_id`.execute(db)
  return rows
}

/**
 * Marks an offer as refunded when no order of it has an open payment, an open refund or a review.
 * @returns whether it did
 */
export const closeWhenDone = (trx: Trx, offerId: number): Promise<boolean> =>
  noteRefunded(
    trx,
    offerId,
    sql`EXISTS (
      SELECT 1 FROM order_lines l JOIN orders o ON o.id = l.order_id
      WHERE l.offer_id = ${offerId}
        AND (${stateIn([...HOLDING, 'refunding', 'review'], 'o.state')}
          OR (o.state = 'completed' AND (l.refund_requested_at IS NULL OR ${OPEN_REFUND})))
    )`,
  )
