import type { ReactNode } from 'react'
import { useTranslations } from '#i18n/translations.tsx'
import { OfferPicture } from './offer-picture.tsx'
import type { ShownPicture } from './pictures.ts'

interface GalleryThumbnailsProps {
  pictures: readonly ShownPicture[]
  index: number
  onShow: (index: number) => void
}

/** Small pictures that bring theirs into the carousel: on its right, on phones below it. */
export function GalleryThumbnails({ pictures, index, onShow }: GalleryThumbnailsProps): ReactNode {
  const t = useTranslations('offers.gallery')
  return (
    <ul className="-mx-1 flex gap-2 overflow-x-auto p-1 md:mx-0 md:flex-col md:overflow-visible md:p-0">
      {pictures.map((picture, at) => (
        <li key={picture.src} className="shrink-0">
          <button
            type="button"
            aria-label={t('show', { index: at + 1 })}
            aria-current={at === index ? 'true' : undefined}
            onClick={() => onShow(at)}
            className="block aspect-[8/5] w-24 overflow-hidden rounded-md border-2 border-line hover:border-line-strong aria-current:border-signal"
          >
            <OfferPicture picture={picture} sizes="6rem" alt="" className="h-full w-full object-cover" />
          </button>
        </li>
      ))}
    </ul>
  )
}
