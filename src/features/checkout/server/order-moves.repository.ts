import { type RawBuilder, sql } from 'kysely'
import type { Sql } from '#platform/database.ts'
import { errorCode } from '#platform/database-errors.ts'
import { holding } from '#features/offers/server/index.ts'
import { type OrderState, mayMove } from '../order-states.rules.ts'
import { type OrderLineRow, type OrderRow, anyEnded, sumByOffer } from './orders.repository.ts'

/** A new order with what it was made from. */
export interface NewOrder {
  id: string
  userId: number
  cartVersion: number
  country: string
  language: string
  subtotal: number
  taxPercent: number
  tax: number
  total: number
  holdMinutes: number
  lines: readonly (OrderLineRow & { answer: string | null })[]
}

/** An order as the provider made it. */
export interface MadeAtProvider {
  orderId: string
  providerId: string
  paymentUrl: string | null
}

/** Another process, or the end of a contest, came between the look at an offer and its hold. */
export class NotHeld extends Error {}

const NOT_NULL_VIOLATION = '23502'

interface MoveSettings {
  newHoldMinutes?: number
  nextAttempt?: boolean
  /** How the rows are chosen and locked; all of them by their ids when left out. */
  lock?: RawBuilder<unknown>
}

/** Which lapsed holds are meant. */
export interface DueHolds {
  limit: number
  /** These orders alone; any when left out. */
  only?: readonly string[]
  /** None of these orders. */
  not: readonly string[]
  /** No order with tickets of these contests. */
  notOf: readonly number[]
}

/** An order of the provider that a buyer wants to pay now. */
export interface CaptureWish {
  userId: number
  providerId: string
}

/**
 * Moves the orders for which `which` is true, together with an event row for each that moved. The condition is looked at
 * again once the row is locked, so of two that want to move an order one finds it moved. From then on the row is ours:
 * the UPDATE must not compare the state once more, since it would do so with the row as it was before the wait, and lose
 * the move of an order that went from one allowed state to another meanwhile.
 */
async function moveThose(
  trx: Sql,
  which: RawBuilder<unknown>,
  to: OrderState,
  reason: string,
  set: MoveSettings = {},
): Promise<OrderRow[]> {
  const { rows } = await sql<OrderRow>`
    WITH old AS (
      SELECT id, state FROM orders WHERE ${which} ${set.lock ?? sql`ORDER BY id FOR UPDATE`}
    ),
    moved AS (
      UPDATE orders o
      SET state = ${to},
          changed_at = clock_timestamp(),
          capture_started_at = CASE WHEN ${to} = 'capturing' THEN clock_timestamp() ELSE o.capture_started_at END,
          capture_attempt = o.capture_attempt + ${set.nextAttempt ? 1 : 0},
          hold_until = CASE WHEN ${set.newHoldMinutes ?? null}::int IS NULL THEN o.hold_until
                            ELSE clock_timestamp() + make_interval(mins => ${set.newHoldMinutes ?? 0}) END,
          -- What is asked for money again must be compared again.
          compared_at = CASE WHEN ${set.newHoldMinutes ?? null}::int IS NULL THEN o.compared_at END
      FROM old
      WHERE o.id = old.id
      RETURNING o.*
    ),
    noted AS (
      INSERT INTO order_events (order_id, from_state, to_state, reason)
      SELECT moved.id, old.state, moved.state, ${reason} FROM moved JOIN old ON old.id = moved.id
    )
    SELECT * FROM moved`.execute(trx)
  return rows
}

/** Writes to orders. */
export const orderWrites = (trx: Sql) => ({
  /**
   * Takes the tickets of new orders and stores these in state `held`, with their lines and their first events.
   * @throws NotHeld when a contest has too few tickets or has ended: the transaction is lost
   */
  async insertHeld(orders: readonly NewOrder[]): Promise<OrderRow[]> {
    const lines = orders.flatMap((order) => order.lines.map((line) => ({ ...line, order_id: order.id })))
    const stored = sql<OrderRow>`
      WITH ${holding(sumByOffer(lines))},
      made AS (
        INSERT INTO orders (id, user_id, cart_version, state, country, language,
                            subtotal_cents, tax_percent, tax_cents, total_cents, hold_until)
        SELECT n.id, n.user_id, n.cart_version, 'held', n.country, n.language,
               n.subtotal, n.tax_percent, n.tax, n.total,
               clock_timestamp() + make_interval(mins => n.hold_minutes)
        FROM unnest(
          ${orders.map((one) => one.id)}::uuid[], ${orders.map((one) => one.userId)}::bigint[],
          ${orders.map((one) => one.cartVersion)}::int[], ${orders.map((one) => one.country)}::text[],
          ${orders.map((one) => one.language)}::text[], ${orders.map((one) => one.subtotal)}::int[],
          ${orders.map((one) => one.taxPercent)}::numeric[], ${orders.map((one) => one.tax)}::int[],
          ${orders.map((one) => one.total)}::int[], ${orders.map((one) => one.holdMinutes)}::int[]
        ) AS n (id, user_id, cart_version, country, language, subtotal, tax_percent, tax, total, hold_minutes)
        RETURNING *
      ),
      lines AS (
        -- A line whose offer did not hold has none, which its column does not bear: all or nothing.
        INSERT INTO order_lines (order_id, offer_id, quantity, unit_cents, title, answer)
        SELECT l.order_id, h.id, l.quantity, l.unit_cents, l.title, l.answer
        FROM unnest(
          ${lines.map((one) => one.order_id)}::uuid[], ${lines.map((one) => one.offer_id)}::int[],
          ${lines.map((one) => one.quantity)}::int[], ${lines.map((one) => one.unit_cents)}::int[],
          ${lines.map((one) => one.title)}::text[], ${lines.map((one) => one.answer)}::text[]
        ) AS l (order_id, offer_id, quantity, unit_cents, title, answer)
        LEFT JOIN holding h ON h.id = l.offer_id
      ),
      noted AS (
        INSERT INTO order_events (order_id, to_state, reason) SELECT id, state, 'created' FROM made
      )
      SELECT * FROM made`
    const { rows } = await stored.execute(trx).catch((error: unknown) => {
      throw errorCode(error) === NOT_NULL_VIOLATION
        ? new NotHeld('an offer could not hold', { cause: error })
        : error
    })
    return rows
  },

  /**
   * Moves orders: one conditional UPDATE, and one event row for each that moved.
   * @param from states they may come from; each must allow the move
   * @returns the moved orders; one that was in none of the states is left out: somebody else was first
   */
  async moveAll(
    wanted: readonly string[],
    from: readonly OrderState[],
    to: OrderState,
    reason: string,
    set: MoveSettings = {},
  ): Promise<OrderRow[]> {
    const forbidden = from.find((state) => !mayMove(state, to))
    if (forbidden) throw new Error(`an order may not go from ${forbidden} to ${to}`)
    const ids = sql`id = ANY(${[...wanted]}::uuid[]) AND state = ANY(${[...from]}::text[])`
    return moveThose(trx, ids, to, reason, set)
  },

  /**
   * Brings held orders into `capturing`: those of active buyers whose contests all still run by the database's clock.
   * @returns the orders that moved
   */
  beginCaptures: (wishes: readonly CaptureWish[]): Promise<OrderRow[]> =>
    moveThose(
      trx,
      sql`state = 'held' AND NOT ${anyEnded}
        AND (provider_order_id, user_id) IN (
          SELECT * FROM unnest(
            ${wishes.map((one) => one.providerId)}::text[], ${wishes.map((one) => one.userId)}::bigint[]
          )
        )
        AND EXISTS (SELECT 1 FROM users u WHERE u.id = orders.user_id AND u.is_active)`,
      'capturing',
      'capture asked',
    ),

  /** The same for one order. @returns undefined when somebody else was first */
  move: async (
    id: string,
    from: readonly OrderState[],
    to: OrderState,
    reason: string,
    set?: MoveSettings,
  ): Promise<OrderRow | undefined> => (await orderWrites(trx).moveAll([id], from, to, reason, set))[0],

  /**
   * Lets holds lapse whose time is up, the longest first. What somebody else has locked is not waited for: it lapses
   * there, or is just being paid, given up or held anew. As with every lock, the condition is looked at once more.
   * @returns the orders that lapsed, whose tickets are still to be given back
   */
  lapse: ({ limit, only, not, notOf }: DueHolds): Promise<OrderRow[]> => {
    // The state stands in the text, so that `orders_due` serves.
    const isDue = sql`state = 'held' AND hold_until < clock_timestamp()
      ${only ? sql`AND id = ANY(${[...only]}::uuid[])` : sql``}
      AND id <> ALL(${[...not]}::uuid[])
      AND NOT EXISTS (
        SELECT 1 FROM order_lines l WHERE l.order_id = orders.id AND l.offer_id = ANY(${[...notOf]}::int[])
      )`
    const lock = sql`ORDER BY hold_until LIMIT ${limit} FOR UPDATE SKIP LOCKED`
    return moveThose(trx, isDue, 'expired', 'hold lapsed', { lock })
  },

  /** Gives up an order that was never made at the provider. @returns undefined when it was, or has moved */
  cancelUnmade: async (id: string): Promise<OrderRow | undefined> => {
    const isUnmade = sql`id = ${id} AND state = 'held' AND provider_order_id IS NULL`
    return (await moveThose(trx, isUnmade, 'cancelled', 'provider refused'))[0]
  },

  /**
   * Notes the provider's orders of those that still hold their tickets; the first one of an order stays.
   * @returns the orders that it was new to
   */
  async setProvider(made: readonly MadeAtProvider[]): Promise<OrderRow[]> {
    const { rows } = await sql<OrderRow>`
      WITH new AS (
        SELECT o.id, m.provider_id, m.payment_url
        FROM orders o JOIN unnest(
          ${made.map((one) => one.orderId)}::uuid[], ${made.map((one) => one.providerId)}::text[],
          ${made.map((one) => one.paymentUrl)}::text[]
        ) AS m (id, provider_id, payment_url) ON m.id = o.id
        WHERE o.provider_order_id IS NULL AND o.state = 'held'
        -- Whoever locks several orders does so in the order of their ids.
        ORDER BY o.id
        FOR UPDATE OF o
      )
      UPDATE orders o SET provider_order_id = new.provider_id, payment_url = new.payment_url
      FROM new WHERE o.id = new.id
      RETURNING o.*`.execute(trx)
    return rows
  },

  /** Marks that an unsettled order was looked at, so that the sweep turns to the others first. */
  touch: (id: string) =>
    trx
      .updateTable('orders')
      .set({ changed_at: sql<Date>`clock_timestamp()` })
      .where('id', '=', id)
      .execute(),

  /**
   * Takes the right to ask the provider about an order that waits for its word: one of those who want to at the same
   * moment has it, and nobody for some seconds after a look or a move. Who has locked the order is moving it right now.
   */
  claimLook: async (id: string, seconds: number): Promise<boolean> => {
    const { numAffectedRows } = await sql`
      UPDATE orders SET changed_at = clock_timestamp()
      WHERE id = (
        SELECT id FROM orders
        WHERE id = ${id} AND state IN ('capturing', 'pending')
          AND changed_at < clock_timestamp() - make_interval(secs => ${seconds})
        FOR UPDATE SKIP LOCKED
      )`.execute(trx)
    return numAffectedRows === 1n
  },
})
