import { type ReactNode, useId, useMemo } from 'react'
import { useLocation, useNavigate } from 'react-router'
import { AppLink } from '#client/app-link.tsx'
import { paths } from '#client/paths.ts'
import { Button, buttonClasses } from '#ui/button.tsx'
import { classes } from '#ui/classes.ts'
import { EmptyState } from '#ui/empty-state.tsx'
import { EmptyBay } from '#ui/illustrations.tsx'
import { PageHeader } from '#ui/page-header.tsx'
import { Select } from '#ui/select.tsx'
import { LoadingRegion, Skeleton } from '#ui/skeleton.tsx'
import type { ListedOffer } from '#features/offers/offers.contract.ts'
import { formatEur } from '#i18n/format.ts'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { useSettings } from '#client/shell.ts'
import {
  type ListQuery,
  SORTS,
  type ShownBand,
  arrange,
  readListQuery,
  writeListQuery,
} from '../offer-list.rules.ts'
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
  const { search } = useLocation()
  const query = useMemo(() => readListQuery(search), [search])
  // By what was loaded, so that no card moves while somebody reads.
  const { open, over, total, bands } = useMemo(() => arrange(loaded, query), [loaded, query])
  const live = new Map(useLiveOffers(loaded).map((offer) => [offer.id, offer]))
  const now = (offers: readonly ListedOffer[]) => offers.map((offer) => live.get(offer.id) ?? offer)
  return (
    <Frame lead={loaded.length > 0}>
      {error !== undefined && <LoadError title={t('error', { message: error })} />}
      {error === undefined && loaded.length === 0 && (
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
      {loaded.length > 0 && (
        <div className="flex flex-wrap items-end gap-4">
          {(total > 1 || query.price !== undefined) && (
            <Arrangement query={query} bands={bands} count={open.length} />
          )}
          <PriceCountry hangs />
        </div>
      )}
      {total > open.length && open.length === 0 && (
        <EmptyState
          illustration={<EmptyBay />}
          title={t('list.none')}
          action={
            <AppLink to={paths.offers()} className={buttonClasses('secondary')}>
              {t('list.noneAction')}
            </AppLink>
          }
        />
      )}
      {open.length > 0 && <Cards label={t('title')} offers={now(open)} first={0} />}
      {over.length > 0 && (
        <section aria-labelledby="offers-over" className="grid grid-cols-1 gap-6 pt-8">
          <h2 id="offers-over" className="text-title">
            {t('list.over')}
          </h2>
          <Cards label={t('list.over')} offers={now(over)} first={open.length} as="h3" />
        </section>
      )}
    </Frame>
  )
}

interface CardsProps {
  label: string
  offers: readonly ListedOffer[]
  /** Cards above these. */
  first: number
  as?: 'h2' | 'h3'
}

const Cards = ({ label, offers, first, as = 'h2' }: CardsProps): ReactNode => (
  <ul className={GRID} aria-label={label}>
    {offers.map((offer, index) => (
      <li
        key={offer.id}
        className={classes(
          '@md:row-span-4 @md:grid @md:grid-rows-subgrid @md:gap-y-0',
          first + index > 0 && 'late-card',
        )}
      >
        <OfferCard
          as={as}
          offer={offer}
          picture={first + index === 0 ? 'first' : first + index < FIRST_ROW ? 'soon' : 'late'}
        />
      </li>
    ))}
  </ul>
)

interface ArrangementProps {
  query: ListQuery
  bands: readonly ShownBand[]
  /** Open contests that are shown. */
  count: number
}

/** Sorts and filters by the address of the page, by a form where no script runs. */
function Arrangement({ query, bands, count }: ArrangementProps): ReactNode {
  const t = useTranslations('offers.list')
  const tPrice = useTranslations('offers.price')
  const language = useLanguage()
  const { pricesIncludeVat } = useSettings()
  const navigate = useNavigate()
  const id = useId()
  const show = (change: Partial<ListQuery>): void =>
    void navigate(paths.offers(writeListQuery({ ...query, ...change })), { preventScrollReset: true })
  const bandName = ({ least, most, count: among }: ShownBand): string => {
    const [from, to] = [formatEur(least, language), most && formatEur(most, language)]
    if (to === undefined) return t('band.over', { least: from, count: among })
    return least === 0
      ? t('band.upTo', { most: to, count: among })
      : t('band.between', { least: from, most: to, count: among })
  }
  return (
    <form action={paths.offers()} className="grid max-w-xl grow grid-cols-2 items-end gap-2 print:hidden">
      <p aria-live="polite" className="sr-only">
        {t('count', { count })}
      </p>
      {bands.length > 0 && (
        <div className="grid min-w-0 gap-1.5">
          <label htmlFor={`${id}price`} className="text-sm font-semibold">
            {pricesIncludeVat ? tPrice('ticket') : t('price')}
          </label>
          <Select
            id={`${id}price`}
            name="price"
            value={query.price ?? ''}
            onChange={({ target }) => show({ price: bands.find(({ name }) => name === target.value)?.name })}
          >
            <option value="">{t('band.all')}</option>
            {bands.map((band) => (
              <option key={band.name} value={band.name}>
                {bandName(band)}
              </option>
            ))}
          </Select>
        </div>
      )}
      <div className="grid min-w-0 gap-1.5">
        <label htmlFor={`${id}sort`} className="text-sm font-semibold">
          {t('sort')}
        </label>
        <Select
          id={`${id}sort`}
          name="sort"
          value={query.sort}
          onChange={({ target }) => show({ sort: SORTS.find((one) => one === target.value) ?? SORTS[0] })}
        >
          {SORTS.map((one) => (
            <option key={one} value={one}>
              {t(`sorts.${one}`)}
            </option>
          ))}
        </Select>
      </div>
      <noscript>
        <Button type="submit" variant="secondary">
          {t('apply')}
        </Button>
      </noscript>
    </form>
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
    <div className="page-width @container grid grid-cols-1 gap-6 py-8 sm:gap-8 sm:py-12">
      <PageHeader title={t('title')} lead={lead && t('intro')} />
      {children}
    </div>
  )
}
