import { cents, toDecimal } from '#shared/money.ts'
import type { StaffOrder } from '../staff-orders.contract.ts'
import type { CheckoutDeps } from './checkout-deps.ts'
import { type OrderRow, ordersRepository } from './orders.repository.ts'
import { paymentsRepository } from './payments.repository.ts'
import { staffOrdersRepository } from './staff-orders.repository.ts'

/** An order as staff see it, as it stands now. */
export async function toStaffOrder({ db }: CheckoutDeps, { id }: OrderRow): Promise<StaffOrder> {
  const asked = staffOrdersRepository(db)
  const [order, lines, tickets, captures, refunds, events] = await Promise.all([
    ordersRepository(db).byId(id),
    ordersRepository(db).lines(id),
    asked.tickets(id),
    paymentsRepository(db).capturesOf(id),
    asked.refunds(id),
    asked.events(id),
  ])
  if (!order) throw new Error(`no order ${id}`)
  return {
    id,
    order_id: order.provider_order_id,
    user_id: order.user_id,
    state: order.state,
    total: toDecimal(cents(order.total_cents)),
    currency: order.currency,
    country: order.country,
    created_at: order.created_at.toISOString(),
    changed_at: order.changed_at.toISOString(),
    hold_until: order.hold_until.toISOString(),
    lines: lines.map(({ offer_id, title, quantity, unit_cents }) => ({
      offer_id,
      title,
      quantity,
      unit_price: toDecimal(cents(unit_cents)),
    })),
    tickets,
    captures: captures.map((one) => ({
      id: one.capture_id,
      status: one.status,
      amount: toDecimal(cents(one.amount_cents)),
      currency: one.currency,
    })),
    refunds: refunds.map((one) => ({
      id: one.refund_id,
      capture_id: one.capture_id,
      status: one.status,
      amount: toDecimal(cents(one.amount_cents)),
      reason: one.reason,
      origin: one.origin,
      at: one.created_at.toISOString(),
    })),
    events: events.map(({ from_state, to_state, reason, at }) => ({
      from: from_state,
      to: to_state,
      reason,
      at: at.toISOString(),
    })),
  }
}
