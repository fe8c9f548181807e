import type { ReactNode } from 'react'

interface PictureProps {
  /** "/media/roadster-front" for "/media/roadster-front-480.avif". */
  stem: string
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

/** For `srcset`. */
export const pictureSources = (stem: string, widths: readonly number[], format: 'avif' | 'webp'): string =>
  widths.map((width) => `${stem}-${width}.${format} ${width}w`).join(', ')
