/** Refunds of tickets that two people void before a contest is sealed. Preview and action share `planVoidedTickets`. */
import {
  type OrderRow,
  type OrdersDeps,
  enqueueRefundEmail,
  orderWrites,
  ordersRepository,
} from '#features/purchase/orders/server/index.ts'
import { translate } from '#i18n/server-translator.ts'
import type { Sql, Trx } from '#platform/database.ts'
import type { Language } from '#shared/languages.ts'
import type { Cents } from '#shared/money.ts'
import { Refusal } from '#shared/refusal.ts'
import { type LinePart, type OrderToRefund, planVoidedTickets } from '../refund-plan.rules.ts'
import { applyPlan } from './apply-plan.ts'
import { refundableLines } from './cancelled-offers.repository.ts'
import { ledgerRepository } from './ledger.repository.ts'

/** @throws Refusal 409, or 503 while another refund of the order is open */
async function planOf(db: Sql, order: OrderToRefund & { id: string }, part: LinePart) {
  const { id, state, total_cents } = order
  if (state !== 'completed')
    throw new Refusal('objection.orderNotPaid', 409, 'consoleDrawActions.refusals.orderNotPaid')
  if (await ledgerRepository(db).openRefund(id))
    throw new Refusal('objection.refundOpen', 503, 'consoleDrawActions.refusals.refundOpen', {
      retryAfter: 60,
    })
  const [balances, lines] = [await ledgerRepository(db).balances(id), await refundableLines(db, id)]
  return planVoidedTickets({ total_cents }, balances, lines, [part])
}

/** Cents that would go back for so many tickets of a contest. @throws Refusal 404, 409, 503 */
export async function previewVoidedTickets(
  { db }: Pick<OrdersDeps, 'db'>,
  orderId: string,
  part: LinePart,
): Promise<Cents> {
  const order = await ordersRepository(db).byId(orderId)
  if (!order) throw new Refusal('request.notFound', 404, 'errors.request.notFound')
  return (await planOf(db, order, part)).amount
}

interface Voided {
  offerId: number
  title: string
  /** As people see them. */
  numbers: readonly string[]
  /** Of docs/draw-v1.md, section 4. */
  reason: string
  requestedBy: number
  approvalId: number
}

/**
 * Requests the refund of tickets that this transaction voids, and tells the buyer. The transaction has the lock of the
 * order; `sendNow` sends the refund after its commit.
 * @throws Refusal 409, 503
 */
export async function refundVoidedTickets(
  deps: OrdersDeps,
  trx: Trx,
  order: OrderRow,
  { offerId, title, numbers, reason, requestedBy, approvalId }: Voided,
): Promise<Cents> {
  const part = { offer_id: offerId, quantity: numbers.length }
  const { isWhole, amount, actions } = await planOf(trx, order, part)
  await orderWrites(trx).returnLines(order.id, [part])
  if (isWhole)
    await orderWrites(trx).move(order.id, 'refundByStaff', 'staff_request', {
      note: `staff ${requestedBy}: ${reason}`,
    })
  const note = translate(order.language as Language, `emails.voidReasons.${reason}`)
  await applyPlan(deps, trx, order, actions, { userId: requestedBy, reason: 'other', note, approvalId })
  await enqueueRefundEmail(deps, trx, {
    order,
    amount,
    why: 'ticketsVoided',
    part: `void:${approvalId}`,
    voidReason: reason,
    tickets: [{ title, numbers }],
  })
  return amount
}
