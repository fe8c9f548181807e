/** The rows that a violation changes. */
export interface Damaged {
  /** A paid order of three tickets, which are all that its contest sold. */
  paid: { id: string; offerId: number; userId: number }
  /** An order that holds tickets. */
  held: { id: string; userId: number }
  /** A capture whose money went back. */
  refundedCapture: string
  /** An order of two contests, one of which was cancelled and its share sent back. */
  parted: { id: string; share: number }
}

/** Statements that violate an invariant. A constraint that would refuse them is dropped first, inside a transaction that is rolled back. */
export interface Violation {
  title: string
  breaks: string[]
  /** Statements. */
  statements: string[]
  /** What the offending row says. */
  row: Record<string, unknown>
}

/** An order that said that long ago that its money goes back. */
export const onItsWay = (id: string, since: string): string[] => [
  `UPDATE orders SET state = 'refunding' WHERE id = '${id}'`,
  `INSERT INTO order_events (order_id, from_state, to_state, reason, at)
   VALUES ('${id}', 'completed', 'refunding', 'a_test', now() - interval '${since}')`,
]

/** A refund of some cents of an order. */
export const refundOf = (id: string, status: string, origin: 'shop' | 'provider', amount: string): string =>
  `INSERT INTO refunds (capture_id, order_id, attempt, amount_cents, reason, status, refund_id, origin)
   SELECT capture_id, order_id, ${origin === 'shop' ? '9' : 'NULL'}, ${amount}, 'a_test', '${status}', 'R-TEST', '${origin}'
   FROM captures WHERE order_id = '${id}'`
