import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { Alerts } from '#features/alerts/server/index.ts'
import type { RefundReason, StaffRefundReason } from '#features/purchase/orders/order-machine.rules.ts'
import { type OrderRow, tookMoney } from '#features/purchase/orders/server/index.ts'
import { eraseApprovalWords } from '#features/staff/server/index.ts'
import type { Sql, Trx } from '#platform/database.ts'
import type { Captures, Refunds } from '#platform/database-types.ts'
import {
  type ProviderCapture,
  type ProviderRefund,
  type ProviderRefused,
  ProviderUnknown,
  TOOK_MONEY,
  TOOK_NOTHING,
} from '#platform/payment/payment-provider.ts'
import type { CaptureBalance, LinePart, RefundRequest } from '../refund-plan.rules.ts'

export type CaptureRow = Selectable<Captures>
export type RefundRow = Omit<Selectable<Refunds>, 'reason' | 'part'> & {
  reason: RefundReason
  part: 'lines' | 'amount' | null
}
/** A requested or pending refund of ours. */
export type OpenRefund = RefundRow & { currency: string }

/** Who of staff asked for a refund. */
export interface StaffRequest {
  userId: number
  reason: StaffRefundReason
  /** To the buyer. */
  note: string
  approvalId?: number | undefined
}

/** A refund in the provider's response, made by us or at the provider. */
export interface ExternalRefund {
  id: string
  captureId: string
  status: ProviderRefund['status']
  amount: number
  /** When it was made. */
  at?: Date | undefined
}

export const ledgerRepository = (db: Sql) => ({
  captures: (orderId: string): Promise<CaptureRow[]> =>
    db.selectFrom('captures').selectAll().where('order_id', '=', orderId).orderBy('recorded_at').execute(),

  orderOfCapture: async (captureId: string): Promise<string | undefined> =>
    (
      await db
        .selectFrom('captures')
        .select('order_id')
        .where('capture_id', '=', captureId)
        .executeTakeFirst()
    )?.order_id,

  openRefund: (orderId: string): Promise<OpenRefund | undefined> =>
    db
      .selectFrom('refunds')
      .innerJoin('captures', 'captures.capture_id', 'refunds.capture_id')
      .selectAll('refunds')
      .select('captures.currency')
      .where('refunds.order_id', '=', orderId)
      .where(sql<boolean>`refunds.status IN ('requested', 'pending')`)
      .where('refunds.origin', '=', 'shop')
      .orderBy('refunds.id')
      .executeTakeFirst() as Promise<OpenRefund | undefined>,

  /** Whether a refund was requested within so many days. */
  isRecent: async (id: number, days: number): Promise<boolean> =>
    (await db
      .selectFrom('refunds')
      .select('id')
      .where('id', '=', id)
      .where('created_at', '>', sql<Date>`clock_timestamp() - make_interval(days => ${days})`)
      .executeTakeFirst()) !== undefined,

  /** The tickets that become void with a refund by staff. */
  refundLines: (refundId: number): Promise<LinePart[]> =>
    db
      .selectFrom('refund_lines')
      .select(['offer_id', 'quantity'])
      .where('refund_id', '=', refundId)
      .where('voids', '=', true)
      .orderBy('offer_id')
      .execute(),

  /** Whether an approved refund was requested before. */
  isRequested: async (approvalId: number): Promise<boolean> =>
    (await db
      .selectFrom('refunds')
      .select('id')
      .where('approval_id', '=', approvalId)
      .limit(1)
      .executeTakeFirst()) !== undefined,

  /** Cents that staff refunded of an order without a second person. */
  async refundedAlone(orderId: string): Promise<number> {
    const { rows } = await sql<{ cents: number }>`
      SELECT coalesce(sum(amount_cents), 0)::int AS cents FROM refunds
      WHERE order_id = ${orderId} AND requested_by IS NOT NULL AND approval_id IS NULL AND status <> 'failed'`.execute(
      db,
    )
    return rows[0]?.cents ?? 0
  },

  /** Cents that this person refunded within a day without a second one. */
  async refundedInDay(userId: number): Promise<number> {
    const { rows } = await sql<{ cents: number }>`
      SELECT coalesce(sum(amount_cents), 0)::int AS cents FROM refunds
      WHERE requested_by = ${userId} AND approval_id IS NULL AND status <> 'failed'
        AND created_at > clock_timestamp() - interval '1 day'`.execute(db)
    return rows[0]?.cents ?? 0
  },

  /** Until the end of the transaction, against other refunds of the same person. */
  lockPerson: (userId: number) =>
    sql`SELECT pg_advisory_xact_lock(hashtextextended('refunds alone', ${userId}))`.execute(db),

  /**
   * Id of our latest refund, of an order or one capture, that has an id at the provider and failed. An amount of staff
   * is theirs to repeat.
   */
  lastFailedLater: async (orderId: string, captureId?: string): Promise<number | undefined> => {
    let failedLater = db
      .selectFrom('refunds')
      .select('id')
      .where('order_id', '=', orderId)
      .where('origin', '=', 'shop')
      .where('status', '=', 'failed')
      .where('refund_id', 'is not', null)
      .where(sql<boolean>`part IS DISTINCT FROM 'amount'`)
    if (captureId !== undefined) failedLater = failedLater.where('capture_id', '=', captureId)
    return (await failedLater.orderBy('id', 'desc').limit(1).executeTakeFirst())?.id
  },

  /** The provider's ids of an order's refunds, ours and those made at the provider. */
  refundIds: async (orderId: string): Promise<string[]> =>
    (await db.selectFrom('refunds').select('refund_id').where('order_id', '=', orderId).execute()).flatMap(
      (row) => row.refund_id ?? [],
    ),

  /** Balances of the captures that took money, oldest first. */
  async balances(orderId: string): Promise<CaptureBalance[]> {
    const { rows } = await sql<CaptureBalance>`
      SELECT c.capture_id AS "captureId", c.currency, c.amount_cents AS captured, c.refunded_cents AS refunded,
             coalesce(sum(r.amount_cents) FILTER (WHERE r.status = 'completed'), 0)::int AS returned,
             coalesce(sum(r.amount_cents) FILTER (
               WHERE r.status <> 'failed' AND r.part IS DISTINCT FROM 'amount' AND r.id >= coalesce(
                 (SELECT min(f.id) FROM refunds f
                  WHERE f.capture_id = c.capture_id AND f.origin = 'shop' AND ${CONCERNS_SHARES}), 0)
             ), 0)::int AS "refundedSince",
             (count(*) FILTER (
               WHERE r.status = 'failed' AND r.refund_id IS NOT NULL AND r.part IS DISTINCT FROM 'amount'
             ))::int AS "failedLater",
             (count(*) FILTER (
               WHERE r.status = 'failed' AND r.origin = 'shop'
                 AND (r.part IS NULL OR (r.part = 'lines' AND r.refund_id IS NOT NULL))
             ))::int AS failed,
             (count(*) FILTER (WHERE r.status = 'failed' AND r.origin = 'provider'))::int AS "failedAtProvider"
      FROM captures c LEFT JOIN refunds r ON r.capture_id = c.capture_id
      WHERE c.order_id = ${orderId} AND ${tookMoney(sql`c.status`)}
      GROUP BY c.capture_id ORDER BY c.recorded_at, c.capture_id`.execute(db)
    return rows
  },
})

/** Not an amount of staff, nor tickets whose refund the provider refused: these say nothing of a share. */
const CONCERNS_SHARES = sql`f.part IS DISTINCT FROM 'amount'
  AND NOT (f.part IS NOT NULL AND f.status = 'failed' AND f.refund_id IS NULL)`

/** Rank of a status: an outdated response must not lower it. A declined capture may still become a payment. */
const stageOf = (status: RawBuilder<unknown>): RawBuilder<number> => sql<number>`
  CASE ${status} WHEN 'completed' THEN 1 WHEN 'partially_refunded' THEN 2 WHEN 'refunded' THEN 3 ELSE 0 END`

const IS_OUTDATED = sql`${stageOf(sql`excluded.status`)} < ${stageOf(sql`captures.status`)}`

const refundedOf = (captureId: RawBuilder<unknown>): RawBuilder<number> => sql<number>`
  coalesce((SELECT sum(r.amount_cents) FROM refunds r WHERE r.capture_id = ${captureId} AND r.status <> 'failed'), 0)`

interface CaptureOfOrder {
  order: Pick<OrderRow, 'id'>
  capture: ProviderCapture
}

/** Writes to the ledger. Those to refunds need the order's lock, so that their sums are right. */
export const ledgerWrites = (trx: Trx) => ({
  /**
   * Stores the captures of a response unless their stored status has a higher rank. An amount may change, but not below
   * what is refunded.
   * @returns captures without money in this response whose ledger row has money; the row stays as it is
   * @throws ProviderUnknown when an amount is unreadable, or a capture belongs to another order
   */
  async upsertCaptures(captures: readonly CaptureOfOrder[]): Promise<ProviderCapture[]> {
    const list = captures.map(({ capture }) => capture)
    if (list.some(({ money, status }) => money === undefined && !TOOK_NOTHING.has(status)))
      throw new ProviderUnknown('a capture without a readable amount')
    const { rows } = await sql<{ capture_id: string; status: string }>`
      INSERT INTO captures (capture_id, order_id, status, amount_cents, currency, fee_cents)
      SELECT * FROM unnest(
        ${list.map(({ id }) => id)}::text[], ${captures.map(({ order }) => order.id)}::uuid[],
        ${list.map(({ status }) => status)}::text[], ${list.map(({ money }) => money?.amount ?? 0)}::int[],
        ${list.map(({ money }) => money?.currency ?? '')}::text[],
        ${list.map(({ fee }) => fee ?? null)}::int[]
      )
      ON CONFLICT (capture_id) DO UPDATE
      SET status = CASE WHEN ${IS_OUTDATED} THEN captures.status ELSE excluded.status END,
          amount_cents = CASE WHEN ${IS_OUTDATED} THEN captures.amount_cents
                              ELSE greatest(excluded.amount_cents, captures.refunded_cents) END,
          currency = CASE WHEN ${IS_OUTDATED} THEN captures.currency ELSE excluded.currency END,
          fee_cents = coalesce(excluded.fee_cents, captures.fee_cents),
          changed_at = now()
      WHERE captures.order_id = excluded.order_id
      RETURNING captures.capture_id, captures.status`.execute(trx)
    if (rows.length < captures.length) throw new ProviderUnknown('a capture that pays another order')
    const captured = new Set(rows.filter(({ status }) => TOOK_MONEY.has(status)).map((row) => row.capture_id))
    return list.filter(({ id, status }) => TOOK_NOTHING.has(status) && captured.has(id))
  },

  /** Does nothing while another refund of ours is open. More than is left violates `captures_never_refunded_twice`. */
  async requestRefund(
    orderId: string,
    { captureId, amount, reason, part, lines, shares = lines }: RefundRequest,
    by?: StaffRequest,
  ): Promise<void> {
    const { rows } = await sql<{ id: number }>`
        INSERT INTO refunds (capture_id, order_id, attempt, amount_cents, reason, note,
                             requested_by, staff_reason, approval_id, part)
        SELECT ${captureId}, ${orderId}, coalesce(max(attempt), 0) + 1, ${amount}, ${reason}, ${by?.note ?? null},
               ${by?.userId ?? null}::bigint, ${by?.reason ?? null}, ${by?.approvalId ?? null}::bigint, ${part ?? null}
        FROM refunds WHERE capture_id = ${captureId}
        HAVING NOT coalesce(bool_or(origin = 'shop' AND status IN ('requested', 'pending')), false)
        RETURNING id`.execute(trx)
    for (const { id } of rows) await divide(trx, id, shares, lines !== undefined)
    await sql`
      UPDATE captures SET refunded_cents = ${refundedOf(sql`captures.capture_id`)}
      WHERE capture_id = ${captureId}`.execute(trx)
  },

  /**
   * Stores the outcome of our refund. After a restored backup the same refund may have been imported before: that row
   * is removed.
   * @returns false when the outcome was stored before
   */
  async recordOutcome(
    refund: RefundRow,
    status: ProviderRefund['status'],
    refundId: string | null,
    refusal?: Pick<ProviderRefused, 'reason' | 'code'>,
  ): Promise<boolean> {
    await sql`
      DELETE FROM refunds r USING refunds ours
      WHERE ours.id = ${refund.id} AND ours.status IN ('requested', 'pending')
        AND r.refund_id = ${refundId} AND r.origin = 'provider'
        AND r.capture_id = ours.capture_id AND r.amount_cents = ours.amount_cents`.execute(trx)
    const recorded = await trx
      .updateTable('refunds')
      .set({
        status,
        refund_id: refundId,
        changed_at: sql<Date>`now()`,
        refusal: refusal?.reason ?? null,
        refusal_code: refusal?.code ?? null,
      })
      .where('id', '=', refund.id)
      .where('status', 'in', ['requested', 'pending'])
      .returning('id')
      .execute()
    await ledgerWrites(trx).countRefunded(refund.order_id)
    return recorded.length > 0
  },

  /**
   * Stores the listed refunds. A completed one does not return to pending. A failed one stays failed, since its money
   * may have been sent again. One of another order stays as it is.
   * @returns the refunds that are completed now and were not before
   */
  async importRefunds(orderId: string, refunds: readonly ExternalRefund[]): Promise<ExternalRefund[]> {
    const ids = refunds.map((one) => one.id)
    const reason: RefundReason = 'refunded_at_provider'
    const { rows } = await sql<{ id: number; refund_id: string; status: string; isNew: boolean }>`
      WITH before AS (
        SELECT refund_id, status FROM refunds WHERE refund_id = ANY(${ids}::text[])
      ),
      written AS (
        INSERT INTO refunds (
          capture_id, order_id, attempt, amount_cents, reason, status, refund_id, origin, completed_at
        )
        SELECT listed.capture_id, ${orderId}::uuid, NULL, listed.amount, ${reason}, listed.status, listed.id, 'provider',
               CASE WHEN listed.status = 'completed' THEN least(listed.at, now()) END
        FROM unnest(
          ${refunds.map((one) => one.captureId)}::text[], ${refunds.map((one) => one.amount)}::int[],
          ${refunds.map((one) => one.status)}::text[], ${ids}::text[],
          ${refunds.map(({ at }) => at?.toISOString() ?? null)}::timestamptz[]
        ) AS listed (capture_id, amount, status, id, at)
        ON CONFLICT (refund_id) DO UPDATE
        SET status = excluded.status, changed_at = now(),
            completed_at = coalesce(refunds.completed_at, excluded.completed_at)
        WHERE refunds.order_id = excluded.order_id AND refunds.status IS DISTINCT FROM excluded.status
          AND refunds.status <> 'failed' AND NOT (excluded.status = 'pending' AND refunds.status = 'completed')
        RETURNING id, refund_id, status
      )
      SELECT written.id, written.refund_id, written.status, before.status IS NULL AS "isNew"
      FROM written LEFT JOIN before ON before.refund_id = written.refund_id`.execute(trx)
    for (const { id } of rows.filter(({ isNew }) => isNew)) await divide(trx, id)
    await ledgerWrites(trx).countRefunded(orderId)
    const done = new Set(rows.flatMap((row) => (row.status === 'completed' ? row.refund_id : [])))
    return refunds.filter((one) => done.has(one.id))
  },

  /** Sets `refunded_cents`, capped at the captured amount: a refund and a chargeback may return more. */
  countRefunded: (orderId: string) =>
    sql`
      UPDATE captures c SET refunded_cents = least(${refundedOf(sql`c.capture_id`)}, c.amount_cents)
      WHERE c.order_id = ${orderId}`.execute(trx),
})

/** Stores captures; alerts for money by our ledger that the response does not have. @throws as `upsertCaptures` */
export async function recordCaptures(
  { alerts }: { alerts: Alerts },
  trx: Trx,
  order: OrderRow,
  captures: readonly ProviderCapture[],
): Promise<void> {
  const withoutMoney = await ledgerWrites(trx).upsertCaptures(captures.map((capture) => ({ order, capture })))
  for (const { id, status } of withoutMoney)
    await alerts.raise(trx, {
      kind: 'ledgerDiffers',
      subject: order.id,
      details: { capture_id: id, said: status },
    })
}

/**
 * Stores to which tickets the amount of a new refund belongs, so that reports of its day stay as they are. Unless told, a
 * repeated refund belongs to those of the failed one, an amount to all tickets, and anything else to those that are left.
 */
const divide = (trx: Trx, refundId: number, shares: readonly LinePart[] = [], voids = false) =>
  sql`
    WITH told AS (
      SELECT * FROM unnest(
        ${shares.map((one) => one.offer_id)}::int[], ${shares.map((one) => one.quantity)}::int[]
      ) AS told (offer_id, quantity)
    ), again AS (
      SELECT p.offer_id, p.quantity FROM refunds r JOIN refund_lines p ON p.refund_id = (
        SELECT f.id FROM refunds f
        WHERE f.capture_id = r.capture_id AND f.id < r.id AND f.status = 'failed' AND ${CONCERNS_SHARES}
        ORDER BY f.id DESC LIMIT 1
      )
      WHERE r.id = ${refundId} AND r.reason IN ('offer_cancelled', 'refund_failed_later', 'remainder')
        AND NOT EXISTS (SELECT FROM told)
    ), kept AS (
      SELECT l.offer_id, CASE WHEN r.part = 'amount' THEN l.quantity ELSE l.quantity - l.returned_quantity END AS quantity,
             l.quantity AS bought
      FROM refunds r JOIN order_lines l ON l.order_id = r.order_id
      WHERE r.id = ${refundId} AND NOT EXISTS (SELECT FROM told) AND NOT EXISTS (SELECT FROM again)
    )
    INSERT INTO refund_lines (refund_id, offer_id, quantity, voids)
    SELECT ${refundId}, offer_id, quantity, ${voids} FROM (
      SELECT * FROM told UNION ALL SELECT * FROM again
      UNION ALL
      SELECT offer_id, CASE WHEN (SELECT sum(quantity) FROM kept) = 0 THEN bought ELSE quantity END FROM kept
    ) AS share
    WHERE quantity > 0`.execute(trx)

/** An order whose ledgers could not be compared is asked about again, ever more rarely. */
export const noteUnreconciled = (db: Sql, orderId: string) =>
  sql`
    INSERT INTO unreconciled_orders (order_id) VALUES (${orderId})
    ON CONFLICT (order_id) DO UPDATE SET tried_at = clock_timestamp()`.execute(db)

export const noteReconciled = (db: Sql, orderId: string) =>
  sql`DELETE FROM unreconciled_orders WHERE order_id = ${orderId}`.execute(db)

/** Fees that the provider had not told with the payment. */
export const fillFees = (trx: Trx, fees: readonly { id: string; fee: number }[]) =>
  sql`
    UPDATE captures c SET fee_cents = f.fee
    FROM unnest(${fees.map(({ id }) => id)}::text[], ${fees.map(({ fee }) => fee)}::int[]) AS f (id, fee)
    WHERE c.capture_id = f.id AND c.fee_cents IS NULL`.execute(trx)

/**
 * Erases what staff wrote to the buyer with a refund, and what two people wrote when they decided one. Who wrote when stays.
 * @param orders a query of their ids
 */
export async function eraseRefundWords(trx: Trx, orders: RawBuilder<unknown>): Promise<void> {
  await sql`UPDATE refunds SET note = NULL WHERE note IS NOT NULL AND order_id IN (${orders})`.execute(trx)
  await eraseApprovalWords(trx, 'order', sql`SELECT id::text FROM (${orders}) AS orders (id)`)
}

export const eraseRefundWordsOf = (trx: Trx, userId: number): Promise<void> =>
  eraseRefundWords(trx, sql`SELECT id FROM orders WHERE user_id = ${userId}`)
