import type { Book } from './book.ts'
import { notFound, unprocessable } from './errors.ts'
import { fundingOf } from './funding.ts'
import { resourceId } from './ids.ts'
import type { Order, Payer, Unit } from './model.ts'
import { checkUnits, compact, type OrderRequest, type PatchOperation } from './requests.ts'
import type { Views } from './views.ts'
import type { Webhooks } from './webhooks.ts'

export type Orders = ReturnType<typeof createOrders>
type Deps = { book: Book; views: Views; webhooks: Webhooks; now: () => Date }

/** `2026-11-21T10:00:00Z`: PayPal's times have no fractions. */
export const stamp = (at: Date): string => at.toISOString().replace(/\.\d+Z$/, 'Z')

const isOpen = (order: Order): boolean => order.status !== 'COMPLETED' && order.status !== 'VOIDED'

export function createOrders({ book, views, webhooks, now }: Deps) {
  const find = (id: string): Order => {
    const order = book.orders.get(id)
    if (!order) throw notFound('order_id', id)
    return order
  }
  const requireOpen = (order: Order): void => {
    if (order.status === 'COMPLETED') throw unprocessable('ORDER_ALREADY_CAPTURED')
    if (order.status === 'VOIDED') throw unprocessable('ORDER_COMPLETED_OR_VOIDED')
  }

  return {
    find,
    requireOpen,
    isOpen,
    create(request: OrderRequest): Order {
      const at = stamp(now())
      const order: Order = {
        id: resourceId(),
        status: request.source ? 'PAYER_ACTION_REQUIRED' : 'CREATED',
        ...request,
        funding: request.source ?? 'paypal',
        created: at,
        updated: at,
        captureIds: [],
        declines: 0,
        failures: 0,
      }
      return book.insert('order', order.id, order)
    },
    /** The buyer agrees; a later approval replaces the instrument of an earlier one. */
    approve(id: string, payer: Payer, funding?: string): Order {
      const order = find(id)
      requireOpen(order)
      const known = fundingOf(funding)
      const updated = stamp(now())
      book.update('order', id, { status: 'APPROVED', payer, updated, ...(known ? { funding: known } : {}) })
      const summary = 'An order has been approved by buyer'
      webhooks.emit('CHECKOUT.ORDER.APPROVED', 'checkout-order', summary, views.order(order))
      return order
    },
    /** Walking away changes no state at PayPal: the order stays open. */
    cancel(id: string): Order {
      const order = find(id)
      requireOpen(order)
      book.update('order', id, { cancelled: stamp(now()) })
      return order
    },
    void(id: string): Order {
      const order = find(id)
      requireOpen(order)
      book.update('order', id, { status: 'VOIDED', updated: stamp(now()) })
      return order
    },
    /** JSON patch on the attributes PayPal lets change, for orders that are still open. */
    patch(id: string, operations: readonly PatchOperation[]): void {
      const order = find(id)
      if (!isOpen(order)) {
        const description = 'Order is voided or completed and hence cannot be patched.'
        throw unprocessable('ORDER_COMPLETED_OR_VOIDED', { description })
      }
      const units = structuredClone(order.units)
      operations.forEach((operation, at) => applyPatch(units, operation, `/${at}`))
      checkUnits(units)
      book.update('order', id, { units: units.map(compact), updated: stamp(now()) })
    },
  }
}

const patchable = ['amount', 'items', 'custom_id', 'invoice_id', 'description', 'soft_descriptor']

function applyPatch(units: Unit[], { op, path, value }: PatchOperation, field: string): void {
  const parts = /^\/purchase_units\/@reference_id=='([^']*)'\/(\w+)$/.exec(path)
  const unit = units.find((candidate) => candidate.reference_id === parts?.[1])
  const key = parts?.[2] ?? ''
  if (!unit || !patchable.includes(key)) {
    throw unprocessable('NOT_PATCHABLE', { field: `${field}/path`, value: path })
  }
  if (op !== 'replace' && op !== 'add' && op !== 'remove') {
    throw unprocessable('UNSUPPORTED_PATCH_OPERATION', { field: `${field}/op`, value: op })
  }
  const textual = key !== 'amount' && key !== 'items'
  const fits = textual ? typeof value === 'string' : typeof value === 'object' && value !== null
  if (op !== 'remove' && !fits) {
    throw unprocessable('INVALID_PATCH_OPERATION', { field: `${field}/value` })
  }
  Object.assign(unit, { [key]: op === 'remove' ? undefined : value })
}
