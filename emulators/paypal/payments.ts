import { type Behaviour, behaviourOf, failuresBeforeSuccess } from './buyers.ts'
import type { Book } from './book.ts'
import { invalid, notFound, PayPalError, unprocessable } from './errors.ts'
import type { FaultInjector } from './faults.ts'
import { resourceId } from './ids.ts'
import { type Capture, hasLeft, type Order, type Refund, type Unit } from './model.ts'
import { centsOf, formatAmount, parseAmount } from './money.ts'
import { type Orders, stamp } from './orders.ts'
import { compact, type RefundRequest } from './requests.ts'
import type { Views } from './views.ts'
import type { EventType, Webhooks } from './webhooks.ts'

type Captures = ReturnType<typeof createCaptures>
type CaptureDeps = {
  book: Book
  orders: Orders
  views: Views
  webhooks: Webhooks
  injector: FaultInjector
  now: () => Date
}

const words = {
  'PAYMENT.CAPTURE.COMPLETED': 'Payment completed for',
  'PAYMENT.CAPTURE.PENDING': 'Payment pending for',
  'PAYMENT.CAPTURE.DENIED': 'Payment denied for',
} as const

export function createCaptures({ book, orders, views, webhooks, injector, now }: CaptureDeps) {
  const timers = new Set<NodeJS.Timeout>()

  const find = (id: string): Capture => {
    const capture = book.captures.get(id)
    if (!capture) throw notFound('capture_id', id)
    return capture
  }
  const tell = (type: keyof typeof words & EventType, capture: Capture): void => {
    const amount = `${capture.currency} ${formatAmount(capture.cents, capture.currency)}`
    webhooks.emit(type, 'capture', `${words[type]} ${amount}`, views.captureView(capture))
  }

  const decline = (order: Order): PayPalError => {
    book.update('order', order.id, { declines: order.declines + 1, updated: stamp(now()) })
    return unprocessable('INSTRUMENT_DECLINED', {}, [
      { href: views.approveUrl(order.id), rel: 'redirect', method: 'GET' },
    ])
  }

  /** The next approval counts as the action, as a confirmation by the bank does. */
  const demandAction = (order: Order): PayPalError => {
    const updated = stamp(now())
    book.update('order', order.id, { status: 'PAYER_ACTION_REQUIRED', hasActed: true, updated })
    return unprocessable('PAYER_ACTION_REQUIRED', {}, [
      { href: views.approveUrl(order.id), rel: 'payer-action', method: 'GET' },
    ])
  }

  const take = (order: Order, unit: Unit, pending: boolean, tampers: boolean): Capture => {
    const at = stamp(now())
    const due = centsOf(unit)
    const id = resourceId()
    const row: Capture = compact({
      id,
      orderId: order.id,
      reference: unit.reference_id,
      status: pending ? 'PENDING' : 'COMPLETED',
      reason: pending ? 'PENDING_REVIEW' : undefined,
      cents: tampers ? Math.max(1, due - 100) : due,
      currency: unit.amount.currency_code,
      refunded: 0,
      customId: unit.custom_id,
      invoiceId: unit.invoice_id,
      created: at,
      updated: at,
    })
    return book.insert('capture', id, row)
  }

  const settle = (id: string, completed: boolean): Capture => {
    const capture = find(id)
    if (capture.status !== 'PENDING') {
      const description = `The capture is ${capture.status}, not PENDING.`
      throw unprocessable('CAPTURE_NOT_PENDING', { description })
    }
    const order = orders.find(capture.orderId)
    book.update('capture', id, {
      status: completed ? 'COMPLETED' : 'DECLINED',
      reason: '',
      updated: stamp(now()),
    })
    book.update('order', order.id, { updated: stamp(now()) })
    tell(completed ? 'PAYMENT.CAPTURE.COMPLETED' : 'PAYMENT.CAPTURE.DENIED', capture)
    return capture
  }

  const settleLater = (capture: Capture): void => {
    const { pendingSettleMs } = injector.current()
    if (pendingSettleMs <= 0) return
    const timer = setTimeout(() => {
      timers.delete(timer)
      const row = book.captures.get(capture.id)
      if (row?.status === 'PENDING') settle(row.id, !injector.hits('pendingDenied'))
      void book.written().catch(() => {})
    }, pendingSettleMs)
    timers.add(timer)
  }

  return {
    find,
    settle,
    /**
     * Takes the money of an approved order. The response says what the buyer's account then does with the
     * reply: `hangs` and `loses` have paid, but the caller is not to hear of it.
     */
    capture(id: string): { order: Order; behaviour: Behaviour } {
      const order = orders.find(id)
      orders.requireOpen(order)
      if (order.status !== 'APPROVED' || !order.payer) {
        throw unprocessable('ORDER_NOT_APPROVED')
      }
      for (const unit of order.units) {
        if (unit.invoice_id && book.captureOfInvoice(unit.invoice_id)) {
          throw unprocessable('DUPLICATE_INVOICE_ID', {
            field: `/purchase_units/@reference_id=='${unit.reference_id}'/invoice_id`,
            value: unit.invoice_id,
          })
        }
      }
      const behaviour = behaviourOf(order.payer)
      if (behaviour === 'fails' && order.failures < failuresBeforeSuccess) {
        book.update('order', order.id, { failures: order.failures + 1 })
        throw new PayPalError('INTERNAL_SERVER_ERROR')
      }
      if (behaviour === 'declines' || injector.hits('declined')) throw decline(order)
      if (behaviour === 'acts' && !order.hasActed) throw demandAction(order)
      if (behaviour === 'isRefused') throw unprocessable('TRANSACTION_REFUSED')
      if (behaviour === 'meetsFault') throw unprocessable('PAYEE_ACCOUNT_RESTRICTED')
      if (behaviour === 'meetsUnknown') throw unprocessable('SOMETHING_NEW')
      const pending = behaviour === 'pends' || injector.hits('pending')
      const tampers = behaviour === 'tampers' || injector.hits('tamperAmount')
      const taken = order.units.map((unit) => take(order, unit, pending, tampers))
      book.update('order', order.id, {
        status: 'COMPLETED',
        captureIds: taken.map((row) => row.id),
        updated: stamp(now()),
      })
      for (const capture of taken) {
        tell(pending ? 'PAYMENT.CAPTURE.PENDING' : 'PAYMENT.CAPTURE.COMPLETED', capture)
        if (pending) settleLater(capture)
      }
      return { order, behaviour }
    },
    /** Timers of captures that a killed process had left pending. */
    resume(): void {
      for (const capture of book.captures.values()) if (capture.status === 'PENDING') settleLater(capture)
    },
    close(): void {
      for (const timer of timers) clearTimeout(timer)
      timers.clear()
    },
  }
}

type RefundDeps = { book: Book; captures: Captures; views: Views; webhooks: Webhooks; now: () => Date }

export function createRefunds({ book, captures, views, webhooks, now }: RefundDeps) {
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
