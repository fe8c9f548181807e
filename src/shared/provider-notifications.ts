/** What a notification tells of, for people who read an order's history. */
export const NOTIFICATION_KINDS = [
  'order_approved',
  'approval_reversed',
  'order_completed',
  'order_voided',
  'capture_pending',
  'capture_completed',
  'capture_declined',
  'capture_refunded',
  'capture_reversed',
  'refund_pending',
  'refund_failed',
  'dispute_opened',
  'dispute_updated',
  'dispute_resolved',
  'other',
] as const
export type NotificationKind = (typeof NOTIFICATION_KINDS)[number]
