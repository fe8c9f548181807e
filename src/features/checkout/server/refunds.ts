import type { Trx } from '#platform/database.ts'
import { ProviderRefused, ProviderUnknown, REQUEST_USED } from '#platform/paypal/faults.ts'
import { capturesOf } from '#platform/paypal/messages.ts'
import { transact } from '#platform/transaction.ts'
import { addresseeOf } from '#features/accounts/server/index.ts'
import { voidTickets } from '#features/tickets/server/index.ts'
import { cents } from '#shared/money.ts'
import { askForRefund } from './ask-refund.ts'
import type { CheckoutDeps } from './checkout-deps.ts'
import { orderWrites } from './order-moves.repository.ts'
import type { OrderRow } from './orders.repository.ts'
import { toldOf } from './provider-answers.ts'
import { known, queueLetters } from './queue-letters.ts'
import { recordSaid } from './record-captures.ts'
import {
  MADE_THERE,
  MOST_REFUSALS,
  PAID_TWICE,
  STATUS,
  hasTaken,
  isWhole,
  surplusStays,
} from './refund-sums.ts'
import { takeOverRefunds, tellSentAgain } from './refunds-there.ts'
import {
  type RefundStatus,
  type WishedRefund,
  refundWrites,
  refundsRepository,
} from './refunds.repository.ts'

/** Answers of the provider to a refund that say: some of it was sent back already, which our book may not know. */
const ALREADY_BACK = ['CAPTURE_FULLY_REFUNDED', 'REFUND_AMOUNT_EXCEEDED', REQUEST_USED]

/**
 * Sends money of an order back: the wish that is open, or, once the provider's own refunds are taken over, what is left
 * of it. An order in `refunding` goes back whole, of a completed one the part that is wished for: its share of a
 * cancelled contest. The request id makes a repeated refund the same refund.
 * @returns whether anything is to go back
 */
export async function finishRefund(deps: CheckoutDeps, order: OrderRow): Promise<boolean> {
  const wish = await refundsRepository(deps.db).open(order.id)
  if (!wish && order.state !== 'refunding') return false
  if (wish && (await send(deps, order, wish)) !== 'gone already') return true
  const truth = toldOf(order, await deps.paypal.getOrder(order.provider_order_id ?? ''))
  await takeOverRefunds(deps, order.id, truth)
  // What is left of a part is wished for there, so that whoever looks next does so as well.
  if (order.state !== 'refunding') return true
  await transact(deps.db, async (trx) => {
    const now = await refundWrites(trx).lockOrder(order.id)
    if (now.state !== order.state || (await refundsRepository(trx).open(order.id))) return
    // What was taken may have been told wrong before; what goes back is counted by the latest word.
    await recordSaid(deps, trx, now, capturesOf(truth))
    const returns = await refundsRepository(trx).returns(order.id)
    const unsent = returns.filter((one) => one.claimed < one.taken)
    if (unsent.some(({ failed }) => failed >= MOST_REFUSALS))
      return toReview(trx, order, `refund refused ${MOST_REFUSALS} times`)
    for (const { captureId, taken, claimed } of unsent)
      await refundWrites(trx).request(captureId, order.id, taken - claimed, 'what is left of it')
    if (isWhole(returns)) await close(deps, trx, order, MADE_THERE)
    else if (returns.length > 0 && !hasTaken(returns))
      await toReview(trx, order, 'nothing was taken, so nothing goes back')
  })
  return true
}

/** Leaves an order whose money does not go back to staff, for whom it rings. */
async function toReview(trx: Trx, order: OrderRow, reason: string): Promise<void> {
  await orderWrites(trx).move(order.id, ['refunding', 'completed'], 'review', reason)
}

/** Leaves to staff what cannot be sent back: a second payment of a paid order by itself, else the order. */
async function giveUp(
  deps: CheckoutDeps,
  trx: Trx,
  order: OrderRow,
  reason: string,
  wish: WishedRefund,
): Promise<void> {
  if (order.state === 'completed' && wish.reason === PAID_TWICE)
    await deps.bell.raise(trx, surplusStays(order, wish.capture_id))
  else await toReview(trx, order, reason)
}

/**
 * The money is back: tickets that the order may have had are void, which their holder is told.
 * @returns whether there was a holder to tell
 */
async function close(deps: CheckoutDeps, trx: Trx, order: OrderRow, reason: string): Promise<boolean> {
  if (!(await orderWrites(trx).move(order.id, ['refunding', 'completed'], 'refunded', reason))) return false
  // Who had none was told when the money set out.
  if ((await voidTickets(trx, [order.id])) === 0) return false
  const to = known(await addresseeOf(trx, order.user_id))
  const amount = cents(order.total_cents)
  await queueLetters(deps, trx, [() => deps.letters.refund({ order, to, amount, why: 'takenBack' })])
  return true
}

/** Tells the buyer, once it is true, that a second payment is back. */
async function tellOfSurplus(
  deps: CheckoutDeps,
  trx: Trx,
  order: OrderRow,
  { amount_cents, capture_id }: WishedRefund,
): Promise<void> {
  const to = known(await addresseeOf(trx, order.user_id))
  const about = { order, to, amount: cents(amount_cents), why: 'paidTwice', part: capture_id } as const
  await queueLetters(deps, trx, [() => deps.letters.refund(about)])
}

/** Money of an order is back: the order may end with it, and its buyer is told once. */
async function done(deps: CheckoutDeps, trx: Trx, order: OrderRow, wish: WishedRefund): Promise<void> {
  const undone = await refundsRepository(trx).lastUndone(order.id, wish.capture_id)
  if (wish.reason === PAID_TWICE && undone === undefined) await tellOfSurplus(deps, trx, order, wish)
  const isBack = isWhole(await refundsRepository(trx).returns(order.id))
  if (isBack && (await close(deps, trx, order, wish.reason))) return
  if (undone !== undefined) await tellSentAgain(deps, trx, order, wish.amount_cents, undone)
}

/** Asks the provider for one refund and notes its answer. */
async function send(
  deps: CheckoutDeps,
  order: OrderRow,
  wish: WishedRefund,
): Promise<RefundStatus | 'gone already'> {
  let status: RefundStatus
  let refundId: string | null = null
  let goneAlready = false
  let why = 'refund failed'
  try {
    const told = await askForRefund(deps, order, wish)
    // Nobody knows whether it was made, so people look before anything is sent again.
    status = told ? (STATUS[told.status] ?? 'pending') : 'failed'
    refundId = told?.id ?? null
    if (!told) why = 'refund asked for too long ago to be repeated'
  } catch (error) {
    if (!(error instanceof ProviderRefused)) throw error
    goneAlready = ALREADY_BACK.some((issue) => error.has(issue))
    if (error.isUnderWay && !goneAlready)
      throw new ProviderUnknown('refunded by another request', { cause: error })
    status = 'failed'
    deps.log.error({ orderId: order.id, reason: error.message }, 'refund refused')
  }
  await transact(deps.db, async (trx) => {
    const now = await refundWrites(trx).lockOrder(order.id)
    if (!(await refundWrites(trx).answer(wish, status, refundId))) return
    if (status === 'completed') await done(deps, trx, now, wish)
    if (status === 'failed' && !goneAlready) {
      await giveUp(deps, trx, now, why, wish)
    }
  })
  return goneAlready ? 'gone already' : status
}
