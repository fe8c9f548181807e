import { catch as elseGive, object } from 'zod/mini'
import type { Sql } from '#platform/database.ts'
import type { OrderState } from '#features/purchase/orders/order-machine.rules.ts'
import type { OrderRow, OrdersDeps, WaitingOrderRow } from '#features/purchase/orders/server/index.ts'
import { ledgerRepository } from '#features/purchase/refunds/server/index.ts'
import { cents, toDecimal } from '#shared/money.ts'
import {
  CaptureResponse,
  type CreateOrderResponse,
  type OpenOrder,
  type ORDER_PROGRESS,
  type OrderStatus,
} from '../checkout.contract.ts'
import { type CaptureOutcome, isTakenBack, refusalOf } from './capture-payment.ts'

/** A hold ends with the first of its contests at the latest. */
export const endsWithContest = (order: OrderRow): boolean => order.hold_until >= order.contests_end_at

const isApproved = ({ state, approved_at, capture_started_at }: OrderRow): boolean =>
  state === 'held' && approved_at !== null && capture_started_at === null

const canExtend = (order: OrderRow): boolean => !order.hold_extended && !endsWithContest(order)

/** The response of create-order: the provider's fields and ours (ADR 0011). */
export const toCreated = (order: OrderRow): CreateOrderResponse => ({
  order_id: order.provider_order_id ?? '',
  id: order.provider_order_id ?? '',
  status: 'CREATED',
  payment_url: order.payment_url,
  links: order.payment_url ? [{ href: order.payment_url, rel: 'approve', method: 'GET' }] : [],
  expires_at: order.hold_until.toISOString(),
  can_extend: canExtend(order),
  total: toDecimal(cents(order.total_cents)),
})

export const toOpen = (order: WaitingOrderRow): OpenOrder => ({
  order_id: order.provider_order_id ?? '',
  cart_version: order.cart_version,
  tickets: order.tickets,
  total: toDecimal(cents(order.total_cents)),
  held_until: order.hold_until.toISOString(),
  seconds_left: Math.max(0, Math.floor(order.seconds_left)),
  can_extend: canExtend(order),
  approved: isApproved(order),
  ends_with_contest: endsWithContest(order),
})

/** For the page, and for the specification's client. */
const SHOWN: Record<OrderState, [progress: (typeof ORDER_PROGRESS)[number], status: string]> = {
  held: ['open', 'CREATED'],
  capturing: ['confirming', 'PENDING'],
  pending: ['confirming', 'PENDING'],
  completed: ['completed', 'COMPLETED'],
  expired: ['closed', 'VOIDED'],
  cancelled: ['closed', 'VOIDED'],
  superseded: ['closed', 'VOIDED'],
  refunding: ['refunded', 'REFUNDED'],
  refunded: ['refunded', 'REFUNDED'],
  review: ['review', 'PENDING'],
}

async function progressOf(db: Sql, order: OrderRow): Promise<Pick<OrderStatus, 'progress' | 'refusal'>> {
  if (isApproved(order)) return { progress: 'approved', refusal: null }
  const refusal = await refusalOf(db, order)
  if (refusal) return { progress: 'refused', refusal }
  const progress = (await isTakenBack(db, order)) ? 'takenBack' : SHOWN[order.state][0]
  return { progress, refusal: null }
}

export const toStatus = async ({ db, batches }: OrdersDeps, order: OrderRow): Promise<OrderStatus> => ({
  order_id: order.provider_order_id ?? '',
  ...(await progressOf(db, order)),
  expires_at: order.state === 'held' ? order.hold_until.toISOString() : null,
  total: toDecimal(cents(order.total_cents)),
  tickets: order.state === 'completed' ? await batches.tickets(order.id) : [],
})

/** The part for the buyer. */
const BuyersPart = object({
  details: elseGive(CaptureResponse.shape.details, undefined),
  debug_id: elseGive(CaptureResponse.shape.debug_id, undefined),
  purchase_units: elseGive(CaptureResponse.shape.purchase_units, undefined),
})

/**
 * 200 with tickets, 202 while the outcome is unknown, 422 after a decline; `captureRefused` responds alike to other
 * refusals.
 */
export async function toCaptured(
  { db, batches }: OrdersDeps,
  outcome: CaptureOutcome,
): Promise<{ status: 200 | 202 | 422; body: CaptureResponse }> {
  const { order, declined } = outcome
  const part = BuyersPart.parse(outcome.provider ?? {})
  const body: CaptureResponse = {
    ...part,
    purchase_units: part.purchase_units ?? (await purchaseUnits(db, order)),
    id: order.provider_order_id ?? '',
    status: declined ? 'DECLINED' : SHOWN[order.state][1],
    tickets: outcome.tickets ?? (order.state === 'completed' ? await batches.tickets(order.id) : []),
  }
  if (declined) return { status: 422, body: { ...body, code: 'checkout.declined' } }
  return { status: order.state === 'completed' ? 200 : 202, body }
}

async function purchaseUnits(db: Sql, order: OrderRow) {
  const rows = await ledgerRepository(db).captures(order.id)
  const captures = rows.map((one) => ({ id: one.capture_id, status: one.status.toUpperCase() }))
  return [{ payments: { captures } }]
}
