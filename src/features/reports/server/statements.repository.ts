import { sql } from 'kysely'
import { tookMoney } from '#features/purchase/orders/server/index.ts'
import type { ReadDatabase, Trx } from '#platform/database.ts'
import type { Difference } from '../statements.contract.ts'

export interface Payment {
  id: string
  orderId: string
  cents: number
  currency: string
  fee: number | null
  tookMoney: boolean
}

export interface Returned {
  id: string
  orderId: string
  cents: number
  hasFailed: boolean
}

/** What the shop has in the period and the file has not; `day` in the shop's zone. */
export interface Absent {
  id: string
  orderId: string
  cents: number
  day: string
  atEdge: boolean
}

/** The first ones, and how many there are of all. */
interface AbsentPage {
  rows: Absent[]
  found: readonly Found[]
}

/** How many differences of a kind there are, and their cents. */
export interface Found {
  difference: Difference
  at_edge: boolean
  count: number
  cents: number
}

export interface NewDifference {
  difference: Difference
  entry: 'payment' | 'refund'
  id: string
  orderId: string | null
  ours: number | null
  theirs: number | null
  day: string
  atEdge: boolean
}

/** Of the statement; `gross`, `fee` and `net` in cents. */
export interface StatementSum {
  kind: 'payment' | 'refund' | 'other'
  type: string
  currency: string
  count: number
  gross: number
  fee: number
  net: number
}

export interface NewStatement {
  hash: Buffer
  by: number
  /** Whether the same file and period were compared before. */
  isAgain: boolean
  from: string
  to: string
  rows: number
  unbooked: number
  agreed: number
  sums: readonly StatementSum[]
  found: readonly Found[]
  /** The first ones of each kind. */
  differences: readonly NewDifference[]
}

interface StatementRow {
  id: number
  file_hash: Buffer
  imported_at: Date
  imported_by: string
  from_day: string
  to_day: string
  run: number
  rows: number
  unbooked: number
  agreed: number
  sums: StatementSum[]
  found: Found[]
}

/** How far the clocks of a statement may differ from ours: those of a known zone, and those of an unknown one. */
const EDGES = { known: '1 hour', unknown: '12 hours' }
/** Differences of a kind that are kept one by one. */
export const KEPT_OF_KIND = 10_000

interface AbsentFilters {
  from: string
  to: string
  zone: string
  zones: { from: string; to: string } | undefined
  ids: readonly string[]
}

const listed = sql`
  SELECT s.*, u.username AS imported_by, s.from_day::text AS from_day, s.to_day::text AS to_day
  FROM statements s JOIN users u ON u.id = s.imported_by`

export const statementsRepository = (db: ReadDatabase) => ({
  /** Comparisons of a file, the newest first. @param period only those of these days */
  async idsOfFile(hash: Buffer, period?: { from: string; to: string }): Promise<number[]> {
    const ofPeriod = period ? sql`from_day = ${period.from} AND to_day = ${period.to}` : sql`true`
    const { rows } = await sql<{ id: number }>`
      SELECT id FROM statements WHERE file_hash = ${hash} AND ${ofPeriod} ORDER BY id DESC`.execute(db)
    return rows.map(({ id }) => id)
  },

  async payments(ids: readonly string[]): Promise<Payment[]> {
    const { rows } = await sql<Payment>`
      SELECT capture_id AS id, order_id AS "orderId", amount_cents AS cents, currency, fee_cents AS fee,
             ${tookMoney(sql`status`)} AS "tookMoney"
      FROM captures WHERE capture_id = ANY(${[...ids]}::text[])`.execute(db)
    return rows
  },

  async refunds(ids: readonly string[]): Promise<Returned[]> {
    const { rows } = await sql<Returned>`
      SELECT refund_id AS id, order_id AS "orderId", amount_cents AS cents, status = 'failed' AS "hasFailed"
      FROM refunds WHERE refund_id = ANY(${[...ids]}::text[])`.execute(db)
    return rows
  },

  /** Ids of orders by what the provider was given of them: their number, or their id. */
  async ordersOf(numbers: readonly string[], ids: readonly string[]): Promise<Map<string, string>> {
    const { rows } = await sql<{ id: string; number: string }>`
      SELECT id, number FROM orders WHERE number = ANY(${[...numbers]}::text[])
      UNION SELECT id, number FROM orders WHERE id = ANY(${[...ids]}::uuid[])`.execute(db)
    return new Map(rows.flatMap(({ id, number }) => [[number, id] as const, [id.toLowerCase(), id] as const]))
  },

  /** What the ledger has of these days and the statement has not. @param zones of the statement's clock */
  async absent(
    entry: 'payment' | 'refund',
    { from, to, zone, zones, ids }: AbsentFilters,
  ): Promise<AbsentPage> {
    const edge = sql`${zones ? EDGES.known : EDGES.unknown}::interval`
    const ours =
      entry === 'payment'
        ? sql`SELECT capture_id AS id, order_id, amount_cents, recorded_at AS at FROM captures
              WHERE ${tookMoney(sql`status`)}`
        : sql`SELECT refund_id AS id, order_id, amount_cents, completed_at AS at FROM refunds WHERE status = 'completed'`
    const { rows } = await sql<Absent & { count: number; sum: number }>`
      WITH period AS (
        SELECT ${from}::date::timestamp AT TIME ZONE ${zones?.from ?? zone} AS begins,
               (${to}::date + 1)::timestamp AT TIME ZONE ${zones?.to ?? zone} AS ends
      ), absent AS (
        SELECT o.id, o.order_id AS "orderId", o.amount_cents AS cents, o.at,
               to_char(o.at AT TIME ZONE ${zone}, 'YYYY-MM-DD') AS day,
               o.at < p.begins + ${edge} OR o.at >= p.ends - ${edge} AS "atEdge"
        FROM period p, (${ours}) AS o
        WHERE o.at >= (SELECT begins FROM period) AND o.at < (SELECT ends FROM period)
          AND NOT EXISTS (SELECT FROM unnest(${[...ids]}::text[]) AS theirs (id) WHERE theirs.id = o.id)
      )
      SELECT id, "orderId", cents, day, "atEdge", count, sum
      FROM (
        SELECT *, row_number() OVER (PARTITION BY "atEdge" ORDER BY at, id) AS place,
               count(*) OVER (PARTITION BY "atEdge") AS count, sum(cents) OVER (PARTITION BY "atEdge")::bigint AS sum
        FROM absent
      ) AS placed WHERE place <= ${KEPT_OF_KIND} ORDER BY "atEdge", at, id`.execute(db)
    const firsts = [true, false].flatMap((atEdge) => rows.find((row) => row.atEdge === atEdge) ?? [])
    return {
      rows,
      found: firsts.map(({ atEdge, count, sum }) => ({
        difference: 'missing_there',
        at_edge: atEdge,
        count,
        cents: sum,
      })),
    }
  },

  async page(after: number | undefined, limit: number): Promise<StatementRow[]> {
    const { rows } = await sql<StatementRow>`
      ${listed} WHERE ${after === undefined ? sql`true` : sql`s.id < ${after}`}
      ORDER BY s.id DESC LIMIT ${limit}`.execute(db)
    return rows
  },

  /** Those whose period has the day, the newest first. */
  async ofDay(day: string, limit: number): Promise<StatementRow[]> {
    const { rows } = await sql<StatementRow>`
      ${listed} WHERE ${day}::date BETWEEN s.from_day AND s.to_day ORDER BY s.id DESC LIMIT ${limit}`.execute(
      db,
    )
    return rows
  },

  async byId(id: number): Promise<StatementRow | undefined> {
    const { rows } = await sql<StatementRow>`${listed} WHERE s.id = ${id}`.execute(db)
    return rows[0]
  },

  /** @param after the position of the last one of the page before */
  async differences(id: number, after: number, limit: number) {
    const { rows } = await sql<{
      position: number
      difference: Difference
      entry: 'payment' | 'refund'
      transaction_id: string
      number: string | null
      ours_cents: number | null
      theirs_cents: number | null
      day: string
      at_edge: boolean
    }>`
      SELECT d.position, d.difference, d.entry, d.transaction_id, o.number, d.ours_cents, d.theirs_cents,
             d.day::text AS day, d.at_edge
      FROM statement_differences d LEFT JOIN orders o ON o.id = d.order_id
      WHERE d.statement_id = ${id} AND d.position > ${after} ORDER BY d.position LIMIT ${limit}`.execute(db)
    return rows
  },

  /** Whether the ledger has all payments by now that it lacked then. */
  async hasAllPayments(id: number): Promise<boolean> {
    const { rows } = await sql`
      SELECT FROM statement_differences d
      WHERE d.statement_id = ${id} AND d.difference = 'missing_here' AND d.entry = 'payment' AND NOT EXISTS (
        SELECT FROM captures c WHERE c.capture_id = d.transaction_id AND ${tookMoney(sql`c.status`)}
      ) LIMIT 1`.execute(db)
    return rows.length === 0
  },
})

export const statementWrites = (trx: Trx) => ({
  /** @returns undefined when the file was compared before, and not to be compared again */
  async add(statement: NewStatement): Promise<number | undefined> {
    const { hash, by, isAgain, from, to, rows, unbooked, agreed, sums, found, differences } = statement
    const added = await sql<{ id: number }>`
      INSERT INTO statements (file_hash, imported_by, from_day, to_day, run, rows, unbooked, agreed, sums, found)
      SELECT ${hash}, ${by}, ${from}, ${to}, CASE WHEN ${isAgain} THEN coalesce(max(run), 0) + 1 ELSE 1 END, ${rows},
             ${unbooked}, ${agreed}, ${JSON.stringify(sums)}, ${JSON.stringify(found)}
      FROM statements WHERE file_hash = ${hash} AND from_day = ${from} AND to_day = ${to}
      ON CONFLICT (file_hash, from_day, to_day, run) DO NOTHING RETURNING id`.execute(trx)
    const id = added.rows[0]?.id
    if (id === undefined) return undefined
    await sql`
      INSERT INTO statement_differences (
        statement_id, position, difference, entry, transaction_id, order_id, ours_cents, theirs_cents, day, at_edge
      )
      SELECT ${id}, position, difference, entry, transaction_id, order_id, ours, theirs, day, at_edge
      FROM unnest(
        ${differences.map((one) => one.difference)}::text[], ${differences.map((one) => one.entry)}::text[],
        ${differences.map((one) => one.id)}::text[], ${differences.map((one) => one.orderId)}::uuid[],
        ${differences.map((one) => one.ours)}::bigint[], ${differences.map((one) => one.theirs)}::bigint[],
        ${differences.map((one) => one.day)}::date[], ${differences.map((one) => one.atEdge)}::boolean[]
      ) WITH ORDINALITY AS d (difference, entry, transaction_id, order_id, ours, theirs, day, at_edge, position)`.execute(
      trx,
    )
    return id
  },
})
