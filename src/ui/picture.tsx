import type { ReactNode } from 'react'

/** As in the stylesheet: paper is light. */
export const DARK_PAGE = 'screen and (prefers-color-scheme: dark)'

interface PictureProps {
  /** "/media/roadster-front" for "/media/roadster-front-480.avif". */
  stem: string
  /** Stem of the same picture for a dark page, in the same sizes. */
  dark?: string
  /** Of the AVIF and WebP files, in px, ascending. */
  widths: readonly number[]
  sizes: string
  /** Of the largest file, in px, to reserve the space. */
  width: number
  height: number
  alt?: string
  className?: string
}

/** A lazy picture in the best format and size for the screen. */
export function Picture({
  stem,
  dark,
  widths,
  sizes,
  width,
  height,
  alt = '',
  className,
}: PictureProps): ReactNode {
  return (
    <picture className="contents">
      {dark && (
        <>
          <source
            media={DARK_PAGE}
            type="image/avif"
            srcSet={pictureSources(dark, widths, 'avif')}
            sizes={sizes}
          />
          <source
            media={DARK_PAGE}
            type="image/webp"
            srcSet={pictureSources(dark, widths, 'webp')}
            sizes={sizes}
          />
        </>
      )}
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

/** For `srcset`. */
export const pictureSources = (stem: string, widths: readonly number[], format: 'avif' | 'webp'): string =>
  widths.map((width) => `${stem}-${width}.${format} ${width}w`).join(', ')
