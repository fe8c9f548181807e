import { catch as elseGive, object } from 'zod/mini'
import type { Sql } from '#platform/database.ts'
import { cents, toDecimal } from '#shared/money.ts'
import {
  CaptureAnswer,
  type CreateOrderAnswer,
  type OpenOrder,
  type ORDER_PROGRESS,
  type OrderStatus,
} from '../checkout.contract.ts'
import type { OrderState } from '../order-states.rules.ts'
import type { CaptureOutcome } from './capture.ts'
import type { CheckoutDeps } from './checkout-deps.ts'
import { isTakenBack } from './money-back.ts'
import type { OrderRow, WaitingOrderRow } from './orders.repository.ts'
import { paymentsRepository } from './payments.repository.ts'

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
export const toStatus = async ({ db, lanes }: CheckoutDeps, order: OrderRow): Promise<OrderStatus> => ({
  order_id: order.provider_order_id ?? '',
  progress: (await isTakenBack(db, order)) ? 'takenBack' : PROGRESS[order.state],
  expires_at: order.state === 'held' ? order.hold_until.toISOString() : null,
  total: toDecimal(cents(order.total_cents)),
  tickets: order.state === 'completed' ? await lanes.tickets(order.id) : [],
})

/** What of the provider's answer is the buyer's: not its fees, nor who is paid (decisions, "capture output"). */
const ToldToBuyer = object({
  details: elseGive(CaptureAnswer.shape.details, undefined),
  debug_id: elseGive(CaptureAnswer.shape.debug_id, undefined),
  purchase_units: elseGive(CaptureAnswer.shape.purchase_units, undefined),
})

/** Answer of the capture call with its status: 200 with tickets, 202 while unknown, 409 and 422 after a no. */
export async function toCaptured(
  { db, lanes }: CheckoutDeps,
  outcome: CaptureOutcome,
): Promise<{ status: 200 | 202 | 422; body: CaptureAnswer }> {
  const { order, declined } = outcome
  const told = ToldToBuyer.parse(outcome.provider ?? {})
  const body: CaptureAnswer = {
    ...told,
    purchase_units: told.purchase_units ?? (await purchaseUnits(db, order)),
    id: order.provider_order_id ?? '',
    status: declined ? 'DECLINED' : STATUS[order.state],
    tickets: outcome.tickets ?? (order.state === 'completed' ? await lanes.tickets(order.id) : []),
  }
  if (declined) return { status: 422, body }
  return { status: order.state === 'completed' ? 200 : 202, body }
}

/** The captures we know of, in the provider's shape. */
async function purchaseUnits(db: Sql, order: OrderRow) {
  const captures = await paymentsRepository(db).capturesOf(order.id)
  return [{ payments: { captures: captures.map((one) => ({ id: one.capture_id, status: one.status })) } }]
}

/** Our states in the words of the provider's order. */
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
