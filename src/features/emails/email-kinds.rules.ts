/** What an email is about. The console has words for each: `console.emailKinds`. */
export const EMAIL_KINDS = [
  'welcome',
  'confirm-email',
  'allow-email-change',
  'confirm-email-change',
  'email-changed',
  'email-correction',
  'password-reset',
  'receipt',
  'receipt-copy',
  'refund',
  'unfinished-payment',
  'account-suspended',
  'account-restored',
  'account-closed',
  'customer-message',
  'message-answer',
  'contact',
  'postal-entry',
  'postal-voided',
  'postal-cancelled',
  'draw-sealed',
  'draw-result',
  'draw-won',
  'draw-reminder',
  'draw-claim-step',
  'staff-notice',
  'audit-checkpoint',
  'draw-checkpoints',
  'report',
  'alert',
  'test',
] as const
export type EmailKind = (typeof EMAIL_KINDS)[number]

/** False for a kind that the shop wrote in the past. */
export const isEmailKind = (kind: string): kind is EmailKind => EMAIL_KINDS.some((one) => one === kind)
