import type { Language } from '#shared/languages.ts'
import type { Cents } from '#shared/money.ts'
import type { NotificationKind } from '#shared/provider-notifications.ts'

/** The shop's interface to payment providers. An adapter (`paypal/`) translates a provider's messages and faults. */

export interface Money {
  amount: Cents
  /** ISO 4217. */
  currency: string
}

/** `unknown`: the adapter cannot translate it. */
export type CaptureStatus =
  | 'pending'
  | 'completed'
  | 'partially_refunded'
  | 'refunded'
  | 'declined'
  | 'failed'
  | 'unknown'

/** Captures that took money, even if it was refunded since. */
export const TOOK_MONEY: ReadonlySet<string> = new Set<CaptureStatus>([
  'completed',
  'partially_refunded',
  'refunded',
])

export const TOOK_NOTHING: ReadonlySet<string> = new Set<CaptureStatus>(['declined', 'failed'])

export interface ProviderCapture {
  id: string
  status: CaptureStatus
  /** Undefined when the provider gives no readable amount. */
  money: Money | undefined
  /** What the provider keeps of it, in the same currency; undefined while it does not say. */
  fee?: Cents | undefined
  /** The provider's reason, for the order's history. */
  explanation?: string | undefined
}

export interface ProviderRefund {
  id: string
  captureId: string | undefined
  status: 'pending' | 'completed' | 'failed'
  money: Money | undefined
  /** When it was made, or changed last. */
  at?: Date | undefined
}

/** Who pays, as far as the provider tells. Countries are those of ISO 3166-1 alpha-2. */
export interface Payer {
  /** The provider's id of the payer's account. */
  id?: string | undefined
  email?: string | undefined
  /** Of the payer's account. */
  country?: string | undefined
  /** Of the means of payment. */
  fundingCountry?: string | undefined
}

/** `awaiting_buyer` and `approved` can still take money; `completed` has captures; `voided` can take none. */
export type ProviderOrderStatus = 'awaiting_buyer' | 'approved' | 'completed' | 'voided' | 'unknown'

export interface ProviderOrder {
  id: string
  status: ProviderOrderStatus
  /** Where the buyer approves. */
  approvalUrl: string | null
  payer?: Payer | undefined
  /** Our order ids in the response, each once. */
  references: readonly string[]
  /** Amounts to pay; undefined for an unreadable one, empty when the response has none. */
  sums: readonly (Money | undefined)[]
  /** Newest last. */
  captures: readonly ProviderCapture[]
  /** Includes the provider's reversals. */
  refunds: readonly ProviderRefund[]
  /** The provider's own response, for its script in the browser. */
  response: Readonly<Record<string, unknown>>
}

/** Lines and tax add up to the total. */
export interface PaymentRequest {
  /** Our id of the order. */
  reference: string
  /** The order number that people read; no two orders have the same. */
  number: string
  description: string
  language: Language
  currency: string
  total: Cents
  /** Left out where the lines' prices include it. */
  tax?: Cents | undefined
  lines: readonly { id: number; title: string; quantity: number; unit: Cents }[]
  brand: string
  returnUrl: string
  cancelUrl: string
}

export interface RefundRequest {
  captureId: string
  money: Money
  note: string
}

/** A dispute or chargeback, as a notification tells of it. */
export interface ProviderDispute {
  id: string
  /** The provider's codes. */
  reason: string | undefined
  status: string | undefined
  money: Money | undefined
  /** Until when the shop can answer. */
  dueAt: Date | undefined
  isResolved: boolean
  /** By the provider's clock: a notification may come after a later one. */
  changedAt: Date
  /** Its page at the provider, for staff. */
  page: string
}

/** A notification is only a hint: the facts are read from the provider. Disputes alone are told by it. */
export interface ProviderNotification {
  id: string
  type: string
  reference: string | undefined
  providerOrderId: string | undefined
  captureId: string | undefined
  /** Set for a capture that took money. */
  completedCaptureId: string | undefined
  /** Whether money of a paid order may have moved. */
  concernsPaidOrders: boolean
  dispute?: ProviderDispute | undefined
  payload: unknown
}

/** The same request id repeats the same call. Throws ProviderRefused, ProviderUnknown or ProviderUnavailable. */
export interface PaymentProvider {
  /** Hours for which a repeated request is recognised; later it would be a new capture. */
  readonly captureKeyLifetime: number
  /** The same for refunds, in days. */
  readonly refundKeyLifetime: number
  createOrder(request: PaymentRequest, requestId: string): Promise<ProviderOrder>
  /** @throws ProviderRefused `not_found` */
  readOrder(id: string): Promise<ProviderOrder>
  captureOrder(id: string, requestId: string): Promise<ProviderOrder>
  refund(request: RefundRequest, requestId: string): Promise<ProviderRefund>
  readRefund(id: string): Promise<ProviderRefund>
  /** @param type of a notification, as `ProviderNotification` has it */
  notificationKind(type: string): NotificationKind
}

export interface ProviderNotifications {
  /** @param sender IP address @throws ProviderUnknown when undecided: the provider sends the notification again */
  verify(headers: NotificationHeaders, raw: Buffer, sender: string): Promise<boolean>
  /** @returns undefined for a notification that does not concern the shop */
  read(payload: unknown): ProviderNotification | undefined
}

/** By lower-case name. */
export type NotificationHeaders = Record<string, string | string[] | undefined>

/** `in_progress`, `request_reused`: the same request may have been carried out for another caller. */
export type RefusalReason =
  | 'already_captured'
  | 'already_refunded'
  | 'request_reused'
  | 'in_progress'
  | 'not_found'
  | 'not_approved'
  /** The buyer must act at the provider before this order can be paid. */
  | 'payer_action'
  /** Another means of payment may pay the order. */
  | 'declined'
  /** For good: neither another attempt nor another means of payment helps this order or refund. */
  | 'refused'
  /** A fault of the shop's request, or of its account at the provider. */
  | 'shop_fault'
  /** Refunds: the provider has no money yet. */
  | 'too_early'
  /** Refunds: the shop's account has too little money. */
  | 'no_funds'
  /** Refunds: an open dispute or a chargeback decides. */
  | 'disputed'
  | 'wrong_sum'
  /** Not known: says nothing but that the call was refused. */
  | 'other'

/** The provider's description, for requests to its support. */
export interface ProviderFault {
  message?: string | undefined
  details?: { issue?: string | undefined; description?: string | undefined }[] | undefined
  debug_id?: string | undefined
}

/** The provider refused: this call had no effect. */
export class ProviderRefused extends Error {
  override readonly name = 'ProviderRefused'
  readonly reason: RefusalReason
  readonly code: string
  readonly fault: ProviderFault
  /** Where the buyer can act on it. */
  readonly actionUrl: string | undefined

  constructor(
    reason: RefusalReason,
    {
      code = reason,
      actionUrl,
      ...fault
    }: ProviderFault & { code?: string; actionUrl?: string | undefined } = {},
  ) {
    super(`the payment provider refused: ${reason} (${code})`)
    this.reason = reason
    this.code = code
    this.actionUrl = actionUrl
    this.fault = fault
  }

  /** Whether the same request may succeed for another caller. */
  get isUnderWay(): boolean {
    return this.reason === 'in_progress' || this.reason === 'request_reused'
  }
}

/** No response, or one that leaves the outcome open: the provider must be asked again. */
export class ProviderUnknown extends Error {
  override readonly name: string = 'ProviderUnknown'
  readonly debugId: string | undefined

  constructor(what: string, options: { cause?: unknown; debugId?: string | undefined } = {}) {
    super(`the payment provider did not answer: ${what}`, { cause: options.cause })
    this.debugId = options.debugId
  }
}

/** The call was not sent. */
export class ProviderUnavailable extends ProviderUnknown {
  override readonly name = 'ProviderUnavailable'

  constructor() {
    super('calls to it are paused')
  }
}

/** The capture that decides an order: one that took the money, else an undecided one, else one that took none. */
export const decidingCapture = ({ captures }: ProviderOrder): ProviderCapture | undefined =>
  captures.find((one) => one.status === 'completed') ??
  captures.find((one) => TOOK_MONEY.has(one.status)) ??
  captures.findLast((one) => !TOOK_NOTHING.has(one.status)) ??
  captures.at(-1)
