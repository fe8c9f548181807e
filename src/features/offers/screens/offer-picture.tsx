import type { ReactNode } from 'react'
import { useLanguage } from '#i18n/translations.tsx'
import type { ShownPicture } from './pictures.ts'

interface OfferPictureProps {
  picture: ShownPicture
  /** `sizes` text: how wide the picture is shown. */
  sizes: string
  /** Loaded at once and before others; everything below the first screen waits. */
  eager?: boolean
  /** Empty where the text beside the picture says the same. */
  alt?: string
  className?: string
}

/** A picture of a contest in the size the screen needs. */
export function OfferPicture({
  picture,
  sizes,
  eager = false,
  alt,
  className,
}: OfferPictureProps): ReactNode {
  const language = useLanguage()
  return (
    <picture className="contents">
      {picture.avif && <source type="image/avif" srcSet={picture.avif} sizes={sizes} />}
      {picture.webp && <source type="image/webp" srcSet={picture.webp} sizes={sizes} />}
      <img
        src={picture.src}
        alt={alt ?? picture.alt?.[language] ?? ''}
        width={picture.width}
        height={picture.height}
        loading={eager ? 'eager' : 'lazy'}
        decoding={eager ? 'sync' : 'async'}
        className={className}
        draggable={false}
      />
    </picture>
  )
}
