import { cents, toDecimal } from '#shared/money.ts'
import { postalReserve } from '../offer-drafts.rules.ts'
import { isPublished } from '../offer-states.rules.ts'
import type { OfferPreview } from '../staff-offers.contract.ts'
import { toOffer } from './offer-wire.ts'
import type { AnyOfferRow } from './offers.repository.ts'
import type { StaffOfferRow } from './staff-offers.repository.ts'
import { textFields } from '#shared/text-fields.ts'
import { DEFAULT_LANGUAGE } from '#shared/languages.ts'

/** A contest without an end shows one that far ahead. */
const STAND_IN_MS = 30 * 86_400_000

/** A contest as the shop shows it once it is published, by the function that the shop's responses are made with. */
export function previewOf(
  row: AnyOfferRow,
  stored: StaffOfferRow,
  now: Date,
  { hideAnswer }: { hideAnswer: boolean },
): OfferPreview {
  const isSeen = isPublished(stored.state)
  const end_date = row.end_date ?? new Date(now.getTime() + STAND_IN_MS)
  const total_tickets = row.total_tickets ?? 1
  const postal_reserve = isSeen
    ? stored.postal_reserve
    : postalReserve(total_tickets, stored.postal_reserve_percent)
  const offer = toOffer({
    ...row,
    slug: row.slug ?? 'preview',
    price_cents: row.price_cents ?? 0,
    total_tickets,
    end_date,
    ...(!isSeen && {
      is_active: end_date > now,
      stopped_as: null,
      tickets_reserved: postal_reserve,
    }),
  })
  const { prize_value_cents: prize, draw_terms_texts } = stored
  const lacks: Record<OfferPreview['missing'][number], boolean> = {
    title: row.titles[DEFAULT_LANGUAGE] === '',
    ticket_price: row.price_cents === null,
    total_tickets: row.total_tickets === null,
    end_date: row.end_date === null,
  }
  return {
    offer: hideAnswer ? offer : { ...offer, correct_choice: row.correct_choice },
    postal_reserve,
    prize_value: prize === null ? null : toDecimal(cents(prize)),
    draw_at: stored.draw_at?.toISOString() ?? null,
    published_at: (stored.published_at ?? now).toISOString(),
    ...textFields('draw_terms', draw_terms_texts),
    missing: (Object.keys(lacks) as OfferPreview['missing']).filter((field) => lacks[field]),
  }
}
