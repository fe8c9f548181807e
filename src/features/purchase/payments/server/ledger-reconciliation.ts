import {
  type PaymentProvider,
  type ProviderOrder,
  ProviderRefused,
  ProviderUnavailable,
  ProviderUnknown,
  TOOK_MONEY,
  TOOK_NOTHING,
} from '#platform/payment/payment-provider.ts'
import { RELEASED, AWAITING_PROVIDER } from '#features/purchase/orders/order-machine.rules.ts'
import {
  type OrderRow,
  orderWrites,
  ordersRepository,
  readProviderOrder,
} from '#features/purchase/orders/server/index.ts'
import { isOverReturned, isPaidTwice } from '#features/purchase/refunds/refund-plan.rules.ts'
import {
  ledgerRepository,
  noteReconciled,
  noteUnreconciled,
  unlistedReturns,
} from '#features/purchase/refunds/server/index.ts'
import { reconciliationRepository } from './payments.repository.ts'
import { applyProviderState } from './reconcile.ts'
import type { PaymentsDeps } from './settlement.ts'
import type { Database } from '#platform/database.ts'
import type { LedgerCapture, ProviderLedger } from '#platform/invariants.ts'

const BATCH = 500

/** A run ends after this number of failed orders in a row: the provider may be failing. */
const MOST_FAILURES = 5

/**
 * Hours after a capture request in which "no such order" from the provider does not prove that no money was taken: the
 * request may still be in progress. Later that response counts as no payment.
 */
const UNKNOWN_COUNTS_AFTER_HOURS = 24

/** `unclear`: no usable response. `unavailable`: the provider is not called at present. */
type Result = 'same' | 'differs' | 'unclear' | 'unavailable'

/**
 * Background job: reconciles our ledger with the provider's, order by order. It settles or refunds unknown payments,
 * imports refunds and raises an alert for a remaining difference (failure mode 11 and I5). Failed orders are retried
 * first; then the run continues where the last one ended.
 * @returns ids of orders that differ or could not be reconciled
 */
export async function reconcileLedger(deps: PaymentsDeps, limit = BATCH): Promise<string[]> {
  const progress = reconciliationRepository(deps.db)
  const differing: string[] = []
  const note = (id: string, result: Result): void => {
    if (result !== 'same') differing.push(id)
  }
  await reconcileEach(deps, await progress.unreconciled(limit), note)
  const ids = await progress.next(limit)
  const isThrough = await reconcileEach(deps, ids, async (id, result) => {
    note(id, result)
    await progress.reached(id)
  })
  if (isThrough && ids.length < limit) await progress.ended()
  return differing
}

/** Reconciles released orders with a capture request: the provider may have carried it out. */
export async function reconcileReleased(
  deps: PaymentsDeps,
  olderThanSeconds: number,
  limit: number,
): Promise<void> {
  const progress = reconciliationRepository(deps.db)
  const orders = new Map((await progress.released(olderThanSeconds, limit)).map((order) => [order.id, order]))
  await reconcileEach(deps, [...orders.keys()], async (id, result) => {
    const order = orders.get(id)
    if (order && result !== 'unclear') await orderWrites(deps.db).markReconciled(id, order.releasedAt)
  })
}

/**
 * Stores failed orders for a retry, and ends early when the provider is unavailable. @returns whether all were reached
 */
async function reconcileEach(
  deps: PaymentsDeps,
  ids: readonly string[],
  done: (id: string, result: Result) => Promise<void> | void,
): Promise<boolean> {
  let failures = 0
  for (const id of ids) {
    const result = await reconcileOrder(deps, id)
    if (result === 'unavailable') return false
    await (result === 'unclear' ? noteUnreconciled(deps.db, id) : noteReconciled(deps.db, id))
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

/** @returns whether both ledgers agree after the reconciliation */
async function ledgersAgree(deps: PaymentsDeps, id: string): Promise<boolean> {
  const order = await ordersRepository(deps.db).byId(id)
  // The sweep settles an open order; the next round of this job reconciles it.
  if (!order || AWAITING_PROVIDER.includes(order.state)) return true
  const response = await applyProviderState(deps, order, true)
  const after = await ordersRepository(deps.db).byId(id)
  if (!after?.provider_order_id || AWAITING_PROVIDER.includes(after.state)) return true
  // The response was read before the order changed and may lack a refund.
  const hasMoved = after.state_changed_at.getTime() !== order.state_changed_at.getTime()
  const latest = hasMoved ? await readProviderOrder(deps, after) : response
  if (latest && unlistedReturns(latest).length > 0)
    throw new ProviderUnknown('money went back by a refund that is not listed')
  if (!latest && (await mayBeCaptured(deps, after)))
    throw new ProviderUnknown('it does not know an order that it was to capture')
  const theirs = latest ? netOf(latest) : 0
  const balances = await ledgerRepository(deps.db).balances(id)
  const ours = balances.reduce((sum, { captured, returned }) => sum + captured - returned, 0)
  if (ours === theirs) {
    // Both agree on an excess refund or a second payment, which have alerts of their own.
    if (balances.some(isOverReturned) || isPaidTwice(after, balances)) return false
    await deps.alerts.clear(deps.db, 'ledgerDiffers', id)
    return true
  }
  await deps.alerts.raise(deps.db, {
    kind: 'ledgerDiffers',
    subject: id,
    details: { ours_cents: ours, theirs_cents: theirs },
  })
  return false
}

/** Whether an order that the provider does not know may be captured: released, not reconciled, recently requested. */
const mayBeCaptured = async (
  { db }: PaymentsDeps,
  { id, state, reconciled_at }: OrderRow,
): Promise<boolean> =>
  RELEASED.some((one) => one === state) &&
  reconciled_at === null &&
  (await ordersRepository(db).captureIsRecent(id, UNKNOWN_COUNTS_AFTER_HOURS))

/** Cents captured less cents refunded. @throws ProviderUnknown when an amount is unreadable */
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

/** At most the `most` newest orders that changed in the last `hours`. */
interface OrdersToCompare {
  hours: number
  most: number
}

/** Concurrent reads: few, so that paying buyers still reach the provider. */
const AT_ONCE = 4

/** Captures of recent orders; leaves out those without a response. @throws ProviderUnknown when no order gets one */
export async function providerLedger(
  db: Database,
  provider: PaymentProvider,
  { hours, most }: OrdersToCompare,
): Promise<ProviderLedger> {
  const wanted = await ordersRepository(db).changedWithin(hours, most)
  const left = [...wanted]
  const orders: string[] = []
  const captures: LedgerCapture[] = []
  let unanswered: unknown
  const readOn = async (): Promise<void> => {
    for (let id = left.pop(); id !== undefined; id = left.pop()) {
      try {
        const order = await readIfKnown(provider, id)
        if (order) captures.push(...capturesIn(order))
        orders.push(id)
      } catch (error) {
        if (!(error instanceof ProviderUnknown)) throw error
        unanswered = error
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, readOn))
  if (wanted.length > 0 && orders.length === 0) throw unanswered
  return { orders, captures }
}

/** @returns undefined for an unknown order: the provider forgets an order that was never paid */
export async function readIfKnown(provider: PaymentProvider, id: string): Promise<ProviderOrder | undefined> {
  try {
    return await provider.readOrder(id)
  } catch (error) {
    if (error instanceof ProviderRefused && error.reason === 'not_found') return undefined
    throw error
  }
}

/** Replaces an unreadable amount: no amount of ours equals it, so that the order is reported. */
const UNREADABLE = -1

/**
 * Captures of an order with their refunded cents. A refund without a known capture counts for the only capture that
 * took money; with several, all get `UNREADABLE` and are reported.
 */
function capturesIn({ id: providerOrderId, captures, refunds }: ProviderOrder): LedgerCapture[] {
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
