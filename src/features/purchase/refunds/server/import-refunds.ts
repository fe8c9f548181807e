import { payingCapture } from '#features/purchase/orders/paying-capture.rules.ts'
import type { Trx } from '#platform/database.ts'
import type { ProviderCapture, ProviderOrder } from '#platform/payment/payment-provider.ts'
import { transact } from '#platform/transaction.ts'
import {
  type OrderRow,
  type OrdersDeps,
  enqueueRefundEmail,
  orderWrites,
  ordersRepository,
} from '#features/purchase/orders/server/index.ts'
import { cents } from '#shared/money.ts'
import { type CaptureBalance, isAllReturned, isPaidTwice, planAfterImport } from '../refund-plan.rules.ts'
import { applyPlan } from './apply-plan.ts'
import { refundableLines } from './cancelled-offers.repository.ts'
import {
  type ExternalRefund,
  ledgerRepository,
  ledgerWrites,
  noteUnreconciled,
  recordCaptures,
} from './ledger.repository.ts'

/**
 * Imports refunds made at the provider (staff, disputes, chargebacks; failure modes 24 and 25) and applies the plan.
 * While a refund of ours is open nothing is imported, since it may be among the listed ones.
 */
export async function importRefunds(
  deps: OrdersDeps,
  orderId: string,
  response: ProviderOrder,
): Promise<void> {
  const refunds = externalRefunds(response)
  const hasChanged =
    refunds.length > 0 || !(await isInLedger(deps, orderId, response)) || (await isOwed(deps, orderId))
  if (!hasChanged) return
  await transact(deps.db, async (trx) => {
    const order = await orderWrites(trx).lock(orderId)
    if (await ledgerRepository(trx).openRefund(orderId)) return
    // A refunded capture is stored only with refunds that account for it.
    const unlisted = unlistedReturns(response)
    const consistent = response.captures.filter((one) => !unlisted.includes(one))
    await recordCaptures(deps, trx, order, consistent)
    // The order is retried: the provider may list them later.
    if (unlisted.length > 0) await noteUnreconciled(trx, orderId)
    for (const { id: unlisted_capture, status } of unlisted)
      await deps.alerts.raise(trx, {
        kind: 'ledgerDiffers',
        subject: orderId,
        details: { unlisted_capture, said: status },
      })
    const done = await ledgerWrites(trx).importRefunds(orderId, refunds)
    const balances = await ledgerRepository(trx).balances(orderId)
    const lines = await refundableLines(trx, orderId)
    const missing = unlisted.map(({ id }) => id)
    const applied = await applyPlan(deps, trx, order, planAfterImport(order, balances, lines, missing))
    await enqueueImportEmail(deps, trx, order, balances, done, applied)
  })
}

async function enqueueImportEmail(
  deps: OrdersDeps,
  trx: Trx,
  order: OrderRow,
  balances: readonly CaptureBalance[],
  done: readonly ExternalRefund[],
  { isClosed, voided }: { isClosed: boolean; voided: number },
): Promise<void> {
  const hadTickets = isClosed ? voided > 0 : order.state === 'completed'
  const sum = done.reduce((all, one) => all + one.amount, 0)
  if (!hadTickets) {
    // Our refund failed, and a refund made at the provider replaced it.
    const failedLater = isAllReturned(balances)
      ? await ledgerRepository(trx).lastFailedLater(order.id)
      : undefined
    if (failedLater !== undefined && sum > 0)
      await enqueueRepeatedRefundEmail(deps, trx, order, sum, failedLater)
    return
  }
  if (!isClosed && done.length === 0) return
  deps.log.warn(
    { orderId: order.id, whole: isClosed },
    'money of a completed order went back at the provider',
  )
  if (isClosed) {
    await enqueueRefundEmail(deps, trx, { order, amount: cents(order.total_cents), why: 'takenBack' })
    return
  }
  const payment = payingCapture(order, balances)
  const isSurplus = payment !== undefined && done.every(({ captureId }) => captureId !== payment.captureId)
  const why = isSurplus ? 'paidTwice' : 'partTakenBack'
  await enqueueRefundEmail(deps, trx, { order, amount: cents(sum), why, part: done[0]?.id })
}

/**
 * Enqueues the email that a refund failed after the buyer was informed, and was repeated: one for each failed refund.
 * @param amount cents
 * @param failedLater id of the failed refund
 */
export const enqueueRepeatedRefundEmail = (
  deps: OrdersDeps,
  trx: Trx,
  order: OrderRow,
  amount: number,
  failedLater: number,
): Promise<void> =>
  enqueueRefundEmail(deps, trx, {
    order,
    amount: cents(amount),
    why: 'sentAgain',
    part: `again:${failedLater}`,
  })

/** Captures with status refunded or partially refunded whose listed refunds do not account for it. */
export function unlistedReturns(response: ProviderOrder): ProviderCapture[] {
  const refunds = externalRefunds(response).filter(({ status }) => status !== 'failed')
  return response.captures.filter((capture) => {
    const listed = refunds.filter(({ captureId }) => captureId === capture.id)
    const back = listed.reduce((sum, { amount }) => sum + amount, 0)
    if (capture.status === 'partially_refunded') return back === 0
    return capture.status === 'refunded' && back < (capture.money?.amount ?? Infinity)
  })
}

async function isInLedger({ db }: OrdersDeps, orderId: string, response: ProviderOrder): Promise<boolean> {
  const ours = await ledgerRepository(db).captures(orderId)
  return response.captures.every(({ id, status }) =>
    ours.some((one) => one.capture_id === id && one.status === status),
  )
}

/** Whether a completed order may need a refund although the provider reports nothing new. */
async function isOwed({ db }: OrdersDeps, orderId: string): Promise<boolean> {
  const order = await ordersRepository(db).byId(orderId)
  if (order?.state !== 'completed') return false
  const balances = await ledgerRepository(db).balances(orderId)
  return isPaidTwice(order, balances) || balances.some(({ failed }) => failed > 0)
}

/** All refunds in the response whose capture and amount are known, whoever made them. */
function externalRefunds({ captures, refunds }: ProviderOrder): ExternalRefund[] {
  return refunds.flatMap(({ id, status, money, at, ...refund }) => {
    const captureId = refund.captureId ?? (captures.length === 1 ? captures[0]?.id : undefined)
    const amount = money?.amount
    if (!captureId || !amount || !captures.some((one) => one.id === captureId)) return []
    return [{ id, captureId, amount, status, at }]
  })
}
