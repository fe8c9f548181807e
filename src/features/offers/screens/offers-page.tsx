import type { ReactNode } from 'react'
import { AppLink } from '#client/app-link.tsx'
import { paths } from '#client/paths.ts'
import { buttonClasses } from '#ui/button.tsx'
import { classes } from '#ui/classes.ts'
import { EmptyState } from '#ui/empty-state.tsx'
import { EmptyBay } from '#ui/illustrations.tsx'
import { PageHeader } from '#ui/page-header.tsx'
import { LoadingRegion, Skeleton } from '#ui/skeleton.tsx'
import type { ListedOffer } from '#features/offers/offers.contract.ts'
import { useTranslations } from '#i18n/translations.tsx'
import { useLiveOffers } from './live-offers.ts'
import { LoadError } from './load-error.tsx'
import { PriceCountry } from './price-pair.tsx'
import { OfferCard } from './offer-card.tsx'

/** Cards on the first screen of a wide window. */
const FIRST_ROW = 4

const GRID = 'grid grid-cols-1 gap-4 @md:grid-cols-2 @xl:gap-6 @5xl:grid-cols-4'

interface OffersPageProps {
  offers: readonly ListedOffer[]
  error?: string | undefined
}

export function OffersPage({ offers: loaded, error }: OffersPageProps): ReactNode {
  const t = useTranslations('offers')
  const offers = useLiveOffers(loaded)
  return (
    <Frame lead={offers.length > 0}>
      {error !== undefined && <LoadError title={t('error', { message: error })} />}
      {error === undefined && offers.length === 0 && (
        <EmptyState
          illustration={<EmptyBay />}
          title={t('empty')}
          text={t('emptyHint')}
          action={
            <AppLink to={paths.home()} className={buttonClasses('secondary')}>
              {t('emptyAction')}
            </AppLink>
          }
        />
      )}
      {offers.length > 0 && (
        <ul className={GRID} aria-label={t('title')}>
          {offers.map((offer, index) => (
            <li
              key={offer.id}
              className={classes(
                '@md:row-span-4 @md:grid @md:grid-rows-subgrid @md:gap-y-0',
                index > 0 && 'late-card',
              )}
            >
              <OfferCard
                offer={offer}
                picture={index === 0 ? 'first' : index < FIRST_ROW ? 'soon' : 'late'}
              />
            </li>
          ))}
        </ul>
      )}
    </Frame>
  )
}

export function OffersSkeleton(): ReactNode {
  const t = useTranslations('offers')
  return (
    <Frame lead>
      <LoadingRegion text={t('loading')} className={GRID}>
        {Array.from({ length: 8 }, (_, index) => (
          <div
            key={index}
            aria-hidden="true"
            className="overflow-hidden rounded-lg border border-line bg-surface"
          >
            <Skeleton className="aspect-[8/5] rounded-none" />
            <div className="grid gap-4 p-4">
              <Skeleton className="h-5 w-3/4" />
              <Skeleton className="h-8 w-1/2" />
              <Skeleton className="h-4 w-full" />
              <Skeleton className="h-11 w-full" />
            </div>
          </div>
        ))}
      </LoadingRegion>
    </Frame>
  )
}

function Frame({ lead, children }: { lead: boolean; children: ReactNode }): ReactNode {
  const t = useTranslations('offers')
  return (
    <div className="page-width @container grid grid-cols-1 [&_:is(h1,h2,h3)]:wrap-anywhere gap-6 py-8 sm:gap-8 sm:py-12">
      <PageHeader title={t('title')} lead={lead && t('intro')} actions={lead && <PriceCountry />} />
      {children}
    </div>
  )
}
