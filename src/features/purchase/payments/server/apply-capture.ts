import type { Trx } from '#platform/database.ts'
import type { Money, ProviderCapture } from '#platform/payment/payment-provider.ts'
import { transact } from '#platform/transaction.ts'
import type { AlertDetails } from '#features/alerts/server/index.ts'
import { exclusionsRepository } from '#features/accounts/server/index.ts'
import { ListIsPublished, releaseTickets } from '#features/offers/server/index.ts'
import {
  type OrderRow,
  type RefundNotice,
  enqueueRefundEmail,
  orderWrites,
  ordersRepository,
  releaseOrder,
  wantedOf,
} from '#features/purchase/orders/server/index.ts'
import { isPaidInFull } from '#features/purchase/orders/paying-capture.rules.ts'
import { ledgerWrites, recordCaptures } from '#features/purchase/refunds/server/index.ts'
import { cents, sumToDecimal } from '#shared/money.ts'
import { type Paid, type PaymentsDeps, type Settled, payersOf, settleLate } from './settlement.ts'

/**
 * Safe to run concurrently: one call moves the order. @returns the order with its tickets, for the call that completed
 * it
 */
export async function applyCapture(deps: PaymentsDeps, paid: Paid): Promise<Settled | undefined> {
  const { order, capture } = paid
  switch (capture.status) {
    case 'completed':
      return applyCompleted(deps, paid)
    case 'declined':
    case 'failed':
      await transact(deps.db, (trx) => applyDeclined(deps, trx, order, capture))
      return undefined
    case 'pending':
      await transact(deps.db, async (trx) => {
        await orderWrites(trx).move(order.id, 'awaitConfirmation', 'capture_pending', {
          note: capture.explanation,
          payers: payersOf([paid]),
        })
        await recordCaptures(deps, trx, order, [capture])
      })
      return undefined
    case 'refunded':
    case 'partially_refunded':
      // Refunded before the settlement: no tickets, and the rest is refunded, too.
      await refusePayment(deps, order, capture, 'refunded_at_provider')
      return undefined
    case 'unknown':
      deps.log.warn({ orderId: order.id, captureId: capture.id }, 'a capture in a state that is not known')
      return undefined
  }
}

async function applyCompleted(deps: PaymentsDeps, paid: Paid): Promise<Settled | undefined> {
  const { order, capture } = paid
  const { id: orderId } = order
  if (!isPaidInFull(order, capture.money)) {
    await refusePayment(deps, order, capture, 'wrong_amount')
    deps.log.error({ orderId, captureId: capture.id }, 'captured another amount than ordered: refunding')
    return undefined
  }
  const completed = await settled(deps, paid)
  if (completed === 'listed') {
    deps.log.warn({ orderId }, 'money that came after the list of entries: refunding')
    await refusePayment(deps, order, capture, 'paid_after_end')
    return undefined
  }
  if (completed) return completed
  if (paid.payer && (await exclusionsRepository(deps.db).isPayerListed(paid.payer))) {
    deps.log.warn({ orderId }, 'paid by an excluded payer: refunding')
    await refusePayment(deps, order, capture, 'payer_excluded')
    return undefined
  }
  if (!(await settleLate(deps, paid))) {
    const reason = (await ordersRepository(deps.db).offersRun(orderId)) ? 'tickets_gone' : 'paid_after_end'
    deps.log.warn({ orderId, reason }, 'late money that buys nothing any more: refunding')
    await refusePayment(deps, order, capture, reason)
  }
  return undefined
}

/** @returns `listed` when the list of a contest's entries is published: it takes no entry that is bought */
const settled = (deps: PaymentsDeps, paid: Paid): Promise<Settled | 'listed' | undefined> =>
  deps.settle(paid).catch((error: unknown) => {
    if (error instanceof ListIsPublished) return 'listed'
    throw error
  })

async function applyDeclined(
  deps: PaymentsDeps,
  trx: Trx,
  order: OrderRow,
  capture: ProviderCapture,
): Promise<void> {
  const note = capture.explanation
  const back = await orderWrites(trx).move(order.id, 'returnToBuyer', 'capture_declined', {
    note,
    nextAttempt: true,
  })
  if (!back) await releaseOrder(trx, order.id, 'failPending', 'capture_declined', note)
  await recordCaptures(deps, trx, order, [capture])
}

const NOTICES = {
  refunded_at_provider: 'refundedThere',
  wrong_amount: 'wrongAmount',
  tickets_gone: 'ticketsGone',
  paid_after_end: 'paidLate',
  payer_excluded: 'payerExcluded',
} as const satisfies Record<string, RefundNotice>

/** Requests the refund of a payment without tickets and enqueues its email; `reconcile` sends the refund. */
async function refusePayment(
  deps: PaymentsDeps,
  order: OrderRow,
  capture: ProviderCapture,
  reason: keyof typeof NOTICES,
): Promise<void> {
  await transact(deps.db, async (trx) => {
    // A late payment has no hold.
    const held =
      reason === 'tickets_gone' ? undefined : await orderWrites(trx).move(order.id, 'refuseHeld', reason)
    const moved = held ?? (await orderWrites(trx).move(order.id, 'refuseLate', reason))
    if (!moved) return
    if (reason === 'wrong_amount')
      await deps.alerts.raise(trx, {
        kind: 'wrongAmount',
        subject: order.id,
        details: {
          ordered_cents: order.total_cents,
          ...takenOf(capture.money),
          capture_id: capture.id,
        },
      })
    if (held) await releaseTickets(trx, wantedOf(await ordersRepository(trx).lines(order.id)))
    await ledgerWrites(trx).upsertCaptures([{ order, capture }])
    const amount = cents(capture.money?.amount ?? 0)
    // `reconcile` then hands the order to staff.
    if (amount === 0) return
    // Here refunds made at the provider are imported before the rest is requested.
    if (reason !== 'refunded_at_provider')
      await ledgerWrites(trx).requestRefund(order.id, { captureId: capture.id, amount, reason })
    await enqueueRefundEmail(deps, trx, { order, amount, why: NOTICES[reason] })
  })
}

/** Money as details of an alert. */
const takenOf = (money: Money | undefined): AlertDetails =>
  money?.currency === 'EUR'
    ? { taken_cents: money.amount }
    : { taken: money && `${sumToDecimal(money.amount)} ${money.currency}` }
