/** An order as staff see it, and its timeline: codes and values, which the reader's language makes sentences of. */
import { auditRead } from '#platform/audit-log.ts'
import type { Sql } from '#platform/database.ts'
import type { StaffCaller } from '#platform/http/request.ts'
import type { PaymentProvider } from '#platform/payment/payment-provider.ts'
import { isErasedEmail } from '#shared/email-address.ts'
import type { Language } from '#shared/languages.ts'
import { cents, taxesInParts, toDecimal } from '#shared/money.ts'
import { Refusal } from '#shared/refusal.ts'
import { shownOrderNumber } from '#shared/order-number.ts'
import type { StaffOrder, TimelineEntry } from '../staff-orders.contract.ts'
import { HISTORY_ENTRIES } from '../staff-orders.rules.ts'
import type { OrdersBase } from './order-batches.ts'
import { type OrderRow, ordersRepository } from './orders.repository.ts'
import { type StaffOrderParts, staffOrdersRepository } from './staff-orders.repository.ts'

/** @param id ours, the provider's, or the order number @throws Refusal 404 */
export async function requireStaffOrder({ db }: Pick<OrdersBase, 'db'>, id: string): Promise<OrderRow> {
  const order = await staffOrdersRepository(db).find(id)
  if (!order) throw new Refusal('checkout.orderNotFound', 404, 'errors.checkout.orderNotFound')
  return order
}

/** Writes down that somebody has opened an order, with its buyer. */
export const noteRead = (
  { db }: Pick<OrdersBase, 'db'>,
  { id }: OrderRow,
  actor: StaffCaller,
): Promise<void> => auditRead(db, { actor, action: 'orders.read', subject: { kind: 'order', id } })

const decimal = (amount: number): string => toDecimal(cents(amount))

/** An order with all that belongs to it. @param language of its contests' titles @param most emails, notifications and acts of staff, the newest of each */
export async function toStaffOrder(
  { db, provider }: { db: Sql; provider: Pick<PaymentProvider, 'notificationKind'> },
  { id }: Pick<OrderRow, 'id'>,
  language: Language,
  most = HISTORY_ENTRIES,
): Promise<StaffOrder> {
  const [order, parts] = await Promise.all([
    ordersRepository(db).byId(id),
    staffOrdersRepository(db).parts(id, most, language),
  ])
  if (!order) throw new Error(`no order ${id}`)
  const buyer = await staffOrdersRepository(db).buyer(order.user_id)
  const taken = parts.captures.filter(({ status }) => TOOK.includes(status))
  const refunded = taken.reduce((sum, one) => sum + one.refunded_cents, 0)
  return {
    id,
    number: shownOrderNumber(order.number),
    order_id: order.provider_order_id,
    user_id: order.user_id,
    state: order.state,
    subtotal: decimal(order.subtotal_cents),
    tax_rate: Number(order.tax_percent),
    tax: decimal(order.tax_cents),
    total: decimal(order.total_cents),
    currency: order.currency,
    left: decimal(taken.reduce((sum, one) => sum + one.amount_cents, 0) - refunded),
    refunded: decimal(refunded),
    country: order.country,
    payer_country: order.payer_country,
    funding_country: order.funding_country,
    language: order.language,
    created_at: order.created_at.toISOString(),
    changed_at: order.state_changed_at.toISOString(),
    hold_until: order.hold_until.toISOString(),
    buyer: {
      id: buyer.id,
      name: buyer.username,
      email: buyer.email,
      is_active: buyer.is_active,
      is_confirmed: buyer.email_confirmed_at !== null,
      is_erased: isErasedEmail(buyer.email),
    },
    lines: parts.lines.map(
      ({ offer_id, slug, title, quantity, unit_cents, returned_quantity, is_cancelled }) => ({
        offer_id,
        slug,
        title,
        quantity,
        unit_price: decimal(unit_cents),
        returned: returned_quantity,
        is_cancelled,
      }),
    ),
    tickets: { ...parts.tickets, numbers: parts.numbers },
    captures: parts.captures.map((one) => ({
      id: one.capture_id,
      status: one.status,
      amount: decimal(one.amount_cents),
      currency: one.currency,
      refunded: decimal(one.refunded_cents),
      at: one.recorded_at.toISOString(),
    })),
    refunds: refundsOf(order, parts),
    disputes: parts.disputes.map(({ amount_cents, due_at, changed_at, ...dispute }) => ({
      ...dispute,
      amount: amount_cents === null ? null : decimal(amount_cents),
      due_at: due_at?.toISOString() ?? null,
      changed_at: changed_at.toISOString(),
    })),
    events: parts.events.map(({ from_state, to_state, reason, note, at }) => ({
      from: from_state,
      to: to_state,
      reason,
      note,
      at: at.toISOString(),
    })),
    emails: parts.emails.map(({ id: emailId, kind, subject, state, queued_at, closed_at, last_error }) => ({
      id: emailId,
      kind,
      subject,
      state,
      at: queued_at.toISOString(),
      closed_at: closed_at?.toISOString() ?? null,
      error: last_error,
    })),
    notes: parts.notes.map(({ at, erased_at, ...note }) => ({
      ...note,
      at: at.toISOString(),
      is_erased: erased_at !== null,
    })),
    timeline: timelineOf(parts, provider),
    has_more: parts.hasMore,
    reads: parts.reads.map(({ actor, at }) => ({ by: actor, at: at.toISOString() })),
    approval: parts.approval ? { ...parts.approval, at: parts.approval.at.toISOString() } : null,
  }
}

/** Statuses of captures that took money. */
const TOOK = ['completed', 'partially_refunded', 'refunded']

function refundsOf(order: OrderRow, { refunds }: StaffOrderParts): StaffOrder['refunds'] {
  const taxes = taxesInParts(
    { total: order.total_cents, tax: order.tax_cents },
    refunds.map(({ status, amount_cents, is_surplus }) => ({
      amount: status === 'failed' ? 0 : amount_cents,
      isTaxed: !is_surplus,
    })),
  )
  return refunds.map((one, index) => {
    return {
      id: one.refund_id,
      capture_id: one.capture_id,
      status: one.status,
      amount: decimal(one.amount_cents),
      tax: toDecimal(taxes[index] ?? cents(0)),
      reason: one.reason,
      note: one.note,
      origin: one.origin,
      at: one.created_at.toISOString(),
      by: one.by,
      staff_reason: one.staff_reason,
      part: one.part,
      is_approved: one.approval_id !== null,
    }
  })
}

type Entry = Omit<TimelineEntry, 'at'> & { at: Date }

/** Told by what they did: the note, the refund, the event. */
const TOLD_ELSEWHERE = ['orders.note', 'orders.refund', 'orders.release']

/** What happened to an order, from the first to the last. */
function timelineOf(
  parts: StaffOrderParts,
  provider: Pick<PaymentProvider, 'notificationKind'>,
): TimelineEntry[] {
  const entries: Entry[] = [
    ...parts.events.map(({ from_state, to_state, reason, note, by, at }) => ({
      at,
      kind: 'event' as const,
      code: reason,
      // What staff wrote is told by the refund or the note.
      values: { from: from_state, to: to_state, by, note: by === null ? note : null },
    })),
    ...parts.captures.map(({ capture_id, status, amount_cents, recorded_at }) => ({
      at: recorded_at,
      kind: 'capture' as const,
      code: status,
      values: { id: capture_id, amount: decimal(amount_cents) },
    })),
    ...parts.refunds.flatMap(refundEntries),
    ...parts.emails.map(({ id, kind, subject, state, queued_at }) => ({
      at: queued_at,
      kind: 'email' as const,
      code: kind,
      values: { id, subject, state },
    })),
    ...parts.notifications.map(({ event_id, event_type, received_at, handled_at }) => ({
      at: received_at,
      kind: 'notification' as const,
      code: provider.notificationKind(event_type),
      values: { id: event_id, type: event_type, handled: handled_at?.toISOString() ?? null },
    })),
    ...parts.notes.map(({ id, by, text, at }) => ({
      at,
      kind: 'note' as const,
      code: 'note',
      values: { id: String(id), by, text },
    })),
    ...parts.staff
      .filter(({ action }) => !TOLD_ELSEWHERE.includes(action))
      .map(({ id, action, actor, at, reason }) => ({
        at,
        kind: 'staff' as const,
        code: action,
        values: { id: String(id), by: actor, reason },
      })),
  ]
  return entries
    .toSorted((one, other) => one.at.getTime() - other.at.getTime())
    .map((entry) => ({ ...entry, at: entry.at.toISOString() }))
}

/** The request, and its outcome once there is one. */
function refundEntries(refund: StaffOrderParts['refunds'][number]): Entry[] {
  const { refund_id: id, status, amount_cents, origin, reason, staff_reason, part, by, note } = refund
  const entry = (at: Date, code: string, more: Entry['values'] = {}): Entry => ({
    at,
    kind: 'refund',
    code,
    values: { id, amount: decimal(amount_cents), origin, reason, staff_reason, part, by, ...more },
  })
  if (origin === 'provider') return [entry(refund.created_at, `provider_${status}`)]
  const requested = entry(refund.created_at, 'requested', { note })
  const refusal: Entry['values'] =
    refund.refusal === null ? {} : { refusal: refund.refusal, said: refund.refusal_code }
  return status === 'requested' ? [requested] : [requested, entry(refund.changed_at, status, refusal)]
}
