import { ArrowLeft } from 'lucide-react'
import type { ReactNode } from 'react'
import { AppLink } from '#client/app-link.tsx'
import { paths } from '#client/paths.ts'
import { Alert } from '#ui/alert.tsx'
import { buttonClasses } from '#ui/button.tsx'
import { classes } from '#ui/classes.ts'
import { EmptyState } from '#ui/empty-state.tsx'
import { EmptyBay } from '#ui/illustrations.tsx'
import { Paragraphs } from '#ui/paragraphs.tsx'
import { LoadingRegion, Skeleton } from '#ui/skeleton.tsx'
import type { OfferDetail } from '#features/offers/offers.contract.ts'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { localized } from '#shared/localized-text.ts'
import { BuyBar, BuyPanel } from './buy-panel.tsx'
import { useLiveOffer } from './live-offers.ts'
import { LoadError } from './load-error.tsx'
import { OfferFacts } from './offer-facts.tsx'
import { GALLERY, OfferGallery, PICTURE_COLUMNS, WITH_THUMBNAILS } from './offer-gallery.tsx'
import { OfferOutcome, type Outcome } from './offer-outcome.tsx'
import { OfferPicture } from './offer-picture.tsx'
import { SLIDE_SIZES, type ShownPicture, shownPictures } from './pictures.ts'
import { PrizeFigures } from './prize-figures.tsx'
import { RelatedOffers } from './related-offers.tsx'
import { usePurchase } from './use-purchase.ts'
import { ZonedTime } from './zoned-time.tsx'

/** What the public page of the contest knows of its draw. */
export interface OfferDrawFacts {
  /** ISO 8601 in UTC; null while no draw is published. */
  at: string | null
  outcome: Outcome | undefined
}

/** Spec section 2, "Offer detail". @param draw undefined when it could not be loaded */
export function OfferPage({
  offer: loaded,
  draw,
}: {
  offer: OfferDetail
  draw?: OfferDrawFacts | undefined
}): ReactNode {
  const offer = useLiveOffer(loaded)
  const language = useLanguage()
  const purchase = usePurchase(offer)
  const title = localized(offer, 'title', language)
  return (
    <article className="page-width @container grid grid-cols-1 gap-3 py-3 md:gap-6 md:py-6">
      <AllOffers className="max-md:hidden" />
      <h1 lang={title.language} tabIndex={-1} className="text-title sm:text-headline">
        {title.text}
      </h1>
      {draw?.outcome && <OfferOutcome slug={offer.slug} total={offer.total_tickets} outcome={draw.outcome} />}
      <div className={PICTURE_COLUMNS}>
        <OfferGallery pictures={shownPictures(offer)} title={title.text} />
        <div className="@4xl:sticky @4xl:top-20 @4xl:row-span-2">
          <BuyPanel offer={offer} purchase={purchase} isDrawn={draw?.outcome !== undefined} />
        </div>
        <div className="grid grid-cols-1 gap-8">
          <PrizeFigures prize={offer.prize} />
          <OfferFacts offer={offer} drawAt={draw?.at ?? null} />
          <Description offer={offer} />
        </div>
      </div>
      <RelatedOffers offerId={offer.id} />
      <AllOffers className="md:hidden" />
      <BuyBar offer={offer} purchase={purchase} />
    </article>
  )
}

const AllOffers = ({ className }: { className: string }): ReactNode => (
  <AppLink
    to={paths.offers()}
    className={classes(
      'inline-flex min-h-11 w-fit items-center gap-2 text-sm underline-offset-4 hover:underline print:hidden',
      className,
    )}
  >
    <ArrowLeft aria-hidden="true" className="size-4" />
    {useTranslations('offers.detail')('all')}
  </AppLink>
)

function Description({ offer }: { offer: OfferDetail }): ReactNode {
  const t = useTranslations('offers.detail')
  const description = localized(offer, 'description', useLanguage())
  if (description.text.trim() === '') return <OfferChanges offer={offer} />
  return (
    <section className="grid gap-3">
      <h2 className="text-title">{t('about')}</h2>
      <OfferChanges offer={offer} />
      <Paragraphs text={description.text} lang={description.language} />
    </section>
  )
}

/** When the prize was described otherwise after the first entry, with the way to both versions (ADR 0096). */
export function OfferChanges({ offer: { slug, changes } }: { offer: OfferDetail }): ReactNode {
  const t = useTranslations('offers.changes')
  if (!changes) return null
  return (
    <Alert title={t('heading')}>
      <ul>
        {changes.map(({ at, of }) => (
          <li key={at}>
            <ZonedTime iso={at} /> · {of.map((part) => t(part)).join(', ')}
          </li>
        ))}
      </ul>
      <AppLink to={`${paths.draw(slug)}#changes`} className="prose-link inline-flex min-h-11 items-center">
        {t('see')}
      </AppLink>
    </Alert>
  )
}

/** @param picture the first one, when the list has shown it */
export function OfferSkeleton({ picture }: { picture: ShownPicture | undefined }): ReactNode {
  const t = useTranslations('offers.detail')
  return (
    <LoadingRegion
      text={t('loading')}
      className="page-width @container grid grid-cols-1 gap-3 py-3 md:gap-6 md:py-6"
    >
      <Skeleton className="h-11 w-36 max-md:hidden" />
      <Skeleton className="h-[1lh] w-2/3 text-title sm:text-headline" />
      <div className={PICTURE_COLUMNS}>
        <div className={classes(GALLERY, WITH_THUMBNAILS)}>
          <div className="aspect-[8/5] overflow-hidden bg-sunken md:rounded-lg">
            {picture && <OfferPicture picture={picture} alt="" sizes={SLIDE_SIZES} loading="first" />}
          </div>
        </div>
        <Skeleton className="h-96" />
        <Skeleton className="h-48" />
      </div>
    </LoadingRegion>
  )
}

/** Spec section 8, "Offer load failure". */
export function OfferNotFound(): ReactNode {
  const t = useTranslations('offers.detail')
  const tErrors = useTranslations('errors.offer')
  return (
    <EmptyState
      as="h1"
      className="page-width"
      illustration={<EmptyBay />}
      title={tErrors('notFound')}
      text={t('notFoundText')}
      action={
        <AppLink to={paths.offers()} className={buttonClasses()}>
          {t('all')}
        </AppLink>
      }
    />
  )
}

export function OfferError({ message }: { message: string }): ReactNode {
  const t = useTranslations('offers.detail')
  return (
    <div className="page-width">
      <LoadError as="h1" title={t('errorTitle')} text={message} />
    </div>
  )
}
