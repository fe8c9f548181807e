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
  'reminder',
  'staff-notice',
  'audit-checkpoint',
  'draw-checkpoints',
  'report',
  'alert',
  'test',
] as const
export type EmailKind = (typeof EMAIL_KINDS)[number]

/** Letters of a search in the mailbox. */
export const SEARCH_MAX = 100

/** What the demonstration's mailbox sorts emails by. */
export const EMAIL_TOPICS = ['tickets', 'draws', 'prizes', 'post', 'account', 'messages', 'staff'] as const
export type EmailTopic = (typeof EMAIL_TOPICS)[number]

const TOPICS: Record<EmailKind, EmailTopic> = {
  welcome: 'account',
  'confirm-email': 'account',
  'allow-email-change': 'account',
  'confirm-email-change': 'account',
  'email-changed': 'account',
  'email-correction': 'account',
  'password-reset': 'account',
  receipt: 'tickets',
  'receipt-copy': 'tickets',
  refund: 'tickets',
  'unfinished-payment': 'tickets',
  'account-suspended': 'account',
  'account-restored': 'account',
  'account-closed': 'account',
  'customer-message': 'messages',
  'message-answer': 'messages',
  contact: 'messages',
  'postal-entry': 'post',
  'postal-voided': 'post',
  'postal-cancelled': 'post',
  'draw-sealed': 'draws',
  'draw-result': 'draws',
  'draw-won': 'prizes',
  'draw-reminder': 'prizes',
  'draw-claim-step': 'prizes',
  reminder: 'draws',
  'staff-notice': 'staff',
  'audit-checkpoint': 'staff',
  'draw-checkpoints': 'staff',
  report: 'staff',
  alert: 'staff',
  test: 'staff',
}

export const isEmailTopic = (text: string | undefined): text is EmailTopic =>
  EMAIL_TOPICS.some((one) => one === text)

export const kindsAbout = (topic: EmailTopic): EmailKind[] =>
  EMAIL_KINDS.filter((kind) => TOPICS[kind] === topic)

/** False for a kind that the shop wrote in the past. */
export const isEmailKind = (kind: string): kind is EmailKind => EMAIL_KINDS.some((one) => one === kind)
