import type { OrderRow } from './orders.repository.ts'
import type { CaptureReturns, RefundStatus } from './refunds.repository.ts'

/** Refund states of the provider in our words; one that we do not know is not yet decided. */
export const STATUS: Record<string, RefundStatus> = {
  COMPLETED: 'completed',
  PENDING: 'pending',
  CANCELLED: 'failed',
  FAILED: 'failed',
}

export const MADE_THERE = 'refunded at the provider'

/** Why a second payment of the same order goes back. */
export const PAID_TWICE = 'paid twice'

/** Refusals of one payment's refund after which staff decide: each looked as if the rest could still be sent. */
export const MOST_REFUSALS = 5

export const hasTaken = (returns: readonly CaptureReturns[]): boolean =>
  returns.some(({ taken }) => taken > 0)

/** Whether all of it is back; nothing is back of nothing. */
export const isWhole = (returns: readonly CaptureReturns[]): boolean =>
  hasTaken(returns) && returns.every(({ taken, returned }) => returned >= taken)

/** Whether more went back of a capture than was taken: money of the shop, for staff to claim from the provider. */
export const isTooMuch = ({ taken, returned }: CaptureReturns): boolean => returned > taken

/** Whether more of a paid order's money is here than it cost: it was paid twice, and the surplus is not back. */
export const isPaidTwice = (order: OrderRow, returns: readonly CaptureReturns[]): boolean =>
  order.state === 'completed' &&
  returns.reduce((sum, { taken, returned }) => sum + taken - returned, 0) > order.total_cents

/**
 * The alarm for a second payment that cannot be sent back. The order keeps its tickets, which the other payment has paid:
 * it is not for `review`, out of which only the refund of the whole order leads.
 */
export const surplusStays = (order: OrderRow, captureId: string) => ({
  kind: 'booksDiffer' as const,
  subject: order.id,
  details: { capture_id: captureId, surplus: 'refund refused' },
})
