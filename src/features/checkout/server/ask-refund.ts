import {
  ProviderContradicts,
  ProviderRefused,
  ProviderUnknown,
  REQUEST_USED,
} from '#platform/paypal/faults.ts'
import {
  type ProviderOrder,
  type Refund,
  captureIdOf,
  capturesOf,
  refundsOf,
} from '#platform/paypal/messages.ts'
import { cents, toDecimal } from '#shared/money.ts'
import type { CheckoutDeps } from './checkout-deps.ts'
import type { OrderRow } from './orders.repository.ts'
import { amountOf, madeAsWished, toldOf } from './provider-answers.ts'
import { type WishedRefund, refundsRepository } from './refunds.repository.ts'

/** PayPal remembers a refund's request id for 45 days; after that a repeated request would be a new one. A day is left. */
const SAME_REQUEST_DAYS = 44

/**
 * Asks the provider for a refund that we wish for: by its id once that is known, else by the same request while it counts
 * as the same; later the refund is looked for among those that the provider lists, and nothing is sent. So is one whose
 * id the provider still does not know by then.
 * @returns undefined when it is too late and no such refund is listed: people must look
 * @throws ProviderRefused after a definite no, ProviderUnknown when the outcome is open
 */
export async function askForRefund(
  deps: CheckoutDeps,
  order: OrderRow,
  wish: WishedRefund,
): Promise<Refund | undefined> {
  const isYoung = await refundsRepository(deps.db).isYoung(wish.id, SAME_REQUEST_DAYS)
  if (wish.refund_id) {
    const made = await refundById(deps, wish.refund_id, isYoung)
    return made ? madeAsWished(wish, made) : listed(deps, order, wish)
  }
  if (!isYoung) return listed(deps, order, wish)
  const body = {
    amount: { currency_code: wish.currency, value: toDecimal(cents(wish.amount_cents)) },
    note_to_payer: wish.reason.slice(0, 255),
  }
  const requestId = `${wish.capture_id}:refund:${wish.attempt}`
  let made: Refund | undefined
  try {
    made = await deps.paypal.refundCapture(wish.capture_id, body, requestId)
    return madeAsWished(wish, made)
  } catch (error) {
    if (error instanceof ProviderContradicts && made) return ofEarlierRequest(deps, order, wish, made, error)
    if (!(error instanceof ProviderRefused && error.has(REQUEST_USED))) throw error
    return ofEarlierRequest(deps, order, wish, undefined, error)
  }
}

/**
 * A database that was restored from a backup may count its attempts from one that served another refund already: PayPal
 * then refuses the request, or answers with that refund. Ours was not made by it, unless it is listed.
 * @param made the refund that PayPal answered with, which is believed when it is listed just so
 * @throws ProviderRefused `REQUEST_USED` when another attempt is needed, `error` when PayPal contradicts itself
 */
async function ofEarlierRequest(
  deps: CheckoutDeps,
  order: OrderRow,
  wish: WishedRefund,
  made: Refund | undefined,
  error: Error,
): Promise<Refund> {
  const truth = toldOf(order, await deps.paypal.getOrder(order.provider_order_id ?? ''))
  const isMade = (one: Refund): boolean =>
    one.id === made?.id &&
    amountOf(one) === amountOf(made) &&
    one.amount?.currency_code === made.amount?.currency_code &&
    captureIdOf(one) === captureIdOf(made)
  if (made && !refundsOf(truth).some(isMade)) throw error
  const found = await listedIn(deps, order, wish, truth)
  if (found) return found
  throw new ProviderRefused(422, { name: REQUEST_USED })
}

/**
 * That the provider will not tell of a refund does not mean that there is none.
 * @returns undefined when it has not told for so long that it is looked for elsewhere
 */
async function refundById(
  { paypal }: CheckoutDeps,
  id: string,
  isYoung: boolean,
): Promise<Refund | undefined> {
  try {
    return await paypal.getRefund(id)
  } catch (error) {
    if (!(error instanceof ProviderRefused)) throw error
    if (!isYoung) return undefined
    throw new ProviderUnknown('it does not tell of a refund that it has made', { cause: error })
  }
}

/**
 * A refund of the wish's capture and sum, by its id once that is known, else one that our book does not know: it is the one
 * that was asked for, or as good.
 */
async function listed(deps: CheckoutDeps, order: OrderRow, wish: WishedRefund): Promise<Refund | undefined> {
  return listedIn(deps, order, wish, toldOf(order, await deps.paypal.getOrder(order.provider_order_id ?? '')))
}

async function listedIn(
  deps: CheckoutDeps,
  order: OrderRow,
  wish: WishedRefund,
  truth: ProviderOrder,
): Promise<Refund | undefined> {
  const inBook = await refundsRepository(deps.db).idsOf(order.id)
  const onlyCapture = capturesOf(truth).length === 1 ? capturesOf(truth)[0]?.id : undefined
  return refundsOf(truth).find(
    (one) =>
      (captureIdOf(one) ?? onlyCapture) === wish.capture_id &&
      amountOf(one) === wish.amount_cents &&
      one.amount?.currency_code === wish.currency &&
      (wish.refund_id ? one.id === wish.refund_id : !inBook.includes(one.id)),
  )
}
