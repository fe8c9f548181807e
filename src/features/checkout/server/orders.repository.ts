import { type Selectable, sql } from 'kysely'
import type { Sql, Trx } from '#platform/database.ts'
import type { Orders } from '#platform/database-types.ts'
import type { Wanted } from '#features/offers/server/index.ts'
import { type OrderState, mayMove } from '../order-states.rules.ts'

export type OrderRow = Omit<Selectable<Orders>, 'state'> & { state: OrderState }

export interface OrderLineRow {
  offer_id: number
  quantity: number
  unit_cents: number
  title: string
}

/** Questions about orders. */
export const ordersRepository = (db: Sql) => ({
  byId: (id: string): Promise<OrderRow | undefined> =>
    db.selectFrom('orders').selectAll().where('id', '=', id).executeTakeFirst() as Promise<
      OrderRow | undefined
    >,

  byProviderId: (providerId: string): Promise<OrderRow | undefined> =>
    db
      .selectFrom('orders')
      .selectAll()
      .where('provider_order_id', '=', providerId)
      .executeTakeFirst() as Promise<OrderRow | undefined>,

  /** The user's orders whose tickets are held or whose payment is under way, and whether the hold still stands. */
  openOfUser: (userId: number): Promise<(OrderRow & { stands: boolean })[]> =>
    db
      .selectFrom('orders')
      .selectAll()
      .select(sql<boolean>`hold_until > clock_timestamp()`.as('stands'))
      .where('user_id', '=', userId)
      .where('state', 'in', ['held', 'capturing', 'pending'])
      .orderBy('created_at')
      .execute() as Promise<(OrderRow & { stands: boolean })[]>,

  lines: (orderId: string): Promise<OrderLineRow[]> =>
    db
      .selectFrom('order_lines')
      .select(['offer_id', 'quantity', 'unit_cents', 'title'])
      .where('order_id', '=', orderId)
      .orderBy('offer_id')
      .execute(),

  /** Whether every contest of the order still runs, by the database's clock. */
  async contestsRun(orderId: string): Promise<boolean> {
    const ended = await db
      .selectFrom('order_lines')
      .innerJoin('offers', 'offers.id', 'order_lines.offer_id')
      .select('offers.id')
      .where('order_id', '=', orderId)
      .where((eb) =>
        eb.or([eb('offers.active', '=', false), eb('offers.end_date', '<=', sql<Date>`clock_timestamp()`)]),
      )
      .executeTakeFirst()
    return ended === undefined
  },

  /** Ids of held orders whose time is up, the longest first. */
  lapsed: async (limit: number): Promise<string[]> =>
    (
      await db
        .selectFrom('orders')
        .select('id')
        .where('state', '=', 'held')
        .where('hold_until', '<', sql<Date>`clock_timestamp()`)
        .orderBy('hold_until')
        .limit(limit)
        .execute()
    ).map((row) => row.id),

  /** Ids of orders that wait for the provider's word since before the given age. */
  unsettled: async (olderThanSeconds: number, limit: number): Promise<string[]> =>
    (
      await db
        .selectFrom('orders')
        .select('id')
        .where('state', 'in', ['capturing', 'pending', 'refunding'])
        .where('changed_at', '<', sql<Date>`clock_timestamp() - make_interval(secs => ${olderThanSeconds})`)
        .orderBy('changed_at')
        .limit(limit)
        .execute()
    ).map((row) => row.id),

  /** Tickets of an offer held by the user's own order that is not being paid yet. */
  async heldByUser(userId: number, offerId: number): Promise<number> {
    const row = await db
      .selectFrom('orders')
      .innerJoin('order_lines', 'order_lines.order_id', 'orders.id')
      .select((eb) => eb.fn.sum<string>('order_lines.quantity').as('held'))
      .where('orders.user_id', '=', userId)
      .where('orders.state', '=', 'held')
      .where('order_lines.offer_id', '=', offerId)
      .executeTakeFirst()
    return Number(row?.held ?? 0)
  },
})

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

/** Writes to orders. */
export const orderWrites = (trx: Trx) => ({
  /** Stores a new order in state `held` with its lines and its first event. */
  async insert(order: NewOrder): Promise<OrderRow> {
    const row = await trx
      .insertInto('orders')
      .values({
        id: order.id,
        user_id: order.userId,
        cart_version: order.cartVersion,
        state: 'held',
        country: order.country,
        language: order.language,
        subtotal_cents: order.subtotal,
        tax_percent: order.taxPercent,
        tax_cents: order.tax,
        total_cents: order.total,
        hold_until: sql<Date>`clock_timestamp() + make_interval(mins => ${order.holdMinutes})`,
      })
      .returningAll()
      .executeTakeFirstOrThrow()
    await trx
      .insertInto('order_lines')
      .values(order.lines.map((line) => ({ ...line, order_id: order.id })))
      .execute()
    await recordEvent(trx, order.id, null, 'held', 'created')
    return row as OrderRow
  },

  /**
   * Moves an order: one conditional UPDATE and one event row.
   * @param from states it may come from; each must allow the move
   * @returns the moved order, or undefined when it was in none of them: somebody else was first
   */
  async move(
    id: string,
    from: readonly OrderState[],
    to: OrderState,
    reason: string,
    set: { newHoldMinutes?: number; nextAttempt?: boolean } = {},
  ): Promise<OrderRow | undefined> {
    const forbidden = from.find((state) => !mayMove(state, to))
    if (forbidden) throw new Error(`an order may not go from ${forbidden} to ${to}`)
    const { rows } = await sql<OrderRow & { was: OrderState }>`
      UPDATE orders o
      SET state = ${to},
          changed_at = clock_timestamp(),
          capture_started_at = CASE WHEN ${to} = 'capturing' THEN clock_timestamp() ELSE o.capture_started_at END,
          capture_attempt = o.capture_attempt + ${set.nextAttempt ? 1 : 0},
          hold_until = CASE WHEN ${set.newHoldMinutes ?? null}::int IS NULL THEN o.hold_until
                            ELSE clock_timestamp() + make_interval(mins => ${set.newHoldMinutes ?? 0}) END
      FROM (SELECT id, state FROM orders WHERE id = ${id} AND state = ANY(${[...from]}::text[]) FOR UPDATE) old
      WHERE o.id = old.id AND o.state = ANY(${[...from]}::text[])
      RETURNING o.*, old.state AS was`.execute(trx)
    const moved = rows[0]
    if (!moved) return undefined
    await recordEvent(trx, id, moved.was, to, reason)
    return moved
  },

  /** Notes the provider's order; the first one stays. */
  async setProvider(id: string, providerId: string, paymentUrl: string | null): Promise<OrderRow> {
    const row = await trx
      .updateTable('orders')
      .set({ provider_order_id: providerId, payment_url: paymentUrl })
      .where('id', '=', id)
      .where('provider_order_id', 'is', null)
      .returningAll()
      .executeTakeFirst()
    return (row as OrderRow | undefined) ?? ((await ordersRepository(trx).byId(id)) as OrderRow)
  },

  /** Marks that an unsettled order was looked at, so that the sweep turns to the others first. */
  touch: (id: string) =>
    trx
      .updateTable('orders')
      .set({ changed_at: sql<Date>`clock_timestamp()` })
      .where('id', '=', id)
      .execute(),
})

const recordEvent = (trx: Trx, orderId: string, from: OrderState | null, to: OrderState, reason: string) =>
  trx
    .insertInto('order_events')
    .values({ order_id: orderId, from_state: from, to_state: to, reason })
    .execute()

/** Quantities of an order's lines, for the offers' counters. */
export const wantedOf = (lines: readonly OrderLineRow[]): Wanted[] =>
  lines.map((line) => ({ offerId: line.offer_id, quantity: line.quantity }))
