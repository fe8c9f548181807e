import type { Trx } from '#platform/database.ts'
import { type OrderTicket, voidLastTickets, voidTickets } from '#features/tickets/server/index.ts'
import { type OrderRow, type OrdersDeps, orderWrites } from '#features/purchase/orders/server/index.ts'
import type { RefundAction } from '../refund-plan.rules.ts'
import { type StaffRequest, ledgerWrites } from './ledger.repository.ts'

export interface Applied {
  isClosed: boolean
  /** Number of tickets voided. */
  voided: number
  /** Tickets voided because their refund is done, while the order stays. */
  returned: OrderTicket[]
  /** Cents of the refunds requested. */
  requested: number
}

/** What the payer had returned at the provider, in a dispute as a rule, the shop has not given back. */
const REASONS: Partial<Record<string, 'disputed'>> = { refunded_at_provider: 'disputed' }

/**
 * Carries out a plan in the transaction that holds the order's lock. A closed order's tickets are void; their numbers
 * stay issued (ADR 0017).
 * @param by whoever of staff asked for it
 */
export async function applyPlan(
  deps: Pick<OrdersDeps, 'alerts' | 'log'>,
  trx: Trx,
  order: Pick<OrderRow, 'id'>,
  plan: readonly RefundAction[],
  by?: StaffRequest,
): Promise<Applied> {
  const applied: Applied = { isClosed: false, voided: 0, returned: [], requested: 0 }
  for (const action of plan) {
    switch (action.do) {
      case 'request': {
        const { do: _, ...request } = action
        const { captureId, amount, reason } = request
        if (reason === 'paid_twice')
          deps.log.warn({ orderId: order.id, captureId }, 'an order was paid twice: refunding')
        await ledgerWrites(trx).requestRefund(order.id, request, by)
        applied.requested += amount
        break
      }
      case 'return':
        await orderWrites(trx).returnLines(order.id, action.lines)
        applied.returned.push(...(await voidLastTickets(trx, order.id, action.lines)))
        break
      case 'alert':
        await deps.alerts.raise(trx, { kind: 'ledgerDiffers', subject: order.id, details: action.details })
        break
      case 'move': {
        const moved = await orderWrites(trx).move(order.id, action.event, action.reason)
        if (!moved || moved.state !== 'refunded') break
        applied.isClosed = true
        applied.voided = await voidTickets(trx, [order.id], REASONS[action.reason] ?? 'refunded')
      }
    }
  }
  return applied
}
