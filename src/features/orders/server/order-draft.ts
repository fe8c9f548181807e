import { type CartItemRow, checkAnswer } from '#features/cart/server/index.ts'
import { formatEur } from '#i18n/format.ts'
import { itemsTotal, taxFor } from '#features/cart/cart.rules.ts'
import { type OfferRow, offerEnded } from '#features/offers/server/index.ts'
import { DEFAULT_PAYMENT_COUNTRY, type TaxedAmount } from '#shared/countries.ts'
import { type Language, localized } from '#shared/languages.ts'
import { cents, toDecimal, withinRange } from '#shared/money.ts'
import { InvalidFields, Refusal } from '#shared/refusal.ts'
import type { CreateOrderBody } from '../orders.contract.ts'
import { shownIsCharged } from '../shown-prices.rules.ts'
import type { NewOrder } from './order-moves.repository.ts'
import type { OrdersBase } from './orders-deps.ts'

/** An order as the cart gives it, before it has tickets. */
export type Draft = Omit<NewOrder, 'id' | 'userId' | 'language' | 'holdMinutes'>

/**
 * Checks a cart line by line and prices it; nothing the client sent decides anything.
 * @throws Refusal or InvalidFields
 */
export function draftOf(
  deps: Pick<OrdersBase, 'clock' | 'pricesIncludeVat'>,
  cart: { id: number; version: number } | undefined,
  items: readonly CartItemRow[],
  offers: ReadonlyMap<number, OfferRow>,
  { body, language }: { body: CreateOrderBody; language: Language },
): Draft {
  if (!cart || items.length === 0) throw new Refusal('checkout.cartEmpty', 409, 'errors.checkout.cartEmpty')
  const lines: Draft['lines'][number][] = []
  for (const item of items) {
    const offer = offers.get(item.offer_id)
    if (!offer) throw new Refusal('offer.notFound', 404, 'errors.offer.notFound')
    if (!offer.is_active) throw offerEnded(offer)
    const wrong = checkAnswer(offer, item.answer)
    if (wrong) throw wrong
    lines.push({
      offer_id: offer.id,
      quantity: item.quantity,
      unit_cents: offer.price_cents,
      title: localized(offer, 'title', language).text,
      answer: item.answer,
    })
  }
  const tax = withinRange(
    () => {
      const amount = itemsTotal(
        lines.map((line) => ({ quantity: line.quantity, unit: cents(line.unit_cents) })),
      )
      return taxFor(amount, body.country_code || DEFAULT_PAYMENT_COUNTRY, deps.clock(), deps.pricesIncludeVat)
    },
    () => new Refusal('checkout.tooLarge', 409, 'errors.checkout.tooLarge'),
  )
  if (!tax) throw new InvalidFields({ country_code: ['errors.field.country'] })
  const priced = items.map((item, index) => ({
    itemId: item.id,
    offerId: item.offer_id,
    quantity: item.quantity,
    unit: cents(lines[index]?.unit_cents ?? 0),
  }))
  if (!shownIsCharged(body, priced, tax.total)) throw priceChanged(tax)
  return {
    cartVersion: cart.version,
    country: tax.country,
    subtotal: tax.subtotal,
    taxPercent: tax.percent,
    tax: tax.tax,
    total: tax.total,
    lines,
  }
}

/** "The total is now …": the buyer must confirm the new figures (decisions, "Tax call fails"). */
const priceChanged = (tax: TaxedAmount & { percent: number; country: string }): Refusal =>
  new Refusal('checkout.priceChanged', 409, 'errors.checkout.priceChanged', {
    values: (language) => ({ total: formatEur(tax.total, language) }),
    body: {
      subtotal: toDecimal(tax.subtotal),
      tax_rate: tax.percent,
      tax_amount: toDecimal(tax.tax),
      total: toDecimal(tax.total),
      country: tax.country,
    },
  })
