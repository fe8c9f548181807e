/** The kinds of alerts. Apart from the contract, whose schemas no screen of the console loads. */
export const ALERT_KINDS = [
  'invariant',
  'invariantsUnchecked',
  'ledgerDiffers',
  'orderUnreconciled',
  'reconciliationLate',
  'wrongAmount',
  'unknownPayment',
  'statementPayment',
  'vatCountryDiffers',
  'orderInReview',
  'paymentUnclear',
  'providerRefuses',
  'dispute',
  'manyHolds',
  'refundLate',
  'refundRefused',
  'notificationsWaiting',
  'emailsWaiting',
  'emailsFailed',
  'messageLate',
  'approvalUndone',
  'cardMissedDraw',
  'postNotCounted',
  'drawWithoutTerms',
  'beaconSilent',
  'registerContradicted',
  'witnessesSilent',
  'stampsMissing',
  'jobMissing',
  'workerMissing',
  'providerDown',
  'mailDown',
  'databaseAway',
  'databaseReadOnly',
  'databaseDegraded',
  'diskLow',
  'backupOld',
  'clockSkew',
  'logKeyWrong',
  'webhookFails',
] as const
export type AlertKind = (typeof ALERT_KINDS)[number]

/** What the shop does not always see the end of. It resolves the others itself, and would raise them again at once. */
const CLOSED_BY_HAND: readonly AlertKind[] = [
  'ledgerDiffers',
  'wrongAmount',
  'unknownPayment',
  'statementPayment',
  'providerRefuses',
  'cardMissedDraw',
]
export const mayBeClosed = (kind: AlertKind): boolean => CLOSED_BY_HAND.includes(kind)

/** What receivers of webhooks take. */
export const WEBHOOK_FORMATS = ['alertmanager', 'ntfy', 'slack'] as const
export type WebhookFormat = (typeof WEBHOOK_FORMATS)[number]

/** What cannot wait for the morning: nothing is sold, or money and promises are at stake. */
const CRITICAL: ReadonlySet<AlertKind> = new Set([
  'invariant',
  'wrongAmount',
  'providerRefuses',
  'providerDown',
  'workerMissing',
  'databaseAway',
  'databaseReadOnly',
  'databaseDegraded',
  'diskLow',
  'logKeyWrong',
  'registerContradicted',
])
export const severityOf = (kind: AlertKind): 'critical' | 'warning' =>
  CRITICAL.has(kind) ? 'critical' : 'warning'

export type AlertChannel = 'email' | 'webhook'

/** The fault of a channel is told by the other one. */
const UNTOLD_BY: Partial<Record<AlertKind, AlertChannel>> = { mailDown: 'email', webhookFails: 'webhook' }
export const tellsBy = (channel: AlertChannel, kind: AlertKind): boolean => UNTOLD_BY[kind] !== channel

/** What `/api/health/ready` names beside "ok": a partner or a machine at fault, for which no process leaves the balancer. */
export const READY_WARNINGS = [
  'workerMissing',
  'providerDown',
  'mailDown',
  'databaseDegraded',
  'diskLow',
  'backupOld',
  'clockSkew',
  'webhookFails',
] as const satisfies readonly AlertKind[]

/** The section of the page for whoever looks after the server. */
export const runbookOf = (kind: AlertKind): string => `docs/runbooks.md#${kind.toLowerCase()}`

/** `passed`: begun and over before the first message. */
export const ALERT_EVENTS = ['opened', 'more', 'repeated', 'passed', 'resolved'] as const
export type AlertEvent = (typeof ALERT_EVENTS)[number]

/** After these the alerts of a kind are told to be open. */
const TELLING: readonly AlertEvent[] = ['opened', 'more', 'repeated']
export const isTelling = (event: AlertEvent | null): boolean => event !== null && TELLING.includes(event)

/** When messages are due, in seconds. */
export interface MessageTimes {
  /** From the first alert of a kind to its message, which tells of those that come meanwhile as well. */
  window: number
  /** From a message to one about further alerts of its kind. */
  more: number
  /** From a message to its repetition, while nobody looks after the alerts; 0 for never. */
  repeat: number
  /** From the end of the last alert to the message that they are over. */
  rest: number
}

/** The alerts of a kind, and what was last told of them. */
export interface AlertGroup {
  last: { event: AlertEvent; seconds: number } | null
  /** Alerts that no message has told of, open or over, and since when. */
  fresh: number
  freshSeconds: number
  open: number
  /** Whether somebody looks after each open one. */
  isTaken: boolean
  /** Since the last one ended. */
  endedSeconds: number
}

/** @returns what a message would tell now; undefined for none */
export function dueEvent(group: AlertGroup, times: MessageTimes): AlertEvent | undefined {
  const { last, fresh, freshSeconds, open, isTaken, endedSeconds } = group
  if (last === null || !isTelling(last.event)) {
    if (fresh === 0 || freshSeconds < times.window) return undefined
    return open > 0 ? 'opened' : 'passed'
  }
  if (open === 0) return endedSeconds >= times.rest ? 'resolved' : undefined
  if (fresh > 0) return last.seconds >= times.more ? 'more' : undefined
  return times.repeat > 0 && !isTaken && last.seconds >= times.repeat ? 'repeated' : undefined
}

/** What details may be named: each has words in all languages. Names that end in `cents` are sums in euro cents. */
export const ALERT_DETAILS = [
  'ordered_cents',
  'taken_cents',
  'taken',
  'capture_id',
  'captured_cents',
  'returned_cents',
  'surplus_cents',
  'unlisted_capture',
  'said',
  'answer',
  'due',
  'dispute_reason',
  'page',
  'cents',
  'left_cents',
  'ours_cents',
  'theirs_cents',
  'payments',
  'captures',
  'order',
  'after_order',
  'part',
  'reason',
  'country',
  'payer_country',
  'funding_country',
  'since',
  'wanted',
  'begun',
  'last_try',
  'oldest',
  'due_since',
  'oldest_minutes',
  'seconds',
  'waiting',
  'cards',
  'messages',
  'last_week',
  'held',
  'total',
  'title',
  'count',
  'more',
  'rows',
  'finding',
  'receiver_said',
] as const
/** Why an order is in review, as details name it (`orders/order-machine.rules.ts`); each has words in all languages. */
export const ALERT_REASONS = [
  'refund_refused',
  'refund_outcome_unknown',
  'refund_refused_repeatedly',
  'nothing_was_taken',
  'money_came_back',
] as const

export const isAlertReason = (name: string, value: unknown): value is (typeof ALERT_REASONS)[number] =>
  name === 'reason' && ALERT_REASONS.some((one) => one === value)

export type AlertDetail = (typeof ALERT_DETAILS)[number]
export type AlertDetails = Partial<Record<AlertDetail, unknown>>

export const isAlertDetail = (name: string): name is AlertDetail =>
  (ALERT_DETAILS as readonly string[]).includes(name)

/** Whether a detail is a sum, which may be below zero or exceed an amount. */
export const isCents = (name: string, value: unknown): value is number =>
  /(?:^|_)cents$/.test(name) && Number.isSafeInteger(value)
