import { type ReactNode, useEffect, useState } from 'react'
import { AppLink } from '#client/app-link.tsx'
import { paths } from '#client/paths.ts'
import { useAppDispatch, useAppSelector } from '#client/state.ts'
import { Button, buttonClasses } from '#ui/button.tsx'
import { EmptyState } from '#ui/empty-state.tsx'
import { BlankPlate } from '#ui/blank-plate.tsx'
import { EmptyBay } from '#ui/illustrations.tsx'
import { PageHeader } from '#ui/page-header.tsx'
import { LoadingRegion, Skeleton } from '#ui/skeleton.tsx'
import { ConfirmingNotice } from '#features/checkout/screens/confirming-notice.tsx'
import { usePaymentNotice } from '#features/checkout/screens/use-payment-notice.ts'
import { useTranslations } from '#i18n/translations.tsx'
import { systemClock } from '#shared/clock.ts'
import { browserApi } from '#client/browser.ts'
import { type ShownPicture, shownPictures } from '#features/offers/screens/pictures.ts'
import { ParticipationCard } from './participation-card.tsx'
import { type ParticipationFilter, participationsOf, withStatus } from './participations.ts'
import { StatusFilter } from './status-filter.tsx'
import { fetchTickets } from './tickets-slice.ts'

/** The caller's tickets, contest by contest (spec section 2, "My participations"). */
export function ParticipationsPage(): ReactNode {
  const t = useTranslations('tickets')
  const dispatch = useAppDispatch()
  const tickets = useAppSelector((state) => state.tickets.items)
  const [load, setLoad] = useState<'loading' | 'done' | { error: string | undefined }>('loading')
  const [filter, setFilter] = useState<ParticipationFilter>('all')
  usePaymentNotice()

  async function read(): Promise<void> {
    setLoad('loading')
    const action = await dispatch(fetchTickets())
    setLoad(fetchTickets.fulfilled.match(action) ? 'done' : { error: action.payload?.message })
  }
  useEffect(() => {
    void read()
    // oxlint-disable-next-line react/exhaustive-deps -- once for each visit of the page
  }, [])

  const all = participationsOf(tickets, systemClock())
  const shown = withStatus(all, filter)
  const pictures = useContestPictures(load === 'done' && all.length > 0)

  if (load === 'loading' && all.length === 0) return <ParticipationsSkeleton />
  return (
    <div className="page-width grid grid-cols-1 [&_:is(h1,h2,h3)]:wrap-anywhere gap-8 py-8 sm:py-12">
      <PageHeader
        title={t('title')}
        lead={all.length > 0 && <span className="print:hidden">{t('downloadHint')}</span>}
      />
      <ConfirmingNotice onPaid={() => void read()} />
      {typeof load === 'object' && <LoadError message={load.error} onRetry={() => void read()} />}
      {load === 'done' && all.length === 0 && <NoTickets />}
      {all.length > 0 && (
        <>
          <StatusFilter all={all} value={filter} onChange={setFilter} />
          {shown.length === 0 && <NothingWithStatus onShowAll={() => setFilter('all')} />}
          <ul className="grid grid-cols-1 gap-6">
            {shown.map((participation) => (
              <li key={participation.offerId}>
                <ParticipationCard
                  participation={participation}
                  picture={pictures ? pictures.get(participation.offerId) : 'loading'}
                />
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  )
}

/** The page while the tickets are on the way. */
export function ParticipationsSkeleton(): ReactNode {
  const t = useTranslations('tickets')
  return (
    <LoadingRegion text={t('loading')} className="page-width grid grid-cols-1 gap-8 py-8 sm:py-12">
      <Skeleton className="h-12 w-72 max-w-full" />
      <Skeleton className="h-12 w-80 max-w-full" />
      <Skeleton className="h-48" />
      <Skeleton className="h-48" />
    </LoadingRegion>
  )
}

function LoadError({ message, onRetry }: { message: string | undefined; onRetry: () => void }): ReactNode {
  const t = useTranslations('tickets')
  return (
    <div role="alert">
      <EmptyState
        illustration={<EmptyBay />}
        title={t('errorTitle')}
        text={message}
        action={<Button onClick={onRetry}>{t('retry')}</Button>}
      />
    </div>
  )
}

function NoTickets(): ReactNode {
  const t = useTranslations('tickets')
  return (
    <EmptyState
      illustration={<BlankPlate />}
      title={t('empty')}
      text={t('emptyText')}
      action={
        <AppLink to={paths.offers()} className={buttonClasses()}>
          {t('emptyAction')}
        </AppLink>
      }
    />
  )
}

function NothingWithStatus({ onShowAll }: { onShowAll: () => void }): ReactNode {
  const t = useTranslations('tickets')
  return (
    <EmptyState
      title={t('empty')}
      text={t('emptyFilterText')}
      action={
        <Button variant="secondary" onClick={onShowAll}>
          {t('emptyFilterAction')}
        </Button>
      }
    />
  )
}

type ContestPictures = ReadonlyMap<number, ShownPicture>

/**
 * The first picture of each contest, by its id: tickets name their contest, the list of contests has the pictures.
 * @param wanted whether there is anything to show them with
 * @returns undefined until they are there; none where the list could not be read, for the page says enough without
 */
function useContestPictures(wanted: boolean): ContestPictures | undefined {
  const [pictures, setPictures] = useState<ContestPictures>()

  useEffect(() => {
    if (!wanted) return undefined
    const leaving = new AbortController()
    async function read(): Promise<void> {
      const offers = await browserApi()
        .offers(leaving.signal)
        .catch(() => [])
      if (leaving.signal.aborted) return
      const firsts = offers.flatMap((offer) =>
        shownPictures(offer)
          .slice(0, 1)
          .map((one) => [offer.id, one] as const),
      )
      setPictures(new Map(firsts))
    }
    void read()
    return () => leaving.abort()
  }, [wanted])

  return pictures
}
