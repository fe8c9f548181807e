import { setTimeout as sleep } from 'node:timers/promises'
import { ProviderRefused, ProviderUnknown } from '#platform/paypal/faults.ts'
import type { ProviderOrder } from '#platform/paypal/messages.ts'
import { activeAccount } from '#features/accounts/server/index.ts'
import { transact } from '#platform/transaction.ts'
import { Refusal } from '#shared/refusal.ts'
import { type CheckoutDeps, providerFailure } from './checkout-deps.ts'
import { holdAgain, releaseOrder } from './holds.ts'
import { type OrderRow, orderWrites, ordersRepository } from './orders.repository.ts'
import { reconcile, requestCapture } from './reconcile.ts'

/** What came of a capture: where the order stands, and the provider's own words where it gave any. */
export interface CaptureOutcome {
  order: OrderRow
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
export async function capture(deps: CheckoutDeps, found: OrderRow): Promise<CaptureOutcome> {
  const outcome = await attempt(deps, found)
  if (outcome.order.state === 'refunding' || outcome.order.state === 'refunded') {
    throw new Refusal('checkout.refunded', 409, 'errors.checkout.refunded')
  }
  return outcome
}

async function attempt(deps: CheckoutDeps, found: OrderRow): Promise<CaptureOutcome> {
  const order = await begin(deps, found)
  if (order.state !== 'capturing') return { order, declined: false }
  try {
    const provider = await requestCapture(deps, order)
    const after = await reread(deps, order)
    return { order: after, provider, declined: after.state === 'held' }
  } catch (error) {
    if (error instanceof ProviderUnknown) return { order: await reconcile(deps, order.id), declined: false }
    if (!(error instanceof ProviderRefused)) throw error
    if (error.has('ORDER_NOT_APPROVED')) throw notApproved(error)
    if (error.has('INSTRUMENT_DECLINED'))
      return { order: await reread(deps, order), provider: error.fault, declined: true }
    throw providerFailure(error)
  }
}

/** Brings an order into `capturing`, or finds out why it cannot go there. */
async function begin(deps: CheckoutDeps, found: OrderRow): Promise<OrderRow> {
  let order = found
  if (order.state === 'expired') {
    if (!(await holdAgain(deps.db, order, deps.holdMinutes))) {
      throw new Refusal('checkout.holdLapsed', 409, 'errors.checkout.holdLapsed')
    }
    order = await reread(deps, order)
  }
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
      throw new Refusal('checkout.orderClosed', 409, 'errors.checkout.orderClosed')
    case 'review':
      throw new Refusal('checkout.inReview', 409, 'errors.checkout.inReview')
  }
}

async function beginHeld(deps: CheckoutDeps, order: OrderRow): Promise<OrderRow> {
  await activeAccount(deps.db, order.user_id)
  if (!(await ordersRepository(deps.db).contestsRun(order.id))) {
    await transact(deps.db, (trx) => releaseOrder(trx, order.id, ['held'], 'cancelled', 'contest ended'))
    const [line] = await ordersRepository(deps.db).lines(order.id)
    throw new Refusal('offer.ended', 409, 'errors.offer.ended', { values: { title: line?.title ?? '' } })
  }
  const moved = await transact(deps.db, (trx) =>
    orderWrites(trx).move(order.id, ['held'], 'capturing', 'capture asked'),
  )
  return moved ?? begin(deps, await reread(deps, order))
}

/** Somebody else captures this order: wait for the result, and ask the provider when it takes long. */
async function waitForOther(deps: CheckoutDeps, order: OrderRow): Promise<OrderRow> {
  for (let waited = 0; waited < WAIT_MS; waited += WAIT_STEP_MS) {
    await sleep(WAIT_STEP_MS)
    const now = await reread(deps, order)
    if (now.state !== 'capturing') return now.state === 'held' ? declinedElsewhere() : now
  }
  const after = await reconcile(deps, order.id)
  // Still unknown: the caller reports "being confirmed" and must not capture a second time.
  return after.state === 'capturing' ? { ...after, state: 'pending' } : after
}

/** The other call was declined; this one reports the same instead of trying its luck. */
const declinedElsewhere = (): never => {
  throw new Refusal('checkout.declined', 422, 'errors.checkout.declined', {
    body: { details: [{ issue: 'INSTRUMENT_DECLINED' }] },
  })
}

const notApproved = (error: ProviderRefused): Refusal =>
  new Refusal('checkout.notApproved', 422, 'errors.checkout.notApproved', {
    body: {
      message: error.fault.message,
      details: error.fault.details ?? [],
      debug_id: error.fault.debug_id,
    },
  })

const reread = async (deps: CheckoutDeps, order: OrderRow): Promise<OrderRow> =>
  (await ordersRepository(deps.db).byId(order.id)) ?? order

/** Gives up an order that is not being paid: its tickets go back (reliability, row 22). @returns the order afterwards */
export async function cancelOrder(deps: CheckoutDeps, order: OrderRow): Promise<OrderRow> {
  await transact(deps.db, (trx) => releaseOrder(trx, order.id, ['held'], 'cancelled', 'buyer cancelled'))
  return reread(deps, order)
}
