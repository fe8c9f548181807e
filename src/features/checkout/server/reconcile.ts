import { ProviderRefused, ProviderUnknown } from '#platform/paypal/faults.ts'
import { type ProviderOrder, capturesOf } from '#platform/paypal/messages.ts'
import { transact } from '#platform/transaction.ts'
import { cents, toDecimal } from '#shared/money.ts'
import type { CheckoutDeps } from './checkout-deps.ts'
import { type OrderRow, orderWrites, ordersRepository } from './orders.repository.ts'
import { paymentWrites, paymentsRepository } from './payments.repository.ts'
import { applyCapture } from './settle.ts'

/** PayPal remembers a capture's request id for six hours; after that a repeated request would be a new one. */
const SAME_REQUEST_MS = 6 * 3600 * 1000

/**
 * Asks the provider for the truth about an order and applies it: settles, releases or refunds. The one function behind
 * the capture call, the return address, the notifications and the sweep; it may run any number of times, in any order,
 * on any process.
 * @returns the order as it is afterwards; unchanged when the provider does not answer
 */
export async function reconcile(deps: CheckoutDeps, orderId: string): Promise<OrderRow> {
  const order = await ordersRepository(deps.db).byId(orderId)
  if (!order) throw new Error(`no order ${orderId}`)
  try {
    await applyTruth(deps, order)
  } catch (error) {
    if (!(error instanceof ProviderUnknown)) throw error
    deps.log.warn({ orderId, reason: error.message }, 'the provider does not tell yet')
  }
  return (await ordersRepository(deps.db).byId(orderId)) ?? order
}

async function applyTruth(deps: CheckoutDeps, order: OrderRow): Promise<void> {
  if (order.state === 'refunding') return refund(deps, order)
  if (!order.provider_order_id || order.state === 'completed' || order.state === 'refunded') return
  const truth = await providerTruth(deps, order.provider_order_id)
  const captures = truth ? capturesOf(truth) : []
  const decided = captures.find((one) => one.status === 'COMPLETED') ?? captures.at(-1)
  // A capture that was declined earlier says nothing about an attempt that began after it.
  if (decided && !(await isKnownDecline(deps, order, decided.id))) await applyCapture(deps, order, decided)
  else if (order.state === 'capturing') await captureAgain(deps, order, truth)

  const after = await ordersRepository(deps.db).byId(order.id)
  if (after?.state === 'refunding') await refund(deps, after)
}

async function isKnownDecline(deps: CheckoutDeps, order: OrderRow, captureId: string): Promise<boolean> {
  const known = await paymentsRepository(deps.db).capturesOf(order.id)
  return known.some((one) => one.capture_id === captureId && ['DECLINED', 'FAILED'].includes(one.status))
}

/** The provider's order; undefined when it knows none. */
async function providerTruth(deps: CheckoutDeps, providerId: string): Promise<ProviderOrder | undefined> {
  try {
    return await deps.paypal.getOrder(providerId)
  } catch (error) {
    if (error instanceof ProviderRefused && error.status === 404) return undefined
    throw error
  }
}

/** A capture whose request may not have arrived: the same request once more while it counts as the same. */
async function captureAgain(
  deps: CheckoutDeps,
  order: OrderRow,
  truth: ProviderOrder | undefined,
): Promise<void> {
  const age = deps.clock().getTime() - (order.capture_started_at ?? order.changed_at).getTime()
  if (truth?.status === 'APPROVED' && age < SAME_REQUEST_MS) return void (await requestCapture(deps, order))
  const reason = truth ? `provider says ${truth.status}` : 'provider does not know the order'
  await transact(deps.db, (trx) =>
    orderWrites(trx).move(order.id, ['capturing'], 'held', reason, { nextAttempt: true }),
  )
}

/**
 * Sends the capture request of the order's current attempt and applies the answer.
 * @throws ProviderRefused after a definite no, ProviderUnknown when the outcome is open
 */
export async function requestCapture(deps: CheckoutDeps, order: OrderRow): Promise<ProviderOrder> {
  const requestId = `${order.id}:cap:${order.capture_attempt}`
  try {
    const answer = await deps.paypal.captureOrder(order.provider_order_id ?? '', requestId)
    const capture = capturesOf(answer).at(-1)
    if (!capture) throw new ProviderUnknown('a capture answer without a capture')
    await applyCapture(deps, order, capture)
    return answer
  } catch (error) {
    if (!(error instanceof ProviderRefused)) throw error
    if (error.has('ORDER_ALREADY_CAPTURED') || isInProgress(error)) {
      throw new ProviderUnknown('captured by another request', {
        debugId: error.fault.debug_id,
        cause: error,
      })
    }
    await transact(deps.db, (trx) =>
      orderWrites(trx).move(order.id, ['capturing'], 'held', reasonOf(error), { nextAttempt: true }),
    )
    throw error
  }
}

const isInProgress = (error: ProviderRefused): boolean =>
  error.status === 409 || error.has('DUPLICATE_REQUEST_ID') || error.has('PREVIOUS_REQUEST_IN_PROGRESS')

const reasonOf = (error: ProviderRefused): string =>
  `provider refused: ${error.fault.details?.[0]?.issue ?? error.fault.name ?? error.status}`

/** Refund states of the provider in our words. */
const REFUND_STATES: Record<string, 'pending' | 'completed' | 'failed'> = {
  COMPLETED: 'completed',
  PENDING: 'pending',
  CANCELLED: 'failed',
  FAILED: 'failed',
}

/** Sends the money of an order back; the request id makes a repeated refund the same refund. */
async function refund(deps: CheckoutDeps, order: OrderRow): Promise<void> {
  const wanted = await paymentsRepository(deps.db).openRefund(order.id)
  if (!wanted) return
  let status: 'pending' | 'completed' | 'failed'
  let refundId: string | null = null
  try {
    const body = {
      amount: { currency_code: order.currency, value: toDecimal(cents(wanted.amount_cents)) },
      note_to_payer: wanted.reason.slice(0, 255),
    }
    const made = await deps.paypal.refundCapture(
      wanted.capture_id,
      body,
      `${wanted.capture_id}:refund:${wanted.attempt}`,
    )
    status = REFUND_STATES[made.status] ?? 'pending'
    refundId = made.id
  } catch (error) {
    if (!(error instanceof ProviderRefused)) throw error
    // Fully refunded already means that somebody sent it back on the provider's own site.
    status = error.has('CAPTURE_FULLY_REFUNDED') ? 'completed' : 'failed'
    deps.log.error({ orderId: order.id, status, reason: error.message }, 'refund refused')
  }
  await transact(deps.db, async (trx) => {
    await paymentWrites(trx).setRefund(wanted.id, status, refundId)
    if (status === 'completed')
      await orderWrites(trx).move(order.id, ['refunding'], 'refunded', wanted.reason)
    if (status === 'failed') await orderWrites(trx).move(order.id, ['refunding'], 'review', 'refund failed')
  })
}
