import {
  type ProviderCapture,
  type ProviderOrder,
  ProviderRefused,
  ProviderUnknown,
  type RefusalReason,
  TOOK_NOTHING,
  decidingCapture,
} from '#platform/payment/payment-provider.ts'
import { transact } from '#platform/transaction.ts'
import { type ReasonFor, AWAITING_PROVIDER } from '#features/orders/order-machine.rules.ts'
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

/**
 * Asks the provider about an order and applies its answer: settles, releases or refunds. The one function behind the
 * capture call, the return address, notifications and the sweep; any number of calls may run at once.
 * @param includeFinal includes orders that are paid or refunded: money may have gone back at the provider
 * @param throwIfUnavailable throws when the provider does not answer about an order that no sweep would reconcile
 * @returns the order afterwards; unchanged when the provider does not answer
 */
export async function reconcile(
  deps: PaymentsDeps,
  orderId: string,
  {
    includeFinal = false,
    throwIfUnavailable = false,
  }: { includeFinal?: boolean; throwIfUnavailable?: boolean } = {},
): Promise<OrderRow> {
  const order = await ordersRepository(deps.db).byId(orderId)
  if (!order) throw new Error(`no order ${orderId}`)
  try {
    await applyProviderState(deps, order, includeFinal)
  } catch (error) {
    if (!(error instanceof ProviderUnknown || error instanceof ProviderRefused)) throw error
    if (throwIfUnavailable && error instanceof ProviderUnknown && !AWAITING_PROVIDER.includes(order.state))
      throw error
    // A refusal is applied already.
    deps.log.warn({ orderId, reason: error.message }, 'the provider does not tell yet, or refuses')
  }
  return (await ordersRepository(deps.db).byId(orderId)) ?? order
}

/**
 * The same, for callers that must know whether the provider answered.
 * @returns the provider's order, where it was read
 * @throws ProviderUnknown, and ProviderRefused when a repeated capture was refused, which is applied
 */
export async function applyProviderState(
  deps: PaymentsDeps,
  order: OrderRow,
  includeFinal: boolean,
): Promise<ProviderOrder | undefined> {
  const mayBeRefunded = order.state === 'refunding' || (order.state === 'completed' && includeFinal)
  // Of a completed order more may have gone back than we requested.
  if (mayBeRefunded && (await sendRefunds(deps, order)) && order.state === 'refunding') return undefined
  const isFinal = ['completed', 'refunded', 'review'].includes(order.state)
  if (!order.provider_order_id || (isFinal && !includeFinal)) return undefined
  const answer = await readProviderOrder(deps, order)
  if (isFinal && answer) await importRefunds(deps, order.id, answer)
  if (!isFinal) await applyPaymentState(deps, order, answer)

  const after = await ordersRepository(deps.db).byId(order.id)
  if (after?.state === 'refunding') await sendRefunds(deps, after)
  return answer
}

/** Applies the provider's answer about an order that is not closed. */
async function applyPaymentState(deps: PaymentsDeps, order: OrderRow, answer?: ProviderOrder): Promise<void> {
  const capture = answer && decidingCapture(answer)
  // A decline that is stored already says nothing about a later attempt; none begins while a capture is pending.
  const isOld = capture && order.state !== 'pending' && (await isKnownDecline(deps, order, capture))
  if (capture && !isOld) await applyCapture(deps, order, capture)
  else if (order.state === 'capturing') await resolveCapture(deps, order, answer)
}

/** Whether a capture took nothing, by the provider and our ledger. */
async function isKnownDecline(
  deps: PaymentsDeps,
  order: OrderRow,
  { id, status }: ProviderCapture,
): Promise<boolean> {
  if (!TOOK_NOTHING.has(status)) return false
  const known = await ledgerRepository(deps.db).captures(order.id)
  return known.some((one) => one.capture_id === id && TOOK_NOTHING.has(one.status))
}

/** Repeats a capture request that may not have arrived while it is the same request; later the order is returned. */
async function resolveCapture(deps: PaymentsDeps, order: OrderRow, answer?: ProviderOrder): Promise<void> {
  const { captureKeyLifetime } = deps.provider
  const isRecent = await ordersRepository(deps.db).captureIsRecent(order.id, captureKeyLifetime)
  if (isRecent && !answer) return captureUnknown(deps, order)
  if (isRecent && answer?.status === 'approved') {
    await requestCapture(deps, order)
    return
  }
  const declined = answer && decidingCapture(answer)
  if (answer?.status === 'completed' && declined && TOOK_NOTHING.has(declined.status)) {
    // The provider's order has only stored declines, and takes no second payment.
    await abandon(deps, order, 'payment_denied')
    return
  }
  if (!answer) await abandon(deps, order, 'unknown_to_provider')
  else if (answer.status === 'voided') await abandon(deps, order, 'voided_at_provider')
  else if (answer.status === 'awaiting_buyer' || answer.status === 'approved')
    await transact(deps.db, (trx) =>
      orderWrites(trx).move(order.id, 'returnToBuyer', 'not_captured', { nextAttempt: true }),
    )
  else throw new ProviderUnknown(`the order is ${answer.status} and has no capture`)
}

/**
 * The provider does not know an order that it was to capture. The money may have been taken all the same: the order is
 * released only when the same capture request gets that answer, too.
 */
async function captureUnknown(deps: PaymentsDeps, order: OrderRow): Promise<void> {
  try {
    await requestCapture(deps, order)
  } catch (error) {
    const why = error instanceof ProviderUnknown ? error.cause : undefined
    if (!(why instanceof ProviderRefused && why.reason === 'not_found')) throw error
    await abandon(deps, order, 'unknown_to_provider')
  }
}

/** Releases an order that nobody can pay any more: the buyer's next try creates another one. */
const abandon = ({ db }: PaymentsDeps, { id }: OrderRow, reason: ReasonFor<'abandonCapture'>) =>
  transact(db, (trx) => releaseOrder(trx, id, 'abandonCapture', reason))

/** Refusals of a capture that leave its outcome open: the provider's order is read. */
const UNDECIDED: readonly RefusalReason[] = ['already_captured', 'in_progress', 'request_reused', 'not_found']

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
    // One answer is not enough for a refund: the provider's order is read.
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
