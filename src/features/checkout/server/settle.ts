import type { Trx } from '#platform/database.ts'
import type { Capture } from '#platform/paypal/messages.ts'
import { transact } from '#platform/transaction.ts'
import { subtractBought } from '#features/cart/server/index.ts'
import { releaseTickets, sellFree, sellHeld } from '#features/offers/server/index.ts'
import { issueTickets } from '#features/tickets/server/index.ts'
import { type Cents, parseEur } from '#shared/money.ts'
import { HOLDING, type OrderState } from '../order-states.rules.ts'
import type { CheckoutDeps } from './checkout-deps.ts'
import { releaseOrder } from './holds.ts'
import { type OrderRow, orderWrites, ordersRepository, wantedOf } from './orders.repository.ts'
import { paymentWrites } from './payments.repository.ts'

/** States in which money can still arrive although the hold is gone. */
const LATE: readonly OrderState[] = ['expired', 'cancelled', 'superseded']

/** Thrown inside the transaction when late money finds no tickets, to roll back what was begun. */
class NothingLeft extends Error {}

/**
 * Applies what the provider says of an order's capture, in one transaction. May run any number of times, anywhere: the
 * conditional move of the order lets one run win and makes the others do nothing.
 */
export async function applyCapture(deps: CheckoutDeps, order: OrderRow, capture: Capture): Promise<void> {
  switch (capture.status) {
    case 'COMPLETED':
      return applyCompleted(deps, order, capture)
    case 'DECLINED':
    case 'FAILED':
      return transact(deps.db, (trx) => applyDeclined(trx, order, capture))
    case 'PENDING':
      return transact(deps.db, async (trx) => {
        await record(trx, order, capture)
        await orderWrites(trx).move(order.id, ['capturing'], 'pending', reasonOf(capture))
      })
    case 'REFUNDED':
    case 'PARTIALLY_REFUNDED':
      // Refunded on the provider's own site before we settled: no tickets, and what is left goes back too.
      return sendBack(deps, order, capture, 'refunded at the provider')
    default:
      deps.log.warn({ orderId: order.id, status: capture.status }, 'capture state that asks for a look')
  }
}

async function applyCompleted(deps: CheckoutDeps, order: OrderRow, capture: Capture): Promise<void> {
  if (!isExpectedAmount(order, capture)) {
    deps.log.error(
      { orderId: order.id, captureId: capture.id },
      'captured another amount than ordered: refunding',
    )
    return sendBack(deps, order, capture, 'amount differs from the order')
  }
  try {
    await transact(deps.db, (trx) => settle(deps, trx, order, capture))
  } catch (error) {
    if (!(error instanceof NothingLeft)) throw error
    deps.log.warn({ orderId: order.id }, 'money came after the tickets were gone: refunding')
    await sendBack(deps, order, capture, 'tickets gone before the money came')
  }
}

/** Turns the hold into tickets: capture, numbers, cart and state in one transaction. */
async function settle(deps: CheckoutDeps, trx: Trx, order: OrderRow, capture: Capture): Promise<void> {
  const held = await orderWrites(trx).move(order.id, HOLDING, 'completed', 'captured')
  const moved = held ?? (await orderWrites(trx).move(order.id, LATE, 'completed', 'captured late'))
  if (!moved) return
  await record(trx, order, capture)
  const lines = await ordersRepository(trx).lines(order.id)
  await subtractBought(trx, order.user_id, new Map(lines.map((line) => [line.offer_id, line.quantity])))
  // The offers' rows come last: they are what everybody waits for.
  const sold = held ? await sellHeld(trx, wantedOf(lines)) : await sellFree(trx, wantedOf(lines))
  if (!sold) throw new NothingLeft()
  await issueTickets(trx, sold, {
    userId: order.user_id,
    source: { orderId: order.id },
    atMs: deps.clock().getTime(),
  })
}

/** A definite no: the buyer may choose another instrument while the hold lasts. */
async function applyDeclined(trx: Trx, order: OrderRow, capture: Capture): Promise<void> {
  await record(trx, order, capture)
  const back = await orderWrites(trx).move(order.id, ['capturing'], 'held', reasonOf(capture), {
    nextAttempt: true,
  })
  if (!back) await releaseOrder(trx, order.id, ['pending'], 'cancelled', reasonOf(capture))
}

/** Notes that the money goes back, before the provider is asked; the reconciler does the rest. */
async function sendBack(
  deps: CheckoutDeps,
  order: OrderRow,
  capture: Capture,
  reason: string,
): Promise<void> {
  await transact(deps.db, async (trx) => {
    const held = await orderWrites(trx).move(order.id, ['capturing', 'pending'], 'refunding', reason)
    const moved = held ?? (await orderWrites(trx).move(order.id, LATE, 'refunding', reason))
    if (!moved) return
    if (held) await releaseTickets(trx, wantedOf(await ordersRepository(trx).lines(order.id)))
    await record(trx, order, capture)
    await paymentWrites(trx).requestRefund(
      capture.id,
      order.id,
      amountOf(capture) ?? order.total_cents,
      reason,
    )
  })
}

const record = (trx: Trx, order: OrderRow, capture: Capture) =>
  paymentWrites(trx).recordCapture({
    id: capture.id,
    orderId: order.id,
    status: capture.status,
    amount: amountOf(capture) ?? 0,
    currency: capture.amount?.currency_code ?? '',
  })

const reasonOf = (capture: Capture): string =>
  `capture ${capture.status.toLowerCase()}${capture.status_details?.reason ? ` (${capture.status_details.reason})` : ''}`

function amountOf(capture: Capture): Cents | undefined {
  try {
    return capture.amount && parseEur(capture.amount.value)
  } catch {
    return undefined
  }
}

/** Whether exactly the ordered sum was captured, in the ordered currency (reliability, row 18). */
const isExpectedAmount = (order: OrderRow, capture: Capture): boolean =>
  capture.amount?.currency_code === order.currency && amountOf(capture) === order.total_cents
