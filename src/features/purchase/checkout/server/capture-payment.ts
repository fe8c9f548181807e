import { setTimeout as sleep } from 'node:timers/promises'
import type { Sql } from '#platform/database.ts'
import {
  type ProviderFault,
  ProviderRefused,
  ProviderUnavailable,
  ProviderUnknown,
  type RefusalReason,
} from '#platform/payment/payment-provider.ts'
import { transact } from '#platform/transaction.ts'
import { exclusionRefusalOf } from '#features/accounts/server/index.ts'
import {
  type CaptureFailure,
  type OrderRow,
  endedBeforePayment,
  renewHold,
  orderWrites,
  ordersRepository,
  providerFailure,
  readProviderOrder,
  releaseOrder,
  reread,
} from '#features/purchase/orders/server/index.ts'
import {
  type PaymentsDeps,
  applyProviderState,
  reconcile,
  refusePayer,
  requestCapture,
} from '#features/purchase/payments/server/index.ts'
import type { Ticket } from '#features/tickets/tickets.contract.ts'
import { Refusal } from '#shared/refusal.ts'
import type { PaymentRefusal } from '../checkout.contract.ts'

export interface CaptureOutcome {
  order: OrderRow
  /** Only when this call has issued them. */
  tickets?: Ticket[]
  provider?: Readonly<Record<string, unknown>> | ProviderFault
  declined: boolean
}

/**
 * Captures an approved order and issues its tickets. Of two concurrent calls one moves the order to `capturing`; the
 * other waits and gets the same response (failure mode 3).
 * @throws Refusal before money moves: offer ended, hold expired, order closed, provider unavailable
 */
export const capturePayment = async (deps: PaymentsDeps, found: OrderRow): Promise<CaptureOutcome> =>
  finishCapture(deps, ...(await beginCapture(deps, found)))

/** @param isOurs this caller has moved the order to `capturing` and captures it; otherwise it only reports */
export async function finishCapture(
  deps: PaymentsDeps,
  order: OrderRow,
  isOurs = true,
): Promise<CaptureOutcome> {
  const outcome = isOurs ? await attempt(deps, order) : { order, declined: false }
  if (isMoneyBack(outcome.order)) throw await moneyBackRefusal(deps.db, outcome.order)
  if (outcome.order.state === 'review') throw inReview()
  if (outcome.order.state === 'cancelled') throw await cancelledRefusal(deps.db, outcome.order)
  return outcome
}

async function attempt(deps: PaymentsDeps, order: OrderRow): Promise<CaptureOutcome> {
  try {
    if (await refusePayer(deps, order)) throw payerExcluded()
    const { response, completed } = await requestCapture(deps, order)
    const provider = response.response
    if (completed) return { ...completed, provider, declined: false }
    const after = await reread(deps, order)
    return { order: after, provider, declined: after.state === 'held' }
  } catch (error) {
    if (error instanceof ProviderUnavailable) return notAsked(deps, order, error)
    return error instanceof ProviderUnknown ? askProvider(deps, order) : refused(deps, order, error)
  }
}

/** The request was never sent, so the order returns to its buyer. */
async function notAsked(deps: PaymentsDeps, order: OrderRow, error: ProviderUnavailable): Promise<never> {
  await transact(deps.db, (trx) => orderWrites(trx).move(order.id, 'returnToBuyer', 'provider_unavailable'))
  throw providerFailure(error)
}

/** The outcome is unknown: reads the provider's order once. */
async function askProvider(deps: PaymentsDeps, order: OrderRow): Promise<CaptureOutcome> {
  try {
    await applyProviderState(deps, order, false)
  } catch (error) {
    if (!(error instanceof ProviderUnknown)) return refused(deps, order, error)
  }
  const after = await reread(deps, order)
  if (after.state === 'held') throw await returnedRefusal(deps.db, after)
  return { order: after, declined: false }
}

async function refused(deps: PaymentsDeps, order: OrderRow, error: unknown): Promise<CaptureOutcome> {
  if (!(error instanceof ProviderRefused)) throw error
  const after = await reread(deps, order)
  // The provider refused to tell about the order, and the capture is still open.
  if (after.state === 'capturing') return { order: after, declined: false }
  if (error.reason === 'declined') return { order: after, provider: error.fault, declined: true }
  throw captureRefused(after, NAMES[error.reason] ?? 'providerRefused', error.fault)
}

/** How long a concurrent call waits for the first call's result. */
const WAIT_MS = 8_000
const WAIT_STEP_MS = 250

type Begun = [order: OrderRow, isOurs: boolean]

/**
 * Moves an order to `capturing`.
 * @returns the order to capture in `capturing`, else the one that another call has moved
 * @throws Refusal before money moves, as `capturePayment`
 */
async function beginCapture(deps: PaymentsDeps, found: OrderRow): Promise<Begun> {
  const order = found.state === 'expired' ? await afterExpiry(deps, found) : found
  switch (order.state) {
    case 'held':
      return beginHeld(deps, order)
    case 'capturing':
      return waitForConcurrentCapture(deps, order)
    case 'completed':
    case 'pending':
    case 'refunding':
    case 'refunded':
      return [order, false]
    case 'cancelled':
      throw await cancelledRefusal(deps.db, order)
    case 'expired':
    case 'superseded':
      throw orderClosed()
    case 'review':
      throw inReview()
  }
}

/**
 * Renews the hold of an expired order whose approval the provider confirms. A buyer who has not approved must not hold
 * tickets again (failure mode 13).
 * @returns the held order, or the current one when its money was captured elsewhere
 */
async function afterExpiry(deps: PaymentsDeps, order: OrderRow): Promise<OrderRow> {
  const excluded = await exclusionRefusalOf(deps.db, order.user_id)
  if (excluded) throw excluded
  const response = await readProviderOrder(deps, order).catch((error: unknown) => {
    throw providerFailure(error)
  })
  if (response?.status === 'awaiting_buyer') throw captureRefused(order, 'notApproved')
  if (response?.status !== 'approved') {
    const after = await reconcile(deps, order.id)
    if (after.state === 'expired') throw orderClosed()
    return after
  }
  const again = await renewHold(deps.db, order, deps.holdMinutes)
  const after = await reread(deps, order)
  // A concurrent call may have moved the order.
  if (again === 'held' || after.state !== 'expired') return after
  if (again === 'overtaken') throw orderClosed()
  throw new Refusal('checkout.holdExpired', 409, 'errors.checkout.holdExpired')
}

async function beginHeld(deps: PaymentsDeps, order: OrderRow): Promise<Begun> {
  const excluded = await exclusionRefusalOf(deps.db, order.user_id)
  if (excluded) {
    await transact(deps.db, (trx) => releaseOrder(trx, order.id, 'cancel', 'buyer_excluded'))
    throw excluded
  }
  const ended = await ordersRepository(deps.db).endedLines(order.id)
  if (ended.length > 0) {
    await transact(deps.db, (trx) => releaseOrder(trx, order.id, 'cancel', 'offer_ended'))
    throw endedBeforePayment(ended)
  }
  await expectApproval(deps, order)
  // The guard of the move checks the offers again, and the account.
  const request = { userId: order.user_id, providerId: order.provider_order_id ?? '' }
  const [moved] = await orderWrites(deps.db).beginCaptures([request])
  return moved ? [moved, true] : beginCapture(deps, await reread(deps, order))
}

/** After a refusal the buyer must have acted at the provider: an order that is not approved there is not asked for again. */
async function expectApproval(deps: PaymentsDeps, order: OrderRow): Promise<void> {
  if (order.capture_started_at === null) return
  const response = await readProviderOrder(deps, order).catch((error: unknown) => {
    throw providerFailure(error)
  })
  if (response?.status === 'awaiting_buyer') throw await returnedRefusal(deps.db, order)
}

/** Waits for the call that captures this order, then reads the provider's order. @returns as `beginCapture` */
async function waitForConcurrentCapture(deps: PaymentsDeps, order: OrderRow): Promise<Begun> {
  for (let waited = 0; waited < WAIT_MS; waited += WAIT_STEP_MS) {
    await sleep(WAIT_STEP_MS)
    const now = await reread(deps, order)
    if (now.state !== 'capturing') return afterOther(deps, now)
  }
  const after = await reconcile(deps, order.id)
  // Still unknown: the buyer gets a 202, and payment recovery goes on.
  return after.state === 'capturing' ? [after, false] : afterOther(deps, after)
}

/** An order that the other call returned to its buyer is not captured again. */
async function afterOther(deps: PaymentsDeps, order: OrderRow): Promise<Begun> {
  if (order.state === 'held') throw await returnedRefusal(deps.db, order)
  return beginCapture(deps, order)
}

/** Cancels a held order and releases its tickets (failure mode 22). */
export async function cancelOrder(deps: PaymentsDeps, order: OrderRow): Promise<OrderRow> {
  await transact(deps.db, (trx) => releaseOrder(trx, order.id, 'cancel', 'buyer_cancelled'))
  return reread(deps, order)
}

/** The refusal that the call got which returned the order to its buyer, for a concurrent call (failure mode 3). */
async function returnedRefusal(db: Sql, order: OrderRow): Promise<unknown> {
  const returned = await ordersRepository(db).lastCaptureFailure(order.id)
  if (returned?.reason === 'provider_unavailable') return providerFailure(new ProviderUnavailable())
  const name = refusalName(returned?.reason) ?? 'notApproved'
  const issue = returned?.note ?? (name === 'declined' ? 'INSTRUMENT_DECLINED' : undefined)
  return captureRefused(order, name, { details: issue === undefined ? [] : [{ issue }] })
}

export const orderClosed = (): Refusal =>
  new Refusal('checkout.orderClosed', 409, 'errors.checkout.orderClosed')

/** Why an order was not paid, by the reason of its last move. */
const REFUSALS = {
  capture_declined: 'declined',
  payer_action: 'payerAction',
  not_approved: 'notApproved',
  capture_refused: 'providerRefused',
  not_captured: 'notApproved',
  payment_refused: 'refused',
  shop_fault: 'shopFault',
} as const satisfies Partial<Record<CaptureFailure['reason'], PaymentRefusal>>

const NAMES: Partial<Record<RefusalReason, PaymentRefusal>> = {
  payer_action: 'payerAction',
  not_approved: 'notApproved',
  refused: 'refused',
  shop_fault: 'shopFault',
}

/** @param reason of the move that followed the refusal */
const refusalName = (reason: string | undefined): PaymentRefusal | undefined =>
  reason !== undefined && Object.hasOwn(REFUSALS, reason)
    ? REFUSALS[reason as keyof typeof REFUSALS]
    : undefined

/**
 * Why an order is not paid, as long as its buyer has not gone to pay it again.
 * @returns undefined for an order that was not refused
 */
export async function refusalOf(db: Sql, order: OrderRow): Promise<PaymentRefusal | undefined> {
  if (order.capture_started_at === null || (order.state !== 'held' && order.state !== 'cancelled'))
    return undefined
  const failure = await ordersRepository(db).lastCaptureFailure(order.id)
  const isResumed = order.state === 'held' && failure && order.resumed_at && order.resumed_at > failure.at
  return isResumed ? undefined : refusalName(failure?.reason)
}

/** A definite refusal has the status and the body of a decline. */
const captureRefused = (
  order: OrderRow,
  name: PaymentRefusal,
  { message, details, debug_id }: ProviderFault = {},
): Refusal =>
  new Refusal(`checkout.${name}`, 422, `errors.checkout.${name}`, {
    body: {
      id: order.provider_order_id ?? '',
      status: 'DECLINED',
      ...(message !== undefined && { message }),
      details: details ?? [],
      debug_id,
      ...(name === 'payerAction' || name === 'notApproved' ? { payment_url: order.payment_url } : {}),
      tickets: [],
    },
  })

const payerExcluded = (): Refusal =>
  new Refusal('checkout.payerExcluded', 403, 'errors.checkout.payerExcluded')

/** A concurrent or repeated call gets the refusal of the one that cancelled the order. */
async function cancelledRefusal(db: Sql, order: OrderRow): Promise<Refusal> {
  const { id, user_id } = order
  const reason = await ordersRepository(db).lastReason(id)
  if (reason === 'payer_excluded') return payerExcluded()
  if (reason === 'payment_refused' || reason === 'shop_fault') return captureRefused(order, REFUSALS[reason])
  const excluded = reason === 'buyer_excluded' ? await exclusionRefusalOf(db, user_id) : undefined
  return excluded ?? orderClosed()
}

const inReview = (): Refusal => new Refusal('checkout.inReview', 409, 'errors.checkout.inReview')

const isMoneyBack = ({ state }: OrderRow): boolean => state === 'refunding' || state === 'refunded'

/** Whether the order had tickets before its refund. */
export const isTakenBack = async (db: Sql, order: OrderRow): Promise<boolean> =>
  isMoneyBack(order) && (await ordersRepository(db).wasCompleted(order.id))

const moneyBackRefusal = async (db: Sql, order: OrderRow): Promise<Refusal> =>
  (await isTakenBack(db, order))
    ? new Refusal('checkout.takenBack', 409, 'errors.checkout.takenBack')
    : new Refusal('checkout.refunded', 409, 'errors.checkout.refunded')
