import { type RawBuilder, sql } from 'kysely'
import { isSurplus, tookMoney } from '#features/purchase/orders/server/index.ts'
import type { ReadDatabase } from '#platform/database.ts'
import type { Language } from '#shared/languages.ts'
import type { SalesGroup } from '../sales.rules.ts'
import { textOf } from '#platform/localized-columns.ts'

export interface SalesFilters {
  /** Days in the zone, both included. */
  from: string
  to: string
  zone: string
  offerId?: number | undefined
  country?: string | undefined
  group: SalesGroup
}

/** Cents; `key` is null for the sum of all. */
export interface SoldRow {
  key: string | null
  orders: number
  tickets: number
  net: number
  tax: number
  fees: number
  unknown: number
}

/** Payments that bought nothing, and second payments. */
interface UnsoldRow {
  payments: number
  taken: number
  fees: number
  refunds: number
  returned: number
}

export interface ReturnedRow {
  key: string | null
  refunds: number
  net: number
  tax: number
}

type Part = RawBuilder<unknown>

/** `shareOf` of src/shared/money.ts. */
const shareOf = (amount: Part, part: Part, whole: Part): Part =>
  sql`((2 * ${amount}::bigint * ${part}::bigint + ${whole}::bigint) / (2 * ${whole}::bigint))`

/** The share of one part of several; the shares of all add up to the amount. @param until this part and those before */
const shareOfPart = (amount: Part, until: Part, part: Part, whole: Part): Part =>
  sql`(${shareOf(amount, until, whole)} - ${shareOf(amount, sql`(${until} - ${part})`, whole)})`

/** An order is paid once: no event leads back to this state. */
const PAID = sql`EXISTS (SELECT FROM order_events e WHERE e.order_id = o.id AND e.to_state = 'completed')`

const inPeriod = (at: Part, { from, to, zone }: SalesFilters): Part => sql`
  ${at} >= ${from}::date::timestamp AT TIME ZONE ${zone} AND ${at} < (${to}::date + 1)::timestamp AT TIME ZONE ${zone}`

const ofCountry = ({ country }: SalesFilters): Part =>
  country === undefined ? sql`true` : sql`o.country = ${country}`

/** Of a row with `at`, `country`, `tax_percent`, and `offer_id` where it is the share of a line. */
const keyOf = ({ group, zone }: SalesFilters): Part =>
  ({
    day: sql`to_char(at AT TIME ZONE ${zone}, 'YYYY-MM-DD')`,
    month: sql`to_char(at AT TIME ZONE ${zone}, 'YYYY-MM')`,
    contest: sql`offer_id::text`,
    country: sql`country`,
    vat: sql`country || ' ' || tax_percent::float8`,
  })[group]

/** Whether orders are divided among their contests. */
const isByLine = ({ group, offerId }: SalesFilters): boolean => group === 'contest' || offerId !== undefined

const ofOffer = ({ offerId }: SalesFilters): Part =>
  offerId === undefined ? sql`true` : sql`offer_id = ${offerId}`

/** Orders by line: each has its share of the order's amounts. */
const soldLines = (filters: SalesFilters): Part => sql`
  SELECT id, at, country, tax_percent, offer_id, tickets, position,
         ${shareOfPart(sql`net`, sql`until`, sql`part`, sql`whole`)} AS net,
         ${shareOfPart(sql`tax`, sql`until`, sql`part`, sql`whole`)} AS tax,
         ${shareOfPart(sql`fees`, sql`until`, sql`part`, sql`whole`)} AS fees, unknown
  FROM (
    SELECT p.*, l.offer_id, l.quantity AS tickets, l.quantity::bigint * l.unit_cents AS part,
           coalesce(f.fees, 0) AS fees, coalesce(f.unknown, 0) AS unknown,
           sum(l.quantity::bigint * l.unit_cents) OVER (PARTITION BY l.order_id ORDER BY l.offer_id) AS until,
           sum(l.quantity::bigint * l.unit_cents) OVER (PARTITION BY l.order_id) AS whole,
           row_number() OVER (PARTITION BY l.order_id ORDER BY l.offer_id) AS position
    FROM paid p JOIN order_lines l ON l.order_id = p.id LEFT JOIN fee f ON f.order_id = p.id
  ) AS line WHERE ${ofOffer(filters)}`

const soldOrders = sql`
  SELECT p.*, l.tickets, coalesce(f.fees, 0) AS fees, coalesce(f.unknown, 0) AS unknown, 1 AS position
  FROM paid p
  JOIN (
    SELECT l.order_id, sum(l.quantity) AS tickets FROM paid p JOIN order_lines l ON l.order_id = p.id GROUP BY l.order_id
  ) AS l ON l.order_id = p.id
  LEFT JOIN fee f ON f.order_id = p.id`

/** Refunds by line, divided as was stored when they were made; one of which nothing is stored belongs to all lines. */
const returnedLines = (filters: SalesFilters): Part => sql`
  SELECT id, at, country, tax_percent, offer_id,
         ${shareOfPart(sql`net`, sql`until`, sql`part`, sql`whole`)} AS net,
         ${shareOfPart(sql`tax`, sql`until`, sql`part`, sql`whole`)} AS tax
  FROM (
    SELECT *, sum(part) OVER (PARTITION BY id ORDER BY offer_id) AS until, sum(part) OVER (PARTITION BY id) AS whole
    FROM (
      SELECT t.*, l.offer_id, l.unit_cents::bigint * CASE
          WHEN bool_or(p.refund_id IS NOT NULL) OVER (PARTITION BY t.id) THEN coalesce(p.quantity, 0) ELSE l.quantity
        END AS part
      FROM taxed t JOIN order_lines l ON l.order_id = t.order_id
      LEFT JOIN refund_lines p ON p.refund_id = t.id AND p.offer_id = l.offer_id
    ) AS line
  ) AS line WHERE ${ofOffer(filters)}`

export const salesRepository = (db: ReadDatabase) => ({
  /** The present day in a zone, and the first of its month. */
  async today(zone: string): Promise<{ today: string; month: string }> {
    const { rows } = await sql<{ today: string; month: string }>`
      SELECT to_char(now() AT TIME ZONE ${zone}, 'YYYY-MM-DD') AS today,
             to_char(now() AT TIME ZONE ${zone}, 'YYYY-MM-01') AS month`.execute(db)
    return rows[0] ?? { today: '', month: '' }
  },

  /** Orders by the instant at which they were paid, as their receipts say. */
  async sold(filters: SalesFilters): Promise<SoldRow[]> {
    const isDivided = isByLine(filters)
    const { rows } = await sql<SoldRow>`
      WITH paid AS MATERIALIZED (
        SELECT o.id, e.at, o.country, o.tax_percent, o.subtotal_cents AS net, o.tax_cents AS tax
        FROM order_events e JOIN orders o ON o.id = e.order_id
        WHERE e.to_state = 'completed' AND ${inPeriod(sql`e.at`, filters)} AND ${ofCountry(filters)}
      ), fee AS (
        SELECT c.order_id, sum(c.fee_cents)::bigint AS fees, count(*) FILTER (WHERE c.fee_cents IS NULL) AS unknown
        FROM paid p JOIN captures c ON c.order_id = p.id AND ${tookMoney(sql`c.status`)} AND NOT ${isSurplus('c')}
        GROUP BY c.order_id
      ), sold AS (${isDivided ? soldLines(filters) : soldOrders})
      SELECT key, count(DISTINCT id) AS orders, sum(tickets)::bigint AS tickets,
             sum(net)::bigint AS net, sum(tax)::bigint AS tax, sum(fees)::bigint AS fees,
             -- An order counts with each of its contests, and once in the sum of all.
             (CASE WHEN grouping(key) = 0 OR ${filters.offerId !== undefined} THEN sum(unknown)
                   ELSE sum(unknown) FILTER (WHERE position = 1) END)::bigint AS unknown
      FROM (SELECT *, ${keyOf(filters)} AS key FROM sold) AS keyed GROUP BY GROUPING SETS ((key), ())`.execute(
      db,
    )
    return rows
  },

  /** Refunds by the instant at which they were made, with the VAT of the credit note. Second payments are not sales. */
  async returned(filters: SalesFilters): Promise<ReturnedRow[]> {
    const taxUntil = (amount: Part): Part =>
      shareOf(sql`d.tax_cents`, sql`least(${amount}, d.total_cents)`, sql`greatest(d.total_cents, 1)`)
    const { rows } = await sql<ReturnedRow>`
      WITH done AS (
        SELECT r.id, r.order_id, r.amount_cents, r.completed_at AS at, o.country, o.tax_percent, o.tax_cents, o.total_cents, (
                 SELECT coalesce(sum(b.amount_cents), 0) FROM refunds b
                 WHERE b.order_id = r.order_id AND b.id < r.id AND b.status <> 'failed' AND NOT ${isSurplus('b')}
               ) AS before
        FROM refunds r JOIN orders o ON o.id = r.order_id
        WHERE r.status = 'completed' AND ${inPeriod(sql`r.completed_at`, filters)}
          AND ${ofCountry(filters)} AND ${PAID} AND NOT ${isSurplus('r')}
      ), vat AS (
        SELECT d.*, ${taxUntil(sql`(d.before + d.amount_cents)`)} - ${taxUntil(sql`d.before`)} AS tax FROM done d
      ), taxed AS (
        SELECT *, amount_cents - tax AS net FROM vat
      ), returned AS (${isByLine(filters) ? returnedLines(filters) : sql`SELECT * FROM taxed`})
      SELECT key, count(DISTINCT id) AS refunds, sum(net)::bigint AS net, sum(tax)::bigint AS tax
      FROM (SELECT *, ${keyOf(filters)} AS key FROM returned) AS keyed GROUP BY GROUPING SETS ((key), ())`.execute(
      db,
    )
    return rows
  },

  /** Payments that bought nothing, second payments, and what was returned of both. */
  async unsold(filters: SalesFilters) {
    const { rows } = await sql<UnsoldRow>`
      SELECT taken.payments, taken.cents AS taken, taken.fees, back.refunds, back.cents AS returned
      FROM (
        SELECT count(*) AS payments, coalesce(sum(c.amount_cents), 0)::bigint AS cents,
               coalesce(sum(c.fee_cents), 0)::bigint AS fees
        FROM captures c JOIN orders o ON o.id = c.order_id
        WHERE ${tookMoney(sql`c.status`)} AND ${inPeriod(sql`c.recorded_at`, filters)} AND ${ofCountry(filters)}
          AND (${isSurplus('c')} OR (o.state <> 'completed' AND NOT ${PAID}))
      ) AS taken, (
        SELECT count(*) AS refunds, coalesce(sum(r.amount_cents), 0)::bigint AS cents
        FROM refunds r JOIN orders o ON o.id = r.order_id
        WHERE r.status = 'completed' AND ${inPeriod(sql`r.completed_at`, filters)} AND ${ofCountry(filters)}
          AND (${isSurplus('r')} OR NOT ${PAID})
      ) AS back`.execute(db)
    return rows[0] ?? { payments: 0, taken: 0, fees: 0, refunds: 0, returned: 0 }
  },

  /** Contests that were ever open, the newest first. */
  async contests(language: Language): Promise<{ id: number; slug: string; title: string }[]> {
    const { rows } = await sql<{ id: number; slug: string; title: string }>`
      SELECT id, slug, ${textOf('titles', language)} AS title FROM offers WHERE published_at IS NOT NULL ORDER BY id DESC`.execute(
      db,
    )
    return rows
  },
})
