import { type ReactNode, useEffect, useState } from 'react'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { localized } from '#shared/localized-text.ts'
import { classes } from '#ui/classes.ts'
import { LoadingRegion, Skeleton } from '#ui/skeleton.tsx'
import type { Coming, FirstLook } from './first-look.ts'
import { GALLERY, PICTURE_COLUMNS, WITH_THUMBNAILS } from './offer-gallery.tsx'
import { OfferPicture } from './offer-picture.tsx'
import { SLIDE_SIZES, type ShownPicture } from './pictures.ts'

interface OfferSkeletonProps {
  picture?: ShownPicture | undefined
  look?: FirstLook
}

/** @param picture the first one, when the list has shown it */
export function OfferSkeleton({ picture, look }: OfferSkeletonProps): ReactNode {
  const t = useTranslations('offers.detail')
  const language = useLanguage()
  const title = look && localized(look.contest, 'title', language)
  return (
    <LoadingRegion
      text={t('loading')}
      className="page-width @container grid grid-cols-1 gap-3 py-3 md:gap-6 md:py-6"
    >
      <Skeleton className="h-11 w-36 max-md:hidden" />
      {title ? (
        <h1 lang={title.language} tabIndex={-1} className="text-title sm:text-headline">
          {title.text}
        </h1>
      ) : (
        <Skeleton className="h-[1lh] w-2/3 text-title sm:text-headline" />
      )}
      <div className={PICTURE_COLUMNS}>
        <div className={classes(GALLERY, WITH_THUMBNAILS)}>
          <div className="aspect-[8/5] overflow-hidden bg-sunken md:rounded-lg">
            {picture && <OfferPicture picture={picture} alt="" sizes={SLIDE_SIZES} loading="first" />}
            {look?.picture && <img src={look.picture} alt="" className="h-full w-full object-cover" />}
          </div>
        </div>
        <Skeleton className="h-96" />
        <Skeleton className="h-48" />
      </div>
    </LoadingRegion>
  )
}

interface ComingPageProps<Loaded> {
  coming: Coming<Loaded>
  children: (loaded: Loaded) => ReactNode
}

/** What a card showed, until its page has come. */
export function ComingPage<Loaded>({
  coming: { look, later },
  children,
}: ComingPageProps<Loaded>): ReactNode {
  const [outcome, setOutcome] = useState<{ loaded: Loaded } | { error: unknown }>()
  useEffect(() => {
    let isShown = true
    later.then(
      (loaded) => isShown && setOutcome({ loaded }),
      (error: unknown) => isShown && setOutcome({ error }),
    )
    return () => {
      isShown = false
    }
  }, [later])
  if (!outcome) return <OfferSkeleton look={look} />
  if ('error' in outcome) throw outcome.error
  return children(outcome.loaded)
}
