import { ApiError } from '#client/api-error.ts'
import type { ApiCall } from '#client/api-call.ts'
import type { Shell } from '#client/shell.ts'
import { offersApi } from '#features/offers/offers.api.ts'
import type { ListedOffer, Offer } from '#features/offers/offers.contract.ts'
import type { Language } from '#shared/languages.ts'
import { fieldIn } from '#shared/localized-text.ts'

export interface LoadedOffers<Listed extends ListedOffer = ListedOffer> {
  offers: readonly Listed[]
  error?: string
}

/** The list of offers; a failure becomes a message instead of an error page. */
export async function loadOffers(call: ApiCall, signal?: AbortSignal): Promise<LoadedOffers<Offer>> {
  try {
    return { offers: await offersApi(call).offers(signal) }
  } catch (error) {
    if (error instanceof ApiError) return { offers: [], error: error.message }
    throw error
  }
}

const sources = new WeakMap<readonly ListedOffer[], readonly Offer[]>()

/** The list with only what cards show: complete contests were a third of the document. */
export function asRendered({ language }: Shell, { offers, ...rest }: LoadedOffers<Offer>): LoadedOffers {
  const listed = offers.map((offer) => asListed(offer, language))
  sources.set(listed, offers)
  return { ...rest, offers: listed }
}

/** The complete offers of a list made by `asRendered`, and none for another list. */
export const wholeOffers = (list: readonly ListedOffer[]): readonly Offer[] => sources.get(list) ?? []

/** What a card shows of a contest, in one language. */
export function asListed(offer: Offer, language: Language): ListedOffer {
  const {
    id,
    slug,
    title,
    ticket_price,
    total_tickets,
    tickets_sold,
    is_active,
    end_date,
    stopped_as,
    prize,
    draw_at,
    published_at,
  } = offer
  const common = {
    id,
    slug,
    title,
    ticket_price,
    total_tickets,
    tickets_sold,
    tickets_reserved: offer.tickets_reserved,
    is_active,
    end_date,
    draw_at,
    published_at,
    stopped_as,
    prize,
  }
  const translated = { [fieldIn('title', language)]: offer[fieldIn('title', language)] }
  const [first] = offer.pictures
  if (!first) {
    return { ...common, ...translated, image: offer.image ?? offer.carousel_images[0] ?? null, pictures: [] }
  }
  const { src, dark, widths, width, height, alt } = first
  const picture = { src, ...(dark && { dark }), widths, width, height, alt: { [language]: alt[language] } }
  return { ...common, ...translated, pictures: [picture] }
}
