import type { Trx } from '#platform/database.ts'
import { voidTickets } from '#features/tickets/server/index.ts'
import { RELEASED } from '#features/orders/order-machine.rules.ts'
import {
  type OrderRow,
  type OrdersDeps,
  enqueueRefundEmail,
  orderWrites,
  readProviderOrder,
  throwForStaff,
} from '#features/orders/server/index.ts'
import { transact } from '#platform/transaction.ts'
import { cents } from '#shared/money.ts'
import { Refusal } from '#shared/refusal.ts'
import { type RefundAction, planWholeRefund } from '../refund-plan.rules.ts'
import { ledgerRepository, ledgerWrites, recordCaptures } from './ledger.repository.ts'

export interface Applied {
  isClosed: boolean
  /** Number of tickets voided. */
  voided: number
  /** Cents of the refunds requested. */
  requested: number
}

/**
 * Carries out a plan in the transaction that holds the order's lock. A closed order's tickets are void; their numbers
 * stay issued (ADR 0017).
 * @param note from staff to the buyer
 */
export async function applyPlan(
  deps: Pick<OrdersDeps, 'alerts' | 'log'>,
  trx: Trx,
  order: Pick<OrderRow, 'id'>,
  plan: readonly RefundAction[],
  note?: string,
): Promise<Applied> {
  const applied: Applied = { isClosed: false, voided: 0, requested: 0 }
  for (const action of plan) {
    switch (action.do) {
      case 'request': {
        const { captureId, amount, reason } = action
        if (reason === 'paid_twice')
          deps.log.warn({ orderId: order.id, captureId }, 'an order was paid twice: refunding')
        await ledgerWrites(trx).requestRefund(captureId, order.id, amount, reason, note)
        applied.requested += amount
        break
      }
      case 'alert':
        await deps.alerts.raise(trx, { kind: 'ledgerDiffers', subject: order.id, details: action.details })
        break
      case 'move': {
        const moved = await orderWrites(trx).move(order.id, action.event, action.reason)
        if (!moved || moved.state !== 'refunded') break
        applied.isClosed = true
        applied.voided = await voidTickets(trx, [order.id])
      }
    }
  }
  return applied
}

/**
 * Requests the refund of an order that is completed, in review, or released and paid late. `sendNow` sends it; after a
 * crash payment recovery does.
 * @param note from staff to the buyer
 * @throws Refusal 409 when there is no money to refund, 503 when the provider does not answer about a released order
 */
export async function requestWholeRefund(
  deps: OrdersDeps,
  order: OrderRow,
  { staffId, note }: { staffId: number; note: string },
): Promise<void> {
  const { id } = order
  const isReleased = (state: OrderRow['state']): boolean => RELEASED.some((one) => one === state)
  const mayBePaid = order.provider_order_id !== null && isReleased(order.state)
  const answer = mayBePaid ? await readProviderOrder(deps, order).catch(throwForStaff) : undefined
  await transact(deps.db, async (trx) => {
    const now = await orderWrites(trx).lock(id)
    if (answer) await recordCaptures(deps, trx, now, answer.captures).catch(throwForStaff)
    const plan = planWholeRefund(await ledgerRepository(trx).balances(id), 'staff_request')
    const who = { note: `staff ${staffId}: ${note}` }
    const moved =
      (await orderWrites(trx).move(id, 'refundByStaff', 'staff_request', who)) ??
      (plan.length > 0 ? await orderWrites(trx).move(id, 'refuseLate', 'staff_request', who) : undefined)
    if (!moved) throw new Refusal('checkout.notRefundable', 409, 'errors.checkout.notRefundable')
    const { requested } = await applyPlan(deps, trx, now, plan, note)
    // A released order has no tickets: its email is due now. Others get theirs when the tickets are void.
    if (isReleased(now.state))
      await enqueueRefundEmail(deps, trx, { order: now, amount: cents(requested), why: 'paidLate' })
  })
}
