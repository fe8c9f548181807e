import { ProviderAway, ProviderUnknown } from '#platform/paypal/faults.ts'
import {
  type Capture,
  type ProviderOrder,
  TOOK_MONEY,
  capturesOf,
  refundsOf,
} from '#platform/paypal/messages.ts'
import { GIVEN_UP, UNSETTLED } from '../order-states.rules.ts'
import { comparisonRepository } from './book-comparison.repository.ts'
import type { CheckoutDeps } from './checkout-deps.ts'
import { type OrderRow, ordersRepository } from './orders.repository.ts'
import { applyTruth, providerTruth } from './reconcile.ts'
import { isPaidTwice, isTooMuch } from './refund-sums.ts'
import { untoldOf } from './refunds-there.ts'
import { refundsRepository } from './refunds.repository.ts'
import { amountOf } from './provider-answers.ts'

/** Orders compared in one go; a walk of many goes covers them all once a day. */
const BATCH = 500

/** Orders in a row that could not be compared, after which a go ends: the provider may just be going away. */
const MOST_UNTOLD = 5

/** So long after a capture was asked for the provider is not believed that it does not know the order. */
const NOT_KNOWN_HOURS = 24

/** What came of the look at an order: `untold` when nothing can be said of it now, `away` when nobody can be asked. */
type Look = 'same' | 'differs' | 'untold' | 'away'

/**
 * Compares our book with the provider's, order by order, in both directions: money that we do not know of is settled or
 * sent back, refunds made there are taken over, and a difference that remains is an alarm (reliability, row 11 and I5).
 * Each call goes on where the last one stopped, after those that could not be compared before and are due again; it ends
 * early when the provider does not answer.
 * @returns the ids of orders whose sums differ, or that could not be compared
 */
export async function compareBooks(deps: CheckoutDeps, limit = BATCH): Promise<string[]> {
  const walk = comparisonRepository(deps.db)
  const differing: string[] = []
  const looked = (id: string, look: Look): void => {
    if (look !== 'same') differing.push(id)
  }
  await compareEach(deps, await walk.untold(limit), looked)
  const ids = await walk.next(limit)
  const isThrough = await compareEach(deps, ids, async (id, look) => {
    looked(id, look)
    await walk.reached(id)
  })
  if (isThrough && ids.length < limit) await walk.ended()
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
  const orders = new Map((await walk.givenUp(olderThanSeconds, limit)).map((order) => [order.id, order]))
  await compareEach(deps, [...orders.keys()], async (id, look) => {
    const order = orders.get(id)
    if (order && look !== 'untold') await walk.markCompared(order)
  })
}

/**
 * Looks at orders one after the other. One that cannot be compared is noted, to be asked about again later, and holds up
 * none behind it. While the provider is away nothing is noted and nobody goes on.
 * @param done told of each order that was looked at
 * @returns whether the last one was reached
 */
async function compareEach(
  deps: CheckoutDeps,
  ids: readonly string[],
  done: (id: string, look: Look) => Promise<void> | void,
): Promise<boolean> {
  const walk = comparisonRepository(deps.db)
  let untold = 0
  for (const id of ids) {
    const look = await compared(deps, id)
    if (look === 'away') return false
    await (look === 'untold' ? walk.noteUntold(id) : walk.forgetUntold(id))
    await done(id, look)
    untold = look === 'untold' ? untold + 1 : 0
    if (untold === MOST_UNTOLD) return false
  }
  return true
}

async function compared(deps: CheckoutDeps, id: string): Promise<Look> {
  try {
    return (await booksAgree(deps, id)) ? 'same' : 'differs'
  } catch (error) {
    if (error instanceof ProviderAway) return 'away'
    deps.log.warn({ err: error, orderId: id }, 'an order could not be compared with the provider’s book')
    return 'untold'
  }
}

/** Whether both books say the same of an order, once ours has taken over what the other says. */
async function booksAgree(deps: CheckoutDeps, id: string): Promise<boolean> {
  const order = await ordersRepository(deps.db).byId(id)
  // What is under way is settled by the sweep; the next walk looks at it.
  if (!order || UNSETTLED.includes(order.state)) return true
  const told = await applyTruth(deps, order, true)
  const after = await ordersRepository(deps.db).byId(id)
  if (!after?.provider_order_id || UNSETTLED.includes(after.state)) return true
  // What has been sent back just now was not told yet.
  const hasMoved = after.changed_at.getTime() !== order.changed_at.getTime()
  const truth = hasMoved ? await providerTruth(deps, after) : told
  if (truth && untoldOf(truth).length > 0)
    throw new ProviderUnknown('money went back by a refund that is not listed')
  if (!truth && (await isUnheard(deps, after)))
    throw new ProviderUnknown('it does not know an order that it was to capture')
  // Of an order that the provider does not know, it has nothing.
  const theirs = truth ? netOf(truth) : 0
  const returns = await refundsRepository(deps.db).returns(id)
  const ours = returns.reduce((sum, { taken, returned }) => sum + taken - returned, 0)
  if (ours === theirs) {
    // Both say that more went back than was taken: that has its alarm, and stays.
    if (returns.some(isTooMuch)) return false
    // Both say that it was paid twice: that has its alarm once it cannot be sent back.
    if (isPaidTwice(after, returns)) return false
    await deps.bell.clear(deps.db, 'booksDiffer', id)
    return true
  }
  await deps.bell.raise(deps.db, { kind: 'booksDiffer', subject: id, details: { ours, theirs } })
  return false
}

/**
 * Whether a first word that an order is not known counts for nothing: it was given up soon after its money was asked for,
 * which may have been taken.
 */
const isUnheard = async ({ db }: CheckoutDeps, { id, state, compared_at }: OrderRow): Promise<boolean> =>
  GIVEN_UP.includes(state) &&
  compared_at === null &&
  (await ordersRepository(db).captureIsYoung(id, NOT_KNOWN_HOURS))

/** Cents that the provider has of an order. @throws ProviderUnknown when one of the amounts cannot be read */
export function netOf(truth: ProviderOrder): number {
  const taken = capturesOf(truth).filter((one) => TOOK_MONEY.has(one.status))
  const back = refundsOf(truth).filter((one) => one.status === 'COMPLETED')
  return sumOf(taken) - sumOf(back)
}

function sumOf(list: readonly Pick<Capture, 'amount'>[]): number {
  let sum = 0
  for (const one of list) {
    const amount = amountOf(one)
    if (amount === undefined) throw new ProviderUnknown('an amount that cannot be read')
    sum += amount
  }
  return sum
}
