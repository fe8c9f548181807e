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
import { type ReasonFor, AWAITING_PROVIDER, PAID } from '#features/purchase/orders/order-machine.rules.ts'
import {
  type OrderRow,
  alertOfRefusal,
  assertMatchesOrder,
  orderWrites,
  ordersRepository,
  readProviderOrder,
  releaseOrder,
} from '#features/purchase/orders/server/index.ts'
import { isPaidInFull } from '#features/purchase/orders/paying-capture.rules.ts'
import { exclusionsRepository } from '#features/accounts/server/index.ts'
import { importRefunds, ledgerRepository, sendRefunds } from '#features/purchase/refunds/server/index.ts'
import { applyCapture } from './apply-capture.ts'
import type { PaymentsDeps, Settled } from './settlement.ts'

/**
 * Reads an order at the provider and applies the response: settles, releases or refunds. The capture call, the return
 * address, notifications and the sweep all use it, concurrently.
 * @param includeFinal also handles completed, refunded and reviewed orders: the provider may have refunded them
 * @param throwIfUnavailable throws ProviderUnknown for an order that no sweep would reconcile
 * @returns the order afterwards; unchanged when the provider does not respond
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
    // A refusal has been applied.
    deps.log.warn({ orderId, reason: error.message }, 'the provider does not tell yet, or refuses')
  }
  return (await ordersRepository(deps.db).byId(orderId)) ?? order
}

/**
 * `reconcile` for callers that must know whether the provider responded.
 * @returns the provider's order, where it was read
 * @throws ProviderUnknown; ProviderRefused when a repeated capture was refused, which has been applied
 */
export async function applyProviderState(
  deps: PaymentsDeps,
  order: OrderRow,
  includeFinal: boolean,
): Promise<ProviderOrder | undefined> {
  const mayBeRefunded = order.state === 'refunding' || (order.state === 'completed' && includeFinal)
  // A completed order may have refunds made at the provider, so its response is read, too.
  if (mayBeRefunded && (await sendRefunds(deps, order)) && order.state === 'refunding') return undefined
  const isFinal = PAID.includes(order.state)
  if (!order.provider_order_id || (isFinal && !includeFinal)) return undefined
  const response = await readProviderOrder(deps, order)
  if (isFinal && response) await importRefunds(deps, order.id, response)
  if (!isFinal) await applyPaymentState(deps, order, response)

  const after = await ordersRepository(deps.db).byId(order.id)
  if (after?.state === 'refunding') await sendRefunds(deps, after)
  return response
}

async function applyPaymentState(
  deps: PaymentsDeps,
  order: OrderRow,
  response?: ProviderOrder,
): Promise<void> {
  const capture = response && decidingCapture(response)
  // A stored decline says nothing about a later attempt; no attempt begins while a capture is pending.
  const isOld = capture && order.state !== 'pending' && (await isKnownDecline(deps, order, capture))
  if (capture && !isOld) await applyCapture(deps, { order, capture, payer: response.payer })
  else if (order.state === 'capturing') await resolveCapture(deps, order, response)
  else if (response?.status === 'approved') await orderWrites(deps.db).markApproved(order.id)
}

/** Whether the capture took nothing both by the response and by our ledger. */
async function isKnownDecline(
  deps: PaymentsDeps,
  order: OrderRow,
  { id, status }: ProviderCapture,
): Promise<boolean> {
  if (!TOOK_NOTHING.has(status)) return false
  const known = await ledgerRepository(deps.db).captures(order.id)
  return known.some((one) => one.capture_id === id && TOOK_NOTHING.has(one.status))
}

/**
 * For an order in `capturing` without a new capture in the response: repeats the capture as long as the provider treats
 * it as the same request. Later it returns the order to its buyer or cancels it.
 */
async function resolveCapture(deps: PaymentsDeps, order: OrderRow, response?: ProviderOrder): Promise<void> {
  const { captureKeyLifetime } = deps.provider
  const isRecent = await ordersRepository(deps.db).captureIsRecent(order.id, captureKeyLifetime)
  if (isRecent && !response) return captureUnknown(deps, order)
  if (isRecent && response?.status === 'approved') {
    if (await refusePayer(deps, order, response)) return
    await requestCapture(deps, order)
    return
  }
  const declined = response && decidingCapture(response)
  if (response?.status === 'completed' && declined && TOOK_NOTHING.has(declined.status)) {
    // The provider's order has only stored declines and takes no other payment.
    await abandon(deps, order, 'payment_denied')
    return
  }
  if (!response) await abandon(deps, order, 'unknown_to_provider')
  else if (response.status === 'voided') await abandon(deps, order, 'voided_at_provider')
  else if (response.status === 'awaiting_buyer' || response.status === 'approved')
    await transact(deps.db, (trx) =>
      orderWrites(trx).move(order.id, 'returnToBuyer', 'not_captured', { nextAttempt: true }),
    )
  else throw new ProviderUnknown(`the order is ${response.status} and has no capture`)
}

/**
 * For an order that the provider does not know. Money may have been taken all the same, so the order is cancelled only
 * when a repeated capture request gets that response, too.
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

/**
 * Cancels an order in `capturing` whose provider's order takes no payment any more, and releases its tickets. The
 * buyer's next attempt creates another order. `reconcileReleased` finds a payment that arrives all the same.
 */
const abandon = ({ db }: PaymentsDeps, { id }: OrderRow, reason: ReasonFor<'failCapture'>) =>
  transact(db, (trx) => releaseOrder(trx, id, 'failCapture', reason))

/**
 * Before a capture: cancels an order in `capturing` that an excluded payer has approved.
 * @param known the provider's order, where it was read already
 * @returns whether it did @throws ProviderUnknown, ProviderRefused
 */
export async function refusePayer(
  deps: PaymentsDeps,
  order: OrderRow,
  known?: ProviderOrder,
): Promise<boolean> {
  if (!(await deps.batches.anyExcluded(order.id))) return false
  const response = known ?? (await readProviderOrder(deps, order))
  // Without an approval nothing can be captured, and after a capture the money has to be looked at.
  if (response?.status !== 'approved' || !response.payer) return false
  if (!(await exclusionsRepository(deps.db).isPayerListed(response.payer))) return false
  await abandon(deps, order, 'payer_excluded')
  return true
}

/** Refusals that leave the outcome of a capture open: the provider's order must be read. */
const UNDECIDED: readonly RefusalReason[] = ['already_captured', 'in_progress', 'request_reused']

/** Refusals after which the buyer, who has acted again, pays by a new request. */
const BUYER_ACTS = {
  declined: 'capture_declined',
  payer_action: 'payer_action',
  not_approved: 'not_approved',
} as const satisfies Partial<Record<RefusalReason, ReasonFor<'returnToBuyer'>>>

/** Refusals after which this order cannot be paid. */
const ENDS = {
  refused: 'payment_refused',
  shop_fault: 'shop_fault',
} as const satisfies Partial<Record<RefusalReason, ReasonFor<'failCapture'>>>

/**
 * Sends the capture request of the order's current attempt and applies the response.
 * @returns the response, and the order with its tickets when this call has completed it
 * @throws ProviderRefused when nothing was captured, ProviderUnknown when the outcome is open
 */
export async function requestCapture(
  deps: PaymentsDeps,
  order: OrderRow,
): Promise<{ response: ProviderOrder; completed: Settled | undefined }> {
  const requestId = `${order.id}:cap:${order.capture_attempt}`
  try {
    const response = assertMatchesOrder(
      order,
      await deps.provider.captureOrder(order.provider_order_id ?? '', requestId),
    )
    const capture = decidingCapture(response)
    if (!capture) throw new ProviderUnknown('a capture answer without a capture')
    // A wrong amount leads to a refund, so it is confirmed by reading the provider's order.
    if (capture.status === 'completed' && !isPaidInFull(order, capture.money))
      throw new ProviderUnknown('a capture of another amount than ordered')
    return { response, completed: await applyCapture(deps, { order, capture, payer: response.payer }) }
  } catch (error) {
    if (!(error instanceof ProviderRefused)) throw error
    return applyRefusal(deps, order, error)
  }
}

/**
 * Applies the refusal of a capture: the order returns to its buyer, or ends (ADR 0007).
 * @returns as `requestCapture`, when the money was taken all the same
 * @throws the refusal when nothing was captured, ProviderUnknown when the outcome is open
 */
async function applyRefusal(
  deps: PaymentsDeps,
  order: OrderRow,
  refusal: ProviderRefused,
): Promise<{ response: ProviderOrder; completed: Settled | undefined }> {
  const { reason, code: note } = refusal
  const unknown = (): ProviderUnknown =>
    new ProviderUnknown('the order is not as it was', { debugId: refusal.fault.debug_id, cause: refusal })
  if (UNDECIDED.includes(reason)) throw unknown()
  if (isKeyOf(BUYER_ACTS, reason)) {
    await transact(deps.db, async (trx) => {
      await orderWrites(trx).move(order.id, 'returnToBuyer', BUYER_ACTS[reason], { note, nextAttempt: true })
      if (refusal.actionUrl !== undefined) await orderWrites(trx).setPaymentUrl(order.id, refusal.actionUrl)
    })
    throw refusal
  }
  if (isKeyOf(ENDS, reason)) {
    await transact(deps.db, async (trx) => {
      await releaseOrder(trx, order.id, 'failCapture', ENDS[reason], note)
      if (reason === 'shop_fault') await alertOfRefusal(deps, trx, order, refusal)
    })
    throw refusal
  }
  // Nobody knows what it means: the provider's order tells whether money was taken.
  const response = await readProviderOrder(deps, order)
  const capture = response && decidingCapture(response)
  if (capture && !(await isKnownDecline(deps, order, capture)))
    return { response, completed: await applyCapture(deps, { order, capture, payer: response.payer }) }
  if (response?.status === 'voided') {
    await abandon(deps, order, 'voided_at_provider')
    throw refusal
  }
  if (response?.status !== 'approved' && response?.status !== 'awaiting_buyer') throw unknown()
  // The attempt stays the same: whatever this request may have done, another call repeats it.
  await transact(deps.db, async (trx) => {
    await orderWrites(trx).move(order.id, 'returnToBuyer', 'capture_refused', { note })
    await alertOfRefusal(deps, trx, order, refusal)
  })
  throw refusal
}

const isKeyOf = <Table extends object>(table: Table, key: PropertyKey): key is keyof Table =>
  Object.hasOwn(table, key)
