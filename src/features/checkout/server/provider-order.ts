import type { Language } from '#shared/languages.ts'
import { type Cents, cents, toDecimal } from '#shared/money.ts'
import type { OrderLineRow, OrderRow } from './orders.repository.ts'

/** Longest item name PayPal takes. */
const NAME_MAX = 127
const LOCALES: Record<Language, string> = { fr: 'fr-FR', nl: 'nl-NL', en: 'en-GB' }

const eur = (amount: Cents) => ({ currency_code: 'EUR', value: toDecimal(amount) })

const byOffer = (a: OrderLineRow, b: OrderLineRow): number => a.offer_id - b.offer_id

/**
 * The body of POST /v2/checkout/orders for an order: its id as `custom_id` and `invoice_id`, and sums that add up.
 * @param lines when prices include VAT their sum is the total, otherwise the subtotal
 */
export function providerOrder(
  order: OrderRow,
  lines: readonly OrderLineRow[],
  shop: { brand: string; publicUrl: string; pricesIncludeVat: boolean },
): object {
  const total = cents(order.total_cents)
  const breakdown = shop.pricesIncludeVat
    ? { item_total: eur(total) }
    : { item_total: eur(cents(order.subtotal_cents)), tax_total: eur(cents(order.tax_cents)) }
  return {
    intent: 'CAPTURE',
    purchase_units: [
      {
        reference_id: 'default',
        custom_id: order.id,
        invoice_id: order.id,
        description: `${shop.brand} ${order.id}`,
        amount: { ...eur(total), breakdown },
        // In one order whatever the cart's was: the same request id with another body would be refused.
        items: lines.toSorted(byOffer).map((line) => ({
          name: line.title.slice(0, NAME_MAX),
          sku: String(line.offer_id),
          quantity: String(line.quantity),
          unit_amount: eur(cents(line.unit_cents)),
          category: 'DIGITAL_GOODS',
        })),
      },
    ],
    application_context: {
      brand_name: shop.brand,
      locale: LOCALES[order.language as Language],
      shipping_preference: 'NO_SHIPPING',
      user_action: 'PAY_NOW',
      return_url: `${shop.publicUrl}/checkout/return`,
      cancel_url: `${shop.publicUrl}/checkout/cancel`,
    },
  }
}
