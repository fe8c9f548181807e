import type { Book } from './book.ts'
import type { Captures } from './captures.ts'
import { invalid, notFound, unprocessable } from './errors.ts'
import { resourceId } from './ids.ts'
import { type Refund, hasLeft } from './model.ts'
import { formatAmount, parseAmount } from './money.ts'
import { stamp } from './orders.ts'
import { compact, type RefundRequest } from './requests.ts'
import type { Views } from './views.ts'
import type { Webhooks } from './webhooks.ts'

type Deps = { book: Book; captures: Captures; views: Views; webhooks: Webhooks; now: () => Date }

export function createRefunds({ book, captures, views, webhooks, now }: Deps) {
  const readCents = ({ amount }: RefundRequest, currency: string, left: number): number => {
    if (!amount) return left
    if (amount.currency !== currency) {
      throw unprocessable('CURRENCY_MISMATCH', { field: '/amount/currency_code', value: amount.currency })
    }
    const parsed = parseAmount(amount.value, currency)
    const at = { field: '/amount/value', value: amount.value }
    if (!parsed.ok && parsed.why === 'precision') throw unprocessable('DECIMAL_PRECISION', at)
    if (!parsed.ok && parsed.why === 'syntax') {
      throw invalid('INVALID_PARAMETER_VALUE', { location: 'body', ...at })
    }
    if (!parsed.ok || parsed.cents === 0) throw unprocessable('CANNOT_BE_ZERO_OR_NEGATIVE', at)
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
        throw unprocessable('INVALID_RESOURCE_STATE', {
          description: `The refund is ${refund.status} already.`,
        })
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
      if (capture.status === 'PENDING') throw unprocessable('PENDING_CAPTURE')
      if (capture.status === 'REFUNDED') throw unprocessable('CAPTURE_FULLY_REFUNDED')
      if (capture.status !== 'COMPLETED' && capture.status !== 'PARTIALLY_REFUNDED') {
        const description = `A capture that is ${capture.status} cannot be refunded.`
        throw unprocessable('INVALID_RESOURCE_STATE', { description })
      }
      const left = capture.cents - capture.refunded
      const cents = readCents(request, capture.currency, left)
      if (cents > left) {
        const value = request.amount?.value ?? ''
        throw unprocessable('REFUND_AMOUNT_EXCEEDED', { field: '/amount/value', value })
      }
      const row: Refund = compact({
        id: resourceId(),
        captureId,
        orderId: capture.orderId,
        kind,
        cents,
        currency: capture.currency,
        note: request.note,
        customId: request.customId ?? capture.customId,
        invoiceId: request.invoiceId ?? capture.invoiceId,
        created: stamp(now()),
      })
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
