import { ProviderAway, ProviderRefused, ProviderUnknown } from '#platform/paypal/faults.ts'
import type { ProviderOrder } from '#platform/paypal/messages.ts'
import type { Ticket } from '#features/tickets/tickets.contract.ts'
import { transact } from '#platform/transaction.ts'
import { NOT_ASKED, inReview, notApproved, orderClosed, whyBackWithBuyer } from './back-with-buyer.ts'
import { beginCapture } from './begin-capture.ts'
import { type CheckoutDeps, providerFailure } from './checkout-deps.ts'
import { reread } from './lanes.ts'
import { isMoneyBack, whyMoneyBack } from './money-back.ts'
import { orderWrites } from './order-moves.repository.ts'
import type { OrderRow } from './orders.repository.ts'
import { applyTruth, requestCapture } from './reconcile.ts'

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

/**
 * Captures an approved order and gives its tickets. Two calls for one order never capture twice: the conditional move to
 * `capturing` lets one through, the other waits and gets the same answer (reliability, row 3).
 * @throws Refusal before any money moved: contest ended, hold gone, order closed, provider away
 */
export const capture = async (deps: CheckoutDeps, found: OrderRow): Promise<CaptureOutcome> =>
  captureBegun(deps, await beginCapture(deps, found))

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
