import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { audit } from '#platform/audit-log.ts'
import { staffOf } from '#platform/http/request.ts'
import { transact } from '#platform/transaction.ts'
import { cents, toDecimal } from '#shared/money.ts'
import { Refusal } from '#shared/refusal.ts'
import { shownOrderNumber } from '#shared/order-number.ts'
import {
  StaffHolds,
  StaffHoldsQuery,
  StaffOrder,
  StaffOrderParams,
  StaffReasonBody,
} from '../staff-orders.contract.ts'
import { releaseOrder } from './holds.ts'
import type { OrdersBase } from './order-batches.ts'
import { type OrderRow, ordersRepository, staffOrdersRepository } from './orders.repository.ts'

export const staffOrdersRoutes =
  (deps: Pick<OrdersBase, 'db'>) =>
  async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<ZodTypeProvider>()
    const tags = ['staff']
    const schema = { tags, params: StaffOrderParams, response: { 200: StaffOrder } }
    const config = { permits: 'orders.read' } as const

    app.get('/api/staff/orders/:id/', { config, schema }, async ({ params }) =>
      toStaffOrder(deps, await requireStaffOrder(deps, params.id)),
    )

    app.get(
      '/api/staff/holds/',
      { config, schema: { tags, querystring: StaffHoldsQuery, response: { 200: StaffHolds } } },
      ({ query }) => staffHolds(deps, query.offer),
    )

    app.post(
      '/api/staff/orders/:id/release/',
      { config: { permits: 'orders.release' }, schema: { ...schema, body: StaffReasonBody } },
      async (request) => {
        const order = await requireStaffOrder(deps, request.params.id)
        const actor = staffOf(request)
        const { reason } = request.body
        const note = `staff ${actor.userId}: ${reason}`
        await transact(deps.db, async (trx) => {
          if (!(await releaseOrder(trx, order.id, 'cancel', 'staff_released', note)))
            throw new Refusal('checkout.notHeld', 409, 'errors.checkout.notHeld')
          await audit(trx, {
            actor,
            action: 'orders.release',
            subject: { kind: 'order', id: order.id },
            reason,
          })
        })
        return toStaffOrder(deps, order)
      },
    )
  }

/** @param id ours, the provider's, or the order number @throws Refusal 404 */
export async function requireStaffOrder({ db }: Pick<OrdersBase, 'db'>, id: string): Promise<OrderRow> {
  const order = await staffOrdersRepository(db).find(id)
  if (!order) throw new Refusal('checkout.orderNotFound', 404, 'errors.checkout.orderNotFound')
  return order
}

async function staffHolds({ db }: Pick<OrdersBase, 'db'>, slug?: string): Promise<StaffHolds> {
  const orders = await staffOrdersRepository(db).holding(slug)
  return orders.map(({ created_at, hold_until, ...order }) => ({
    ...order,
    created_at: created_at.toISOString(),
    held_until: hold_until.toISOString(),
  }))
}

export async function toStaffOrder({ db }: Pick<OrdersBase, 'db'>, { id }: OrderRow): Promise<StaffOrder> {
  const asked = staffOrdersRepository(db)
  const [order, lines, tickets, captures, refunds, events] = await Promise.all([
    ordersRepository(db).byId(id),
    ordersRepository(db).lines(id),
    asked.tickets(id),
    asked.captures(id),
    asked.refunds(id),
    asked.events(id),
  ])
  if (!order) throw new Error(`no order ${id}`)
  return {
    id,
    number: shownOrderNumber(order.number),
    order_id: order.provider_order_id,
    user_id: order.user_id,
    state: order.state,
    total: toDecimal(cents(order.total_cents)),
    currency: order.currency,
    country: order.country,
    payer_country: order.payer_country,
    funding_country: order.funding_country,
    created_at: order.created_at.toISOString(),
    changed_at: order.state_changed_at.toISOString(),
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
      note: one.note,
      origin: one.origin,
      at: one.created_at.toISOString(),
    })),
    events: events.map(({ from_state, to_state, reason, note, at }) => ({
      from: from_state,
      to: to_state,
      reason,
      note,
      at: at.toISOString(),
    })),
  }
}
