import { sql } from 'kysely'
import { tookMoney } from '#features/orders/server/index.ts'
import type { Sql, Trx } from '#platform/database.ts'
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
  from: string
  to: string
  rows: number
  unbooked: number
  agreed: number
  sums: readonly StatementSum[]
  differences: readonly NewDifference[]
}

interface StatementRow {
  id: number
  file_hash: Buffer
  imported_at: Date
  imported_by: string
  from_day: string
  to_day: string
  rows: number
  unbooked: number
  agreed: number
  differences: number
  sums: StatementSum[]
}

/** The clocks of a statement may be those of another zone. */
const EDGE = sql`interval '12 hours'`

const listed = sql`
  SELECT s.*, u.username AS imported_by, s.from_day::text AS from_day, s.to_day::text AS to_day, (
    SELECT count(*) FROM statement_differences d WHERE d.statement_id = s.id AND NOT d.at_edge
  ) AS differences
  FROM statements s JOIN users u ON u.id = s.imported_by`

export const statementsRepository = (db: Sql) => ({
  async idOfFile(hash: Buffer): Promise<number | undefined> {
    const { rows } = await sql<{ id: number }>`SELECT id FROM statements WHERE file_hash = ${hash}`.execute(
      db,
    )
    return rows[0]?.id
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

  /** What the ledger has of these days and the statement has not. */
  async absent(
    entry: 'payment' | 'refund',
    { from, to, zone, ids }: { from: string; to: string; zone: string; ids: readonly string[] },
  ): Promise<Absent[]> {
    const ours =
      entry === 'payment'
        ? sql`SELECT capture_id AS id, order_id, amount_cents, recorded_at AS at FROM captures
              WHERE ${tookMoney(sql`status`)}`
        : sql`SELECT refund_id AS id, order_id, amount_cents, completed_at AS at FROM refunds WHERE status = 'completed'`
    const { rows } = await sql<Absent>`
      WITH period AS (
        SELECT ${from}::date::timestamp AT TIME ZONE ${zone} AS begins,
               (${to}::date + 1)::timestamp AT TIME ZONE ${zone} AS ends
      )
      SELECT o.id, o.order_id AS "orderId", o.amount_cents AS cents,
             to_char(o.at AT TIME ZONE ${zone}, 'YYYY-MM-DD') AS day,
             o.at < p.begins + ${EDGE} OR o.at >= p.ends - ${EDGE} AS "atEdge"
      FROM period p, (${ours}) AS o
      WHERE o.at >= (SELECT begins FROM period) AND o.at < (SELECT ends FROM period)
        AND NOT EXISTS (SELECT FROM unnest(${[...ids]}::text[]) AS theirs (id) WHERE theirs.id = o.id)
      ORDER BY o.at, o.id`.execute(db)
    return rows
  },

  async page(after: number | undefined, limit: number): Promise<StatementRow[]> {
    const { rows } = await sql<StatementRow>`
      ${listed} WHERE ${after === undefined ? sql`true` : sql`s.id < ${after}`}
      ORDER BY s.id DESC LIMIT ${limit}`.execute(db)
    return rows
  },

  async byId(id: number): Promise<StatementRow | undefined> {
    const { rows } = await sql<StatementRow>`${listed} WHERE s.id = ${id}`.execute(db)
    return rows[0]
  },

  async differences(id: number, limit: number) {
    const { rows } = await sql<{
      difference: Difference
      entry: 'payment' | 'refund'
      transaction_id: string
      number: string | null
      ours_cents: number | null
      theirs_cents: number | null
      day: string
      at_edge: boolean
    }>`
      SELECT d.difference, d.entry, d.transaction_id, o.number, d.ours_cents, d.theirs_cents, d.day::text AS day,
             d.at_edge
      FROM statement_differences d LEFT JOIN orders o ON o.id = d.order_id
      WHERE d.statement_id = ${id} ORDER BY d.at_edge, d.position LIMIT ${limit}`.execute(db)
    return rows
  },

  async counts(id: number): Promise<Partial<Record<Difference, number>>> {
    const { rows } = await sql<{ difference: Difference; count: number }>`
      SELECT difference, count(*) AS count FROM statement_differences WHERE statement_id = ${id} GROUP BY 1`.execute(
      db,
    )
    return Object.fromEntries(rows.map(({ difference, count }) => [difference, count]))
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
  /** @returns undefined when the file was imported before */
  async add(statement: NewStatement): Promise<number | undefined> {
    const { hash, by, from, to, rows, unbooked, agreed, sums, differences } = statement
    const added = await sql<{ id: number }>`
      INSERT INTO statements (file_hash, imported_by, from_day, to_day, rows, unbooked, agreed, sums)
      VALUES (${hash}, ${by}, ${from}, ${to}, ${rows}, ${unbooked}, ${agreed}, ${JSON.stringify(sums)})
      ON CONFLICT (file_hash) DO NOTHING RETURNING id`.execute(trx)
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

  /** Fees that the provider had not told with the payment. */
  fillFees: (fees: readonly { id: string; fee: number }[]) =>
    sql`
      UPDATE captures c SET fee_cents = f.fee
      FROM unnest(${fees.map(({ id }) => id)}::text[], ${fees.map(({ fee }) => fee)}::int[]) AS f (id, fee)
      WHERE c.capture_id = f.id AND c.fee_cents IS NULL`.execute(trx),
})
