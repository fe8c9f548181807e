import {
  type Money,
  type PaymentRequest,
  type ProviderOrder,
  ProviderRefused,
  ProviderUnknown,
} from '#platform/payment/payment-provider.ts'
import type { Language } from '#shared/languages.ts'
import { cents } from '#shared/money.ts'
import type { OrdersBase } from './orders-deps.ts'
import type { OrderLineRow, OrderRow } from './orders.repository.ts'

/**
 * An order as the provider is asked to let its buyer pay it.
 * @param lines when prices include VAT their sum is the total, otherwise the subtotal
 */
export const paymentRequest = (
  order: OrderRow,
  lines: readonly OrderLineRow[],
  shop: Pick<OrdersBase, 'brand' | 'publicUrl' | 'pricesIncludeVat'>,
): PaymentRequest => ({
  reference: order.id,
  description: `${shop.brand} ${order.id}`,
  language: order.language as Language,
  currency: order.currency,
  total: cents(order.total_cents),
  tax: shop.pricesIncludeVat ? undefined : cents(order.tax_cents),
  // In one order whatever the cart's was: the same request id with another body would be refused.
  lines: lines
    .toSorted((a, b) => a.offer_id - b.offer_id)
    .map((line) => ({
      id: line.offer_id,
      title: line.title,
      quantity: line.quantity,
      unit: cents(line.unit_cents),
    })),
  brand: shop.brand,
  returnUrl: `${shop.publicUrl}/checkout/return`,
  cancelUrl: `${shop.publicUrl}/checkout/cancel`,
})

/**
 * The provider's answer about an order, once it is sure that it is about this one: the id it was asked about, and ours
 * in it wherever it names one.
 * @throws ProviderUnknown when it is about another order
 */
export function assertMatchesOrder(order: OrderRow, answer: ProviderOrder): ProviderOrder {
  if (answer.id === order.provider_order_id && namesOnly(order, answer)) return answer
  throw new ProviderUnknown(`asked about ${order.provider_order_id}, it answered about another order`)
}

/**
 * What the provider has created, once it is sure that it was created for this order and asks the buyer for its sum: a
 * buyer must not be sent to pay another one (reliability, row 18).
 * @throws ProviderUnknown when it is of another order, ProviderRefused when it is of another sum
 */
export function assertCreatedFor(order: OrderRow, created: ProviderOrder): ProviderOrder {
  if (!namesOnly(order, created)) throw new ProviderUnknown('it created an order of another reference')
  if (created.sums.every((sum) => isOrderTotal(order, sum))) return created
  throw new ProviderRefused('wrong_sum')
}

const namesOnly = (order: OrderRow, { references }: ProviderOrder): boolean =>
  references.every((reference) => reference === order.id)

/** Whether exactly the ordered sum is named, in the ordered currency (reliability, row 18). */
export const isOrderTotal = (order: OrderRow, money: Money | undefined): boolean =>
  money?.currency === order.currency && money.amount === order.total_cents

/**
 * The provider's order; undefined when it knows none.
 * @throws ProviderUnknown, ProviderRefused when it does not tell
 */
export async function readProviderOrder(
  { provider }: Pick<OrdersBase, 'provider'>,
  order: OrderRow,
): Promise<ProviderOrder | undefined> {
  try {
    return await requireProviderOrder({ provider }, order)
  } catch (error) {
    if (error instanceof ProviderRefused && error.reason === 'not_found') return undefined
    throw error
  }
}

/** The same where the provider must know the order. @throws ProviderRefused `not_found` when it does not */
export const requireProviderOrder = async (
  { provider }: Pick<OrdersBase, 'provider'>,
  order: OrderRow,
): Promise<ProviderOrder> =>
  assertMatchesOrder(order, await provider.readOrder(order.provider_order_id ?? ''))
