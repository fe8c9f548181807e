import type { ListedOffer } from '#features/offers/offers.contract.ts'
import type { Language } from '#shared/languages.ts'
import { pictureSources } from '#ui/picture.tsx'

/** Several sizes and two formats, or one file. */
export interface ShownPicture {
  /** For browsers without `srcset`, and the only file of a plain address. */
  src: string
  avif?: string
  webp?: string
  /** The same picture for a dark page. */
  dark?: { avif: string; webp: string }
  /** Pixels of the largest file. */
  width?: number
  height?: number
  /** A plain address has none. */
  alt?: Partial<Record<Language, string>>
}

export const SLIDE_SIZES = '(min-width: 80rem) 48rem, (min-width: 64rem) 58vw, 100vw'

/** Pixels of the file for browsers without `srcset`. */
const PLAIN_WIDTH = 828

/** `pictures`, or else the addresses in `image` and `carousel_images` (spec section 3, Offer). */
export function shownPictures(
  offer: Pick<ListedOffer, 'pictures' | 'image' | 'carousel_images'>,
): ShownPicture[] {
  if (offer.pictures.length === 0) {
    const addresses = [offer.image, ...(offer.carousel_images ?? [])].filter(Boolean)
    return [...new Set(addresses)].map((src) => ({ src: src as string }))
  }
  return offer.pictures.map(({ src, dark, widths, width, height, alt }) => {
    const set = (stem: string) => ({
      avif: pictureSources(stem, widths, 'avif'),
      webp: pictureSources(stem, widths, 'webp'),
    })
    const plain = widths.findLast((one) => one <= PLAIN_WIDTH) ?? widths[0]
    return { src: `${src}-${plain}.webp`, ...set(src), ...(dark && { dark: set(dark) }), width, height, alt }
  })
}
