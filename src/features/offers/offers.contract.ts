import * as z from 'zod/mini'

/** One picture of a contest: files are `<src>-<width>.avif` and `.webp`, `src` beginning with "/media/". */
export const Picture = z.object({
  src: z.string(),
  /** Widths in pixels in which both formats exist, ascending. */
  widths: z.array(z.int()),
  /** Size in pixels of the largest file. */
  width: z.int(),
  height: z.int(),
  /** CSS colour to show until the picture is there. */
  color: z.string(),
  alt: z.object({ fr: z.string(), nl: z.string(), en: z.string() }),
})
export type Picture = z.infer<typeof Picture>

const offerFields = {
  id: z.int(),
  slug: z.string(),
  title: z.string(),
  title_nl: z.string(),
  title_en: z.string(),
  description: z.string(),
  description_nl: z.string(),
  description_en: z.string(),
  image: z.nullable(z.string()),
  carousel_images: z.array(z.string()),
  pictures: z.array(Picture),
  /** Decimal euro text with two decimals. */
  ticket_price: z.string(),
  total_tickets: z.int(),
  /** Numbers issued; running holds are counted in `tickets_held`. */
  tickets_sold: z.int(),
  tickets_held: z.int(),
  is_active: z.boolean(),
  /** ISO 8601 in UTC. */
  end_date: z.string(),
  question: z.nullable(z.string()),
  question_nl: z.nullable(z.string()),
  question_en: z.nullable(z.string()),
  choices: z.array(z.string()),
}

/** An offer of the list and the cart, without the correct answer (spec section 3). */
export const Offer = z.object(offerFields)
export type Offer = z.infer<typeof Offer>

/** The part of an offer that its card shows. */
export type ListedOffer = Pick<
  Offer,
  'id' | 'slug' | 'title' | 'ticket_price' | 'total_tickets' | 'tickets_sold' | 'is_active' | 'end_date'
> &
  Partial<Pick<Offer, 'title_nl' | 'title_en' | 'image' | 'carousel_images'>> & {
    pictures: readonly ListedPicture[]
  }

export type ListedPicture = Pick<Picture, 'src' | 'widths' | 'width' | 'height'> & {
  alt: Partial<Picture['alt']>
}

/** An offer as its own page gets it; `correct_choice` only for a signed-in caller (decisions, "correct_choice"). */
export const OfferDetail = z.object({ ...offerFields, correct_choice: z.optional(z.nullable(z.string())) })
export type OfferDetail = z.infer<typeof OfferDetail>

export const OfferList = z.array(Offer)
