import { paths } from '#client/paths.ts'
import type { Shell } from '#client/shell.ts'
import { whyNotBuyable } from '#features/offers/offers.rules.ts'
import type { Offer } from '#features/offers/offers.contract.ts'
import { localized } from '#shared/languages.ts'
import { type SharingPicture, absolute } from './head.ts'

const AVAILABILITY = { ended: 'Discontinued', soldOut: 'SoldOut' } as const

/** The list of contests for search engines (schema.org ItemList). */
export const offerListData = (
  { settings, language }: Shell,
  offers: readonly Offer[],
): Record<string, unknown> => ({
  '@type': 'ItemList',
  itemListElement: offers.map((offer, index) => ({
    '@type': 'ListItem',
    position: index + 1,
    url: absolute(settings.publicUrl, paths.offer(offer.slug)),
    name: localized(offer, 'title', language).text,
  })),
})

/** One contest for search engines: what is sold is a ticket at its price (schema.org Product). */
export function offerData({ settings, language }: Shell, offer: Offer): Record<string, unknown> {
  const reason = whyNotBuyable(offer)
  const image = sharingPicture(offer)
  return {
    '@type': 'Product',
    name: localized(offer, 'title', language).text,
    description: localized(offer, 'description', language).text,
    ...(image && { image: absolute(settings.publicUrl, image.path) }),
    offers: {
      '@type': 'Offer',
      url: absolute(settings.publicUrl, paths.offer(offer.slug)),
      price: offer.ticket_price,
      priceCurrency: 'EUR',
      priceValidUntil: offer.end_date,
      availability: `https://schema.org/${reason ? AVAILABILITY[reason] : 'InStock'}`,
    },
  }
}

/** The picture by which a contest is shared: its first one, in the largest size. */
export function sharingPicture({ pictures }: Offer): SharingPicture | undefined {
  const [first] = pictures
  const width = first?.widths.at(-1)
  return first && width !== undefined
    ? { path: `${first.src}-${width}.webp`, width: first.width, height: first.height }
    : undefined
}
