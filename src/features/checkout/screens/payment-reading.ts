import type { ApiFailure } from '#client/api-error.ts'
import type { TaxFigures } from '#features/cart/screens/tax.ts'
import type { CaptureAnswer, OrderStatus } from '#features/checkout/checkout.contract.ts'
import type { Ticket } from '#features/tickets/tickets.contract.ts'

/** What the answer to a capture means for the buyer. */
export type CaptureReading =
  | { result: 'paid'; tickets: readonly Ticket[] }
  /** Nobody knows yet whether money moved: keep asking, never say that it failed. */
  | { result: 'unknown' }
  /** The buyer picks another instrument: the flow restarts (spec section 4, "Payment"). */
  | { result: 'declined' }
  /** It was paid long ago, and its money went back since. */
  | { result: 'takenBack' }
  /** `message` in the server's words, or in the provider's; empty when neither gave any. */
  | { result: 'refused'; message: string; reference?: string }

/** Issues of a decline that another card or account can cure. */
const CURABLE = ['INSTRUMENT_DECLINED', 'PAYER_ACTION_REQUIRED', 'PAYER_CANNOT_PAY']

/** Reads a capture that was answered with success: 200 completed, 202 still open (contract `CaptureAnswer`). */
export const readCapture = (answer: Pick<CaptureAnswer, 'status' | 'tickets'>): CaptureReading =>
  answer.status === 'COMPLETED' && answer.tickets.length > 0
    ? { result: 'paid', tickets: answer.tickets }
    : { result: 'unknown' }

/**
 * Reads a capture that was not. No answer, or a fault of a server on the way, leaves the truth unknown: the money may
 * have moved all the same.
 */
export function readCaptureFailure(failure: ApiFailure): CaptureReading {
  if (failure.network || failure.status >= 500 || failure.status === 408 || failure.status === 429) {
    return { result: 'unknown' }
  }
  if (failure.code === 'checkout.takenBack') return { result: 'takenBack' }
  const body = failure.body as Partial<CaptureAnswer> | undefined
  const issue = body?.details?.[0]?.issue
  if (failure.status === 422 && (issue === undefined || CURABLE.includes(issue))) {
    return { result: 'declined' }
  }
  return {
    result: 'refused',
    message: failure.detail ?? body?.details?.[0]?.description ?? '',
    ...(typeof body?.debug_id === 'string' && { reference: body.debug_id }),
  }
}

/** Ends of an order without tickets, each with its words on the page. */
export type Gone = 'refunded' | 'takenBack' | 'review' | 'closed'

/** What the page shows next for an order it keeps asking about. */
export type OrderReading = 'wait' | 'captureAgain' | 'paid' | Gone

/**
 * Reads where an approved order stands. One that is still open after an approval never got its capture call: that call
 * is safe to repeat.
 */
export function readProgress({ progress, tickets }: Pick<OrderStatus, 'progress' | 'tickets'>): OrderReading {
  if (progress === 'completed') return tickets.length > 0 ? 'paid' : 'wait'
  if (progress === 'confirming') return 'wait'
  return progress === 'open' ? 'captureAgain' : progress
}

/** Seconds between two questions about an order: quick at first, then patient. */
const POLL_SECONDS = [1, 2, 3, 5, 5, 8] as const
const POLL_SECONDS_LATER = 15

/** Milliseconds to wait before question `attempt` (0 for the first). */
export const pollDelayMs = (attempt: number): number => (POLL_SECONDS[attempt] ?? POLL_SECONDS_LATER) * 1000

/** From this question on the page says that it takes longer than expected. */
export const LONG_AFTER_ATTEMPTS = POLL_SECONDS.length

/** The figures of a 409 `checkout.priceChanged`; undefined when the answer does not name them. */
export function changedTax(failure: ApiFailure): TaxFigures | undefined {
  const { subtotal, tax_amount, total, tax_rate } = (failure.body ?? {}) as Partial<TaxFigures>
  const named = isAmount(subtotal) && isAmount(tax_amount) && isAmount(total)
  return named && typeof tax_rate === 'number' ? { subtotal, tax_amount, total, tax_rate } : undefined
}

const isAmount = (text: unknown): text is string => typeof text === 'string' && /^\d{1,7}\.\d{2}$/.test(text)

const MINUTE_MS = 60_000

/** Minutes before its end at which a reservation says how to keep it (WCAG 2.2.1). */
const HOLD_WARNING_MINUTES = 3

/** What to say about the reservation of the tickets. */
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

/**
 * How a time that is left is told, rounded up: in minutes, the last one in seconds.
 * @returns with `count` 0 when none is left, and after how many milliseconds it is told otherwise
 */
export function timeLeft(leftMs: number): { unit: 'minutes' | 'seconds'; count: number; nextMs: number } {
  const left = Math.max(0, leftMs)
  const [unit, unitMs] =
    left > MINUTE_MS ? (['minutes', MINUTE_MS] as const) : (['seconds', SECOND_MS] as const)
  const count = Math.ceil(left / unitMs)
  return { unit, count, nextMs: left - (count - 1) * unitMs }
}
