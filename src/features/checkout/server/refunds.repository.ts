import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { Sql, Trx } from '#platform/database.ts'
import type { Refunds } from '#platform/database-types.ts'
import type { OrderRow } from './orders.repository.ts'

export type RefundRow = Selectable<Refunds>
/** A refund of ours, with its currency. */
export type WishedRefund = RefundRow & { currency: string }

export type RefundStatus = 'requested' | 'pending' | 'completed' | 'failed'

/** What the provider says of a refund. */
export interface SaidRefund {
  id: string
  captureId: string
  status: RefundStatus
  /** Cents. */
  amount: number
}

/** How much of a capture went back, in cents. */
export interface CaptureReturns {
  captureId: string
  currency: string
  taken: number
  /** What the provider has returned. */
  returned: number
  /** The same with what is on its way, ours and theirs. */
  claimed: number
  /** What of that was wished for or made since the first refund of ours; all of it when there is none. */
  claimedSince: number
  /** Refunds that were made there, ours and theirs, and came to nothing. */
  undone: number
  /** Refunds of ours that came to nothing. */
  failed: number
  /** The same of theirs: a chargeback that the shop has won. */
  failedThere: number
}

/** Questions about refunds. */
export const refundsRepository = (db: Sql) => ({
  /** The refund of an order that we want and that is not done yet, with its currency. */
  open: (orderId: string): Promise<WishedRefund | undefined> =>
    db
      .selectFrom('refunds')
      .innerJoin('captures', 'captures.capture_id', 'refunds.capture_id')
      .selectAll('refunds')
      .select('captures.currency')
      .where('refunds.order_id', '=', orderId)
      .where(sql<boolean>`refunds.status IN ('requested', 'pending')`)
      .where('refunds.origin', '=', 'shop')
      .orderBy('refunds.id')
      .executeTakeFirst(),

  /** Whether a refund was wished for within the given days, by the database's clock. */
  isYoung: async (id: number, days: number): Promise<boolean> =>
    (await db
      .selectFrom('refunds')
      .select('id')
      .where('id', '=', id)
      .where('created_at', '>', sql<Date>`clock_timestamp() - make_interval(days => ${days})`)
      .executeTakeFirst()) !== undefined,

  /** The last refund of ours, of an order or of one capture of it, that the provider made and that came to nothing. */
  lastUndone: async (orderId: string, captureId?: string): Promise<number | undefined> => {
    let undone = db
      .selectFrom('refunds')
      .select('id')
      .where('order_id', '=', orderId)
      .where('origin', '=', 'shop')
      .where('status', '=', 'failed')
      .where('refund_id', 'is not', null)
    if (captureId !== undefined) undone = undone.where('capture_id', '=', captureId)
    return (await undone.orderBy('id', 'desc').limit(1).executeTakeFirst())?.id
  },

  /** The provider's ids of an order's refunds, theirs among them. */
  idsOf: async (orderId: string): Promise<string[]> =>
    (await db.selectFrom('refunds').select('refund_id').where('order_id', '=', orderId).execute()).flatMap(
      (row) => row.refund_id ?? [],
    ),

  /** What went back of an order's captures that took money, the first of them in front. */
  async returns(orderId: string): Promise<CaptureReturns[]> {
    const { rows } = await sql<CaptureReturns>`
      SELECT c.capture_id AS "captureId", c.currency, c.amount_cents AS taken, c.refunded_cents AS claimed,
             coalesce(sum(r.amount_cents) FILTER (WHERE r.status = 'completed'), 0)::int AS returned,
             coalesce(sum(r.amount_cents) FILTER (WHERE r.status <> 'failed' AND r.id >= coalesce(
               (SELECT min(f.id) FROM refunds f WHERE f.capture_id = c.capture_id AND f.origin = 'shop'), 0)
             ), 0)::int AS "claimedSince",
             (count(*) FILTER (WHERE r.status = 'failed' AND r.refund_id IS NOT NULL))::int AS undone,
             (count(*) FILTER (WHERE r.status = 'failed' AND r.origin = 'shop'))::int AS failed,
             (count(*) FILTER (WHERE r.status = 'failed' AND r.origin = 'provider'))::int AS "failedThere"
      FROM captures c LEFT JOIN refunds r ON r.capture_id = c.capture_id
      WHERE c.order_id = ${orderId} AND c.status IN ('COMPLETED', 'PARTIALLY_REFUNDED', 'REFUNDED')
      GROUP BY c.capture_id ORDER BY c.recorded_at, c.capture_id`.execute(db)
    return rows
  },
})

/** Cents of a capture's refunds that have not failed. */
const goesBack = (captureId: RawBuilder<unknown>): RawBuilder<number> => sql<number>`
  coalesce((SELECT sum(r.amount_cents) FROM refunds r WHERE r.capture_id = ${captureId} AND r.status <> 'failed'), 0)`

/** Writes to refunds. Each is for the holder of the order's lock, so that the sums it leaves are right. */
export const refundWrites = (trx: Trx) => ({
  /** Locks an order: refunds of it are written by one at a time. */
  lockOrder: (orderId: string): Promise<OrderRow> =>
    trx
      .selectFrom('orders')
      .selectAll()
      .where('id', '=', orderId)
      .forUpdate()
      .executeTakeFirstOrThrow() as Promise<OrderRow>,

  /**
   * Writes down that money of a capture goes back, before the provider is asked. A wish that is open stays the only one,
   * and one of more than is left ends the transaction: `captures_never_refunded_twice`.
   */
  async request(captureId: string, orderId: string, amount: number, reason: string): Promise<void> {
    await sql`
      INSERT INTO refunds (capture_id, order_id, attempt, amount_cents, reason)
      SELECT ${captureId}, ${orderId}, coalesce(max(attempt), 0) + 1, ${amount}, ${reason}
      FROM refunds WHERE capture_id = ${captureId}
      HAVING NOT coalesce(bool_or(origin = 'shop' AND status IN ('requested', 'pending')), false)`.execute(
      trx,
    )
    await sql`
      UPDATE captures SET refunded_cents = ${goesBack(sql`captures.capture_id`)}
      WHERE capture_id = ${captureId}`.execute(trx)
  },

  /**
   * Notes what the provider made of a wish of ours. A refund that was taken over as the provider's, because a database
   * that was restored from a backup had forgotten its wish, is the wish's from now on, and stands in the book once.
   * @returns false when somebody else has noted how it ended
   */
  async answer(wish: RefundRow, status: RefundStatus, refundId: string | null): Promise<boolean> {
    await sql`
      DELETE FROM refunds r USING refunds wish
      WHERE wish.id = ${wish.id} AND wish.status IN ('requested', 'pending')
        AND r.refund_id = ${refundId} AND r.origin = 'provider'
        AND r.capture_id = wish.capture_id AND r.amount_cents = wish.amount_cents`.execute(trx)
    const noted = await trx
      .updateTable('refunds')
      .set({ status, refund_id: refundId, changed_at: sql<Date>`now()` })
      .where('id', '=', wish.id)
      .where('status', 'in', ['requested', 'pending'])
      .returning('id')
      .execute()
    await refundWrites(trx).count(wish.order_id)
    return noted.length > 0
  },

  /**
   * Takes over refunds as the provider tells of them; each is there once. One that has ended is not pending again, one
   * that has failed stays so, since its money may have been sent once more, and one of another order stays there: the
   * books will differ, which rings.
   * @returns those that are done now and were not before
   */
  async takeOver(orderId: string, refunds: readonly SaidRefund[], reason: string): Promise<SaidRefund[]> {
    const ids = refunds.map((one) => one.id)
    const { rows } = await sql<{ refund_id: string }>`
      WITH before AS (
        SELECT refund_id, status FROM refunds WHERE refund_id = ANY(${ids}::text[])
      ),
      written AS (
        INSERT INTO refunds (capture_id, order_id, attempt, amount_cents, reason, status, refund_id, origin)
        SELECT said.capture_id, ${orderId}::uuid, NULL, said.amount, ${reason}, said.status, said.id, 'provider'
        FROM unnest(
          ${refunds.map((one) => one.captureId)}::text[], ${refunds.map((one) => one.amount)}::int[],
          ${refunds.map((one) => one.status)}::text[], ${ids}::text[]
        ) AS said (capture_id, amount, status, id)
        ON CONFLICT (refund_id) DO UPDATE
        SET status = CASE WHEN refunds.status = 'failed' THEN 'failed'
                          WHEN excluded.status = 'pending' AND refunds.status = 'completed' THEN 'completed'
                          ELSE excluded.status END,
            changed_at = now()
        WHERE refunds.order_id = excluded.order_id
        RETURNING refund_id, status
      )
      SELECT written.refund_id FROM written LEFT JOIN before ON before.refund_id = written.refund_id
      WHERE written.status = 'completed' AND before.status IS DISTINCT FROM 'completed'`.execute(trx)
    await refundWrites(trx).count(orderId)
    const done = new Set(rows.map((row) => row.refund_id))
    return refunds.filter((one) => done.has(one.id))
  },

  /**
   * Counts what goes back of each capture, up to all of it: what the provider has sent back beyond that (a refund made
   * there, then a chargeback) is a fact that nobody can refuse. Each refund stands in the book with its sum.
   */
  count: (orderId: string) =>
    sql`
      UPDATE captures c SET refunded_cents = least(${goesBack(sql`c.capture_id`)}, c.amount_cents)
      WHERE c.order_id = ${orderId}`.execute(trx),
})
