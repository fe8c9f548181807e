import { setTimeout as sleep } from 'node:timers/promises'
import { activeAccount } from '#features/accounts/server/index.ts'
import { transact } from '#platform/transaction.ts'
import { Refusal } from '#shared/refusal.ts'
import { inReview, notApproved, orderClosed, whyBackWithBuyer } from './back-with-buyer.ts'
import { type CheckoutDeps, providerFailure } from './checkout-deps.ts'
import { holdAgain, releaseOrder } from './holds.ts'
import { reread } from './lanes.ts'
import { orderWrites } from './order-moves.repository.ts'
import { type OrderRow, ordersRepository } from './orders.repository.ts'
import { NOT_APPROVED, providerTruth, reconcile } from './reconcile.ts'

/** How long a second capture of the same order waits for the first one's result. */
const WAIT_MS = 8_000
const WAIT_STEP_MS = 250

/**
 * Brings an order into `capturing`, or finds out why it cannot go there.
 * @returns the order in `capturing`, or in the state that its payment has come to without this caller
 * @throws Refusal before any money moved: contest ended, hold gone, order closed, provider away
 */
export async function beginCapture(deps: CheckoutDeps, found: OrderRow): Promise<OrderRow> {
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
  throw new Refusal('checkout.holdLapsed', 409, 'errors.checkout.holdLapsed')
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
  return moved ?? beginCapture(deps, await reread(deps, order))
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
  return beginCapture(deps, order)
}
