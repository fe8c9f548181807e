import type { FastifyBaseLogger } from 'fastify'
import { type RawBuilder, sql } from 'kysely'
import type { Sql } from '#platform/database.ts'
import { errorCode } from '#platform/database-errors.ts'
import type { Payer } from '#platform/payment/payment-provider.ts'
import { exclusionOf, isExcludedPayer } from '#features/accounts/server/index.ts'
import { holding } from '#features/offers/server/index.ts'
import {
  HOLDING,
  ORDER_EVENTS,
  type OrderEvent,
  type OrderGuard,
  type ReasonFor,
} from '../order-machine.rules.ts'
import {
  type OrderLineRow,
  type OrderRow,
  anyEnded,
  holdRuns,
  stateIn,
  sumByOffer,
} from './orders.repository.ts'

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
  /** Of the order that it supersedes, when that one held tickets of the same contest; null for a whole hold. */
  holdUntil: Date | null
  holdExtended: boolean
  /** The earliest end of its contests. */
  contestsEndAt: Date
  newcomer: boolean
  /** Keyed hash. */
  network: string
  lines: readonly (OrderLineRow & { answer: string | null })[]
}

export interface CreatedAtProvider {
  orderId: string
  providerId: string
  paymentUrl: string | null
}

/** An offer has too few tickets or has ended since it was read. */
export class NotHeld extends Error {}

const NOT_NULL_VIOLATION = '23502'

export interface CaptureRequest {
  userId: number
  providerId: string
}

export interface ExpiredHolds {
  limit: number
  /** Only these orders. */
  only?: readonly string[]
  not: readonly string[]
  /** Skips orders with tickets of these offers. */
  notOf: readonly number[]
}

interface Move<Event extends OrderEvent> {
  event: Event
  reason: ReasonFor<Event>
  /** The provider's code, or the staff member and a code or the number of a note: an event is never erased. */
  note?: string | undefined
  holdMinutes?: number
  /** The next capture gets a new request id. */
  nextAttempt?: boolean
  /** By order id; a country that is left out stays as it is. */
  payers?: Readonly<Record<string, Payer | undefined>>
  /** Condition besides state and guard. */
  which: RawBuilder<unknown>
  /** Order and lock of the rows. */
  lock?: RawBuilder<unknown>
}

const payerPart = (payers: string | null, part: keyof Payer) =>
  sql`${payers}::jsonb #>> ARRAY[orders.id::text, ${part}::text]`

/** `ticketsFree` is a condition of the statement that takes the tickets. @param payers JSON */
const guards = (payers: string | null): Record<Exclude<OrderGuard, 'ticketsFree'>, RawBuilder<unknown>> => ({
  holdRunsUnextended: sql`${holdRuns} AND NOT hold_extended AND hold_until < contests_end_at`,
  holdRanOut: sql`hold_until < clock_timestamp()`,
  unknownToProvider: sql`provider_order_id IS NULL`,
  offersRun: sql`NOT ${anyEnded}
    AND EXISTS (
      SELECT 1 FROM users u WHERE u.id = orders.user_id AND u.is_active AND ${exclusionOf('u')} IS NULL
    )`,
  payerMayBuy: sql`NOT ${isExcludedPayer({ id: payerPart(payers, 'id'), email: payerPart(payers, 'email') })}`,
})

/**
 * Moves orders and writes an event for each. PostgreSQL checks the condition again once it has locked the row, so one
 * of two concurrent moves finds the order moved. The UPDATE must not compare the state again: it would see the row as
 * before the wait, and lose the move of an order that went from one allowed state to another meanwhile.
 */
async function moveWhere<Event extends OrderEvent>(trx: Sql, move: Move<Event>): Promise<OrderRow[]> {
  const transition: { to: string; guard?: OrderGuard } = ORDER_EVENTS[move.event]
  const { to, guard } = transition
  const minutes = move.holdMinutes ?? null
  const payers = move.payers ? JSON.stringify(move.payers) : null
  const guarded = guard && guard !== 'ticketsFree' ? sql`AND ${guards(payers)[guard]}` : sql``
  const holds = HOLDING.some((state) => state === to)
  const { rows } = await sql<OrderRow>`
    WITH old AS (
      SELECT id, state FROM orders
      WHERE ${stateIn(ORDER_EVENTS[move.event].from)} AND ${move.which} ${guarded}
      ${move.lock ?? sql`ORDER BY id FOR UPDATE`}
    ),
    moved AS (
      UPDATE orders o
      SET state = ${to},
          state_changed_at = clock_timestamp(),
          checked_at = clock_timestamp(),
          capture_started_at = CASE WHEN ${to} = 'capturing' THEN clock_timestamp() ELSE o.capture_started_at END,
          capture_attempt = o.capture_attempt + ${move.nextAttempt ? 1 : 0},
          hold_until = CASE WHEN ${minutes}::int IS NULL THEN o.hold_until
                            ELSE least(o.contests_end_at,
                                       CASE WHEN ${move.event === 'extendHold'} THEN o.hold_until ELSE clock_timestamp() END
                                       + make_interval(mins => ${minutes ?? 0})) END,
          hold_extended = o.hold_extended OR ${move.event === 'extendHold'},
          payer_country = coalesce(${payers}::jsonb #>> ARRAY[o.id::text, 'country'], o.payer_country),
          funding_country = coalesce(${payers}::jsonb #>> ARRAY[o.id::text, 'fundingCountry'], o.funding_country),
          network = ${holds ? sql`o.network` : sql`NULL`},
          -- An order that may be paid again must be reconciled again.
          reconciled_at = CASE WHEN ${minutes}::int IS NULL THEN o.reconciled_at END
      FROM old
      WHERE o.id = old.id
      RETURNING o.*
    ),
    noted AS (
      INSERT INTO order_events (order_id, from_state, to_state, reason, note)
      SELECT moved.id, old.state, moved.state, ${move.reason}, ${move.note ?? null}
      FROM moved JOIN old ON old.id = moved.id
    )
    SELECT * FROM moved`.execute(trx)
  return rows
}

type MoveOptions = Pick<Move<OrderEvent>, 'note' | 'holdMinutes' | 'nextAttempt' | 'payers'>

export const orderWrites = (trx: Sql) => ({
  /** @throws NotHeld when an offer has too few tickets or has ended: the caller must roll back */
  async place(orders: readonly NewOrder[]): Promise<OrderRow[]> {
    const lines = orders.flatMap((order) => order.lines.map((line) => ({ ...line, order_id: order.id })))
    const reason: ReasonFor<'place'> = 'created'
    const stored = sql<OrderRow>`
      WITH ${holding(sumByOffer(lines))},
      made AS (
        INSERT INTO orders (id, user_id, cart_version, state, country, language,
                            subtotal_cents, tax_percent, tax_cents, total_cents, hold_until, contests_end_at,
                            hold_extended, newcomer, network)
        SELECT n.id, n.user_id, n.cart_version, ${ORDER_EVENTS['place'].to}, n.country, n.language,
               n.subtotal, n.tax_percent, n.tax, n.total,
               least(n.contests_end_at, n.hold_until, clock_timestamp() + make_interval(mins => n.hold_minutes)),
               n.contests_end_at, n.hold_extended, n.newcomer, n.network
        FROM unnest(
          ${orders.map((one) => one.id)}::uuid[], ${orders.map((one) => one.userId)}::bigint[],
          ${orders.map((one) => one.cartVersion)}::int[], ${orders.map((one) => one.country)}::text[],
          ${orders.map((one) => one.language)}::text[], ${orders.map((one) => one.subtotal)}::int[],
          ${orders.map((one) => one.taxPercent)}::numeric[], ${orders.map((one) => one.tax)}::int[],
          ${orders.map((one) => one.total)}::int[], ${orders.map((one) => one.holdMinutes)}::int[],
          ${orders.map((one) => one.contestsEndAt)}::timestamptz[],
          ${orders.map((one) => one.holdUntil)}::timestamptz[], ${orders.map((one) => one.holdExtended)}::bool[],
          ${orders.map((one) => one.newcomer)}::bool[], ${orders.map((one) => one.network)}::text[]
        ) AS n (id, user_id, cart_version, country, language, subtotal, tax_percent, tax, total, hold_minutes,
                contests_end_at, hold_until, hold_extended, newcomer, network)
        RETURNING *
      ),
      lines AS (
        -- A line whose offer lacks tickets has no offer id, which the column refuses: all or nothing.
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
        INSERT INTO order_events (order_id, to_state, reason) SELECT id, state, ${reason} FROM made
      )
      SELECT * FROM made`
    const { rows } = await stored.execute(trx).catch((error: unknown) => {
      throw errorCode(error) === NOT_NULL_VIOLATION
        ? new NotHeld('an offer could not hold', { cause: error })
        : error
    })
    return rows
  },

  /** @returns the moved orders; state or guard may keep others back */
  moveAll: <Event extends OrderEvent>(
    ids: readonly string[],
    event: Event,
    reason: ReasonFor<Event>,
    options: MoveOptions = {},
  ): Promise<OrderRow[]> =>
    moveWhere(trx, { ...options, event, reason, which: sql`id = ANY(${[...ids]}::uuid[])` }),

  /** @returns undefined when state or guard did not allow the move */
  move: async <Event extends OrderEvent>(
    id: string,
    event: Event,
    reason: ReasonFor<Event>,
    options: MoveOptions = {},
  ): Promise<OrderRow | undefined> => (await orderWrites(trx).moveAll([id], event, reason, options))[0],

  /** @param isFirst leaves orders whose capture was asked for before as they are: their refusal is looked at first */
  beginCaptures: (requests: readonly CaptureRequest[], isFirst = false): Promise<OrderRow[]> =>
    moveWhere(trx, {
      event: 'beginCapture',
      reason: 'capture_requested',
      which: sql`(provider_order_id, user_id) IN (
        SELECT * FROM unnest(
          ${requests.map((one) => one.providerId)}::text[], ${requests.map((one) => one.userId)}::bigint[]
        )
      ) ${isFirst ? sql`AND capture_started_at IS NULL` : sql``}`,
    }),

  /** The oldest first, without locked orders. @returns the expired orders, whose tickets the caller must release */
  expireHolds: ({ limit, only, not, notOf }: ExpiredHolds): Promise<OrderRow[]> =>
    moveWhere(trx, {
      event: 'expireHold',
      reason: 'hold_expired',
      which: sql`${only ? sql`id = ANY(${[...only]}::uuid[]) AND` : sql``}
        id <> ALL(${[...not]}::uuid[])
        AND NOT EXISTS (
          SELECT 1 FROM order_lines l WHERE l.order_id = orders.id AND l.offer_id = ANY(${[...notOf]}::int[])
        )`,
      lock: sql`ORDER BY hold_until LIMIT ${limit} FOR UPDATE SKIP LOCKED`,
    }),

  /** Stores the provider's ids of held orders without one. @returns these orders */
  async setProvider(created: readonly CreatedAtProvider[]): Promise<OrderRow[]> {
    const { rows } = await sql<OrderRow>`
      WITH new AS (
        SELECT o.id, m.provider_id, m.payment_url
        FROM orders o JOIN unnest(
          ${created.map((one) => one.orderId)}::uuid[], ${created.map((one) => one.providerId)}::text[],
          ${created.map((one) => one.paymentUrl)}::text[]
        ) AS m (id, provider_id, payment_url) ON m.id = o.id
        WHERE o.provider_order_id IS NULL AND o.state = 'held'
        -- Orders are locked in the order of their ids.
        ORDER BY o.id
        FOR UPDATE OF o
      )
      UPDATE orders o SET provider_order_id = new.provider_id, payment_url = new.payment_url
      FROM new WHERE o.id = new.id
      RETURNING o.*`.execute(trx)
    return rows
  },

  lock: (orderId: string): Promise<OrderRow> =>
    trx
      .selectFrom('orders')
      .selectAll()
      .where('id', '=', orderId)
      .forUpdate()
      .$castTo<OrderRow>()
      .executeTakeFirstOrThrow(),

  /** Moves an order to the end of the queues that go by `checked_at`. */
  markChecked: (id: string) =>
    trx
      .updateTable('orders')
      .set({ checked_at: sql<Date>`clock_timestamp()` })
      .where('id', '=', id)
      .execute(),

  /** The buyer of an order whose payment was refused goes to the provider again. */
  markResumed: (id: string) =>
    trx
      .updateTable('orders')
      .set({ resumed_at: sql<Date>`clock_timestamp()` })
      .where('id', '=', id)
      .where('state', '=', 'held')
      .where('capture_started_at', 'is not', null)
      .execute(),

  /** Where the buyer acts at the provider from now on. */
  setPaymentUrl: (id: string, paymentUrl: string) =>
    trx.updateTable('orders').set({ payment_url: paymentUrl }).where('id', '=', id).execute(),

  /** Only the first approval is stored: after a failed capture the buyer's page decides. */
  markApproved: (id: string) =>
    trx
      .updateTable('orders')
      .set({ approved_at: sql<Date>`clock_timestamp()` })
      .where('id', '=', id)
      .where('state', '=', 'held')
      .where('approved_at', 'is', null)
      .execute(),

  /** Marks an order that was asked about after its release, unless it has changed since. @param releasedAt as text has it */
  markReconciled: (id: string, releasedAt: string) =>
    sql`
      UPDATE orders SET reconciled_at = clock_timestamp()
      WHERE id = ${id} AND state_changed_at = ${releasedAt}::timestamptz`.execute(trx),

  /** Counts tickets of lines as returned. @throws when there are fewer: `order_lines_return_what_was_bought` */
  returnLines: (orderId: string, parts: readonly { offer_id: number; quantity: number }[]) =>
    sql`
      UPDATE order_lines l
      SET returned_quantity = l.returned_quantity + p.quantity,
          refund_requested_at = CASE WHEN l.returned_quantity + p.quantity = l.quantity THEN clock_timestamp() END
      FROM unnest(
        ${parts.map((one) => one.offer_id)}::int[], ${parts.map((one) => one.quantity)}::int[]
      ) AS p (offer_id, quantity)
      WHERE l.order_id = ${orderId} AND l.offer_id = p.offer_id`.execute(trx),

  /** Counts all tickets of these contests as returned. */
  returnWholeLines: (orderId: string, offerIds: readonly number[]) =>
    sql`
      UPDATE order_lines SET refund_requested_at = clock_timestamp(), returned_quantity = quantity
      WHERE order_id = ${orderId} AND offer_id = ANY(${[...offerIds]}::int[]) AND refund_requested_at IS NULL`.execute(
      trx,
    ),

  /** Lets one caller ask the provider in so many seconds. Skips a locked order: it is being moved. */
  claimProviderCheck: async (id: string, seconds: number): Promise<boolean> => {
    const { numAffectedRows } = await sql`
      UPDATE orders SET checked_at = clock_timestamp()
      WHERE id = (
        SELECT id FROM orders
        WHERE id = ${id} AND ${stateIn(HOLDING)}
          AND checked_at < clock_timestamp() - make_interval(secs => ${seconds})
        FOR UPDATE SKIP LOCKED
      )`.execute(trx)
    return numAffectedRows === 1n
  },
})

/** Moves an order to the end of the background jobs' queue. */
export async function deprioritize(
  { db, log }: { db: Sql; log: FastifyBaseLogger },
  orderId: string,
): Promise<void> {
  await orderWrites(db)
    .markChecked(orderId)
    .catch((error: unknown) =>
      log.error({ err: error, orderId }, 'an order could not be put behind the others'),
    )
}
