import { ProviderContradicts, ProviderRefused, ProviderUnknown } from '#platform/paypal/faults.ts'
import {
  type Capture,
  type ProviderOrder,
  type Refund,
  captureIdOf,
  capturesOf,
} from '#platform/paypal/messages.ts'
import { type Cents, parseEur } from '#shared/money.ts'
import type { OrderRow } from './orders.repository.ts'
import type { WishedRefund } from './refunds.repository.ts'

/**
 * What the provider tells of an order, once it is sure that it tells of this one: the id it was asked about, and ours in
 * it wherever it names one.
 * @throws ProviderContradicts when it tells of another order
 */
export function toldOf(order: OrderRow, told: ProviderOrder): ProviderOrder {
  if (told.id === order.provider_order_id && isOurs(order, told)) return told
  throw new ProviderContradicts(`asked about ${order.provider_order_id}, it told of another order`)
}

/**
 * What the provider has made, once it is sure that it was made of this order and asks the buyer for its sum: a buyer must
 * not be sent to pay another one (reliability, row 18).
 * @throws ProviderUnknown when it is of another order, ProviderRefused when it is of another sum
 */
export function madeOf(order: OrderRow, made: ProviderOrder): ProviderOrder {
  if (!isOurs(order, made)) throw new ProviderUnknown('it made an order of another one')
  const units = (made.purchase_units ?? []).filter((unit) => unit.amount !== undefined)
  if (units.every((unit) => isExpectedAmount(order, unit))) return made
  throw new ProviderRefused(422, { name: 'AMOUNT_MISMATCH' })
}

/**
 * What the provider has made of a refund that we wished for, once it is sure that it is this one: of its sum, and of its
 * capture where one is named. The same request again gives the same refund, so asking once more is safe.
 * @throws ProviderContradicts when it tells of another refund
 */
export function madeAsWished(wish: WishedRefund, made: Refund): Refund {
  const captureId = captureIdOf(made) ?? wish.capture_id
  const isSum = made.amount?.currency_code === wish.currency && amountOf(made) === wish.amount_cents
  if (captureId === wish.capture_id && isSum) return made
  throw new ProviderContradicts(`asked to refund ${wish.capture_id}, it told of another refund`)
}

/** Whether our id stands wherever an answer names one. */
const isOurs = (order: OrderRow, answer: ProviderOrder): boolean =>
  [...(answer.purchase_units ?? []), ...capturesOf(answer)].every(
    ({ custom_id }) => custom_id === undefined || custom_id === order.id,
  )

/** Cents of a capture or a refund; undefined when it names no amount that can be read. */
export function amountOf({ amount }: Pick<Capture, 'amount'>): Cents | undefined {
  try {
    return amount && parseEur(amount.value)
  } catch {
    return undefined
  }
}

/** Whether exactly the ordered sum is named, in the ordered currency (reliability, row 18). */
export const isExpectedAmount = (order: OrderRow, money: Pick<Capture, 'amount'>): boolean =>
  money.amount?.currency_code === order.currency && amountOf(money) === order.total_cents
