import {
  type ProviderCapture,
  type ProviderOrder,
  ProviderRefused,
  ProviderUnknown,
  TOOK_NOTHING,
  decidingCapture,
} from '#platform/payment/payment-provider.ts'
import { transact } from '#platform/transaction.ts'
import { type ReasonFor, UNSETTLED } from '#features/orders/order-machine.rules.ts'
import {
  type OrderRow,
  assertMatchesOrder,
  isOrderTotal,
  orderWrites,
  ordersRepository,
  readProviderOrder,
  releaseOrder,
} from '#features/orders/server/index.ts'
import { importRefunds, ledgerRepository, sendRefunds } from '#features/refunds/server/index.ts'
import { applyCapture } from './apply-capture.ts'
import type { PaymentsDeps, Settled } from './settlement.ts'

/** PayPal keeps a capture's request id for six hours; after that a repeated request would be a new one. */
const SAME_REQUEST_HOURS = 6

/**
 * Asks the provider about an order and applies what it says: settles, releases or refunds. The one function behind the
 * capture call, the return address, the notifications and the sweep; it may run any number of times, in any order, on
 * any process.
 * @param closedToo asks about an order that is paid or refunded as well: money may have gone back at the provider
 * @param insist throws when the provider does not answer about an order that no sweep would ask about again
 * @returns the order as it is afterwards; unchanged when the provider does not answer
 */
export async function reconcile(
  deps: PaymentsDeps,
  orderId: string,
  { closedToo = false, insist = false }: { closedToo?: boolean; insist?: boolean } = {},
): Promise<OrderRow> {
  const order = await ordersRepository(deps.db).byId(orderId)
  if (!order) throw new Error(`no order ${orderId}`)
  try {
    await applyProviderState(deps, order, closedToo)
  } catch (error) {
    if (!(error instanceof ProviderUnknown || error instanceof ProviderRefused)) throw error
    if (insist && error instanceof ProviderUnknown && !UNSETTLED.includes(order.state)) throw error
    // A refusal was applied already; no caller here waits for it.
    deps.log.warn({ orderId, reason: error.message }, 'the provider does not tell yet, or refuses')
  }
  return (await ordersRepository(deps.db).byId(orderId)) ?? order
}

/**
 * The same, for callers that must know whether the provider answered.
 * @returns what the provider said, where it was asked about the whole order
 * @throws ProviderUnknown, and ProviderRefused when a repeated capture was refused, which then is applied
 */
export async function applyProviderState(
  deps: PaymentsDeps,
  order: OrderRow,
  closedToo: boolean,
): Promise<ProviderOrder | undefined> {
  const mayBeRefunded = order.state === 'refunding' || (order.state === 'completed' && closedToo)
  // Of a completed order more may have gone back at the provider than what we asked for.
  if (mayBeRefunded && (await sendRefunds(deps, order)) && order.state === 'refunding') return undefined
  const isClosed = ['completed', 'refunded', 'review'].includes(order.state)
  if (!order.provider_order_id || (isClosed && !closedToo)) return undefined
  const answer = await readProviderOrder(deps, order)
  if (isClosed && answer) await importRefunds(deps, order.id, answer)
  if (!isClosed) await settleOpen(deps, order, answer)

  const after = await ordersRepository(deps.db).byId(order.id)
  if (after?.state === 'refunding') await sendRefunds(deps, after)
  return answer
}

/** Applies what the provider says of the payment of an order that is not closed. */
async function settleOpen(
  deps: PaymentsDeps,
  order: OrderRow,
  answer: ProviderOrder | undefined,
): Promise<void> {
  const capture = answer && decidingCapture(answer)
  // A capture that is declined as before says nothing about an attempt that began after it. None begins while one is
  // pending, though, and what is declined no longer has been paid after all.
  const isOld = capture && order.state !== 'pending' && (await isKnownDecline(deps, order, capture))
  if (capture && !isOld) await applyCapture(deps, order, capture)
  else if (order.state === 'capturing') await captureAgain(deps, order, answer)
}

/** Whether a capture took nothing, by the provider and by our ledger. */
async function isKnownDecline(
  deps: PaymentsDeps,
  order: OrderRow,
  { id, status }: ProviderCapture,
): Promise<boolean> {
  if (!TOOK_NOTHING.has(status)) return false
  const known = await ledgerRepository(deps.db).captures(order.id)
  return known.some((one) => one.capture_id === id && TOOK_NOTHING.has(one.status))
}

/** A capture whose request may not have arrived: the same request once more while it counts as the same. */
async function captureAgain(
  deps: PaymentsDeps,
  order: OrderRow,
  answer: ProviderOrder | undefined,
): Promise<void> {
  const isRecent = await ordersRepository(deps.db).captureIsRecent(order.id, SAME_REQUEST_HOURS)
  if (isRecent && !answer) return captureUnknown(deps, order)
  if (isRecent && answer?.status === 'approved') {
    await requestCapture(deps, order)
    return
  }
  const abandon = (reason: ReasonFor<'abandonCapture'>): Promise<unknown> =>
    transact(deps.db, (trx) => releaseOrder(trx, order.id, 'abandonCapture', reason))
  const declined = answer && decidingCapture(answer)
  if (answer?.status === 'completed' && declined && TOOK_NOTHING.has(declined.status)) {
    // Its only captures are declines that we know, and remain so: the provider's order takes no second payment.
    await abandon('payment_denied')
    return
  }
  // Nobody can pay it any more, so the buyer's next try creates another one.
  if (!answer) await abandon('unknown_to_provider')
  else if (answer.status === 'voided') await abandon('voided_at_provider')
  else if (answer.status === 'awaiting_buyer' || answer.status === 'approved')
    await transact(deps.db, (trx) =>
      orderWrites(trx).move(order.id, 'returnToBuyer', 'not_captured', { nextAttempt: true }),
    )
  else throw new ProviderUnknown(`the order is ${answer.status} and has no capture`)
}

/**
 * The provider does not know an order that it was asked to capture. One such answer decides nothing, as the money may
 * have been taken: only when it answers the same request with it, too, there is nothing to take.
 */
async function captureUnknown(deps: PaymentsDeps, order: OrderRow): Promise<void> {
  try {
    await requestCapture(deps, order)
  } catch (error) {
    const why = error instanceof ProviderUnknown ? error.cause : undefined
    if (!(why instanceof ProviderRefused && why.reason === 'not_found')) throw error
    await transact(deps.db, (trx) => releaseOrder(trx, order.id, 'abandonCapture', 'unknown_to_provider'))
  }
}

/** Refusals of a capture which leave open what became of the order: the provider is asked. */
const UNDECIDED: readonly ProviderRefused['reason'][] = [
  'already_captured',
  'in_progress',
  'request_reused',
  'not_found',
]

/**
 * Sends the capture request of the order's current attempt and applies the answer.
 * @returns the provider's answer, and the order with its tickets when this call has completed it
 * @throws ProviderRefused after a definite no, ProviderUnknown when the outcome is open
 */
export async function requestCapture(
  deps: PaymentsDeps,
  order: OrderRow,
): Promise<{ answer: ProviderOrder; completed: Settled | undefined }> {
  const requestId = `${order.id}:cap:${order.capture_attempt}`
  try {
    const answer = assertMatchesOrder(
      order,
      await deps.provider.captureOrder(order.provider_order_id ?? '', requestId),
    )
    const capture = decidingCapture(answer)
    if (!capture) throw new ProviderUnknown('a capture answer without a capture')
    // Nobody's money is sent back because of one message: the provider is asked what was taken.
    if (capture.status === 'completed' && !isOrderTotal(order, capture.money))
      throw new ProviderUnknown('a capture of another amount than ordered')
    return { answer, completed: await applyCapture(deps, order, capture) }
  } catch (error) {
    if (!(error instanceof ProviderRefused)) throw error
    if (UNDECIDED.includes(error.reason))
      throw new ProviderUnknown('the order is not as it was', { debugId: error.fault.debug_id, cause: error })
    await transact(deps.db, (trx) =>
      orderWrites(trx).move(order.id, 'returnToBuyer', returnReason(error), {
        note: error.code,
        nextAttempt: true,
      }),
    )
    throw error
  }
}

function returnReason({ reason }: ProviderRefused): ReasonFor<'returnToBuyer'> {
  if (reason === 'declined') return 'capture_declined'
  return reason === 'not_approved' ? 'not_approved' : 'capture_refused'
}
