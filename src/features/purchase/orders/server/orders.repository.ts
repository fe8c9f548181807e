import { type RawBuilder, type Selectable, sql } from 'kysely'
import { anyOf } from '#platform/any-of.ts'
import { byIds } from '#platform/by-ids.ts'
import type { Database, ReadDatabase, Sql, Trx } from '#platform/database.ts'
import type { Orders } from '#platform/database-types.ts'
import { eraseAlertNotes } from '#features/alerts/server/index.ts'
import { offersInCartsOf } from '#features/purchase/cart/server/index.ts'
import type { Wanted } from '#features/offers/server/index.ts'
import {
  AWAITING_PROVIDER,
  CLOSED,
  HOLDING,
  RELEASED,
  type OrderState,
  type ReasonFor,
} from '../order-machine.rules.ts'
import { isSurplus, tookMoney } from './paying-capture.repository.ts'
import { erasedAccount } from '#features/accounts/server/index.ts'
import { giveTicketsTo } from '#features/tickets/server/index.ts'
import { transact } from '#platform/transaction.ts'
import { anyTextIs, textOf } from '#platform/localized-columns.ts'

export type OrderRow = Omit<Selectable<Orders>, 'state'> & { state: OrderState }

export type OpenOrderRow = OrderRow & {
  hold_runs: boolean
  lines: readonly Pick<OrderLineRow, 'offer_id' | 'quantity'>[]
}

export interface CaptureFailure {
  reason: ReasonFor<'returnToBuyer' | 'failCapture'>
  /** The provider's code. */
  note: string | null
  at: Date
}

export interface OrderLineRow {
  offer_id: number
  quantity: number
  unit_cents: number
  title: string
}

/** True of an offer `f` that takes no money any more. */
const isOver = sql<boolean>`(NOT f.active OR f.end_date <= clock_timestamp())`

/** True when an offer of the order has ended. This and all deadlines go by the database's clock. */
export const anyEnded = sql<boolean>`EXISTS (
  SELECT 1 FROM order_lines l JOIN offers f ON f.id = l.offer_id
  WHERE l.order_id = orders.id AND ${isOver}
)`

/** A condition with literal states, so that the partial indexes on `state` apply. */
export const stateIn = (states: readonly string[], column = 'state'): RawBuilder<boolean> =>
  sql<boolean>`${sql.raw(`${column} IN (${states.map((state) => `'${state}'`).join(', ')})`)}`

const isOpen = stateIn(HOLDING, 'o.state')

/** True when the buyer may still pay: no payment in progress, and the hold has not expired. */
export const holdRuns = sql<boolean>`state = 'held' AND hold_until > clock_timestamp()`

/** What a buyer's earlier orders say about the next one. */
export interface BuyerHistory {
  user_id: number
  /** Has never completed an order. */
  newcomer: boolean
  /** Minutes for which the buyer's orders of the last day held tickets, of those that ended without a payment. */
  unpaid_minutes: number
}

/** Tickets of an offer that the orders of one network hold. */
export interface HeldByNetwork {
  offer_id: number
  network: string | null
  newcomer: boolean
  quantity: number
}

/**
 * True of a held order whose payment nobody has finished: its capture was never asked for and is still possible. Whether
 * its buyer has approved it is `approved_at`.
 */
const isUnfinished = sql<boolean>`(
  ${holdRuns} AND provider_order_id IS NOT NULL AND capture_started_at IS NULL AND NOT ${anyEnded}
)`

/** An approved order is told of by email so long after the approval, or before the end of its hold, whichever is first. */
const TELL_AFTER_MINUTES = 5
const TELL_BEFORE_END_MINUTES = 3

export type WaitingOrderRow = OrderRow & {
  tickets: number
  seconds_left: number
}

const openLinesOf = (userIds: readonly number[]): RawBuilder<unknown> => sql`
  orders o JOIN order_lines l ON l.order_id = o.id
  WHERE o.user_id = ANY(${[...userIds]}::bigint[]) AND ${isOpen}`

export const offersAtStake = (userIds: readonly number[]): RawBuilder<{ offer_id: number }> => sql`
  ${offersInCartsOf(userIds)}
  UNION
  SELECT l.offer_id FROM ${openLinesOf(userIds)}`

/** Offers of the users' orders that hold tickets. */
export const offersOnHold = async (
  db: Sql,
  userIds: readonly number[],
): Promise<{ user_id: number; offer_id: number }[]> =>
  (
    await sql<{ user_id: number; offer_id: number }>`
      SELECT o.user_id, l.offer_id FROM ${openLinesOf(userIds)}`.execute(db)
  ).rows

const linesOfOrders = byIds((db, orderIds: readonly string[]) =>
  db
    .selectFrom('order_lines')
    .select(['order_id', 'offer_id', 'quantity', 'unit_cents', 'title'])
    .where('order_id', '=', anyOf(orderIds, 'uuid'))
    .orderBy('order_id')
    .orderBy('offer_id'),
)

export const orderRows = (db: ReadDatabase) => db.selectFrom('orders').selectAll().$castTo<OrderRow>()

const isFound = async (query: { executeTakeFirst: () => Promise<unknown> }): Promise<boolean> =>
  (await query.executeTakeFirst()) !== undefined

export const ordersRepository = (db: Sql) => ({
  byId: (id: string): Promise<OrderRow | undefined> => orderRows(db).where('id', '=', id).executeTakeFirst(),

  byIds: (ids: readonly string[]): Promise<OrderRow[]> =>
    orderRows(db).where('id', '=', anyOf(ids, 'uuid')).execute(),

  byProviderId: (providerId: string): Promise<OrderRow | undefined> =>
    orderRows(db).where('provider_order_id', '=', providerId).executeTakeFirst(),

  /** The user's orders in these states, the newest first. */
  inStatesOf: (userId: number, states: readonly OrderState[], limit: number): Promise<OrderRow[]> =>
    orderRows(db)
      .where('user_id', '=', userId)
      .where('state', 'in', [...states])
      .orderBy('id', 'desc')
      .limit(limit)
      .execute(),

  /** The users' orders that hold tickets, locked in the order of ids. */
  lockOpenOfUsers: async (userIds: readonly number[]): Promise<OpenOrderRow[]> =>
    (
      await sql<OpenOrderRow>`
        SELECT o.*, ${holdRuns} AS hold_runs,
               (SELECT json_agg(json_build_object('offer_id', l.offer_id, 'quantity', l.quantity) ORDER BY l.offer_id)
                FROM order_lines l WHERE l.order_id = o.id) AS lines
        FROM orders o
        WHERE o.user_id = ANY(${[...userIds]}::bigint[]) AND ${isOpen}
        ORDER BY o.id FOR UPDATE OF o`.execute(db)
    ).rows,

  histories: async (userIds: readonly number[]): Promise<BuyerHistory[]> =>
    (
      await sql<BuyerHistory>`
        SELECT u.id AS user_id,
               NOT EXISTS (SELECT FROM tickets t WHERE t.user_id = u.id AND t.order_id IS NOT NULL) AS newcomer,
               (SELECT coalesce(extract(epoch FROM sum(least(o.state_changed_at, o.hold_until) - o.created_at)), 0)::float8 / 60
                FROM orders o
                WHERE o.user_id = u.id AND o.created_at > now() - interval '1 day'
                  AND ${stateIn(RELEASED, 'o.state')}) AS unpaid_minutes
        FROM unnest(${[...userIds]}::bigint[]) AS u (id)`.execute(db)
    ).rows,

  heldByNetworks: async (offerIds: readonly number[]): Promise<HeldByNetwork[]> =>
    (
      await sql<HeldByNetwork>`
        SELECT l.offer_id, o.network, o.newcomer, sum(l.quantity)::int AS quantity
        FROM orders o JOIN order_lines l ON l.order_id = o.id
        WHERE ${isOpen} AND l.offer_id = ANY(${[...offerIds]}::int[])
        GROUP BY l.offer_id, o.network, o.newcomer`.execute(db)
    ).rows,

  /** The payable order of the user's current cart; `orders_one_open` allows at most one. */
  waitingOf: async (userId: number): Promise<WaitingOrderRow | undefined> =>
    (
      await sql<WaitingOrderRow>`
        SELECT orders.*,
               (SELECT sum(l.quantity)::int FROM order_lines l WHERE l.order_id = orders.id) AS tickets,
               extract(epoch FROM hold_until - clock_timestamp())::float8 AS seconds_left
        FROM orders JOIN carts c ON c.user_id = orders.user_id AND c.version = orders.cart_version
        WHERE orders.user_id = ${userId} AND ${holdRuns} AND provider_order_id IS NOT NULL AND NOT ${anyEnded}`.execute(
        db,
      )
    ).rows[0],

  lines: (orderId: string): Promise<OrderLineRow[]> => ordersRepository(db).linesOf([orderId]),

  linesOf: (orderIds: readonly string[]): Promise<(OrderLineRow & { order_id: string })[]> =>
    linesOfOrders(db, orderIds),

  /** The reason for which the last capture returned the order to its buyer, or cancelled it. */
  lastCaptureFailure: (orderId: string) =>
    db
      .selectFrom('order_events')
      .select(['reason', 'note', 'at'])
      .where('order_id', '=', orderId)
      .where('from_state', '=', 'capturing')
      .where('to_state', 'in', ['held', 'cancelled'])
      .orderBy('id', 'desc')
      .limit(1)
      .$castTo<CaptureFailure>()
      .executeTakeFirst(),

  /** The reason of its last move. */
  async lastReason(orderId: string): Promise<string | undefined> {
    const { rows } = await sql<{ reason: string }>`
      SELECT reason FROM order_events WHERE order_id = ${orderId} ORDER BY id DESC LIMIT 1`.execute(db)
    return rows[0]?.reason
  },

  /** How often the hold was renewed after its expiry. */
  async renewals(orderId: string): Promise<number> {
    const reason: ReasonFor<'renewHold'> = 'buyer_returned'
    const { rows } = await sql<{ times: number }>`
      SELECT count(*)::int AS times FROM order_events WHERE order_id = ${orderId} AND reason = ${reason}`.execute(
      db,
    )
    return rows[0]?.times ?? 0
  },

  wasCompleted: (orderId: string): Promise<boolean> =>
    isFound(
      db
        .selectFrom('order_events')
        .select('id')
        .where('order_id', '=', orderId)
        .where('to_state', '=', 'completed')
        .limit(1),
    ),

  /** The lines whose offer has ended or was stopped. */
  endedLines: async (orderId: string): Promise<Pick<OrderLineRow, 'offer_id' | 'title'>[]> =>
    (
      await sql<Pick<OrderLineRow, 'offer_id' | 'title'>>`
        SELECT l.offer_id, l.title FROM order_lines l JOIN offers f ON f.id = l.offer_id
        WHERE l.order_id = ${orderId} AND ${isOver}
        ORDER BY l.offer_id`.execute(db)
    ).rows,

  offersRun: (orderId: string): Promise<boolean> =>
    isFound(
      db
        .selectFrom('orders')
        .select('id')
        .where('id', '=', orderId)
        .where((eb) => eb.not(anyEnded)),
    ),

  /** Whether its buyer would have more tickets of an offer than one person may, once it is paid. */
  isOverPersonLimit: async (orderId: string): Promise<boolean> =>
    (
      await sql`
        SELECT 1 FROM orders o JOIN order_lines l ON l.order_id = o.id JOIN offers f ON f.id = l.offer_id
        WHERE o.id = ${orderId} AND f.max_per_person IS NOT NULL AND f.max_per_person < l.quantity
          + (SELECT count(*) FROM tickets t
             WHERE t.user_id = o.user_id AND t.offer_id = f.id AND t.status = 'valid')
          + (SELECT coalesce(sum(other.quantity), 0) FROM orders p JOIN order_lines other ON other.order_id = p.id
             WHERE p.user_id = o.user_id AND p.id <> o.id AND other.offer_id = f.id AND ${stateIn(HOLDING, 'p.state')})
        LIMIT 1`.execute(db)
    ).rows.length > 0,

  /** The user's unfinished orders, the newest first; `orders_one_open` allows few. */
  unfinishedOf: (userId: number): Promise<OrderRow[]> =>
    orderRows(db).where('user_id', '=', userId).where(isUnfinished).orderBy('id', 'desc').execute(),

  isUnfinished: (orderId: string): Promise<boolean> =>
    isFound(
      db
        .selectFrom('orders')
        .select('id')
        .where('id', '=', orderId)
        .where(isUnfinished)
        .where('approved_at', 'is not', null),
    ),

  /**
   * Approved orders whose buyers are to be told that the payment is not finished, locked, without locked ones and those
   * whose buyer was told. Nobody is told who could not finish it: the account must be active.
   * @param key of their email, before the order's id
   */
  lockUntold: async (key: string, limit: number): Promise<OrderRow[]> =>
    (
      await sql<OrderRow>`
        SELECT orders.* FROM orders
        WHERE ${isUnfinished}
          AND (approved_at < clock_timestamp() - make_interval(mins => ${TELL_AFTER_MINUTES})
               OR (approved_at IS NOT NULL
                   AND hold_until < clock_timestamp() + make_interval(mins => ${TELL_BEFORE_END_MINUTES})))
          AND EXISTS (SELECT FROM users u WHERE u.id = orders.user_id AND u.is_active)
          AND NOT EXISTS (SELECT FROM emails e WHERE e.key = ${key} || orders.id)
        ORDER BY orders.id LIMIT ${limit} FOR UPDATE SKIP LOCKED`.execute(db)
    ).rows,

  /** Held orders that end within minutes and of which the provider was not asked for a minute. */
  async endingUnchecked(limit: number): Promise<string[]> {
    const rows = await db
      .selectFrom('orders')
      .select('id')
      .where(holdRuns)
      .where('provider_order_id', 'is not', null)
      .where('approved_at', 'is', null)
      .where(sql<boolean>`hold_until < clock_timestamp() + interval '4 minutes'`)
      .where(sql<boolean>`checked_at < clock_timestamp() - interval '1 minute'`)
      .orderBy('hold_until')
      .limit(limit)
      .execute()
    return rows.map(({ id }) => id)
  },

  /** Ids of orders with a payment or refund that has been open for so long. */
  async toReconcile(olderThanSeconds: number, limit: number): Promise<string[]> {
    const isOld = sql`o.checked_at < now() - make_interval(secs => ${olderThanSeconds})`
    const { rows } = await sql<{ id: string }>`
      SELECT id FROM (
        SELECT o.id, o.checked_at FROM orders o
        WHERE ${stateIn(AWAITING_PROVIDER, 'o.state')} AND ${isOld}
        UNION
        -- A partial refund: the share of a cancelled offer.
        SELECT o.id, o.checked_at FROM refunds f JOIN orders o ON o.id = f.order_id
        WHERE f.status IN ('requested', 'pending') AND f.origin = 'shop' AND o.state = 'completed' AND ${isOld}
      ) AS waiting
      ORDER BY checked_at LIMIT ${limit}`.execute(db)
    return rows.map(({ id }) => id)
  },

  /** The provider's ids of orders that changed within so many hours, the newest first. */
  changedWithin: async (hours: number, limit: number): Promise<string[]> =>
    (
      await db
        .selectFrom('orders')
        .select('provider_order_id')
        .where('provider_order_id', 'is not', null)
        .where('state_changed_at', '>', sql<Date>`now() - make_interval(hours => ${hours})`)
        .orderBy('state_changed_at', 'desc')
        .limit(limit)
        .execute()
    ).flatMap((row) => row.provider_order_id ?? []),

  captureIsRecent: (id: string, hours: number): Promise<boolean> =>
    isFound(
      db
        .selectFrom('orders')
        .select('id')
        .where('id', '=', id)
        .where(
          sql<boolean>`coalesce(capture_started_at, state_changed_at) > clock_timestamp() - make_interval(hours => ${hours})`,
        ),
    ),

  /** Tickets of an offer in the user's order whose payment has not begun. */
  async heldByUser(userId: number, offerId: number): Promise<number> {
    const row = await db
      .selectFrom('orders')
      .innerJoin('order_lines', 'order_lines.order_id', 'orders.id')
      .select((eb) => eb.fn.sum<string>('order_lines.quantity').as('held'))
      .where('orders.user_id', '=', userId)
      .where(sql<boolean>`orders.state = 'held'`)
      .where('order_lines.offer_id', '=', offerId)
      .executeTakeFirst()
    return Number(row?.held ?? 0)
  },
})

export const wantedOf = (lines: readonly OrderLineRow[]): Wanted[] =>
  lines.map((line) => ({ offerId: line.offer_id, quantity: line.quantity }))

/** Sums the lines of many orders by offer. */
export function sumByOffer(lines: readonly Pick<OrderLineRow, 'offer_id' | 'quantity'>[]): Wanted[] {
  const sums = new Map<number, number>()
  for (const line of lines) sums.set(line.offer_id, (sums.get(line.offer_id) ?? 0) + line.quantity)
  return [...sums].map(([offerId, quantity]) => ({ offerId, quantity }))
}

/** Takes some hundred milliseconds in a large shop. */
export async function countOrders(db: Sql): Promise<Record<string, number>> {
  const { rows } = await sql<{ state: string; orders: number }>`
    SELECT state, count(*) AS orders FROM orders GROUP BY state`.execute(db)
  return Object.fromEntries(rows.map(({ state, orders }) => [state, orders]))
}

/** What binds the shop to a draw: the hash of its terms, and the key of its log without the name. */
export interface DrawTerms {
  hash: string
  key: string
}

export interface PaidLine extends OrderLineRow {
  numbers: readonly number[]
  /** Where they stand in the public log of the draw, counted from 1; of those that are in it. */
  log_lines: readonly number[]
  draw_terms: DrawTerms | null
  /** The contest's number of tickets, which gives the width of a number. */
  total: number
}

export interface ReceiptFacts {
  order: OrderRow
  username: string
  contests: readonly PaidLine[]
  captureId: string
  at: Date
}

/** Of the tickets of an order line `l`. */
export const LOG_LINES = sql`coalesce(
  (SELECT array_agg(e.leaf_index + 1 ORDER BY e.leaf_index)
   FROM tickets t JOIN draw_entries e ON e.offer_id = t.offer_id AND e.number = t.number
   WHERE t.order_id = l.order_id AND t.offer_id = l.offer_id), '{}')`

/** Of the contest of an order line `l`; null until its terms are published. */
export const DRAW_TERMS = sql`(
  SELECT json_build_object('hash', encode(d.terms_hash, 'hex'), 'key', substring(k.key FROM '^[^+]+\\+(.+)$'))
  FROM draws d JOIN draw_logs k ON k.id = d.offer_id WHERE d.offer_id = l.offer_id
)`

/**
 * Whether a ticket of an order is about to be in the public log of its draw. For a minute after the payment its receipt
 * waits for that, so that the attached tickets have their proof links.
 */
export async function awaitsLog(db: Sql, orderId: string): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM tickets t
    JOIN draws d ON d.offer_id = t.offer_id
    JOIN offers o ON o.id = t.offer_id AND o.state IN ('open', 'closed', 'listed')
    WHERE t.order_id = ${orderId}::uuid AND t.issued_at > clock_timestamp() - interval '1 minute'
      AND NOT EXISTS (SELECT FROM draw_entries e WHERE e.offer_id = t.offer_id AND e.number = t.number)
    LIMIT 1`.execute(db)
  return rows.length > 0
}

/**
 * The facts of a receipt (`receipt-email.ts`), read when it is sent. Only the username may have changed since the
 * payment.
 * @returns undefined when the order was never paid
 */
export async function receiptFacts(db: Sql, orderId: string): Promise<ReceiptFacts | undefined> {
  const [order, contests, payments] = await Promise.all([
    ordersRepository(db).byId(orderId),
    sql<PaidLine>`
      SELECT l.offer_id, l.quantity, l.unit_cents, o.total_tickets AS total,
        CASE WHEN ${anyTextIs('o.titles', sql`l.title`)} THEN ${textOf('o.titles', sql`r.language`)}
          ELSE l.title END AS title, coalesce(
        (SELECT array_agg(t.number ORDER BY t.number) FROM tickets t
         WHERE t.order_id = l.order_id AND t.offer_id = l.offer_id), '{}') AS numbers,
        ${LOG_LINES} AS log_lines, ${DRAW_TERMS} AS draw_terms
      FROM order_lines l JOIN offers o ON o.id = l.offer_id JOIN orders r ON r.id = l.order_id
      WHERE l.order_id = ${orderId}::uuid
      ORDER BY l.offer_id`.execute(db),
    sql<Pick<ReceiptFacts, 'username' | 'at'> & { capture_id: string }>`
      SELECT u.username, c.capture_id, e.at
      FROM orders r
      JOIN users u ON u.id = r.user_id
      JOIN order_events e ON e.order_id = r.id AND e.to_state = 'completed'
      JOIN captures c ON c.order_id = r.id AND c.status NOT IN ('declined', 'failed', 'pending')
      WHERE r.id = ${orderId}::uuid
      ORDER BY e.id, c.recorded_at LIMIT 1`.execute(db),
  ])
  const payment = payments.rows[0]
  if (!order || !payment) return undefined
  const { username, capture_id: captureId, at } = payment
  return { order, username, contests: contests.rows, captureId, at }
}

/** Money of an order that went back, or is asked back. */
export interface ReceiptCredit {
  amount_cents: number
  done: boolean
  /** Of a second payment, which has no tax of its own. */
  is_surplus: boolean
  at: Date
}

/** What a receipt says besides its facts once money went back: credits, and by contest the numbers that still count. */
export async function receiptCredits(
  db: Sql,
  orderId: string,
): Promise<{ credits: ReceiptCredit[]; valid: ReadonlyMap<number, readonly number[]>; paid_cents: number }> {
  const [credits, numbers, paid] = await Promise.all([
    sql<ReceiptCredit>`
      SELECT r.amount_cents, r.status = 'completed' AS done, ${isSurplus('r')} AS is_surplus,
             CASE WHEN r.status = 'completed' THEN r.completed_at ELSE r.created_at END AS at
      FROM refunds r WHERE r.order_id = ${orderId}::uuid AND r.status <> 'failed' ORDER BY r.id`.execute(db),
    sql<{ offer_id: number; numbers: number[] }>`
      SELECT offer_id, array_agg(number ORDER BY number) AS numbers FROM tickets
      WHERE order_id = ${orderId}::uuid AND status = 'valid' GROUP BY offer_id`.execute(db),
    sql<{ cents: number }>`
      SELECT coalesce(sum(amount_cents), 0)::int AS cents FROM captures c
      WHERE c.order_id = ${orderId}::uuid AND ${tookMoney(sql`c.status`)}`.execute(db),
  ])
  return {
    credits: credits.rows,
    valid: new Map(numbers.rows.map((row) => [row.offer_id, row.numbers])),
    paid_cents: paid.rows[0]?.cents ?? 0,
  }
}

/**
 * Erases the notes that staff wrote about orders, which may tell of the buyer. Who wrote when stays. Events and audit
 * entries have no words (ADR 0047).
 * @param orders a query of their ids
 */
async function eraseNotes(trx: Trx, orders: RawBuilder<unknown>): Promise<void> {
  await sql`
    UPDATE order_notes SET text = '', erased_at = clock_timestamp()
    WHERE order_id IN (${orders}) AND erased_at IS NULL`.execute(trx)
  await eraseAlertNotes(trx, sql`SELECT id::text FROM (${orders}) AS orders (id)`)
}

/**
 * Removes from a buyer's orders what only the buyer needed. Amounts, numbers and countries stay for the accounts and the
 * VAT, until `anonymizeOldOrders`.
 */
export async function forgetBuyer(trx: Trx, userId: number): Promise<void> {
  const ofBuyer = sql`SELECT id FROM orders WHERE user_id = ${userId}`
  await sql`UPDATE orders SET payment_url = NULL, network = NULL WHERE user_id = ${userId}`.execute(trx)
  await sql`UPDATE order_lines SET answer = NULL WHERE answer IS NOT NULL AND order_id IN (${ofBuyer})`.execute(
    trx,
  )
  await eraseNotes(trx, ofBuyer)
}

/** In the order of ids, as every transaction locks orders. @returns how many there are */
export async function lockOrdersOf(trx: Trx, userId: number): Promise<number> {
  const { rows } = await sql`SELECT 1 FROM orders WHERE user_id = ${userId} ORDER BY id FOR UPDATE`.execute(
    trx,
  )
  return rows.length
}

/**
 * Removes buyer, the payer's countries, answers and notes from orders so many years after the end of the order's calendar
 * year. Amounts, numbers and events stay for the accounts.
 * @param eraseWords erases what others wrote about them, given a query of their ids
 * @returns how many orders, at most `limit`
 */
export const anonymizeOldOrders = (
  db: Database,
  years: number,
  limit: number,
  eraseWords: (trx: Trx, orders: RawBuilder<unknown>) => Promise<void>,
): Promise<number> =>
  transact(db, async (trx) => {
    const nobody = (await erasedAccount(trx).find()) ?? 0
    const { rows } = await sql<{ id: string }>`
      SELECT id FROM orders
      WHERE created_at < date_trunc('year', now()) - make_interval(years => ${years}) AND user_id <> ${nobody}
        AND ${stateIn(CLOSED)}
      ORDER BY id LIMIT ${limit} FOR UPDATE SKIP LOCKED`.execute(trx)
    const ids = rows.map((row) => row.id)
    if (ids.length === 0) return 0
    const holder = nobody || (await erasedAccount(trx).make())
    await sql`
      UPDATE orders SET user_id = ${holder}, payment_url = NULL, payer_country = NULL, funding_country = NULL
      WHERE id = ANY(${ids}::uuid[])`.execute(trx)
    await sql`UPDATE order_lines SET answer = NULL WHERE order_id = ANY(${ids}::uuid[])`.execute(trx)
    const erased = sql`SELECT unnest(${ids}::uuid[])`
    await eraseNotes(trx, erased)
    await eraseWords(trx, erased)
    await giveTicketsTo(trx, ids, holder)
    return ids.length
  })
