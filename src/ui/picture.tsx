import type { ReactNode } from 'react'

interface PictureProps {
  /** Address without width and format: "/media/roadster-front" for "/media/roadster-front-480.avif". */
  stem: string
  /** Widths in pixels in which an AVIF and a WebP file exist, ascending. */
  widths: readonly number[]
  /** How wide the picture is shown, as the attribute `sizes` says it. */
  sizes: string
  /** Size in pixels of the largest file; keeps the place until the picture is there. */
  width: number
  height: number
  /** Empty where the words beside it say the same. */
  alt?: string
  className?: string
}

/** A picture below the first screen, in the format and size the reader's screen needs. */
export function Picture({
  stem,
  widths,
  sizes,
  width,
  height,
  alt = '',
  className,
}: PictureProps): ReactNode {
  return (
    <picture className="contents">
      <source type="image/avif" srcSet={pictureSources(stem, widths, 'avif')} sizes={sizes} />
      <img
        src={`${stem}-${widths.at(-1)}.webp`}
        srcSet={pictureSources(stem, widths, 'webp')}
        sizes={sizes}
        alt={alt}
        width={width}
        height={height}
        loading="lazy"
        decoding="async"
        className={className}
      />
    </picture>
  )
}

/** The files of a picture as the attribute `srcset` lists them. */
export const pictureSources = (stem: string, widths: readonly number[], format: 'avif' | 'webp'): string =>
  widths.map((width) => `${stem}-${width}.${format} ${width}w`).join(', ')
