import { type Cents, cents, shareOf } from '#shared/money.ts'
import type { ReturnableLine } from './cancelled-contests.repository.ts'
import type { OrderRow } from './orders.repository.ts'

/** Why the share of a cancelled contest goes back, for the books. */
export const CONTEST_CANCELLED = 'contest cancelled'

/** What of an order's total has been wished back for its cancelled contests, tax and all. */
export const returnedShare = (order: OrderRow, lines: readonly ReturnableLine[]): Cents =>
  shareOf(cents(order.total_cents), sumOf(lines.filter((line) => line.is_returned)), sumOf(lines))

/**
 * What lines that go back now cost of an order's total, tax and all. It is what they add to the share that went back
 * before, so that the rounded shares add up to the rounded sum.
 */
export function shareOfLines(
  order: OrderRow,
  lines: readonly ReturnableLine[],
  due: readonly ReturnableLine[],
): Cents {
  const then = lines.map((line) => (due.includes(line) ? { ...line, is_returned: true } : line))
  return cents(returnedShare(order, then) - returnedShare(order, lines))
}

const sumOf = (lines: readonly ReturnableLine[]): Cents =>
  cents(lines.reduce((sum, line) => sum + line.cents, 0))
