import { type RawBuilder, sql } from 'kysely'
import type { Sql } from '#platform/database.ts'
import type { LocalizedText } from '#shared/localized-text.ts'
import { CAPTURING, PAID } from '../order-machine.rules.ts'
import {
  DRAW_TERMS,
  type DrawTerms,
  LOG_LINES,
  type OrderLineRow,
  type OrderRow,
  stateIn,
} from './orders.repository.ts'
import { isSurplus, tookMoney } from './paying-capture.repository.ts'

/** A time in JSON is text. */
type Time = string

export type BuyerOrderRow = OrderRow & {
  paid_at: Date | null
  /** `title` as it was bought, `titles` of the contest as it is now. */
  lines: readonly (OrderLineRow & {
    offer_slug: string
    titles: LocalizedText
    /** Where their tickets stand in the public log of the draw, counted from 1. */
    log_lines: readonly number[]
    draw_terms: DrawTerms | null
  })[]
  valid_tickets: number
  void_tickets: number
  /** Captures that took money. */
  payments: readonly { capture_id: string; amount_cents: number }[]
  /** Without failed ones. */
  refunds: readonly { amount_cents: number; done: boolean; is_surplus: boolean; at: Time }[]
}

const TAKEN = tookMoney(sql`c.status`)

const moneyMoved = sql<boolean>`(
  ${stateIn([...CAPTURING, ...PAID, 'refunding'], 'o.state')}
  OR EXISTS (SELECT FROM captures c WHERE c.order_id = o.id AND ${TAKEN})
)`

/** Orders and what belongs to them, in one statement. */
async function read(db: Sql, which: RawBuilder<unknown>): Promise<BuyerOrderRow[]> {
  const { rows } = await sql<BuyerOrderRow>`
    SELECT o.*, t.valid_tickets, t.void_tickets, l.lines, p.payments, r.refunds,
           coalesce(
             (SELECT min(e.at) FROM order_events e WHERE e.order_id = o.id AND e.to_state = 'completed'),
             p.recorded_at
           ) AS paid_at
    FROM (SELECT * FROM orders o WHERE ${which}) AS o
    CROSS JOIN LATERAL (
      SELECT coalesce(json_agg(json_build_object(
        'offer_id', l.offer_id, 'offer_slug', f.slug, 'quantity', l.quantity, 'unit_cents', l.unit_cents, 'title', l.title,
        'titles', f.titles, 'log_lines', to_json(${LOG_LINES}), 'draw_terms', ${DRAW_TERMS}
      ) ORDER BY l.offer_id), '[]') AS lines
      FROM order_lines l JOIN offers f ON f.id = l.offer_id WHERE l.order_id = o.id
    ) AS l
    CROSS JOIN LATERAL (
      SELECT count(*) FILTER (WHERE t.status = 'valid')::int AS valid_tickets,
             count(*) FILTER (WHERE t.status <> 'valid')::int AS void_tickets
      FROM tickets t WHERE t.order_id = o.id
    ) AS t
    CROSS JOIN LATERAL (
      SELECT coalesce(json_agg(json_build_object('capture_id', c.capture_id, 'amount_cents', c.amount_cents)
                      ORDER BY c.recorded_at), '[]') AS payments,
             min(c.recorded_at) AS recorded_at
      FROM captures c WHERE c.order_id = o.id AND ${TAKEN}
    ) AS p
    CROSS JOIN LATERAL (
      SELECT coalesce(json_agg(json_build_object(
        'amount_cents', r.amount_cents, 'done', r.status = 'completed', 'is_surplus', ${isSurplus('r')},
        'at', CASE WHEN r.status = 'completed' THEN r.completed_at ELSE r.created_at END
      ) ORDER BY r.id), '[]') AS refunds
      FROM refunds r WHERE r.order_id = o.id AND r.status <> 'failed'
    ) AS r
    ORDER BY o.id DESC`.execute(db)
  return rows
}

export const buyerOrdersRepository = (db: Sql) => ({
  /** Orders for which money moved or is moving, the newest first. @param after only older ones than the order with this number */
  page: (userId: number, after: string | undefined, limit: number): Promise<BuyerOrderRow[]> =>
    read(
      db,
      sql`o.user_id = ${userId} AND ${moneyMoved}
        ${after === undefined ? sql`` : sql`AND o.id < (SELECT id FROM orders WHERE number = ${after} AND user_id = ${userId})`}
        ORDER BY o.id DESC LIMIT ${limit}`,
    ),

  /** Orders whose payment waits to be confirmed. Reads a partial index, since every page asks. */
  confirming: (userId: number): Promise<BuyerOrderRow[]> =>
    read(db, sql`o.user_id = ${userId} AND ${stateIn(CAPTURING, 'o.state')}`),

  byIds: (ids: readonly string[]): Promise<BuyerOrderRow[]> =>
    ids.length === 0 ? Promise.resolve([]) : read(db, sql`o.id = ANY(${[...ids]}::uuid[])`),

  byId: async (id: string): Promise<BuyerOrderRow | undefined> =>
    (await buyerOrdersRepository(db).byIds([id]))[0],

  byNumber: async (userId: number, number: string): Promise<BuyerOrderRow | undefined> =>
    (await read(db, sql`o.user_id = ${userId} AND o.number = ${number}`))[0],
})
