import { setTimeout as sleep } from 'node:timers/promises'
import { ProviderAway, ProviderRefused, ProviderUnknown } from '#platform/paypal/faults.ts'
import type { ProviderOrder } from '#platform/paypal/messages.ts'
import { activeAccount } from '#features/accounts/server/index.ts'
import type { Ticket } from '#features/tickets/tickets.contract.ts'
import { transact } from '#platform/transaction.ts'
import { Refusal } from '#shared/refusal.ts'
import { NOT_ASKED, notApproved, orderClosed, whyBackWithBuyer } from './back-with-buyer.ts'
import { type CheckoutDeps, providerFailure } from './checkout-deps.ts'
import { extendHoldOnce } from './hold-extension.repository.ts'
import { holdAgain, releaseOrder } from './holds.ts'
import { isMoneyBack, whyMoneyBack } from './money-back.ts'
import { orderWrites } from './order-moves.repository.ts'
import { type OrderRow, ordersRepository } from './orders.repository.ts'
import { NOT_APPROVED, applyTruth, providerTruth, reconcile, requestCapture } from './reconcile.ts'

/** What came of a capture: where the order stands, and the provider's own words where it gave any. */
export interface CaptureOutcome {
  order: OrderRow
  /** Known when this very call has brought them. */
  tickets?: Ticket[]
  /** Body of the provider's answer, or of its refusal. */
  provider?: ProviderOrder | { details?: unknown; debug_id?: string | undefined; name?: string | undefined }
  /** The buyer must choose another instrument. */
  declined: boolean
}

/** How long a second capture of the same order waits for the first one's result. */
const WAIT_MS = 8_000
const WAIT_STEP_MS = 250

/**
 * Captures an approved order and gives its tickets. Two calls for one order never capture twice: the conditional move to
 * `capturing` lets one through, the other waits and gets the same answer (reliability, row 3).
 * @throws Refusal before any money moved: contest ended, hold gone, order closed, provider away
 */
export const capture = async (deps: CheckoutDeps, found: OrderRow): Promise<CaptureOutcome> =>
  captureBegun(deps, await begin(deps, found))

/** The same for an order that this caller has brought into `capturing`, or that was found in another state. */
export async function captureBegun(deps: CheckoutDeps, order: OrderRow): Promise<CaptureOutcome> {
  const outcome = await attempt(deps, order)
  if (isMoneyBack(outcome.order)) throw await whyMoneyBack(deps.db, outcome.order)
  if (outcome.order.state === 'review') throw inReview()
  // Denied for good: the buyer's next try makes an order anew.
  if (outcome.order.state === 'cancelled') throw orderClosed()
  return outcome
}

async function attempt(deps: CheckoutDeps, order: OrderRow): Promise<CaptureOutcome> {
  if (order.state !== 'capturing') return { order, declined: false }
  try {
    const { answer: provider, completed } = await requestCapture(deps, order)
    if (completed) return { ...completed, provider, declined: false }
    const after = await reread(deps, order)
    return { order: after, provider, declined: after.state === 'held' }
  } catch (error) {
    if (error instanceof ProviderAway) return notAsked(deps, order, error)
    return error instanceof ProviderUnknown ? inDoubt(deps, order) : refused(deps, order, error)
  }
}

/** The request never left, so nothing is in doubt: the order waits for another try, and the buyer is told. */
async function notAsked(deps: CheckoutDeps, order: OrderRow, error: ProviderAway): Promise<never> {
  await transact(deps.db, (trx) => orderWrites(trx).move(order.id, ['capturing'], 'held', NOT_ASKED))
  throw providerFailure(error)
}

/** The provider did not say what came of the request: it is asked, once. */
async function inDoubt(deps: CheckoutDeps, order: OrderRow): Promise<CaptureOutcome> {
  try {
    await applyTruth(deps, order, false)
  } catch (error) {
    if (!(error instanceof ProviderUnknown)) return refused(deps, order, error)
  }
  const after = await reread(deps, order)
  // Back in the buyer's hands: nothing was taken.
  if (after.state === 'held') throw await whyBackWithBuyer(deps.db, after)
  return { order: after, declined: false }
}

async function refused(deps: CheckoutDeps, order: OrderRow, error: unknown): Promise<CaptureOutcome> {
  if (!(error instanceof ProviderRefused)) throw error
  if (error.has('ORDER_NOT_APPROVED')) throw notApproved(error.fault)
  if (!error.has('INSTRUMENT_DECLINED')) throw providerFailure(error)
  return { order: await reread(deps, order), provider: error.fault, declined: true }
}

/** Brings an order into `capturing`, or finds out why it cannot go there. */
async function begin(deps: CheckoutDeps, found: OrderRow): Promise<OrderRow> {
  const order = found.state === 'expired' ? await afterLapse(deps, found) : found
  switch (order.state) {
    case 'held':
      return beginHeld(deps, order)
    case 'capturing':
      return waitForOther(deps, order)
    case 'completed':
    case 'pending':
      return order
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

/** Until staff have decided. */
const inReview = (): Refusal =>
  new Refusal('checkout.inReview', 409, 'errors.checkout.inReview', { passes: true })

/**
 * Holds the tickets of a lapsed order again, once the provider says that its buyer has approved it: anybody who knows its
 * address may come here, and must not keep tickets from those who pay (reliability, row 13).
 * @returns the order, held; or as it stands when its money came without us
 */
async function afterLapse(deps: CheckoutDeps, order: OrderRow): Promise<OrderRow> {
  await activeAccount(deps.db, order.user_id)
  const truth = await providerTruth(deps, order).catch((error: unknown) => {
    throw providerFailure(error)
  })
  if (truth && NOT_APPROVED.includes(truth.status)) throw notApproved({})
  if (truth?.status !== 'APPROVED') {
    const after = await reconcile(deps, order.id)
    if (after.state === 'expired') throw orderClosed()
    return after
  }
  const again = await holdAgain(deps.db, order, deps.holdMinutes)
  const after = await reread(deps, order)
  // Another call for the same order may have been quicker: its end is the answer here, too.
  if (again === 'held' || after.state !== 'expired') return after
  // Nothing is sold out: the cart has changed, or another order of it stands.
  if (again === 'overtaken') throw orderClosed()
  // Others are paying for its tickets, and may not.
  throw new Refusal('checkout.holdLapsed', 409, 'errors.checkout.holdLapsed', { passes: true })
}

async function beginHeld(deps: CheckoutDeps, order: OrderRow): Promise<OrderRow> {
  await activeAccount(deps.db, order.user_id)
  if (!(await ordersRepository(deps.db).contestsRun(order.id))) {
    await transact(deps.db, (trx) => releaseOrder(trx, order.id, ['held'], 'cancelled', 'contest ended'))
    const [line] = await ordersRepository(deps.db).lines(order.id)
    throw new Refusal('offer.ended', 409, 'errors.offer.ended', { values: { title: line?.title ?? '' } })
  }
  // Looks at all of this once more, at the very moment.
  const wish = { userId: order.user_id, providerId: order.provider_order_id ?? '' }
  const [moved] = await orderWrites(deps.db).beginCaptures([wish])
  return moved ?? begin(deps, await reread(deps, order))
}

/** Somebody else captures this order: wait for the result, and ask the provider when it takes long. */
async function waitForOther(deps: CheckoutDeps, order: OrderRow): Promise<OrderRow> {
  for (let waited = 0; waited < WAIT_MS; waited += WAIT_STEP_MS) {
    await sleep(WAIT_STEP_MS)
    const now = await reread(deps, order)
    if (now.state !== 'capturing') return afterOther(deps, now)
  }
  const after = await reconcile(deps, order.id)
  // Still unknown: the caller reports "being confirmed" and must not capture a second time.
  return after.state === 'capturing' ? { ...after, state: 'pending' } : afterOther(deps, after)
}

/** The end that the other call came to; one that brought nothing is reported, instead of trying one's luck again. */
async function afterOther(deps: CheckoutDeps, order: OrderRow): Promise<OrderRow> {
  if (order.state === 'held') throw await whyBackWithBuyer(deps.db, order)
  return begin(deps, order)
}

const reread = async (deps: CheckoutDeps, order: OrderRow): Promise<OrderRow> =>
  (await deps.lanes.order(order.id)) ?? order

/** Gives up an order that is not being paid: its tickets go back (reliability, row 22). @returns the order afterwards */
export async function cancelOrder(deps: CheckoutDeps, order: OrderRow): Promise<OrderRow> {
  await transact(deps.db, (trx) => releaseOrder(trx, order.id, ['held'], 'cancelled', 'buyer cancelled'))
  return reread(deps, order)
}

/**
 * Gives the buyer of a standing order more time to pay, once.
 * @throws Refusal when the time was given before, or when there is nothing left to extend
 */
export async function extendHold(deps: CheckoutDeps, order: OrderRow): Promise<OrderRow> {
  const extended = await extendHoldOnce(deps.db, order.id, deps.holdMinutes)
  if (extended) return extended
  const { state, hold_extended: wasExtended } = (await ordersRepository(deps.db).byId(order.id)) ?? order
  if (state === 'held' && wasExtended) {
    throw new Refusal('checkout.alreadyExtended', 409, 'errors.checkout.alreadyExtended')
  }
  if (state === 'held' || state === 'expired') {
    throw new Refusal('checkout.holdLapsed', 409, 'errors.checkout.holdLapsed')
  }
  throw orderClosed()
}
