import type { MetaDescriptor } from 'react-router'
import { absolute, canonicalPath, paths } from '#client/paths.ts'
import type { Shell } from '#client/shell.ts'
import type { PublicDraw } from '#features/draws/public-draws.contract.ts'
import { drawInstant } from '#features/draws/public-draws.rules.ts'
import type { Offer } from '#features/offers/offers.contract.ts'
import { whyNotBuyable } from '#features/offers/offers.rules.ts'
import type { FirstLook } from '#features/offers/screens/first-look.ts'
import { SLIDE_SIZES, shownPictures } from '#features/offers/screens/pictures.ts'
import { translatorOf } from '#i18n/active-messages.ts'
import { DARK_PAGE } from '#ui/picture.tsx'
import { localized } from '#shared/localized-text.ts'
import { type SharingPicture, pageHead } from './head.ts'
import { allInPrice } from '#features/offers/screens/price-pair.tsx'
import { toDecimal } from '#shared/money.ts'
import type { Event, ItemList, Offer as SellingOffer, Product } from 'schema-dts'
import { type Thing, organisationId } from './structured-data.ts'

/**
 * The head of a contest's guarded page; a neutral one without the contest. Its canonical address is that of the public
 * page.
 */
export const offerHead = (shell: Shell, offer: Offer | null, slug: string): MetaDescriptor[] =>
  contestHead(shell, offer, { path: paths.draw(slug), noindex: true })

/** The head of a contest's public page. @param draw null: there is no such contest */
export const drawHead = (shell: Shell, draw: PublicDraw | null, slug: string): MetaDescriptor[] =>
  contestHead(
    shell,
    draw?.contest ?? null,
    { path: paths.draw(slug), noindex: draw?.rehearsal !== null, isRehearsal: Boolean(draw?.rehearsal) },
    draw ? (drawInstant(draw) ?? undefined) : undefined,
  )

/** The head of either page while it comes. */
export function comingHead(shell: Shell, { contest }: FirstLook): MetaDescriptor[] {
  const title = localized(contest, 'title', shell.language).text
  return pageHead(shell, 'offer', { path: paths.draw(contest.slug), noindex: true, title, keywords: title })
}

/** @param drawAt when it is known */
function contestHead(
  shell: Shell,
  offer: Offer | null,
  { isRehearsal = false, ...page }: { path: string; noindex: boolean; isRehearsal?: boolean },
  drawAt?: string,
): MetaDescriptor[] {
  if (!offer) return pageHead(shell, 'offer', page)
  const { text } = localized(offer, 'title', shell.language)
  const title = isRehearsal ? translatorOf(shell.language)('draws.rehearsal.title', { title: text }) : text
  const image = sharingPicture(shell, offer, title)
  const description = summary(localized(offer, 'description', shell.language).text)
  const tags = pageHead(shell, 'offer', {
    ...page,
    isBare: isRehearsal,
    title,
    keywords: title,
    ...(description !== '' && { description }),
    ...(import.meta.env.SSR && { jsonLd: () => offerData(shell, offer, drawAt) }),
    ...(image && { image }),
  })
  return import.meta.env.SSR ? [...tags, ...firstPicture(offer)] : tags
}

function firstPicture(offer: Offer): MetaDescriptor[] {
  const [picture] = shownPictures(offer)
  if (!picture?.avif) return []
  const { avif, dark } = picture
  const preload = (imageSrcSet: string, media?: string): MetaDescriptor => ({
    tagName: 'link',
    rel: 'preload',
    as: 'image',
    type: 'image/avif',
    ...(media && { media }),
    imageSrcSet,
    imageSizes: SLIDE_SIZES,
    fetchPriority: 'high',
  })
  if (!dark) return [preload(avif)]
  return [preload(avif, `not ${DARK_PAGE}`), preload(dark.avif, DARK_PAGE)]
}

/** Made by src/server/sharing-pictures.ts; what stands on it is its version, because networks keep what they have read. */
function sharingPicture({ language }: Shell, offer: Offer, title: string): SharingPicture | undefined {
  const { slug, ticket_price, total_tickets, end_date } = offer
  const [first] = offer.pictures
  if (!first) return undefined
  const version = encodeURIComponent(
    `${first.src.split('/').at(-1)}-${ticket_price}-${total_tickets}-${end_date}`,
  )
  return { path: `/media/og-${slug}.jpg?v=${version}`, alt: first.alt[language] || title }
}

const AVAILABILITY = { ended: 'Discontinued', soldOut: 'SoldOut' } as const

/** Longest description in search results. */
const SUMMARY_LENGTH = 160

/** Search engines ask for pictures of at least 1200 pixels. */
const PICTURE_WIDTH = 1280

/** The list of contests (schema.org ItemList). */
export const offerListData = (shell: Shell, offers: readonly Offer[]): ItemList => ({
  '@type': 'ItemList',
  itemListElement: offers.map((offer, index) => ({
    '@type': 'ListItem',
    position: index + 1,
    item: ticketData(shell, offer),
  })),
})

const offerData = (shell: Shell, offer: Offer, drawAt?: string): Thing[] => [
  ticketData(shell, offer),
  ...drawData(shell, offer, drawAt),
]

/** What is sold is a ticket: the car is the prize, and has no price here. */
function ticketData(shell: Shell, offer: Offer): Product {
  const t = translatorOf(shell.language)
  const title = localized(offer, 'title', shell.language).text
  return {
    '@type': 'Product',
    name: t('pages.offer.ticket', { title }),
    description: t('pages.offer.ticketDescription', { title, total: offer.total_tickets }),
    url: pageAddress(shell, offer),
    sku: offer.slug,
    offers: {
      ...priceData(shell, offer),
      priceValidUntil: offer.end_date,
      seller: organisationId(shell),
    },
  }
}

/**
 * A contest that was stopped has no draw, and one without a draw instant none that could be named; of one that was cancelled,
 * search engines learn so.
 */
function drawData(shell: Shell, offer: Offer, drawAt: string | undefined): Event[] {
  const { settings, language } = shell
  if (offer.stopped_as === 'stopped' || drawAt === undefined) return []
  const image = pictureAddresses(settings.publicUrl, offer)
  return [
    {
      '@type': 'Event',
      name: translatorOf(language)('pages.offer.draw', { title: localized(offer, 'title', language).text }),
      description: summary(localized(offer, 'description', language).text),
      url: pageAddress(shell, offer),
      ...(image.length > 0 && { image }),
      startDate: drawAt,
      eventStatus: `https://schema.org/Event${offer.stopped_as === 'cancelled' ? 'Cancelled' : 'Scheduled'}`,
      eventAttendanceMode: 'https://schema.org/OnlineEventAttendanceMode',
      location: { '@type': 'VirtualLocation', url: absolute(settings.publicUrl, paths.liveDraw(offer.slug)) },
      organizer: {
        '@type': 'Organization',
        ...organisationId(shell),
        name: settings.brand,
        url: absolute(settings.publicUrl, '/'),
      },
      offers: priceData(shell, offer),
    },
  ]
}

const pageAddress = ({ settings, language }: Shell, { slug }: Offer): string =>
  absolute(settings.publicUrl, canonicalPath(paths.draw(slug), language))

/** The price of a ticket with the VAT of the assumed country, as the page shows it to somebody new. */
function priceData(shell: Shell, offer: Offer): SellingOffer {
  const reason = whyNotBuyable(offer)
  const { pricesIncludeVat } = shell.settings
  const allIn = allInPrice(offer.ticket_price, 1, undefined, new Date(shell.renderedAt), pricesIncludeVat)
  const price = { price: allIn ? toDecimal(allIn.total) : offer.ticket_price, priceCurrency: 'EUR' }
  return {
    '@type': 'Offer',
    url: pageAddress(shell, offer),
    ...price,
    availability: `https://schema.org/${reason ? AVAILABILITY[reason] : 'InStock'}`,
    priceSpecification: {
      '@type': 'UnitPriceSpecification',
      ...price,
      valueAddedTaxIncluded: true,
    },
  }
}

function pictureAddresses(publicUrl: string, { pictures, carousel_images }: Offer): string[] {
  if (pictures.length === 0) return carousel_images.map((address) => absolute(publicUrl, address))
  return pictures.map(({ src, widths }) => {
    const width = widths.find((one) => one >= PICTURE_WIDTH) ?? widths.at(-1)
    return absolute(publicUrl, `${src}-${width}.webp`)
  })
}

function summary(text: string): string {
  const flat = text.replaceAll(/\s+/g, ' ').trim()
  return flat.length <= SUMMARY_LENGTH ? flat : `${flat.slice(0, SUMMARY_LENGTH - 1).replace(/\s\S*$/, '')}…`
}
