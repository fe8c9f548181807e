import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { Sql, Trx } from '#platform/database.ts'
import type { Captures } from '#platform/database-types.ts'
import { ProviderContradicts } from '#platform/paypal/faults.ts'
import { TOOK_MONEY, TOOK_NOTHING } from '#platform/paypal/messages.ts'

export type CaptureRow = Selectable<Captures>

/** Captures and notifications of the provider. */
export const paymentsRepository = (db: Sql) => ({
  capturesOf: (orderId: string): Promise<CaptureRow[]> =>
    db.selectFrom('captures').selectAll().where('order_id', '=', orderId).orderBy('recorded_at').execute(),

  /** The order that a capture of the provider paid. */
  orderOfCapture: async (captureId: string): Promise<string | undefined> =>
    (
      await db
        .selectFrom('captures')
        .select('order_id')
        .where('capture_id', '=', captureId)
        .executeTakeFirst()
    )?.order_id,

  /** Stored notifications that were not handled; who has waited longest since the last try is first. */
  unhandledNotifications: (limit: number) =>
    db
      .selectFrom('webhook_inbox')
      .select(['event_id', 'event_type', 'payload'])
      .where('handled_at', 'is', null)
      .where('received_at', '<', sql<Date>`clock_timestamp() - interval '5 seconds'`)
      .orderBy(sql`coalesce(tried_at, received_at)`)
      .limit(limit)
      .execute(),

  /** Stores a notification once. @returns whether it is new */
  async storeNotification(id: string, type: string, payload: unknown): Promise<boolean> {
    const row = await db
      .insertInto('webhook_inbox')
      .values({ event_id: id, event_type: type, payload: storable(id, type, payload) })
      .onConflict((conflict) => conflict.column('event_id').doNothing())
      .returning('event_id')
      .executeTakeFirst()
    return row !== undefined
  },

  markNotificationTried: (id: string) =>
    db
      .updateTable('webhook_inbox')
      .set({ tried_at: sql<Date>`clock_timestamp()` })
      .where('event_id', '=', id)
      .execute(),

  markNotificationHandled: (id: string) =>
    db
      .updateTable('webhook_inbox')
      .set({ handled_at: sql<Date>`now()` })
      .where('event_id', '=', id)
      .execute(),
})

/**
 * A notification as JSON that the database can keep: what no text of it can hold (a zero byte, half a surrogate pair) is
 * replaced, and one that is nested beyond all reason loses all but its name.
 */
function storable(id: string, type: string, payload: unknown): string {
  try {
    return JSON.stringify(payload).replaceAll(/\\(?:u0000|ud[89a-f][0-9a-f]{2}|.)/g, (escape) =>
      escape.length === 2 ? escape : '\\ufffd',
    )
  } catch {
    return JSON.stringify({ id, event_type: type, resource: {} })
  }
}

/** What the provider says of a capture. */
export interface SaidCapture {
  id: string
  orderId: string
  status: string
  /** Cents. */
  amount: number
  currency: string
}

/**
 * How far a capture has come: what was said late must not take it back. A no is no end: a decline may turn out to be
 * pending, or to have taken the money.
 */
const stageOf = (status: RawBuilder<unknown>): RawBuilder<number> => sql<number>`
  CASE ${status} WHEN 'COMPLETED' THEN 1 WHEN 'PARTIALLY_REFUNDED' THEN 2 WHEN 'REFUNDED' THEN 3 ELSE 0 END`

const SAID_LATE = sql`${stageOf(sql`excluded.status`)} < ${stageOf(sql`captures.status`)}`

/** Writes to captures. */
export const paymentWrites = (trx: Trx) => ({
  /**
   * Stores or updates what the provider says of captures; one that has come further stays as it is. What was said of the
   * money of a pending one need not be what was taken in the end, so its amount follows, but never below what goes back.
   * @returns those that are said to have taken nothing, although the book has their money: they stay as they are
   * @throws ProviderContradicts when it says of one that pays another order already
   */
  async recordCaptures(captures: readonly SaidCapture[]): Promise<SaidCapture[]> {
    const { rows } = await sql<{ capture_id: string; status: string }>`
      INSERT INTO captures (capture_id, order_id, status, amount_cents, currency)
      SELECT * FROM unnest(
        ${captures.map((one) => one.id)}::text[], ${captures.map((one) => one.orderId)}::uuid[],
        ${captures.map((one) => one.status)}::text[], ${captures.map((one) => one.amount)}::int[],
        ${captures.map((one) => one.currency)}::text[]
      )
      ON CONFLICT (capture_id) DO UPDATE
      SET status = CASE WHEN ${SAID_LATE} THEN captures.status ELSE excluded.status END,
          amount_cents = CASE WHEN ${SAID_LATE} THEN captures.amount_cents
                              ELSE greatest(excluded.amount_cents, captures.refunded_cents) END,
          currency = CASE WHEN ${SAID_LATE} THEN captures.currency ELSE excluded.currency END,
          changed_at = now()
      WHERE captures.order_id = excluded.order_id
      RETURNING captures.capture_id, captures.status`.execute(trx)
    if (rows.length < captures.length) throw new ProviderContradicts('a capture that pays another order')
    const taken = new Set(rows.filter(({ status }) => TOOK_MONEY.has(status)).map((row) => row.capture_id))
    return captures.filter((one) => TOOK_NOTHING.has(one.status) && taken.has(one.id))
  },
})
