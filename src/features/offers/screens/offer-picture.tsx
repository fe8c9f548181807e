import type { ReactNode } from 'react'
import { AppLink } from '#client/app-link.tsx'
import { paths } from '#client/paths.ts'
import { useLanguage } from '#i18n/translations.tsx'
import { DARK_PAGE } from '#ui/picture.tsx'
import type { ShownPicture } from './pictures.ts'

interface OfferPictureProps {
  picture: ShownPicture
  sizes: string
  /** `first`: before everything else; `soon`: on the first screen; `late`: below it. */
  loading?: 'first' | 'soon' | 'late'
  /** Empty where the text beside the picture is enough. */
  alt?: string
  className?: string
}

const PRIORITY = { first: 'high', soon: 'low', late: undefined } as const

export function OfferPicture({
  picture,
  sizes,
  loading = 'late',
  alt,
  className = 'h-full w-full object-cover',
}: OfferPictureProps): ReactNode {
  const language = useLanguage()
  return (
    <picture className="contents">
      {picture.dark && (
        <>
          <source media={DARK_PAGE} type="image/avif" srcSet={picture.dark.avif} sizes={sizes} />
          <source media={DARK_PAGE} type="image/webp" srcSet={picture.dark.webp} sizes={sizes} />
        </>
      )}
      {picture.avif && <source type="image/avif" srcSet={picture.avif} sizes={sizes} />}
      <img
        src={picture.src}
        srcSet={picture.webp}
        sizes={picture.webp && sizes}
        alt={alt ?? picture.alt?.[language] ?? ''}
        width={picture.width}
        height={picture.height}
        loading={loading === 'late' ? 'lazy' : 'eager'}
        decoding={loading === 'first' ? 'sync' : 'async'}
        fetchPriority={PRIORITY[loading]}
        className={className}
        draggable={false}
      />
    </picture>
  )
}

interface LinkedPictureProps {
  slug: string
  /** Without a picture the frame stays. */
  picture: ShownPicture | undefined
}

/** Hidden from screen readers: the title beside it is the same link. */
export const LinkedPicture = ({ slug, picture }: LinkedPictureProps): ReactNode => (
  <AppLink
    to={paths.offer(slug)}
    tabIndex={-1}
    aria-hidden="true"
    className="aspect-[8/5] self-start overflow-hidden rounded-md bg-sunken @md:row-span-2"
  >
    {picture && <OfferPicture picture={picture} sizes="11rem" alt="" />}
  </AppLink>
)
