import { type Behaviour, behaviourOf, failuresBeforeSuccess } from './buyers.ts'
import type { Book } from './book.ts'
import { notFound, PayPalError, unprocessable } from './errors.ts'
import type { FaultDice } from './faults.ts'
import { resourceId } from './ids.ts'
import type { Capture, Order, Unit } from './model.ts'
import { centsOf, formatAmount } from './money.ts'
import { type Orders, stamp } from './orders.ts'
import { compact } from './requests.ts'
import type { Views } from './views.ts'
import type { EventType, Webhooks } from './webhooks.ts'

export type Captures = ReturnType<typeof createCaptures>
type Deps = { book: Book; orders: Orders; views: Views; webhooks: Webhooks; dice: FaultDice; now: () => Date }

const words = {
  'PAYMENT.CAPTURE.COMPLETED': 'Payment completed for',
  'PAYMENT.CAPTURE.PENDING': 'Payment pending for',
  'PAYMENT.CAPTURE.DENIED': 'Payment denied for',
} as const

export function createCaptures({ book, orders, views, webhooks, dice, now }: Deps) {
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
    const { pendingSettleMs } = dice.current()
    if (pendingSettleMs <= 0) return
    const timer = setTimeout(() => {
      timers.delete(timer)
      const row = book.captures.get(capture.id)
      if (row?.status === 'PENDING') settle(row.id, !dice.hits('pendingDenied'))
      void book.written().catch(() => {})
    }, pendingSettleMs)
    timers.add(timer)
  }

  return {
    find,
    settle,
    /**
     * Takes the money of an approved order. The answer says what the buyer's account then does with the
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
      if (behaviour === 'declines' || dice.hits('declined')) throw decline(order)
      const pending = behaviour === 'pends' || dice.hits('pending')
      const tampers = behaviour === 'tampers' || dice.hits('tamperAmount')
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
