import { setTimeout as sleep } from 'node:timers/promises'
import type { Sql } from '#platform/database.ts'
import {
  type ProviderFault,
  ProviderRefused,
  ProviderUnavailable,
  ProviderUnknown,
} from '#platform/payment/payment-provider.ts'
import { transact } from '#platform/transaction.ts'
import { activeAccount } from '#features/accounts/server/index.ts'
import {
  type OrderRow,
  holdAgain,
  orderWrites,
  ordersRepository,
  providerFailure,
  readProviderOrder,
  releaseOrder,
  reread,
} from '#features/orders/server/index.ts'
import {
  type PaymentsDeps,
  applyProviderState,
  reconcile,
  requestCapture,
} from '#features/payments/server/index.ts'
import type { Ticket } from '#features/tickets/tickets.contract.ts'
import { Refusal } from '#shared/refusal.ts'

/** What became of a capture: where the order stands, and the provider's own words where it gave any. */
export interface CaptureOutcome {
  order: OrderRow
  /** Known when this very call has issued them. */
  tickets?: Ticket[]
  /** Body of the provider's answer, or of its refusal. */
  provider?: Readonly<Record<string, unknown>> | ProviderFault
  /** The buyer must choose another instrument. */
  declined: boolean
}

/**
 * Captures an approved order and issues its tickets. Two calls for one order never capture twice: the conditional move to
 * `capturing` lets one through, the other waits and gets the same answer (reliability, row 3).
 * @throws Refusal before any money moved: offer ended, hold gone, order closed, provider unavailable
 */
export const capturePayment = async (deps: PaymentsDeps, found: OrderRow): Promise<CaptureOutcome> =>
  finishCapture(deps, await beginCapture(deps, found))

/** The same for an order that this caller has brought into `capturing`, or that was found in another state. */
export async function finishCapture(deps: PaymentsDeps, order: OrderRow): Promise<CaptureOutcome> {
  const outcome = await attempt(deps, order)
  if (isMoneyBack(outcome.order)) throw await moneyBackRefusal(deps.db, outcome.order)
  if (outcome.order.state === 'review') throw inReview()
  // Denied for good: the buyer's next try creates an order anew.
  if (outcome.order.state === 'cancelled') throw orderClosed()
  return outcome
}

async function attempt(deps: PaymentsDeps, order: OrderRow): Promise<CaptureOutcome> {
  if (order.state !== 'capturing') return { order, declined: false }
  try {
    const { answer, completed } = await requestCapture(deps, order)
    const provider = answer.answer
    if (completed) return { ...completed, provider, declined: false }
    const after = await reread(deps, order)
    return { order: after, provider, declined: after.state === 'held' }
  } catch (error) {
    if (error instanceof ProviderUnavailable) return notAsked(deps, order, error)
    return error instanceof ProviderUnknown ? inDoubt(deps, order) : refused(deps, order, error)
  }
}

/** The request was never sent, so nothing is in doubt: the order waits for another try, and the buyer is told. */
async function notAsked(deps: PaymentsDeps, order: OrderRow, error: ProviderUnavailable): Promise<never> {
  await transact(deps.db, (trx) => orderWrites(trx).move(order.id, 'returnToBuyer', 'provider_unavailable'))
  throw providerFailure(error)
}

/** The provider did not say what became of the request: it is asked, once. */
async function inDoubt(deps: PaymentsDeps, order: OrderRow): Promise<CaptureOutcome> {
  try {
    await applyProviderState(deps, order, false)
  } catch (error) {
    if (!(error instanceof ProviderUnknown)) return refused(deps, order, error)
  }
  const after = await reread(deps, order)
  // Back with its buyer: nothing was taken.
  if (after.state === 'held') throw await returnedRefusal(deps.db, after)
  return { order: after, declined: false }
}

async function refused(deps: PaymentsDeps, order: OrderRow, error: unknown): Promise<CaptureOutcome> {
  if (!(error instanceof ProviderRefused)) throw error
  if (error.reason === 'not_approved') throw notApproved(error.fault)
  if (error.reason !== 'declined') throw providerFailure(error)
  return { order: await reread(deps, order), provider: error.fault, declined: true }
}

/** How long a second capture of the same order waits for the first one's result. */
const WAIT_MS = 8_000
const WAIT_STEP_MS = 250

/**
 * Brings an order into `capturing`, or finds out why it cannot go there.
 * @returns the order in `capturing`, or in the state that its payment has come to without this caller
 * @throws Refusal before any money moved: offer ended, hold gone, order closed, provider unavailable
 */
async function beginCapture(deps: PaymentsDeps, found: OrderRow): Promise<OrderRow> {
  const order = found.state === 'expired' ? await afterExpiry(deps, found) : found
  switch (order.state) {
    case 'held':
      return beginHeld(deps, order)
    case 'capturing':
      return waitForOther(deps, order)
    case 'completed':
    case 'pending':
    case 'refunding':
    case 'refunded':
      return order
    case 'expired':
    case 'cancelled':
    case 'superseded':
      throw orderClosed()
    case 'review':
      throw inReview()
  }
}

/**
 * Holds the tickets of an expired order again, once the provider says that its buyer has approved it: anybody who knows
 * its address may come here, and must not keep tickets from those who pay (reliability, row 13).
 * @returns the order, held; or as it stands when its money came without us
 */
async function afterExpiry(deps: PaymentsDeps, order: OrderRow): Promise<OrderRow> {
  await activeAccount(deps.db, order.user_id)
  const answer = await readProviderOrder(deps, order).catch((error: unknown) => {
    throw providerFailure(error)
  })
  if (answer?.status === 'awaiting_buyer') throw notApproved({})
  if (answer?.status !== 'approved') {
    const after = await reconcile(deps, order.id)
    if (after.state === 'expired') throw orderClosed()
    return after
  }
  const again = await holdAgain(deps.db, order, deps.holdMinutes)
  const after = await reread(deps, order)
  // Another call for the same order may have been quicker: its end is the answer here, too.
  if (again === 'held' || after.state !== 'expired') return after
  // Nothing is sold out: the cart has changed, or another order of it is open.
  if (again === 'overtaken') throw orderClosed()
  throw new Refusal('checkout.holdExpired', 409, 'errors.checkout.holdExpired')
}

async function beginHeld(deps: PaymentsDeps, order: OrderRow): Promise<OrderRow> {
  await activeAccount(deps.db, order.user_id)
  if (!(await ordersRepository(deps.db).offersRun(order.id))) {
    await transact(deps.db, (trx) => releaseOrder(trx, order.id, 'cancel', 'offer_ended'))
    const [line] = await ordersRepository(deps.db).lines(order.id)
    throw new Refusal('offer.ended', 409, 'errors.offer.ended', { values: { title: line?.title ?? '' } })
  }
  // The move checks all of this once more, at the very moment.
  const request = { userId: order.user_id, providerId: order.provider_order_id ?? '' }
  const [moved] = await orderWrites(deps.db).beginCaptures([request])
  return moved ?? beginCapture(deps, await reread(deps, order))
}

/** Another call captures this order: wait for the result, and ask the provider when it takes long. */
async function waitForOther(deps: PaymentsDeps, order: OrderRow): Promise<OrderRow> {
  for (let waited = 0; waited < WAIT_MS; waited += WAIT_STEP_MS) {
    await sleep(WAIT_STEP_MS)
    const now = await reread(deps, order)
    if (now.state !== 'capturing') return afterOther(deps, now)
  }
  const after = await reconcile(deps, order.id)
  // Still unknown: the caller reports "being confirmed" and must not capture a second time.
  return after.state === 'capturing' ? { ...after, state: 'pending' } : afterOther(deps, after)
}

/** The end that the other call came to; one that brought nothing is reported, instead of trying again. */
async function afterOther(deps: PaymentsDeps, order: OrderRow): Promise<OrderRow> {
  if (order.state === 'held') throw await returnedRefusal(deps.db, order)
  return beginCapture(deps, order)
}

/** Gives up an order that is not being paid: its tickets are released (reliability, row 22). @returns the order afterwards */
export async function cancelOrder(deps: PaymentsDeps, order: OrderRow): Promise<OrderRow> {
  await transact(deps.db, (trx) => releaseOrder(trx, order.id, 'cancel', 'buyer_cancelled'))
  return reread(deps, order)
}

/**
 * What a caller is told of an order that another call, or a look at the provider, has returned to its buyer: the same as
 * was told there (reliability, row 3). A decline is told where there was one, and nowhere else.
 */
async function returnedRefusal(db: Sql, { id }: OrderRow): Promise<unknown> {
  const returned = await ordersRepository(db).whyReturned(id)
  const issue = returned?.note ?? undefined
  const fault = issue === undefined ? {} : { details: [{ issue }] }
  switch (returned?.reason) {
    case 'provider_unavailable':
      return providerFailure(new ProviderUnavailable())
    case 'capture_declined':
      return new Refusal('checkout.declined', 422, 'errors.checkout.declined', {
        body: { details: [{ issue: 'INSTRUMENT_DECLINED' }] },
      })
    case 'capture_refused':
      return providerFailure(new ProviderRefused('other', { ...fault, code: issue ?? 'other' }))
    default:
      return notApproved(fault)
  }
}

/** The order is given up for good; the buyer's next try creates another one. */
export const orderClosed = (): Refusal =>
  new Refusal('checkout.orderClosed', 409, 'errors.checkout.orderClosed')

/** Staff must decide about the order's money first. */
const inReview = (): Refusal => new Refusal('checkout.inReview', 409, 'errors.checkout.inReview')

const notApproved = ({ message, details, debug_id }: ProviderFault): Refusal =>
  new Refusal('checkout.notApproved', 422, 'errors.checkout.notApproved', {
    body: { message, details: details ?? [], debug_id },
  })

/** Whether the order's money is back, or on its way. */
const isMoneyBack = ({ state }: OrderRow): boolean => state === 'refunding' || state === 'refunded'

/** Whether the money of an order that was paid, and had its tickets, went back later. */
export const isTakenBack = async (db: Sql, order: OrderRow): Promise<boolean> =>
  isMoneyBack(order) && (await ordersRepository(db).wasCompleted(order.id))

const moneyBackRefusal = async (db: Sql, order: OrderRow): Promise<Refusal> =>
  (await isTakenBack(db, order))
    ? new Refusal('checkout.takenBack', 409, 'errors.checkout.takenBack')
    : new Refusal('checkout.refunded', 409, 'errors.checkout.refunded')
