import { type Selectable, sql } from 'kysely'
import type { Sql, Trx } from '#platform/database.ts'
import type { Captures, Refunds } from '#platform/database-types.ts'

export type CaptureRow = Selectable<Captures>
export type RefundRow = Selectable<Refunds>

/** Captures, refunds and notifications of the provider. */
export const paymentsRepository = (db: Sql) => ({
  capturesOf: (orderId: string): Promise<CaptureRow[]> =>
    db.selectFrom('captures').selectAll().where('order_id', '=', orderId).orderBy('recorded_at').execute(),

  /** The refund of an order that is not done yet. */
  openRefund: (orderId: string): Promise<RefundRow | undefined> =>
    db
      .selectFrom('refunds')
      .selectAll()
      .where('order_id', '=', orderId)
      .where('status', 'in', ['requested', 'pending'])
      .orderBy('id')
      .executeTakeFirst(),

  /** Ids of stored notifications that were not handled, oldest first. */
  unhandledNotifications: (limit: number) =>
    db
      .selectFrom('webhook_inbox')
      .select(['event_id', 'event_type', 'payload'])
      .where('handled_at', 'is', null)
      .where('received_at', '<', sql<Date>`clock_timestamp() - interval '5 seconds'`)
      .orderBy('received_at')
      .limit(limit)
      .execute(),

  /** Stores a notification once. @returns whether it is new */
  async storeNotification(id: string, type: string, payload: unknown): Promise<boolean> {
    const row = await db
      .insertInto('webhook_inbox')
      .values({ event_id: id, event_type: type, payload: JSON.stringify(payload) })
      .onConflict((conflict) => conflict.column('event_id').doNothing())
      .returning('event_id')
      .executeTakeFirst()
    return row !== undefined
  },

  markNotificationHandled: (id: string) =>
    db
      .updateTable('webhook_inbox')
      .set({ handled_at: sql<Date>`now()` })
      .where('event_id', '=', id)
      .execute(),
})

/** Writes to captures and refunds. */
export const paymentWrites = (trx: Trx) => ({
  /** Stores or updates what the provider says of a capture. */
  recordCapture: (capture: {
    id: string
    orderId: string
    status: string
    amount: number
    currency: string
  }) =>
    trx
      .insertInto('captures')
      .values({
        capture_id: capture.id,
        order_id: capture.orderId,
        status: capture.status,
        amount_cents: capture.amount,
        currency: capture.currency,
      })
      .onConflict((conflict) =>
        conflict.column('capture_id').doUpdateSet({ status: capture.status, changed_at: sql<Date>`now()` }),
      )
      .execute(),

  /** Writes down that a capture goes back whole, before the provider is asked; a second wish changes nothing. */
  requestRefund: (captureId: string, orderId: string, amount: number, reason: string) =>
    trx
      .insertInto('refunds')
      .values({ capture_id: captureId, order_id: orderId, amount_cents: amount, reason })
      .onConflict((conflict) => conflict.columns(['capture_id', 'attempt']).doNothing())
      .execute(),

  setRefund: (id: number, status: 'pending' | 'completed' | 'failed', refundId: string | null) =>
    trx
      .updateTable('refunds')
      .set({ status, refund_id: refundId, changed_at: sql<Date>`now()` })
      .where('id', '=', id)
      .execute(),
})
