/** The provider's statement of some days, as the shop would have compared it with its own payments. */
import type { Row, Rows } from './rows.ts'

export interface Booked {
  count: number
  cents: number
  fees: number
}

interface Statement {
  id: number
  hash: Buffer
  importedBy: number
  importedAt: Date
  /** "2026-10-01". */
  from: string
  to: string
  payments: Booked
  refunds: Booked
  agreed: number
  /** The one entry on which both differ. */
  difference: Omit<Row<'statement_differences'>, 'statement_id' | 'position'> & {
    difference: string
    at_edge: boolean
  }
  /** By how much. */
  differs: number
}

/** Adds a statement that agrees with the shop but for one entry. */
export function addStatement(rows: Rows, { id, payments, refunds, ...statement }: Statement): void {
  const sum = (kind: string, type: string, { count, cents: gross, fees }: Booked) =>
    count === 0 ? [] : [{ kind, type, currency: 'EUR', count, gross, fee: -fees, net: gross - fees }]
  const { difference, at_edge } = statement.difference
  rows.add('statements', {
    id,
    file_hash: statement.hash,
    imported_by: statement.importedBy,
    imported_at: statement.importedAt,
    from_day: statement.from,
    to_day: statement.to,
    rows: payments.count + refunds.count,
    unbooked: 0,
    agreed: statement.agreed,
    sums: [...sum('payment', 'T0006', payments), ...sum('refund', 'T1107', refunds)],
    found: [{ difference, at_edge, count: 1, cents: statement.differs }],
  })
  rows.add('statement_differences', { ...statement.difference, statement_id: id, position: 1 })
}
