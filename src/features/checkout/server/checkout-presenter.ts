import { catch as elseGive, object } from 'zod/mini'
import type { Sql } from '#platform/database.ts'
import type { OrderState } from '#features/orders/order-machine.rules.ts'
import type { OrderRow, OrdersDeps, WaitingOrderRow } from '#features/orders/server/index.ts'
import { ledgerRepository } from '#features/refunds/server/index.ts'
import { cents, toDecimal } from '#shared/money.ts'
import {
  CaptureAnswer,
  type CreateOrderAnswer,
  type OpenOrder,
  type ORDER_PROGRESS,
  type OrderStatus,
} from '../checkout.contract.ts'
import { type CaptureOutcome, isTakenBack } from './capture-payment.ts'

/** Answer of create-order (decisions, "create-order output"). */
export const toCreated = (order: OrderRow): CreateOrderAnswer => ({
  order_id: order.provider_order_id ?? '',
  id: order.provider_order_id ?? '',
  status: 'CREATED',
  payment_url: order.payment_url,
  links: order.payment_url ? [{ href: order.payment_url, rel: 'approve', method: 'GET' }] : [],
  expires_at: order.hold_until.toISOString(),
  can_extend: !order.hold_extended,
  total: toDecimal(cents(order.total_cents)),
})

/** The order of a cart that waits for its buyer. */
export const toOpen = (order: WaitingOrderRow): OpenOrder => ({
  order_id: order.provider_order_id ?? '',
  cart_version: order.cart_version,
  tickets: order.tickets,
  total: toDecimal(cents(order.total_cents)),
  held_until: order.hold_until.toISOString(),
  seconds_left: Math.max(0, Math.floor(order.seconds_left)),
  can_extend: !order.hold_extended,
})

const PROGRESS: Record<OrderState, (typeof ORDER_PROGRESS)[number]> = {
  held: 'open',
  capturing: 'confirming',
  pending: 'confirming',
  completed: 'completed',
  expired: 'closed',
  cancelled: 'closed',
  superseded: 'closed',
  refunding: 'refunded',
  refunded: 'refunded',
  review: 'review',
}

/** Where an order stands, for the page that waits for it. */
export const toStatus = async ({ db, batches }: OrdersDeps, order: OrderRow): Promise<OrderStatus> => ({
  order_id: order.provider_order_id ?? '',
  progress: (await isTakenBack(db, order)) ? 'takenBack' : PROGRESS[order.state],
  expires_at: order.state === 'held' ? order.hold_until.toISOString() : null,
  total: toDecimal(cents(order.total_cents)),
  tickets: order.state === 'completed' ? await batches.tickets(order.id) : [],
})

/** What of the provider's answer the buyer gets: not its fees, nor who is paid (decisions, "capture output"). */
const BuyersPart = object({
  details: elseGive(CaptureAnswer.shape.details, undefined),
  debug_id: elseGive(CaptureAnswer.shape.debug_id, undefined),
  purchase_units: elseGive(CaptureAnswer.shape.purchase_units, undefined),
})

/** Answer of the capture call with its status: 200 with tickets, 202 while unknown, 409 and 422 after a no. */
export async function toCaptured(
  { db, batches }: OrdersDeps,
  outcome: CaptureOutcome,
): Promise<{ status: 200 | 202 | 422; body: CaptureAnswer }> {
  const { order, declined } = outcome
  const part = BuyersPart.parse(outcome.provider ?? {})
  const body: CaptureAnswer = {
    ...part,
    purchase_units: part.purchase_units ?? (await purchaseUnits(db, order)),
    id: order.provider_order_id ?? '',
    status: declined ? 'DECLINED' : STATUS[order.state],
    tickets: outcome.tickets ?? (order.state === 'completed' ? await batches.tickets(order.id) : []),
  }
  if (declined) return { status: 422, body }
  return { status: order.state === 'completed' ? 200 : 202, body }
}

/** The captures we know of, in the provider's shape. */
async function purchaseUnits(db: Sql, order: OrderRow) {
  const captures = await ledgerRepository(db).captures(order.id)
  return [
    {
      payments: {
        captures: captures.map((one) => ({ id: one.capture_id, status: one.status.toUpperCase() })),
      },
    },
  ]
}

/** Our states as the specification's client knows them. */
const STATUS: Record<OrderState, string> = {
  held: 'CREATED',
  capturing: 'PENDING',
  pending: 'PENDING',
  completed: 'COMPLETED',
  expired: 'VOIDED',
  cancelled: 'VOIDED',
  superseded: 'VOIDED',
  refunding: 'REFUNDED',
  refunded: 'REFUNDED',
  review: 'PENDING',
}
