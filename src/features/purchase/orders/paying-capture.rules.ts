/** Which payment is the order's own, and whether it pays it. `server/paying-capture.repository.ts` says the same in SQL. */

export interface Bill {
  total_cents: number
  currency: string
}

/** Whether money is the order's total, in amount and currency (failure mode 18). */
export const isPaidInFull = (order: Bill, money: { amount: number; currency: string } | undefined): boolean =>
  money?.currency === order.currency && money.amount === order.total_cents

/** A capture that took money; amounts in cents. */
export interface TakenMoney {
  currency: string
  captured: number
  /** Requested, pending and completed refunds. */
  refunded: number
}

export const hasLeft = ({ captured, refunded }: TakenMoney): boolean => refunded < captured

/**
 * The capture that pays an order: of those of its exact total with money left, the one with the largest refunds.
 * @param captures the oldest first
 */
export const payingCapture = <Capture extends TakenMoney>(
  order: Bill,
  captures: readonly Capture[],
): Capture | undefined =>
  captures
    .filter((one) => isPaidInFull(order, { amount: one.captured, currency: one.currency }) && hasLeft(one))
    .toSorted((a, b) => b.refunded - a.refunded)[0]
