import {
  type PaymentProvider,
  type ProviderOrder,
  ProviderRefused,
  ProviderUnavailable,
  ProviderUnknown,
  TOOK_MONEY,
  TOOK_NOTHING,
} from '#platform/payment/payment-provider.ts'
import { RELEASED, UNSETTLED } from '#features/orders/order-machine.rules.ts'
import { type OrderRow, ordersRepository, readProviderOrder } from '#features/orders/server/index.ts'
import { isOverReturned, isPaidTwice } from '#features/refunds/refund-plan.rules.ts'
import { ledgerRepository, noteUnreconciled, unlistedReturns } from '#features/refunds/server/index.ts'
import { reconciliationRepository } from './payments.repository.ts'
import { applyProviderState } from './reconcile.ts'
import type { PaymentsDeps } from './settlement.ts'
import type { Database } from '#platform/database.ts'
import type { BookedCapture, ProviderBook } from '#platform/invariants.ts'

/** Orders reconciled in one run; many runs cover them all once a day. */
const BATCH = 500

/** Orders in a row that could not be reconciled, after which a run ends: the provider may be failing. */
const MOST_FAILURES = 5

/** For so long after a capture request, an answer that the order is not known decides nothing. */
const UNKNOWN_COUNTS_AFTER_HOURS = 24

/** `unclear` when the provider tells nothing usable of the order now, `unavailable` when it cannot be asked. */
type Result = 'same' | 'differs' | 'unclear' | 'unavailable'

/**
 * Reconciles our ledger with the provider's, order by order, in both directions: money that we do not know of is settled
 * or refunded, refunds made at the provider are imported, and a difference that remains raises an alert (reliability,
 * row 11 and I5). Each run continues where the last one stopped, after those that could not be reconciled before and are
 * due again; it ends early when the provider does not answer.
 * @returns the ids of orders whose sums differ, or that could not be reconciled
 */
export async function reconcileLedger(deps: PaymentsDeps, limit = BATCH): Promise<string[]> {
  const walk = reconciliationRepository(deps.db)
  const differing: string[] = []
  const note = (id: string, result: Result): void => {
    if (result !== 'same') differing.push(id)
  }
  await reconcileEach(deps, await walk.unreconciled(limit), note)
  const ids = await walk.next(limit)
  const isThrough = await reconcileEach(deps, ids, async (id, result) => {
    note(id, result)
    await walk.reached(id)
  })
  if (isThrough && ids.length < limit) await walk.ended()
  return differing
}

/**
 * Reconciles orders that were given up after a capture had been requested: the request may have arrived after all, and
 * nothing else would ask about them.
 */
export async function reconcileReleased(
  deps: PaymentsDeps,
  olderThanSeconds: number,
  limit: number,
): Promise<void> {
  const walk = reconciliationRepository(deps.db)
  const orders = new Map((await walk.released(olderThanSeconds, limit)).map((order) => [order.id, order]))
  await reconcileEach(deps, [...orders.keys()], async (id, result) => {
    const order = orders.get(id)
    if (order && result !== 'unclear') await walk.markReconciled(order)
  })
}

/**
 * Reconciles orders one after the other. One that cannot be reconciled is stored, to be asked about again later, and
 * blocks none behind it. While the provider is unavailable nothing is stored and the run ends.
 * @param done called with each order that was looked at
 * @returns whether the last one was reached
 */
async function reconcileEach(
  deps: PaymentsDeps,
  ids: readonly string[],
  done: (id: string, result: Result) => Promise<void> | void,
): Promise<boolean> {
  const walk = reconciliationRepository(deps.db)
  let failures = 0
  for (const id of ids) {
    const result = await reconcileOrder(deps, id)
    if (result === 'unavailable') return false
    await (result === 'unclear' ? noteUnreconciled(deps.db, id) : walk.forget(id))
    await done(id, result)
    failures = result === 'unclear' ? failures + 1 : 0
    if (failures === MOST_FAILURES) return false
  }
  return true
}

async function reconcileOrder(deps: PaymentsDeps, id: string): Promise<Result> {
  try {
    return (await ledgersAgree(deps, id)) ? 'same' : 'differs'
  } catch (error) {
    if (error instanceof ProviderUnavailable) return 'unavailable'
    deps.log.warn({ err: error, orderId: id }, 'an order could not be reconciled with the provider')
    return 'unclear'
  }
}

/** Whether both ledgers say the same of an order, once ours has imported what the other says. */
async function ledgersAgree(deps: PaymentsDeps, id: string): Promise<boolean> {
  const order = await ordersRepository(deps.db).byId(id)
  // What is under way is settled by the sweep; the next walk looks at it.
  if (!order || UNSETTLED.includes(order.state)) return true
  const answer = await applyProviderState(deps, order, true)
  const after = await ordersRepository(deps.db).byId(id)
  if (!after?.provider_order_id || UNSETTLED.includes(after.state)) return true
  // What was refunded just now is not in the answer yet.
  const hasMoved = after.changed_at.getTime() !== order.changed_at.getTime()
  const latest = hasMoved ? await readProviderOrder(deps, after) : answer
  if (latest && unlistedReturns(latest).length > 0)
    throw new ProviderUnknown('money went back by a refund that is not listed')
  if (!latest && (await mayBeCaptured(deps, after)))
    throw new ProviderUnknown('it does not know an order that it was to capture')
  // Of an order that the provider does not know, it has nothing.
  const theirs = latest ? netOf(latest) : 0
  const balances = await ledgerRepository(deps.db).balances(id)
  const ours = balances.reduce((sum, { taken, returned }) => sum + taken - returned, 0)
  if (ours === theirs) {
    // Both say that more went back than was taken: that has an alert of its own.
    if (balances.some(isOverReturned)) return false
    // Both say that it was paid twice: that has an alert once it cannot be refunded.
    if (isPaidTwice(after, balances)) return false
    await deps.alerts.clear(deps.db, 'ledgerDiffers', id)
    return true
  }
  await deps.alerts.raise(deps.db, { kind: 'ledgerDiffers', subject: id, details: { ours, theirs } })
  return false
}

/**
 * Whether an answer that the order is not known decides nothing yet: it was given up soon after a capture request, which
 * may have taken the money.
 */
const mayBeCaptured = async (
  { db }: PaymentsDeps,
  { id, state, reconciled_at }: OrderRow,
): Promise<boolean> =>
  RELEASED.some((one) => one === state) &&
  reconciled_at === null &&
  (await ordersRepository(db).captureIsRecent(id, UNKNOWN_COUNTS_AFTER_HOURS))

/** Cents that the provider has of an order. @throws ProviderUnknown when one of the amounts cannot be read */
export const netOf = ({ captures, refunds }: ProviderOrder): number =>
  sumOf(captures.filter((one) => TOOK_MONEY.has(one.status))) -
  sumOf(refunds.filter((one) => one.status === 'completed'))

function sumOf(list: readonly Pick<ProviderOrder['captures'][number], 'money'>[]): number {
  let sum = 0
  for (const { money } of list) {
    if (money === undefined) throw new ProviderUnknown('an amount that cannot be read')
    sum += money.amount
  }
  return sum
}

/** Which orders the provider is asked about: those that changed lately, and of them the newest. */
interface OrdersToCompare {
  hours: number
  most: number
}

/** Orders asked about at the same time: the check must leave room for buyers who pay. */
const AT_ONCE = 4

/**
 * The provider's ledger of recent orders, asked for order by order; PayPal has no list that is up to date (a transaction
 * shows in its search up to three hours late). Orders about which it gives no answer are left out.
 * @throws ProviderUnknown when it answers for none
 */
export async function providerLedger(
  db: Database,
  provider: PaymentProvider,
  { hours, most }: OrdersToCompare,
): Promise<ProviderBook> {
  const wanted = await ordersRepository(db).changedWithin(hours, most)
  const left = [...wanted]
  const orders: string[] = []
  const captures: BookedCapture[] = []
  let silence: unknown
  const askOn = async (): Promise<void> => {
    for (let id = left.pop(); id !== undefined; id = left.pop()) {
      try {
        captures.push(...(await booked(provider, id)))
        orders.push(id)
      } catch (error) {
        if (!(error instanceof ProviderUnknown)) throw error
        silence = error
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, askOn))
  if (wanted.length > 0 && orders.length === 0) throw silence
  return { orders, captures }
}

async function booked(provider: PaymentProvider, id: string): Promise<BookedCapture[]> {
  try {
    return capturesIn(await provider.readOrder(id))
  } catch (error) {
    // An order that was never paid is forgotten after a while.
    if (error instanceof ProviderRefused && error.reason === 'not_found') return []
    throw error
  }
}

/** Stands for an amount that cannot be read: no amount of ours is like it, so its order is reported, and only that. */
const UNREADABLE = -1

/**
 * The captures of a provider's order with what has gone back of each. A refund that names none of them counts for the
 * only one that took money; when there are several nobody can tell, and all of them are reported.
 */
function capturesIn({ id: providerOrderId, captures, refunds }: ProviderOrder): BookedCapture[] {
  const taking = captures.filter(({ status }) => !TOOK_NOTHING.has(status))
  const back = new Map<string, number>()
  const count = (id: string, amount: number | undefined): void => {
    const before = back.get(id) ?? 0
    back.set(id, amount === undefined || before === UNREADABLE ? UNREADABLE : before + amount)
  }
  for (const { captureId, money } of refunds.filter(({ status }) => status === 'completed')) {
    const isHere = captures.some(({ id }) => id === captureId)
    const ids = captureId !== undefined && isHere ? [captureId] : taking.map(({ id }) => id)
    for (const id of ids) count(id, ids.length === 1 ? money?.amount : undefined)
  }
  return captures.map(({ id, status, money }) => ({
    capture_id: id,
    provider_order_id: providerOrderId,
    status,
    cents: money?.amount ?? UNREADABLE,
    currency: money?.currency ?? '',
    refunded_cents: back.get(id) ?? 0,
  }))
}
