/**
 * What the shop promises everybody (spec sections 1 and 9). Texts name these figures as `{replyHours}` and `{refundDays}`,
 * never themselves.
 */
export const PROMISES = {
  /** Hours until a message of the contact form is answered. */
  replyHours: 24,
  /** Days until the payments of a cancelled contest are refunded. */
  refundDays: 14,
} as const

/** Days that a winner has for the claim, where neither a setting nor the terms of the contest say otherwise. */
export const CLAIM_DAYS = 7
