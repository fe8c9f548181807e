import { translatorOf } from '#i18n/active-messages.ts'
import { absolute, canonicalPath, paths } from '#client/paths.ts'
import type { Shell } from '#client/shell.ts'
import { whyNotBuyable } from '#features/offers/offers.rules.ts'
import type { Offer } from '#features/offers/offers.contract.ts'
import { localized } from '#shared/languages.ts'
import { type Thing, organisationId } from './structured-data.ts'

const AVAILABILITY = { ended: 'Discontinued', soldOut: 'SoldOut' } as const

/** What of the shell a ticket's data depends on. */
type Known = Pick<Shell, 'settings' | 'language'>

/** Longest description that search engines show. */
const SUMMARY_LENGTH = 160

/** Width in pixels of the pictures that search engines are told of: they ask for at least 1200. */
const PICTURE_WIDTH = 1280

/** The contests of the list, each with what a ticket costs and whether there are any (schema.org ItemList). */
export const offerListData = (shell: Shell, offers: readonly Offer[]): Thing => ({
  '@type': 'ItemList',
  itemListElement: offers.map((offer, index) => ({
    '@type': 'ListItem',
    position: index + 1,
    item: productData(shell, offer),
  })),
})

/** One contest: a ticket at its price, and the draw that it is for. */
export const offerData = (shell: Shell, offer: Offer): Thing[] => [
  productData(shell, offer),
  ...drawData(shell, offer),
]

/** What is sold: a ticket (schema.org Product with an Offer). */
function productData(shell: Known, offer: Offer): Thing {
  const { settings } = shell
  return {
    '@type': 'Product',
    ...commonData(shell, offer),
    sku: offer.slug,
    brand: { '@type': 'Brand', name: settings.brand },
    offers: ticketData(shell, offer, {
      priceValidUntil: offer.end_date,
      itemCondition: 'https://schema.org/NewCondition',
      priceSpecification: {
        '@type': 'UnitPriceSpecification',
        price: offer.ticket_price,
        priceCurrency: 'EUR',
        valueAddedTaxIncluded: settings.pricesIncludeVat,
      },
    }),
  }
}

/**
 * The live draw (schema.org Event), held on the video platform once no more tickets are sold. A contest that was taken
 * out of sale before its end has no draw to announce.
 */
function drawData(shell: Shell, offer: Offer): Thing[] {
  const { settings, language, renderedAt } = shell
  if (!offer.is_active && Date.parse(offer.end_date) > renderedAt) return []
  const common = commonData(shell, offer)
  return [
    {
      '@type': 'Event',
      ...common,
      name: translatorOf(language)('pages.offer.draw', { title: common.name }),
      startDate: offer.end_date,
      eventStatus: 'https://schema.org/EventScheduled',
      eventAttendanceMode: 'https://schema.org/OnlineEventAttendanceMode',
      location: { '@type': 'VirtualLocation', url: settings.videoUrl },
      organizer: {
        '@type': 'Organization',
        ...organisationId(shell),
        name: settings.brand,
        url: absolute(settings.publicUrl, '/'),
      },
      offers: ticketData(shell, offer),
    },
  ]
}

function commonData({ settings, language }: Known, offer: Offer) {
  const address = absolute(settings.publicUrl, canonicalPath(paths.offer(offer.slug), language))
  const image = pictureAddresses(settings.publicUrl, offer)
  return {
    name: localized(offer, 'title', language).text,
    description: summary(localized(offer, 'description', language).text),
    url: address,
    ...(image.length > 0 && { image }),
  }
}

function ticketData({ settings, language }: Known, offer: Offer, more: Record<string, unknown> = {}): Thing {
  const reason = whyNotBuyable(offer)
  return {
    '@type': 'Offer',
    url: absolute(settings.publicUrl, canonicalPath(paths.offer(offer.slug), language)),
    price: offer.ticket_price,
    priceCurrency: 'EUR',
    availability: `https://schema.org/${reason ? AVAILABILITY[reason] : 'InStock'}`,
    ...more,
  }
}

/** The pictures of a contest, complete addresses, as far as it has any. */
function pictureAddresses(publicUrl: string, { pictures, carousel_images }: Offer): string[] {
  if (pictures.length === 0) return carousel_images.map((address) => absolute(publicUrl, address))
  return pictures.map(({ src, widths }) => {
    const width = widths.find((one) => one >= PICTURE_WIDTH) ?? widths.at(-1)
    return absolute(publicUrl, `${src}-${width}.webp`)
  })
}

/** The beginning of a text, cut between two words. */
export function summary(text: string): string {
  const flat = text.replaceAll(/\s+/g, ' ').trim()
  return flat.length <= SUMMARY_LENGTH ? flat : `${flat.slice(0, SUMMARY_LENGTH - 1).replace(/\s\S*$/, '')}…`
}
