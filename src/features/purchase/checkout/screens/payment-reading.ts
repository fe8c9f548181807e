import type { ApiFailure } from '#client/api-error.ts'
import type { HoldLimit } from '#features/purchase/cart/screens/line-problems.ts'
import type { TaxFigures } from '#features/purchase/cart/screens/tax.ts'
import type {
  CaptureResponse,
  OrderStatus,
  PaymentRefusal,
} from '#features/purchase/checkout/checkout.contract.ts'
import type { Ticket } from '#features/tickets/tickets.contract.ts'
import type { MessageKey } from '#i18n/keys.ts'

export type Gone = 'refunded' | 'takenBack' | 'review' | 'closed'

/** Refusals after which the buyer acts at the provider, and then the same order can be paid (spec section 4, "Payment"). */
export type ToAct = Extract<PaymentRefusal, 'declined' | 'payerAction' | 'notApproved'>
type ForGood = Exclude<PaymentRefusal, ToAct>

export type PaymentEnd =
  | { result: 'paid'; tickets: readonly Ticket[] }
  | { result: Gone | 'unknownOrder' }
  | { result: 'toAct'; refusal: ToAct }
  /** `message` of the server or provider; may be empty. */
  | { result: 'refused'; message: string; refusal?: ForGood; reference?: string }

/** `unknown`: money may have moved. Keep polling and never report a failure. */
export type CaptureReading = PaymentEnd | { result: 'unknown' }

/** 200 is completed, 202 still open (`CaptureResponse`). */
export const readCapture = (response: Pick<CaptureResponse, 'status' | 'tickets'>): CaptureReading =>
  response.status === 'COMPLETED' && response.tickets.length > 0
    ? { result: 'paid', tickets: response.tickets }
    : { result: 'unknown' }

const TO_ACT: readonly ToAct[] = ['declined', 'payerAction', 'notApproved']

/** A refusal that an order's status names. */
export const readRefusal = (refusal: PaymentRefusal): PaymentEnd => {
  const toAct = TO_ACT.find((one) => one === refusal)
  return toAct
    ? { result: 'toAct', refusal: toAct }
    : { result: 'refused', message: '', refusal: refusal as ForGood }
}

/** Without a response, or after a server's fault, the outcome is unknown. */
export function readCaptureFailure(failure: ApiFailure): CaptureReading {
  if (failure.network || failure.status >= 500 || failure.status === 408 || failure.status === 429) {
    return { result: 'unknown' }
  }
  if (failure.code === 'checkout.takenBack') return { result: 'takenBack' }
  const toAct = TO_ACT.find((one) => failure.code === `checkout.${one}`)
  if (toAct) return { result: 'toAct', refusal: toAct }
  const body = failure.body as Partial<CaptureResponse> | undefined
  return {
    result: 'refused',
    message: failure.detail ?? body?.details?.[0]?.description ?? '',
    ...(typeof body?.debug_id === 'string' && { reference: body.debug_id }),
  }
}

export type OrderReading = 'wait' | 'retryCapture' | 'paid' | 'refused' | Gone

/** An approved order that is still open lost its capture call, which is safe to repeat. */
export function readProgress({ progress, tickets }: Pick<OrderStatus, 'progress' | 'tickets'>): OrderReading {
  if (progress === 'completed') return tickets.length > 0 ? 'paid' : 'wait'
  if (progress === 'confirming') return 'wait'
  return progress === 'open' || progress === 'approved' ? 'retryCapture' : progress
}

const POLL_SECONDS = [1, 2, 3, 5, 5, 8] as const
const POLL_SECONDS_LATER = 15

/** @param attempt 0 for the first poll */
export const pollDelayMs = (attempt: number): number => (POLL_SECONDS[attempt] ?? POLL_SECONDS_LATER) * 1000

/** From this poll on the page reports a delay. */
export const LONG_AFTER_ATTEMPTS = POLL_SECONDS.length

/** @returns undefined when the 409 `checkout.priceChanged` names no figures */
export function changedTax(failure: ApiFailure): TaxFigures | undefined {
  const { subtotal, tax_amount, total, tax_rate } = (failure.body ?? {}) as Partial<TaxFigures>
  const named = isAmount(subtotal) && isAmount(tax_amount) && isAmount(total)
  return named && typeof tax_rate === 'number' ? { subtotal, tax_amount, total, tax_rate } : undefined
}

/** What a refusal to hold the tickets adds to its text. */
export interface HoldRefusal {
  /** Only when it was about the tickets of one contest. */
  limit?: HoldLimit | undefined
  /** The buyer may hold more tickets once the address is confirmed. */
  unconfirmed?: boolean
}

export const holdRefusal = (failure: ApiFailure): HoldRefusal => ({
  limit: holdLimit(failure),
  unconfirmed: failure.code === 'checkout.unconfirmed',
})

function holdLimit({ code, body }: ApiFailure): HoldLimit | undefined {
  const { offer_id: offerId, available } = (body ?? {}) as { offer_id?: unknown; available?: unknown }
  const isNamed = code === 'offer.holdLimit' && typeof offerId === 'number' && typeof available === 'number'
  return isNamed ? { offerId, available } : undefined
}

const isAmount = (text: unknown): text is string => typeof text === 'string' && /^\d{1,7}\.\d{2}$/.test(text)

const MINUTE_MS = 60_000

/** The hold is extended so many minutes before its end (WCAG 2.2.1). */
const HOLD_WARNING_MINUTES = 3

export function holdState(
  expiresAt: string,
  nowMs: number,
): { kind: 'running' } | { kind: 'soon'; minutes: number } | { kind: 'over' } {
  const left = Date.parse(expiresAt) - nowMs
  if (left <= 0) return { kind: 'over' }
  const minutes = Math.ceil(left / MINUTE_MS)
  return minutes <= HOLD_WARNING_MINUTES ? { kind: 'soon', minutes } : { kind: 'running' }
}

const SECOND_MS = 1000

/** Rounds up to seconds, as mm:ss. @returns `nextMs`: milliseconds until the text changes */
export function timeLeft(leftMs: number): { seconds: number; text: string; nextMs: number } {
  const left = Math.max(0, leftMs)
  const seconds = Math.ceil(left / SECOND_MS)
  const text = [Math.floor(seconds / 60), seconds % 60].map((part) => String(part).padStart(2, '0')).join(':')
  return { seconds, text, nextMs: left - (seconds - 1) * SECOND_MS }
}

const SPOKEN_MINUTES = [1, 5] as const

/** The minutes that are said aloud once they are reached. @param from seconds that were left at the first look */
export const spokenMinutes = (seconds: number, from: number): number | undefined =>
  SPOKEN_MINUTES.find((minutes) => seconds <= minutes * 60 && from > minutes * 60)

/** By the reason in the return address (`/cart?payment=…`). */
const RETURN_MESSAGES = {
  declined: 'errors.checkout.declined',
  payerAction: 'errors.checkout.payerAction',
  providerRefused: 'errors.checkout.providerRefused',
  refused: 'errors.checkout.refused',
  shopFault: 'errors.checkout.shopFault',
  holdExpired: 'errors.checkout.holdExpired',
  orderClosed: 'errors.checkout.orderClosed',
  notApproved: 'errors.checkout.notApproved',
  staff: 'errors.cart.staff',
  excluded: 'errors.cart.excluded',
  payerExcluded: 'errors.checkout.payerExcluded',
  unknown: 'errors.checkout.orderNotFound',
  ended: 'checkout.returned.ended',
  wait: 'checkout.returned.wait',
  failed: 'checkout.returned.failed',
} as const satisfies Record<string, MessageKey>

export const returnMessage = (reason: string): (typeof RETURN_MESSAGES)[keyof typeof RETURN_MESSAGES] =>
  Object.hasOwn(RETURN_MESSAGES, reason)
    ? RETURN_MESSAGES[reason as keyof typeof RETURN_MESSAGES]
    : RETURN_MESSAGES.failed
