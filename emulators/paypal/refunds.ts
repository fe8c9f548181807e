import type { Book } from './book.ts'
import type { Captures } from './captures.ts'
import { notFound, PayPalError, unprocessable } from './errors.ts'
import { resourceId } from './ids.ts'
import { type Refund, hasLeft } from './model.ts'
import { formatAmount, parseAmount } from './money.ts'
import { stamp } from './orders.ts'
import { createReader } from './reader.ts'
import type { Views } from './views.ts'
import type { Webhooks } from './webhooks.ts'

export type RefundRequest = {
  amount?: { value: string; currency: string }
  note?: string
  invoiceId?: string
  customId?: string
}
export type Refunds = ReturnType<typeof createRefunds>
type Deps = { book: Book; captures: Captures; views: Views; webhooks: Webhooks; now: () => Date }

/** Reads a refund's body; none, `{}` or one without `amount` means all that is left. */
export function readRefundRequest(body: unknown): RefundRequest {
  const reader = createReader()
  const root = body === undefined || body === null ? {} : reader.object(body, '')
  const request: RefundRequest = {}
  if (root['amount'] !== undefined) {
    const amount = reader.object(root['amount'], '/amount')
    const value = reader.text(amount, 'value', '/amount/value', { required: true, max: 32 })
    const currency = reader.text(amount, 'currency_code', '/amount/currency_code', {
      required: true,
      exact: 3,
    })
    request.amount = { value: value ?? '', currency: currency ?? '' }
  }
  const note = reader.text(root, 'note_to_payer', '/note_to_payer', { max: 255 })
  const invoiceId = reader.text(root, 'invoice_id', '/invoice_id', { max: 127 })
  const customId = reader.text(root, 'custom_id', '/custom_id', { max: 127 })
  reader.finish()
  if (note) request.note = note
  if (invoiceId) request.invoiceId = invoiceId
  if (customId) request.customId = customId
  return request
}

export function createRefunds({ book, captures, views, webhooks, now }: Deps) {
  const readCents = ({ amount }: RefundRequest, currency: string, left: number): number => {
    if (!amount) return left
    if (amount.currency !== currency) {
      throw unprocessable(
        'CURRENCY_MISMATCH',
        'The currency of the refund must be the same as that of the capture.',
        {
          field: '/amount/currency_code',
          value: amount.currency,
        },
      )
    }
    const parsed = parseAmount(amount.value, currency)
    const at = { field: '/amount/value', value: amount.value }
    if (!parsed.ok && parsed.why === 'precision') {
      throw unprocessable(
        'DECIMAL_PRECISION',
        'If the currency supports decimals, only two decimal place precision is supported.',
        at,
      )
    }
    if (!parsed.ok && parsed.why === 'syntax') {
      throw new PayPalError('INVALID_REQUEST', [
        {
          issue: 'INVALID_PARAMETER_VALUE',
          description: 'The value of a field is invalid.',
          location: 'body',
          ...at,
        },
      ])
    }
    if (!parsed.ok || parsed.cents === 0) {
      throw unprocessable('CANNOT_BE_ZERO_OR_NEGATIVE', 'Must be greater than zero.', at)
    }
    return parsed.cents
  }

  const find = (id: string): Refund => {
    const refund = book.refunds.get(id)
    if (!refund) throw notFound('refund_id', id)
    return refund
  }

  return {
    find,
    /** What was done comes to nothing after all: a refund fails, a reversal is cancelled. The money is the shop's again. */
    fail(id: string): Refund {
      const refund = find(id)
      if (!hasLeft(refund)) {
        throw unprocessable('INVALID_RESOURCE_STATE', `The refund is ${refund.status} already.`)
      }
      const capture = captures.find(refund.captureId)
      const refunded = capture.refunded - refund.cents
      book.update('refund', id, { status: refund.kind === 'reversal' ? 'CANCELLED' : 'FAILED' })
      book.update('capture', capture.id, {
        refunded,
        status: refunded === 0 ? 'COMPLETED' : 'PARTIALLY_REFUNDED',
        updated: stamp(now()),
      })
      return refund
    },
    /** Gives back part or all of a capture; a reversal is the provider's own doing, as after a dispute. */
    refund(captureId: string, request: RefundRequest, kind: Refund['kind'] = 'refund'): Refund {
      const capture = captures.find(captureId)
      if (capture.status === 'PENDING') {
        throw unprocessable(
          'PENDING_CAPTURE',
          'Cannot initiate a refund as the capture is pending. Capture is typically pending when the payer has funded the transaction by using an e-check or bank account.',
        )
      }
      if (capture.status === 'REFUNDED') {
        throw unprocessable('CAPTURE_FULLY_REFUNDED', 'The capture has already been fully refunded.')
      }
      if (capture.status !== 'COMPLETED' && capture.status !== 'PARTIALLY_REFUNDED') {
        throw unprocessable(
          'INVALID_RESOURCE_STATE',
          `A capture that is ${capture.status} cannot be refunded.`,
        )
      }
      const left = capture.cents - capture.refunded
      const cents = readCents(request, capture.currency, left)
      if (cents > left) {
        throw unprocessable(
          'REFUND_AMOUNT_EXCEEDED',
          'The refund amount must be less than or equal to the capture amount that has not yet been refunded.',
          {
            field: '/amount/value',
            value: request.amount?.value ?? '',
          },
        )
      }
      const row: Refund = {
        id: resourceId(),
        captureId,
        orderId: capture.orderId,
        kind,
        cents,
        currency: capture.currency,
        created: stamp(now()),
      }
      const customId = request.customId ?? capture.customId
      const invoiceId = request.invoiceId ?? capture.invoiceId
      if (request.note) row.note = request.note
      if (customId) row.customId = customId
      if (invoiceId) row.invoiceId = invoiceId
      book.insert('refund', row.id, row)
      const refunded = capture.refunded + cents
      book.update('capture', captureId, {
        refunded,
        status: refunded === capture.cents ? 'REFUNDED' : 'PARTIALLY_REFUNDED',
        updated: row.created,
      })
      const amount = `${capture.currency} ${formatAmount(cents, capture.currency)}`
      const reversed = kind === 'reversal'
      webhooks.emit(
        reversed ? 'PAYMENT.CAPTURE.REVERSED' : 'PAYMENT.CAPTURE.REFUNDED',
        'refund',
        `A ${amount} capture payment was ${reversed ? 'reversed' : 'refunded'}`,
        views.refundView(row),
      )
      return row
    },
  }
}
