import { ProviderContradicts, ProviderUnknown } from '#platform/paypal/faults.ts'
import { type ProviderOrder, capturesOf, refundsOf } from '#platform/paypal/messages.ts'
import { UNSETTLED } from '../order-states.rules.ts'
import { comparisonRepository } from './book-comparison.repository.ts'
import type { CheckoutDeps } from './checkout-deps.ts'
import { ordersRepository } from './orders.repository.ts'
import { applyTruth } from './reconcile.ts'
import { isTooMuch } from './refunds.ts'
import { refundsRepository } from './refunds.repository.ts'
import { amountOf } from './provider-answers.ts'

/** Orders compared in one go; a walk of many goes covers them all once a day. */
const BATCH = 500

/**
 * Compares our book with the provider's, order by order, in both directions: money that we do not know of is settled or
 * sent back, refunds made there are taken over, and a difference that remains is an alarm (reliability, row 11 and I5).
 * Each call goes on where the last one stopped; it ends early when the provider does not answer.
 * @returns the ids of orders whose sums differ
 */
export async function compareBooks(deps: CheckoutDeps, limit = BATCH): Promise<string[]> {
  const walk = comparisonRepository(deps.db)
  const ids = await walk.next(limit)
  const differing: string[] = []
  for (const id of ids) {
    const same = await compared(deps, id)
    if (same === 'unknown') return differing
    if (!same) differing.push(id)
    await walk.reached(id)
  }
  if (ids.length < limit) await walk.ended()
  return differing
}

/**
 * Orders that were given up after a capture had been asked for: the request may have arrived after all, and nobody else
 * would ask about them.
 */
export async function compareGivenUp(
  deps: CheckoutDeps,
  olderThanSeconds: number,
  limit: number,
): Promise<void> {
  const walk = comparisonRepository(deps.db)
  for (const order of await walk.givenUp(olderThanSeconds, limit)) {
    if ((await compared(deps, order.id)) === 'unknown') return
    await walk.markCompared(order)
  }
}

/** Whether both books say the same of an order, once ours has taken over what the other says. */
async function compared(deps: CheckoutDeps, id: string): Promise<boolean | 'unknown'> {
  const order = await ordersRepository(deps.db).byId(id)
  // What is under way is settled by the sweep; the next walk looks at it.
  if (!order || UNSETTLED.includes(order.state)) return true
  let truth: ProviderOrder | undefined
  try {
    truth = await applyTruth(deps, order, true)
  } catch (error) {
    // One order of which it tells nonsense must not end every walk for the orders behind it.
    const isSilent = error instanceof ProviderUnknown && !(error instanceof ProviderContradicts)
    if (isSilent) return 'unknown'
    deps.log.error({ err: error, orderId: id }, 'an order could not be compared with the provider’s book')
    return false
  }
  const after = await ordersRepository(deps.db).byId(id)
  if (!truth || !after || UNSETTLED.includes(after.state)) return true
  const returns = await refundsRepository(deps.db).returns(id)
  const ours = returns.reduce((sum, { taken, returned }) => sum + taken - returned, 0)
  const theirs = netOf(truth)
  if (ours === theirs) {
    // Both say that more went back than was taken: that has its alarm, and stays.
    if (returns.some(isTooMuch)) return false
    await deps.bell.clear(deps.db, 'booksDiffer', id)
    return true
  }
  await deps.bell.raise(deps.db, { kind: 'booksDiffer', subject: id, details: { ours, theirs } })
  return false
}

const TAKEN = new Set(['COMPLETED', 'PARTIALLY_REFUNDED', 'REFUNDED'])

/** Cents that the provider has of an order. */
function netOf(truth: ProviderOrder): number {
  const taken = capturesOf(truth).filter((one) => TAKEN.has(one.status))
  const back = refundsOf(truth).filter((one) => one.status === 'COMPLETED')
  const sum = (list: readonly Parameters<typeof amountOf>[0][]): number =>
    list.reduce((all, one) => all + (amountOf(one) ?? 0), 0)
  return sum(taken) - sum(back)
}
