import * as z from 'zod/mini'
import type { Translated } from '#shared/localized-text.ts'
import { byLanguage, forFields } from '#shared/text-fields.ts'

/** Files are `<src>-<width>.avif` and `.webp`; `src` begins with "/media/". */
export const Picture = z.object({
  src: z.string(),
  /** Pixels, ascending; both formats exist in each width. */
  widths: z.array(z.int()),
  /** Pixels of the largest file. */
  width: z.int(),
  height: z.int(),
  /** Placeholder, a CSS colour. */
  color: z.string(),
  alt: z.object(byLanguage(() => z.string())),
})
export type Picture = z.infer<typeof Picture>

/** A contest's slug in an address, where capitals are small letters. */
export const SlugParams = z.object({ slug: z.string().check(z.maxLength(200), z.toLowerCase()) })

/** Figures of a prize besides its value, in the order in which they are shown. */
export const PRIZE_FACTS = ['power_kw', 'zero_to_100', 'year', 'range_km'] as const
export type PrizeFact = (typeof PRIZE_FACTS)[number]

/** What the prize is, in figures; null where nobody gave one. */
export const Prize = z.object({
  /** Decimal euro text. */
  value: z.nullable(z.string()),
  power_kw: z.nullable(z.int()),
  /** Seconds from standstill to 100 km/h, with one decimal: "4.6". */
  zero_to_100: z.nullable(z.string()),
  year: z.nullable(z.int()),
  range_km: z.nullable(z.int()),
})
export type Prize = z.infer<typeof Prize>

const offerFields = {
  id: z.int(),
  slug: z.string(),
  ...forFields('title', () => z.string()),
  ...forFields('description', () => z.string()),
  image: z.nullable(z.string()),
  carousel_images: z.array(z.string()),
  pictures: z.array(Picture),
  /** Decimal euro text. */
  ticket_price: z.string(),
  total_tickets: z.int(),
  /** Numbers issued, without held tickets. */
  tickets_sold: z.int(),
  tickets_held: z.int(),
  /** Kept for entries by post and not sold online; left out when there are none. */
  tickets_reserved: z.optional(z.int()),
  /** The most tickets of one person; left out when there is no limit. */
  max_per_person: z.optional(z.int()),
  is_active: z.boolean(),
  /** ISO 8601 in UTC. */
  end_date: z.string(),
  /** By the organiser before the end: `cancelled` is refunded, `stopped` keeps its tickets and may sell again. */
  stopped_as: z.nullable(z.enum(['cancelled', 'stopped'])),
  /** The organiser's words. */
  cancelled_why: z.nullable(z.string()),
  ...forFields('question', () => z.nullable(z.string())),
  choices: z.array(z.string()),
  prize: Prize,
}

/** For the list and the cart, without the correct answer (spec section 3). */
export const Offer = z.object(offerFields)
export type Offer = z.infer<typeof Offer>

export type OfferStop = NonNullable<Offer['stopped_as']>

export type ListedOffer = Pick<
  Offer,
  | 'id'
  | 'slug'
  | 'title'
  | 'ticket_price'
  | 'total_tickets'
  | 'tickets_sold'
  | 'tickets_reserved'
  | 'is_active'
  | 'end_date'
  | 'stopped_as'
  | 'prize'
> &
  Translated<'title'> &
  Partial<Pick<Offer, 'image' | 'carousel_images'>> & {
    pictures: readonly ListedPicture[]
  }

export type ListedPicture = Pick<Picture, 'src' | 'widths' | 'width' | 'height'> & {
  alt: Partial<Picture['alt']>
}

/** A change after the first entry (ADR 0096): when, and of what. The page of the draw has both versions. */
const OfferChange = z.object({
  at: z.string(),
  of: z.array(z.enum(['title', 'description', 'facts', 'pictures'])),
})

export type OfferChange = z.infer<typeof OfferChange>

export const OfferDetail = z.object({
  ...offerFields,
  /** Only for a signed-in caller. */
  correct_choice: z.optional(z.nullable(z.string())),
  /** The newest first; left out when there are none. */
  changes: z.optional(z.array(OfferChange)),
})
export type OfferDetail = z.infer<typeof OfferDetail>

export const OfferList = z.array(Offer)
