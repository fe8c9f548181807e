import type { Language } from '#shared/languages.ts'
import type { Cents } from '#shared/money.ts'

/**
 * What the shop needs of a payment provider, in the shop's own words. An adapter (`paypal/`) translates a provider's
 * messages and faults.
 */

export interface Money {
  amount: Cents
  /** ISO 4217. */
  currency: string
}

/** States of a capture; `unknown` is one that the adapter cannot translate. */
export type CaptureStatus =
  | 'pending'
  | 'completed'
  | 'partially_refunded'
  | 'refunded'
  | 'declined'
  | 'failed'
  | 'unknown'

/** States of a capture that took money, whatever of it has gone back since. */
export const TOOK_MONEY: ReadonlySet<string> = new Set<CaptureStatus>([
  'completed',
  'partially_refunded',
  'refunded',
])

/** States of a capture that took none. */
export const TOOK_NOTHING: ReadonlySet<string> = new Set<CaptureStatus>(['declined', 'failed'])

export interface ProviderCapture {
  id: string
  status: CaptureStatus
  /** Undefined when the provider names no amount that can be read. */
  money: Money | undefined
  /** Why the provider decided so, in its own words; for the order's history. */
  explanation?: string | undefined
}

export interface ProviderRefund {
  id: string
  /** Which capture it gives back, as far as the provider tells. */
  captureId: string | undefined
  status: 'pending' | 'completed' | 'failed'
  /** Undefined when the provider names no amount that can be read. */
  money: Money | undefined
}

/** `awaiting_buyer` and `approved` take money on; `completed` has captures; `voided` takes none any more. */
export type ProviderOrderStatus = 'awaiting_buyer' | 'approved' | 'completed' | 'voided' | 'unknown'

/** An order as the provider tells of it. */
export interface ProviderOrder {
  id: string
  status: ProviderOrderStatus
  /** Where the buyer approves; null when the provider names no address. */
  approvalUrl: string | null
  /** Our order ids that the answer names, each once; empty when it names none. */
  references: readonly string[]
  /** The sums that the order asks for, undefined where one cannot be read; empty when the answer tells none. */
  sums: readonly (Money | undefined)[]
  /** Newest last. */
  captures: readonly ProviderCapture[]
  /** Reversals by the provider among them. */
  refunds: readonly ProviderRefund[]
  /** The provider's own answer, for its script in the buyer's browser. */
  answer: Readonly<Record<string, unknown>>
}

/** What the provider is asked to let a buyer pay. Sums add up: lines and tax are the total. */
export interface PaymentRequest {
  /** Our id of the order. */
  reference: string
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
  /** A sentence for the buyer. */
  note: string
}

/** A notification of the provider. Everything in it is a hint: what is true is asked of the provider. */
export interface ProviderNotification {
  id: string
  /** The provider's name of the event. */
  type: string
  /** Our id of the order, as the notification names it. */
  reference: string | undefined
  /** The provider's id of the order. */
  providerOrderId: string | undefined
  captureId: string | undefined
  /** Set when it tells of a capture that took money. */
  completedCaptureId: string | undefined
  /** Whether money of an order that is paid may have moved. */
  concernsPaidOrders: boolean
  /** As it came, to be stored. */
  payload: unknown
}

/**
 * The calls that the shop makes to a provider. A request id makes a repeated call the same call. Each throws
 * ProviderRefused, ProviderUnknown or ProviderUnavailable.
 */
export interface PaymentProvider {
  /** As buyers know it, for receipts. */
  readonly name: string
  /** Hours during which a repeated capture request is the same request; later it would be a new one. */
  readonly captureKeyLifetime: number
  /** The same for a refund request, in days. */
  readonly refundKeyLifetime: number
  createOrder(request: PaymentRequest, requestId: string): Promise<ProviderOrder>
  /** @throws ProviderRefused `not_found` when it knows none */
  readOrder(id: string): Promise<ProviderOrder>
  captureOrder(id: string, requestId: string): Promise<ProviderOrder>
  refund(request: RefundRequest, requestId: string): Promise<ProviderRefund>
  readRefund(id: string): Promise<ProviderRefund>
}

/** Reads the notifications of a provider. */
export interface ProviderNotifications {
  /**
   * Whether a notification is genuine.
   * @param sender IP address that it came from
   * @throws ProviderUnknown when that cannot be told now: the provider sends it again
   */
  verify(headers: NotificationHeaders, raw: Buffer, sender: string): Promise<boolean>
  /** @returns undefined for a kind of notification that means nothing to the shop */
  read(payload: unknown): ProviderNotification | undefined
}

/** By lower-case name. */
export type NotificationHeaders = Record<string, string | string[] | undefined>

/** Why a provider refused. A request that is `in_progress` or `request_reused` may have been carried out for another caller. */
export type RefusalReason =
  | 'already_captured'
  | 'already_refunded'
  | 'request_reused'
  | 'in_progress'
  | 'not_found'
  | 'not_approved'
  | 'declined'
  | 'wrong_sum'
  | 'other'

/** What a provider says of a fault, for callers that speak to its support. */
export interface ProviderFault {
  message?: string | undefined
  details?: { issue?: string | undefined; description?: string | undefined }[] | undefined
  debug_id?: string | undefined
}

/** The provider understood and said no: nothing happened there. */
export class ProviderRefused extends Error {
  override readonly name = 'ProviderRefused'
  readonly reason: RefusalReason
  /** The provider's own code, for history and logs. */
  readonly code: string
  readonly fault: ProviderFault

  constructor(reason: RefusalReason, { code = reason, ...fault }: ProviderFault & { code?: string } = {}) {
    super(`the payment provider refused: ${reason} (${code})`)
    this.reason = reason
    this.code = code
    this.fault = fault
  }

  /** Whether the same request is, or was, carried out for another caller: what comes of that one is open. */
  get isUnderWay(): boolean {
    return this.reason === 'in_progress' || this.reason === 'request_reused'
  }
}

/** No answer, or one that does not tell whether the request took effect: the provider must be asked again. */
export class ProviderUnknown extends Error {
  override readonly name: string = 'ProviderUnknown'
  readonly debugId: string | undefined

  constructor(what: string, options: { cause?: unknown; debugId?: string | undefined } = {}) {
    super(`the payment provider did not answer: ${what}`, { cause: options.cause })
    this.debugId = options.debugId
  }
}

/** It was not asked, because it had stopped answering: nothing happened there. */
export class ProviderUnavailable extends ProviderUnknown {
  override readonly name = 'ProviderUnavailable'

  constructor() {
    super('calls to it are paused')
  }
}

/**
 * The capture that says how an order stands: one that took the money, else one of which it is not decided yet, and only
 * then one that took none, whatever their order in the list.
 */
export const decidingCapture = ({ captures }: ProviderOrder): ProviderCapture | undefined =>
  captures.find((one) => one.status === 'completed') ??
  captures.find((one) => TOOK_MONEY.has(one.status)) ??
  captures.findLast((one) => !TOOK_NOTHING.has(one.status)) ??
  captures.at(-1)
