/** An order at the provider: what we send, the check of a response, and the provider's errors as HTTP refusals. */
import {
  type PaymentRequest,
  type ProviderOrder,
  ProviderRefused,
  ProviderUnknown,
} from '#platform/payment/payment-provider.ts'
import type { Sql } from '#platform/database.ts'
import type { Language } from '#shared/languages.ts'
import { cents } from '#shared/money.ts'
import { Refusal } from '#shared/refusal.ts'
import { shownOrderNumber } from '#shared/order-number.ts'
import { isPaidInFull } from '../paying-capture.rules.ts'
import type { OrdersBase } from './order-batches.ts'
import type { OrderLineRow, OrderRow } from './orders.repository.ts'

/** @param lines their sum is the total when prices include VAT, else the subtotal */
export const paymentRequest = (
  order: OrderRow,
  lines: readonly OrderLineRow[],
  shop: Pick<OrdersBase, 'brand' | 'publicUrl' | 'pricesIncludeVat' | 'signatures'>,
): PaymentRequest => ({
  reference: order.id,
  number: shownOrderNumber(order.number),
  description: `${shop.brand} ${shownOrderNumber(order.number)}`,
  language: order.language as Language,
  currency: order.currency,
  total: cents(order.total_cents),
  tax: shop.pricesIncludeVat ? undefined : cents(order.tax_cents),
  lines: lines
    .toSorted((a, b) => a.offer_id - b.offer_id)
    .map((line) => ({
      id: line.offer_id,
      title: line.title,
      quantity: line.quantity,
      unit: cents(line.unit_cents),
    })),
  brand: shop.brand,
  returnUrl: `${shop.publicUrl}/checkout/return?ref=${shop.signatures.of(order.id)}`,
  cancelUrl: `${shop.publicUrl}/checkout/cancel?ref=${shop.signatures.of(order.id)}`,
})

/** @throws ProviderUnknown when the response has the id or reference of another order */
export function assertMatchesOrder(order: OrderRow, response: ProviderOrder): ProviderOrder {
  if (response.id === order.provider_order_id && namesOnly(order, response)) return response
  throw new ProviderUnknown(`asked about ${order.provider_order_id}, it answered about another order`)
}

/** @throws ProviderUnknown for another reference, ProviderRefused for another sum (failure mode 18) */
export function assertCreatedFor(order: OrderRow, created: ProviderOrder): ProviderOrder {
  if (!namesOnly(order, created)) throw new ProviderUnknown('it created an order of another reference')
  if (created.sums.every((sum) => isPaidInFull(order, sum))) return created
  throw new ProviderRefused('wrong_sum')
}

const namesOnly = (order: OrderRow, { references }: ProviderOrder): boolean =>
  references.every((reference) => reference === order.id)

/** @returns undefined when the provider does not know the order @throws ProviderUnknown, ProviderRefused */
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

/** @throws ProviderUnknown, ProviderRefused */
export const requireProviderOrder = async (
  { provider }: Pick<OrdersBase, 'provider'>,
  order: OrderRow,
): Promise<ProviderOrder> =>
  assertMatchesOrder(order, await provider.readOrder(order.provider_order_id ?? ''))

/** The provider's errors as refusals for the buyer; others as they are. */
export function providerFailure(error: unknown): unknown {
  if (error instanceof ProviderRefused) {
    const { message, details, debug_id } = error.fault
    const code = error.reason === 'shop_fault' ? 'shopFault' : 'providerRefused'
    return new Refusal(`checkout.${code}`, 502, `errors.checkout.${code}`, {
      asMessage: true,
      body: { ...(message !== undefined && { message }), details: details ?? [], debug_id },
    })
  }
  if (error instanceof ProviderUnknown) {
    return new Refusal('checkout.providerDown', 503, 'errors.checkout.providerDown', {
      retryAfter: 5,
      asMessage: true,
      body: { details: [], debug_id: error.debugId },
    })
  }
  return error
}

/** One alert for each code: the next buyers of the same fault do not raise another. */
export const alertOfRefusal = (
  { alerts }: Pick<OrdersBase, 'alerts'>,
  db: Sql,
  order: Pick<OrderRow, 'number'>,
  { code, fault }: ProviderRefused,
): Promise<void> =>
  alerts.raise(db, {
    kind: 'providerRefuses',
    subject: code,
    details: {
      order: shownOrderNumber(order.number),
      answer: fault.details?.[0]?.description ?? fault.message,
    },
  })

/** Throws the provider's errors as a 503 for staff, others as they are. */
export const throwForStaff = (error: unknown): never => {
  if (!(error instanceof ProviderUnknown || error instanceof ProviderRefused)) throw error
  throw new Refusal('checkout.providerSilent', 503, 'errors.checkout.providerSilent', { retryAfter: 5 })
}
