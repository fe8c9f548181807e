import type { CaptureReturns, RefundStatus } from './refunds.repository.ts'

/** Refund states of the provider in our words; one that we do not know is not yet decided. */
export const STATUS: Record<string, RefundStatus> = {
  COMPLETED: 'completed',
  PENDING: 'pending',
  CANCELLED: 'failed',
  FAILED: 'failed',
}

export const MADE_THERE = 'refunded at the provider'

/** Refusals of one payment's refund after which staff decide: each looked as if the rest could still be sent. */
export const MOST_REFUSALS = 5

export const hasTaken = (returns: readonly CaptureReturns[]): boolean =>
  returns.some(({ taken }) => taken > 0)

/** Whether all of it is back; nothing is back of nothing. */
export const isWhole = (returns: readonly CaptureReturns[]): boolean =>
  hasTaken(returns) && returns.every(({ taken, returned }) => returned >= taken)

/** Whether more went back of a capture than was taken: money of the shop, for staff to claim from the provider. */
export const isTooMuch = ({ taken, returned }: CaptureReturns): boolean => returned > taken
