import { ProviderRefused, ProviderUnknown } from '#platform/paypal/faults.ts'
import { type Capture, type ProviderOrder, TOOK_NOTHING, decidedCapture } from '#platform/paypal/messages.ts'
import { transact } from '#platform/transaction.ts'
import { UNSETTLED } from '../order-states.rules.ts'
import { refusedBecause } from './back-with-buyer.ts'
import type { CheckoutDeps } from './checkout-deps.ts'
import { releaseOrder } from './holds.ts'
import { orderWrites } from './order-moves.repository.ts'
import { type OrderRow, ordersRepository } from './orders.repository.ts'
import { paymentsRepository } from './payments.repository.ts'
import { isExpectedAmount, toldOf } from './provider-answers.ts'
import { takeOverRefunds } from './refunds-there.ts'
import { finishRefund } from './refunds.ts'
import { applyCapture } from './settle.ts'
import type { Settled } from './settlement.ts'

/** PayPal remembers a capture's request id for six hours; after that a repeated request would be a new one. */
const SAME_REQUEST_HOURS = 6

/** Provider states of an order that still waits for its buyer. */
export const NOT_APPROVED = ['CREATED', 'SAVED', 'PAYER_ACTION_REQUIRED']

/** Provider states of an order of which no money was taken, and which can still be paid. */
const PAYABLE = [...NOT_APPROVED, 'APPROVED']

const NOT_KNOWN = 'provider does not know the order'

/** Refusals of a capture which leave open what became of the order: it is asked for. */
const TELLS_NOTHING = ['ORDER_ALREADY_CAPTURED', 'ORDER_COMPLETED_OR_VOIDED']

/**
 * Asks the provider for the truth about an order and applies it: settles, releases or refunds. The one function behind
 * the capture call, the return address, the notifications and the sweep; it may run any number of times, in any order,
 * on any process.
 * @param closedToo asks about an order that is paid or refunded as well: money may have gone back at the provider
 * @param insist throws when the provider does not answer about an order that no sweep would ask about again
 * @returns the order as it is afterwards; unchanged when the provider does not answer
 */
export async function reconcile(
  deps: CheckoutDeps,
  orderId: string,
  { closedToo = false, insist = false }: { closedToo?: boolean; insist?: boolean } = {},
): Promise<OrderRow> {
  const order = await ordersRepository(deps.db).byId(orderId)
  if (!order) throw new Error(`no order ${orderId}`)
  try {
    await applyTruth(deps, order, closedToo)
  } catch (error) {
    if (!(error instanceof ProviderUnknown || error instanceof ProviderRefused)) throw error
    if (insist && error instanceof ProviderUnknown && !UNSETTLED.includes(order.state)) throw error
    // A no was applied already; nobody who waits for it stands behind this call.
    deps.log.warn({ orderId, reason: error.message }, 'the provider does not tell yet, or says no')
  }
  return (await ordersRepository(deps.db).byId(orderId)) ?? order
}

/**
 * The same, for callers that must know whether the provider told.
 * @returns what the provider said, where it was asked about the whole order
 * @throws ProviderUnknown, and ProviderRefused when a repeated capture was refused, which then is applied
 */
export async function applyTruth(
  deps: CheckoutDeps,
  order: OrderRow,
  closedToo: boolean,
): Promise<ProviderOrder | undefined> {
  const mayGoBack = order.state === 'refunding' || (order.state === 'completed' && closedToo)
  // Of a completed order more may have gone back at the provider than what we asked for.
  if (mayGoBack && (await finishRefund(deps, order)) && order.state === 'refunding') return undefined
  const isClosed = ['completed', 'refunded', 'review'].includes(order.state)
  if (!order.provider_order_id || (isClosed && !closedToo)) return undefined
  const truth = await providerTruth(deps, order)
  if (isClosed && truth) await takeOverRefunds(deps, order.id, truth)
  if (!isClosed) await settleOpen(deps, order, truth)

  const after = await ordersRepository(deps.db).byId(order.id)
  if (after?.state === 'refunding') await finishRefund(deps, after)
  return truth
}

/** Applies what the provider says of the payment of an order that is not closed. */
async function settleOpen(
  deps: CheckoutDeps,
  order: OrderRow,
  truth: ProviderOrder | undefined,
): Promise<void> {
  const decided = truth && decidedCapture(truth)
  // A capture that is declined as before says nothing about an attempt that began after it. None begins while one is
  // pending, though, and what is declined no longer has been paid after all.
  const isOld = decided && order.state !== 'pending' && (await isKnownDecline(deps, order, decided))
  if (decided && !isOld) await applyCapture(deps, order, decided)
  else if (order.state === 'capturing') await captureAgain(deps, order, truth)
}

/** Whether a capture took nothing, by what is said of it now and by our book. */
async function isKnownDecline(
  deps: CheckoutDeps,
  order: OrderRow,
  { id, status }: Capture,
): Promise<boolean> {
  if (!TOOK_NOTHING.has(status)) return false
  const known = await paymentsRepository(deps.db).capturesOf(order.id)
  return known.some((one) => one.capture_id === id && TOOK_NOTHING.has(one.status))
}

/** The provider's order; undefined when it knows none. @throws ProviderUnknown, ProviderRefused when it does not tell */
export async function providerTruth(deps: CheckoutDeps, order: OrderRow): Promise<ProviderOrder | undefined> {
  try {
    return toldOf(order, await deps.paypal.getOrder(order.provider_order_id ?? ''))
  } catch (error) {
    if (error instanceof ProviderRefused && error.status === 404) return undefined
    throw error
  }
}

/** A capture whose request may not have arrived: the same request once more while it counts as the same. */
async function captureAgain(
  deps: CheckoutDeps,
  order: OrderRow,
  truth: ProviderOrder | undefined,
): Promise<void> {
  if (
    (!truth || truth.status === 'APPROVED') &&
    (await ordersRepository(deps.db).captureIsYoung(order.id, SAME_REQUEST_HOURS))
  ) {
    await (truth ? requestCapture(deps, order) : captureUnknown(deps, order))
    return
  }
  const decided = truth && decidedCapture(truth)
  if (truth?.status === 'COMPLETED' && decided && TOOK_NOTHING.has(decided.status)) {
    // Its only captures are declines that we know, and so they are now: the provider's order takes no second payment, a new one is needed.
    await transact(deps.db, (trx) =>
      releaseOrder(trx, order.id, ['capturing'], 'cancelled', 'payment denied for good'),
    )
    return
  }
  const reason = truth ? `provider says ${truth.status}` : NOT_KNOWN
  if (!truth || truth.status === 'VOIDED') {
    // Nobody can pay it any more, so the buyer's next try makes another one.
    await transact(deps.db, (trx) => releaseOrder(trx, order.id, ['capturing'], 'cancelled', reason))
    return
  }
  if (!PAYABLE.includes(truth.status)) {
    throw new ProviderUnknown(`the order is ${truth.status} and has no capture`)
  }
  await transact(deps.db, (trx) =>
    orderWrites(trx).move(order.id, ['capturing'], 'held', reason, { nextAttempt: true }),
  )
}

/**
 * The provider says that it does not know an order which it was asked to capture. One such word is none, as the money may
 * have been taken: only when it answers the same request with it, too, there is nothing to take.
 */
async function captureUnknown(deps: CheckoutDeps, order: OrderRow): Promise<void> {
  try {
    await requestCapture(deps, order)
  } catch (error) {
    const why = error instanceof ProviderUnknown ? error.cause : undefined
    if (!(why instanceof ProviderRefused && why.status === 404)) throw error
    await transact(deps.db, (trx) => releaseOrder(trx, order.id, ['capturing'], 'cancelled', NOT_KNOWN))
  }
}

/**
 * Sends the capture request of the order's current attempt and applies the answer.
 * @returns the provider's answer, and the order with its tickets when this call has brought them
 * @throws ProviderRefused after a definite no, ProviderUnknown when the outcome is open
 */
export async function requestCapture(
  deps: CheckoutDeps,
  order: OrderRow,
): Promise<{ answer: ProviderOrder; completed: Settled | undefined }> {
  const requestId = `${order.id}:cap:${order.capture_attempt}`
  try {
    const answer = toldOf(order, await deps.paypal.captureOrder(order.provider_order_id ?? '', requestId))
    const capture = decidedCapture(answer)
    if (!capture) throw new ProviderUnknown('a capture answer without a capture')
    // Nobody's money is sent back on one word: what was taken is asked for.
    if (capture.status === 'COMPLETED' && !isExpectedAmount(order, capture)) {
      throw new ProviderUnknown('a capture of another amount than ordered')
    }
    return { answer, completed: await applyCapture(deps, order, capture) }
  } catch (error) {
    if (!(error instanceof ProviderRefused)) throw error
    if (TELLS_NOTHING.some((issue) => error.has(issue)) || error.isUnderWay || error.status === 404) {
      throw new ProviderUnknown('the order is not as it was', {
        debugId: error.fault.debug_id,
        cause: error,
      })
    }
    await transact(deps.db, (trx) =>
      orderWrites(trx).move(order.id, ['capturing'], 'held', refusedBecause(error), { nextAttempt: true }),
    )
    throw error
  }
}
