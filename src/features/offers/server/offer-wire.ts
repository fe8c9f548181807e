import type { Language } from '#shared/languages.ts'
import { textIn } from '#shared/localized-text.ts'
import { optionalTextFields, textFields, inEachLanguage } from '#shared/text-fields.ts'
import { cents, toDecimal } from '#shared/money.ts'
import { Refusal } from '#shared/refusal.ts'
import type { Offer, Picture } from '../offers.contract.ts'
import { freeTickets, remainingTickets } from '../offers.rules.ts'
import type { OfferRow } from './offers.repository.ts'

/** Pixels of the pictures in `image` and `carousel_images`. */
const IMAGE_WIDTH = 828
const CAROUSEL_WIDTH = 1600

/** Without the correct answer. */
export function toOffer(row: OfferRow): Offer {
  const pictures = row.pictures.map(toPicture)
  const {
    price_cents,
    correct_choice: _,
    end_date,
    pictures: __,
    titles,
    descriptions,
    questions,
    max_per_person,
    tickets_reserved,
    prize_value_cents: value,
    prize_power_kw: power_kw,
    prize_zero_to_100: zero_to_100,
    prize_year: year,
    prize_range_km: range_km,
    ...fields
  } = row
  const first = pictures[0]
  return {
    ...fields,
    ...textFields('title', titles),
    ...textFields('description', descriptions),
    ...optionalTextFields('question', questions),
    ...(tickets_reserved > 0 && { tickets_reserved }),
    ...(max_per_person !== null && { max_per_person }),
    image: first ? fileOf(first, IMAGE_WIDTH) : null,
    carousel_images: pictures.map((picture) => fileOf(picture, CAROUSEL_WIDTH)),
    pictures,
    ticket_price: toDecimal(cents(price_cents)),
    end_date: end_date.toISOString(),
    prize: {
      value: value === null ? null : toDecimal(cents(value)),
      power_kw,
      zero_to_100,
      year,
      range_km,
    },
  }
}

const toPicture = (row: OfferRow['pictures'][number]): Picture => ({
  src: row.src,
  widths: row.widths,
  width: row.width,
  height: row.height,
  color: row.color,
  alt: inEachLanguage(row.alts),
})

/** The largest file up to the given width. */
function fileOf(picture: Picture, width: number): string {
  const best = picture.widths.findLast((one) => one <= width) ?? picture.widths[0]
  return `${picture.src}-${best}.webp`
}

const titleIn = (offer: Pick<OfferRow, 'titles'>, language: Language): string =>
  textIn(offer.titles, language).text

const offerEnded = (offer: OfferRow): Refusal =>
  new Refusal('offer.ended', 409, 'errors.offer.ended', {
    values: (language) => ({ title: titleIn(offer, language) }),
    body: { offer_id: offer.id },
  })

/**
 * Refuses more tickets than one person may have.
 * @param own tickets of this offer that the buyer has or is paying for
 */
export function overPersonLimit(offer: OfferRow, quantity: number, own: number): Refusal | undefined {
  const max = offer.max_per_person
  if (max === null || own + quantity <= max) return undefined
  const available = Math.max(0, max - own)
  return new Refusal('offer.personLimit', 409, 'errors.offer.personLimit', {
    values: (language) => ({ title: titleIn(offer, language), max, own, available }),
    body: { offer_id: offer.id, max, available },
  })
}

/** @param own tickets of this offer held by the buyer's own open order */
export function whyNotAvailable(offer: OfferRow, quantity: number, own = 0): Refusal | undefined {
  if (!offer.is_active) return offerEnded(offer)
  const left = remainingTickets(offer)
  const free = freeTickets(offer) + own
  if (quantity <= free) return undefined
  const body = { offer_id: offer.id, remaining: left, available: free }
  // Held tickets may become free again; sold ones do not.
  const [reason, remaining] =
    left === 0
      ? (['soldOut', 0] as const)
      : quantity <= left
        ? (['fewFree', free] as const)
        : (['fewLeft', left] as const)
  return new Refusal(`offer.${reason}`, 409, `errors.offer.${reason}`, {
    values: (language) => ({ title: titleIn(offer, language), remaining }),
    body,
  })
}
