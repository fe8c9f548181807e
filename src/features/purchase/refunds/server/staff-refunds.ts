/** Refunds by staff: whole, of tickets or of an amount (ADR 0046). Preview and action share `planStaffRefund`. */
import { payingCapture } from '#features/purchase/orders/paying-capture.rules.ts'
import { type OrderTicket, ticketsToVoid } from '#features/tickets/server/index.ts'
import {
  type OrderRow,
  type OrdersDeps,
  enqueueRefundEmail,
  orderWrites,
  readProviderOrder,
  throwForStaff,
} from '#features/purchase/orders/server/index.ts'
import type { StaffRefundReason } from '#features/purchase/orders/order-machine.rules.ts'
import { type ApprovalActor, type ApprovalKind, askApproval } from '#features/staff/server/index.ts'
import type { Approval } from '#features/staff/staff.contract.ts'
import { formatEur } from '#i18n/format.ts'
import { audit } from '#platform/audit-log.ts'
import type { Sql, Trx } from '#platform/database.ts'
import type { StaffCaller } from '#platform/http/request.ts'
import { type ProviderOrder, TOOK_MONEY } from '#platform/payment/payment-provider.ts'
import { transact } from '#platform/transaction.ts'
import { type Cents, sumToDecimal, taxInPart, toDecimal } from '#shared/money.ts'
import { shownOrderNumber } from '#shared/order-number.ts'
import { Refusal } from '#shared/refusal.ts'
import {
  type CaptureBalance,
  type RefundAction,
  type RefundableOrder,
  type StaffRefundPlan,
  type StaffRefundRefusal,
  type StaffRefundRequest,
  isReleased,
  leftOf,
  planStaffRefund,
} from '../refund-plan.rules.ts'
import type { RefundPreview } from '../refunds.contract.ts'
import { applyPlan } from './apply-plan.ts'
import { refundableLines } from './cancelled-offers.repository.ts'
import { importRefunds } from './import-refunds.ts'
import { ledgerRepository, recordCaptures } from './ledger.repository.ts'
import { sendNow } from './send-refunds.ts'

export interface StaffRefund {
  wanted: StaffRefundRequest
  reason: StaffRefundReason
  /** To the buyer. */
  note: string
  /** What was left when they decided: with another sum they are told, and nothing is done. */
  seenLeft?: number | undefined
}

/** Who asks: staff by a call of theirs, or by a request that was approved. */
interface By {
  actor: StaffCaller | ApprovalActor
  approvalId?: number | undefined
}

const REFUSALS = {
  notRefundable: 'errors.checkout.notRefundable',
  onlyWhole: 'consoleOrders.refusals.onlyWhole',
  inProgress: 'consoleOrders.refusals.inProgress',
  notEnoughLeft: 'consoleOrders.refusals.notEnoughLeft',
  takesAll: 'consoleOrders.refusals.takesAll',
  noSuchTickets: 'consoleOrders.refusals.noSuchTickets',
  changed: 'consoleOrders.refusals.changed',
} as const satisfies Record<StaffRefundRefusal | 'changed', string>

const refusal = (code: keyof typeof REFUSALS, left: Cents): Refusal =>
  new Refusal(code === 'notRefundable' ? 'checkout.notRefundable' : `refund.${code}`, 409, REFUSALS[code], {
    values: (language) => ({ left: formatEur(left, language) }),
    body: { left: toDecimal(left) },
  })

const toRefund = async (db: Sql, order: OrderRow, balances?: CaptureBalance[]): Promise<RefundableOrder> => ({
  order,
  balances: balances ?? (await ledgerRepository(db).balances(order.id)),
  lines: await refundableLines(db, order.id),
  validTickets: (await ticketsToVoid(db, order.id, undefined)).length,
  hasOpenRefund: (await ledgerRepository(db).openRefund(order.id)) !== undefined,
})

/** @throws Refusal 409 with what is left */
function requirePlan(order: RefundableOrder, wanted: StaffRefundRequest): StaffRefundPlan {
  const plan = planStaffRefund(order, wanted)
  if ('refused' in plan) throw refusal(plan.refused, plan.left)
  return plan
}

/** The provider's order of one whose tickets were released, which may have been paid all the same. */
const paidLate = (deps: OrdersDeps, order: OrderRow): Promise<ProviderOrder | undefined> =>
  isReleased(order.state) && order.provider_order_id !== null
    ? readProviderOrder(deps, order).catch(throwForStaff)
    : Promise.resolve(undefined)

/** What a refund would do now. @throws Refusal 409, 503 as the refund itself */
export async function previewStaffRefund(
  deps: OrdersDeps,
  order: OrderRow,
  wanted: StaffRefundRequest,
  userId: number,
): Promise<RefundPreview> {
  const response = await paidLate(deps, order)
  const known = await ledgerRepository(deps.db).balances(order.id)
  const state = await toRefund(deps.db, order, response ? withCaptures(known, response) : known)
  const plan = requirePlan(state, wanted)
  return toPreview(deps, order, state, plan, { voided: await voidedBy(deps.db, order, plan), userId })
}

/** Balances as they are once the captures of a response are recorded. */
const withCaptures = (known: readonly CaptureBalance[], { captures }: ProviderOrder): CaptureBalance[] => [
  ...known,
  ...captures.flatMap(({ id, status, money }) =>
    TOOK_MONEY.has(status) && money && known.every(({ captureId }) => captureId !== id)
      ? {
          captureId: id,
          currency: money.currency,
          captured: money.amount,
          returned: 0,
          refunded: 0,
          refundedSince: 0,
          failedLater: 0,
          failed: 0,
          failedAtProvider: 0,
        }
      : [],
  ),
]

const voidedBy = (db: Sql, { id }: OrderRow, { voided }: StaffRefundPlan): Promise<OrderTicket[]> =>
  ticketsToVoid(db, id, voided === 'all' ? undefined : voided)

/** Most numbers of a contest in a preview. */
const NUMBERS_SHOWN = 100

async function toPreview(
  deps: OrdersDeps,
  order: OrderRow,
  { lines, balances }: RefundableOrder,
  plan: StaffRefundPlan,
  { voided, userId }: { voided: readonly OrderTicket[]; userId: number },
): Promise<RefundPreview> {
  const bill = { total: order.total_cents, tax: order.tax_cents }
  // A second payment has no tax of its own.
  const payment = payingCapture(order, balances)
  const taxed = payment ? [payment] : balances
  const gone = taxed.reduce((sum, { refunded }) => sum + refunded, 0)
  const part = plan.actions.reduce((sum, action) => sum + (requestsOf(action, taxed) ? action.amount : 0), 0)
  const tickets = lines.flatMap(({ offer_id, title }) => {
    const numbers = voided.filter((one) => one.offer_id === offer_id).map(({ number }) => number)
    const shown = numbers.slice(0, NUMBERS_SHOWN)
    return numbers.length > 0 ? [{ offer_id, title, count: numbers.length, numbers: shown }] : []
  })
  return {
    kind: plan.kind,
    amount: toDecimal(plan.amount),
    tax: toDecimal(taxInPart(bill, gone, part)),
    left: toDecimal(plan.left),
    left_after: toDecimal(plan.leftAfter),
    captures: plan.actions.flatMap((action) =>
      action.do === 'request' ? { id: action.captureId, amount: toDecimal(action.amount) } : [],
    ),
    tickets,
    state_after: plan.stateAfter,
    emails: plan.email ? [{ kind: plan.email, language: order.language }] : [],
    needs_approval: await needsApproval(deps, deps.db, { order, plan, userId }),
    alone_max: sumToDecimal(deps.refundsAlone.order),
    day_alone_max: sumToDecimal(deps.refundsAlone.day),
    amount_alone_max: sumToDecimal(deps.refundsAlone.amount),
  }
}

const requestsOf = (
  action: RefundAction,
  balances: readonly CaptureBalance[],
): action is RefundAction & { do: 'request' } =>
  action.do === 'request' && balances.some(({ captureId }) => captureId === action.captureId)

/**
 * Together with what staff refunded of the order alone before, and with what this person refunded alone within a day, so
 * that no limit is passed in small steps.
 */
async function needsApproval(
  { refundsAlone }: OrdersDeps,
  db: Sql,
  { order, plan, userId }: { order: OrderRow; plan: StaffRefundPlan; userId: number },
): Promise<boolean> {
  const ledger = ledgerRepository(db)
  const ofOrder = plan.amount + (await ledger.refundedAlone(order.id))
  const ofDay = plan.amount + (await ledger.refundedInDay(userId))
  const most = plan.kind === 'amount' ? Math.min(refundsAlone.order, refundsAlone.amount) : refundsAlone.order
  return ofOrder > most || ofDay > refundsAlone.day
}

/**
 * Requests a refund; `sendNow` sends it, and after a crash payment recovery does. Of concurrent requests that saw the
 * same order one is carried out, the others are refused.
 * @returns the approval that it waits for, when it needs a second person
 * @throws Refusal 409 when there is nothing to refund, or not as much; 503 when the provider must be asked first and
 * does not respond
 */
export async function requestStaffRefund(
  deps: OrdersDeps,
  order: OrderRow,
  refund: StaffRefund,
  by: By,
): Promise<Approval | undefined> {
  const { id } = order
  // After a crash the provider need not respond once more.
  if (by.approvalId !== undefined && (await ledgerRepository(deps.db).isRequested(by.approvalId)))
    return undefined
  const seen = refund.seenLeft ?? (await leftAtFirst(deps, order, refund.wanted))
  const response = await paidLate(deps, order)
  if (refund.wanted.kind !== 'whole' && order.state === 'completed') await importNew(deps, order)
  return transact(deps.db, async (trx) => {
    const now = await orderWrites(trx).lock(id)
    if (by.approvalId !== undefined && (await ledgerRepository(trx).isRequested(by.approvalId)))
      return undefined
    if (response) await recordCaptures(deps, trx, now, response.captures).catch(throwForStaff)
    const state = await toRefund(trx, now)
    const left = leftOf(state.balances)
    if (seen !== undefined && seen !== left) throw refusal('changed', left)
    const plan = requirePlan(state, refund.wanted)
    if ('sessionId' in by.actor) {
      const { userId } = by.actor
      // The last lock: what this person refunds of other orders meanwhile is counted.
      await ledgerRepository(trx).lockPerson(userId)
      if (await needsApproval(deps, trx, { order: now, plan, userId }))
        return askForRefund(deps, trx, { order: now, refund, plan, actor: by.actor })
    }
    await applyRefund(deps, trx, { order: now, refund, plan, by })
    return undefined
  })
}

/** A part that nobody has looked at before is compared with what was left when the request came. */
const leftAtFirst = async (
  { db }: OrdersDeps,
  { id }: OrderRow,
  { kind }: StaffRefundRequest,
): Promise<Cents | undefined> =>
  kind === 'whole' ? undefined : leftOf(await ledgerRepository(db).balances(id))

/** Imports what was refunded at the provider meanwhile, so that a part is not taken of money that has gone. */
async function importNew(deps: OrdersDeps, order: OrderRow): Promise<void> {
  const response = await readProviderOrder(deps, order).catch(throwForStaff)
  if (response) await importRefunds(deps, order.id, response)
}

interface Deciding {
  order: OrderRow
  refund: StaffRefund
  plan: StaffRefundPlan
}

async function applyRefund(
  deps: OrdersDeps,
  trx: Trx,
  { order, refund, plan, by }: Deciding & { by: By },
): Promise<void> {
  const { note, reason } = refund
  const { approvalId } = by
  if (plan.move) {
    const moved = await orderWrites(trx).move(order.id, plan.move, 'staff_request', {
      note: `staff ${by.actor.userId}: ${reason}`,
    })
    if (!moved) throw refusal('notRefundable', plan.left)
  }
  const request = { userId: by.actor.userId, reason, note, approvalId }
  await applyPlan(deps, trx, order, plan.actions, request)
  // A released order has no tickets: its email is due now. Others get theirs when the refund is done.
  if (plan.email === 'paidLate')
    await enqueueRefundEmail(deps, trx, { order, amount: plan.amount, why: 'paidLate', note })
  await audit(trx, {
    actor: 'sessionId' in by.actor ? by.actor : 'system',
    action: 'orders.refund',
    subject: { kind: 'order', id: order.id },
    before: { state: order.state, left: toDecimal(plan.left) },
    after: {
      kind: plan.kind,
      amount: toDecimal(plan.amount),
      left: toDecimal(plan.leftAfter),
      reason,
      ...(plan.kind === 'lines' && { tickets: plan.voided }),
      ...(approvalId !== undefined && { approval: approvalId, requested_by: by.actor.userId }),
    },
  })
}

/** What an approval keeps until it is carried out. */
interface RefundInput {
  orderId: string
  refund: StaffRefund
}

/** The refund is carried out only if as much is left then as was seen now. */
async function askForRefund(
  { shop }: OrdersDeps,
  trx: Trx,
  { order, refund, plan, actor }: Deciding & { actor: StaffCaller },
): Promise<Approval> {
  const input: RefundInput = { orderId: order.id, refund: { ...refund, seenLeft: plan.left } }
  return await askApproval(trx, {
    actor,
    shop,
    permission: 'orders.refund',
    subject: { kind: 'order', id: order.id },
    input,
    preview: {
      number: shownOrderNumber(order.number),
      kind: plan.kind,
      amount: toDecimal(plan.amount),
      left_after: toDecimal(plan.leftAfter),
      tickets: (await voidedBy(trx, order, plan)).length,
      reason: refund.reason,
    },
    reason: refund.note,
  })
}

/** How an approved refund is carried out, once for each approval. */
export const refundApproval = (
  deps: OrdersDeps,
  requireOrder: (id: string) => Promise<OrderRow>,
): ApprovalKind => ({
  permission: 'orders.refund',
  async run(input, { actor, approvalId }) {
    const { orderId, refund } = input as RefundInput
    const order = await requireOrder(orderId)
    await requestStaffRefund(deps, order, refund, { actor, approvalId })
    await sendNow(deps, orderId)
  },
})
