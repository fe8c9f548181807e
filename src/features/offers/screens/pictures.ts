import type { ListedOffer } from '#features/offers/offers.contract.ts'
import type { Language } from '#shared/languages.ts'

/** A picture in several sizes and two formats, or one file. */
export interface ShownPicture {
  /** The file for browsers that do not choose, and the only one of a plain address. */
  src: string
  /** `srcset` texts. */
  avif?: string
  webp?: string
  /** Pixels of the largest file. */
  width?: number
  height?: number
  /** Description by language; a plain address has none. */
  alt?: Partial<Record<Language, string>>
}

/** The attribute `sizes` of a picture in the carousel. */
export const SLIDE_SIZES = '(min-width: 80rem) 48rem, (min-width: 64rem) 58vw, 100vw'

/** Width in pixels of the file for browsers that do not choose. */
const PLAIN_WIDTH = 828

/** The pictures of an offer, or else the addresses in `image` and `carousel_images` (spec section 3, Offer). */
export function shownPictures(
  offer: Pick<ListedOffer, 'pictures' | 'image' | 'carousel_images'>,
): ShownPicture[] {
  if (offer.pictures.length === 0) {
    const addresses = [offer.image, ...(offer.carousel_images ?? [])].filter(Boolean)
    return [...new Set(addresses)].map((src) => ({ src: src as string }))
  }
  return offer.pictures.map(({ src, widths, width, height, alt }) => {
    const set = (format: string): string => widths.map((one) => `${src}-${one}.${format} ${one}w`).join(', ')
    const plain = widths.findLast((one) => one <= PLAIN_WIDTH) ?? widths[0]
    return { src: `${src}-${plain}.webp`, avif: set('avif'), webp: set('webp'), width, height, alt }
  })
}
