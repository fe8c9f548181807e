import type { MessageKey } from '#i18n/keys.ts'

/** What the buyer is told for each reason the provider's return address gives (`/cart?payment=…`). */
const MESSAGES = {
  declined: 'errors.checkout.declined',
  holdExpired: 'errors.checkout.holdExpired',
  orderClosed: 'errors.checkout.orderClosed',
  notApproved: 'errors.checkout.notApproved',
  unknown: 'errors.checkout.orderNotFound',
  ended: 'checkout.returned.ended',
  wait: 'checkout.returned.wait',
  failed: 'checkout.returned.failed',
} as const satisfies Record<string, MessageKey>

/** The message of a reason; one that nobody knows counts as the general one. */
export const returnMessage = (reason: string): (typeof MESSAGES)[keyof typeof MESSAGES] =>
  Object.hasOwn(MESSAGES, reason) ? MESSAGES[reason as keyof typeof MESSAGES] : MESSAGES.failed
