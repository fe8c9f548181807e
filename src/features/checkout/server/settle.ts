import type { Trx } from '#platform/database.ts'
import type { Capture } from '#platform/paypal/messages.ts'
import { transact } from '#platform/transaction.ts'
import { addresseeOf } from '#features/accounts/server/index.ts'
import { lockCartsOf } from '#features/cart/server/index.ts'
import { releaseTickets, sellFree } from '#features/offers/server/index.ts'
import { cents } from '#shared/money.ts'
import { GIVEN_UP, HOLDING } from '../order-states.rules.ts'
import type { CheckoutDeps } from './checkout-deps.ts'
import { releaseOrder } from './holds.ts'
import type { RefundReason } from './order-letters.ts'
import { orderWrites } from './order-moves.repository.ts'
import { type OrderRow, ordersRepository, wantedOf } from './orders.repository.ts'
import { known, queueLetters } from './queue-letters.ts'
import { recordSaid } from './record-captures.ts'
import { isExpectedAmount } from './provider-answers.ts'
import { type Settled, enter, give, said, subtract } from './settlement.ts'
import { paymentWrites } from './payments.repository.ts'
import { refundWrites } from './refunds.repository.ts'

/** Thrown inside the transaction when late money finds no tickets, to roll back what was begun. */
class NothingLeft extends Error {}

/**
 * Applies what the provider says of an order's capture, in one transaction. May run any number of times, anywhere: the
 * conditional move of the order lets one run win and makes the others do nothing.
 * @returns the order with its tickets when this run has completed it; how it stands otherwise, the database tells
 */
export async function applyCapture(
  deps: CheckoutDeps,
  order: OrderRow,
  capture: Capture,
): Promise<Settled | undefined> {
  if (capture.status === 'COMPLETED') return applyCompleted(deps, order, capture)
  await applyOther(deps, order, capture)
  return undefined
}

async function applyOther(deps: CheckoutDeps, order: OrderRow, capture: Capture): Promise<void> {
  switch (capture.status) {
    case 'DECLINED':
    case 'FAILED':
      return transact(deps.db, (trx) => applyDeclined(deps, trx, order, capture))
    case 'PENDING':
      return transact(deps.db, async (trx) => {
        await orderWrites(trx).move(order.id, ['held', 'capturing'], 'pending', reasonOf(capture))
        await recordSaid(deps, trx, order, [capture])
      })
    case 'REFUNDED':
    case 'PARTIALLY_REFUNDED':
      // Refunded on the provider's own site before we settled: no tickets, and what is left goes back too.
      return sendBack(deps, order, capture, 'refundedThere')
    default:
      deps.log.warn({ orderId: order.id, status: capture.status }, 'capture state that asks for a look')
  }
}

async function applyCompleted(
  deps: CheckoutDeps,
  order: OrderRow,
  capture: Capture,
): Promise<Settled | undefined> {
  if (!isExpectedAmount(order, capture)) {
    await sendBack(deps, order, capture, 'wrongAmount')
    deps.log.error(
      { orderId: order.id, captureId: capture.id },
      'captured another amount than ordered: refunding',
    )
    return undefined
  }
  const completed = await deps.lanes.settle({ order, capture })
  if (completed) return completed
  try {
    await transact(deps.db, (trx) => settleLate(deps, trx, order, capture))
  } catch (error) {
    if (!(error instanceof NothingLeft)) throw error
    const why = (await ordersRepository(deps.db).contestsRun(order.id)) ? 'ticketsGone' : 'paidLate'
    deps.log.warn(
      { orderId: order.id, why: REASONS[why] },
      'late money that buys nothing any more: refunding',
    )
    await sendBack(deps, order, capture, why)
  }
  return undefined
}

/** Money for an order that no longer holds tickets: it gets what is left, or goes back. */
async function settleLate(deps: CheckoutDeps, trx: Trx, order: OrderRow, capture: Capture): Promise<void> {
  const [, moved] = await Promise.all([
    lockCartsOf(trx, [order.user_id]),
    orderWrites(trx).move(order.id, GIVEN_UP, 'completed', 'captured late'),
  ])
  if (!moved) return
  const paid = { order, capture }
  const { lines, buyers } = await enter(trx, [paid])
  const sold = await sellFree(trx, wantedOf(lines))
  if (!sold) throw new NothingLeft()
  await subtract(trx, [paid], lines)
  await give(deps, trx, [{ ...paid, lines, sold }], buyers)
}

/** A definite no: the buyer may choose another instrument while the hold lasts. */
async function applyDeclined(deps: CheckoutDeps, trx: Trx, order: OrderRow, capture: Capture): Promise<void> {
  const back = await orderWrites(trx).move(order.id, ['capturing'], 'held', reasonOf(capture), {
    nextAttempt: true,
  })
  if (!back) await releaseOrder(trx, order.id, ['pending'], 'cancelled', reasonOf(capture))
  await recordSaid(deps, trx, order, [capture])
}

/** Why money goes back, as the order's history says it. */
const REASONS = {
  refundedThere: 'refunded at the provider',
  wrongAmount: 'amount differs from the order',
  ticketsGone: 'tickets gone before the money came',
  paidLate: 'contest over before the money came',
} satisfies Partial<Record<RefundReason, string>>

/** Notes that the money goes back, before the provider is asked, and tells the buyer; the reconciler does the rest. */
async function sendBack(
  deps: CheckoutDeps,
  order: OrderRow,
  capture: Capture,
  why: keyof typeof REASONS,
): Promise<void> {
  const reason = REASONS[why]
  // What cannot be read cannot be sent back either: it throws.
  const taken = said(order, capture)
  await transact(deps.db, async (trx) => {
    const held = await orderWrites(trx).move(order.id, HOLDING, 'refunding', reason)
    const moved = held ?? (await orderWrites(trx).move(order.id, GIVEN_UP, 'refunding', reason))
    if (!moved) return
    if (why === 'wrongAmount') await deps.bell.raise(trx, wrongAmount(order, capture))
    if (held) await releaseTickets(trx, wantedOf(await ordersRepository(trx).lines(order.id)))
    const amount = cents(taken.amount)
    await paymentWrites(trx).recordCaptures([taken])
    // A payment of nothing is no payment; the reconciler leaves it to staff.
    if (amount === 0) return
    // What was refunded there is taken over from the provider first; what may be left follows.
    if (why !== 'refundedThere') await refundWrites(trx).request(capture.id, order.id, amount, reason)
    const buyer = await addresseeOf(trx, order.user_id)
    await queueLetters(deps, trx, [() => deps.letters.refund({ order, to: known(buyer), amount, why })])
  })
}

const wrongAmount = ({ id, total_cents }: OrderRow, capture: Capture) => ({
  kind: 'wrongAmount' as const,
  subject: id,
  details: { ordered_cents: total_cents, taken: capture.amount ?? null, capture_id: capture.id },
})

const reasonOf = (capture: Capture): string =>
  `capture ${capture.status.toLowerCase()}${capture.status_details?.reason ? ` (${capture.status_details.reason})` : ''}`
