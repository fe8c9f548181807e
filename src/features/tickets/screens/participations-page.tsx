import { offersApi } from '#features/offers/offers.api.ts'
import { type ComponentType, type ReactNode, useEffect, useId, useState } from 'react'
import { AppLink } from '#client/app-link.tsx'
import { paths } from '#client/paths.ts'
import { useSettings } from '#client/shell.ts'
import { useAppDispatch, useAppSelector } from '#client/state.ts'
import type { Ticket } from '../tickets.contract.ts'
import { Badge } from '#ui/badge.tsx'
import { Button, buttonClasses } from '#ui/button.tsx'
import { classes } from '#ui/classes.ts'
import { EmptyState } from '#ui/empty-state.tsx'
import { BlankPlate } from '#ui/blank-plate.tsx'
import { EmptyBay } from '#ui/illustrations.tsx'
import { PageHeader } from '#ui/page-header.tsx'
import { Plate } from '#ui/plate.tsx'
import { LoadingRegion, Skeleton } from '#ui/skeleton.tsx'
import { LinkedPicture, OfferPicture } from '#features/offers/screens/offer-picture.tsx'
import { ZonedTime } from '#features/offers/screens/zoned-time.tsx'
import { formatDateTime } from '#i18n/format.ts'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { localized } from '#shared/localized-text.ts'
import { serverNow } from '#client/server-clock.ts'
import { browserCall } from '#client/browser.ts'
import { type ShownPicture, shownPictures } from '#features/offers/screens/pictures.ts'
import {
  PARTICIPATION_FILTERS,
  type Participation,
  type ParticipationFilter,
  decisiveTicket,
  newestPaid,
  participationsOf,
  phaseOf,
  withStatus,
} from './participations.ts'
import { useNewNumbers } from './use-new-numbers.ts'
import { TicketPlates } from './ticket-plates.tsx'
import { fetchTickets } from './tickets-slice.ts'

interface ParticipationsPageProps {
  /** How many payments wait to be confirmed: with each that was, there may be new tickets. */
  confirming: number
  /** A payment has just succeeded: its numbers come first. */
  arrived: boolean
  /** What becomes of payments that are not confirmed yet. */
  Payments: ComponentType<{ onPaid: () => void }>
}

/** Spec section 2, "My participations". */
export function ParticipationsPage({ confirming, arrived, Payments }: ParticipationsPageProps): ReactNode {
  const t = useTranslations('tickets')
  const dispatch = useAppDispatch()
  const tickets = useAppSelector((state) => state.tickets.items)
  const [load, setLoad] = useState<'loading' | 'done' | { error: string | undefined }>('loading')
  const [filter, setFilter] = useState<ParticipationFilter>('all')

  async function read(): Promise<void> {
    setLoad('loading')
    const action = await dispatch(fetchTickets())
    setLoad(fetchTickets.fulfilled.match(action) ? 'done' : { error: action.payload?.message })
  }
  useEffect(() => {
    void read()
    // oxlint-disable-next-line react/exhaustive-deps -- at each visit, and when a payment was confirmed
  }, [confirming])

  const all = participationsOf(tickets, new Date(serverNow()))
  const shown = withStatus(all, filter)
  const [hasPaid, setHasPaid] = useState(arrived)
  const fresh = hasPaid ? newestPaid(tickets) : []
  const Fresh = useNewNumbers(fresh.length > 0)
  const pictures = useContestPictures(load === 'done' && all.length > 0)

  if (load === 'loading' && all.length === 0) return <ParticipationsSkeleton />
  return (
    <div className="page-width grid grid-cols-1 gap-8 py-8 sm:py-12">
      <PageHeader
        title={t('title')}
        lead={all.length > 0 && <span className="print:hidden">{t('downloadHint')}</span>}
        actions={
          <AppLink
            to={paths.orders()}
            className={buttonClasses('secondary', 'small', { className: 'print:hidden' })}
          >
            {t('orders')}
          </AppLink>
        }
      />
      <Payments
        onPaid={() => {
          setHasPaid(true)
          void read()
        }}
      />
      {Fresh && fresh.length > 0 && (
        <section aria-label={t('fresh', { count: fresh.length })} className="grid grid-cols-1 gap-4">
          <p className="font-wide text-title">{t('fresh', { count: fresh.length })}</p>
          <Fresh tickets={fresh} pictures={pictures} />
        </section>
      )}
      {typeof load === 'object' && (
        <div role="alert">
          <EmptyState
            illustration={<EmptyBay />}
            title={t('errorTitle')}
            text={load.error}
            action={<Button onClick={() => void read()}>{t('retry')}</Button>}
          />
        </div>
      )}
      {load === 'done' && all.length === 0 && (
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
      )}
      {all.length > 0 && (
        <>
          <StatusFilter all={all} value={filter} onChange={setFilter} />
          {shown.length === 0 && (
            <EmptyState
              title={t('empty')}
              text={t('emptyFilterText')}
              action={
                <Button variant="secondary" onClick={() => setFilter('all')}>
                  {t('emptyFilterAction')}
                </Button>
              }
            />
          )}
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

interface StatusFilterProps {
  all: readonly Participation[]
  value: ParticipationFilter
  onChange: (filter: ParticipationFilter) => void
}

function StatusFilter({ all, value, onChange }: StatusFilterProps): ReactNode {
  const t = useTranslations('tickets.filter')
  const name = useId()
  return (
    <fieldset className="print:hidden">
      <legend className="sr-only">{t('label')}</legend>
      <div className="flex flex-wrap gap-2 max-sm:*:grow">
        {PARTICIPATION_FILTERS.map((filter) => (
          <label
            key={filter}
            className="inline-flex min-h-11 cursor-pointer items-center justify-center gap-2 rounded-md border border-line-strong bg-surface px-2.5 text-sm font-semibold sm:px-4 has-checked:border-fill has-checked:bg-fill has-checked:text-on-fill has-focus-visible:outline-3 has-focus-visible:outline-offset-2 has-focus-visible:outline-signal"
          >
            <input
              type="radio"
              name={name}
              value={filter}
              checked={value === filter}
              onChange={() => onChange(filter)}
              className="sr-only"
            />
            {t(filter)}
            <span className="font-normal">{withStatus(all, filter).length}</span>
          </label>
        ))}
      </div>
      <p role="status" className="sr-only">
        {t('result', { count: withStatus(all, value).length })}
      </p>
    </fieldset>
  )
}

const BESIDE_PICTURE =
  'grid-cols-[min(6rem,28%)_minmax(0,1fr)] @md:grid-rows-[auto_1fr] @md:grid-cols-[11rem_minmax(0,1fr)] @md:gap-x-6'

interface ParticipationCardProps {
  participation: Participation
  /** A picture keeps its space while it loads. */
  picture: ShownPicture | 'loading' | undefined
}

function ParticipationCard({ participation, picture }: ParticipationCardProps): ReactNode {
  const t = useTranslations('tickets')
  const { timeZone } = useSettings()
  const heading = useId()
  const { status, tickets, endDate, slug } = participation
  const title = localized(participation.titles, 'title', useLanguage())
  const { voided } = participation
  const phase = phaseOf(participation)
  const outcome = decisiveTicket(participation)
  // The prize stands large above.
  const beside = phase === 'won' ? undefined : picture

  return (
    <article
      aria-labelledby={heading}
      className={classes(
        '@container grid grid-cols-1 gap-6 rounded-lg border p-4 sm:p-6',
        phase === 'won' ? 'border-line-strong bg-gold-soft' : 'border-line bg-surface',
      )}
    >
      {phase === 'won' && outcome && <Won ticket={outcome} picture={picture} />}
      <div className={classes('grid gap-x-3 gap-y-4', beside ? BESIDE_PICTURE : 'grid-cols-1')}>
        {beside && <LinkedPicture slug={slug} picture={beside === 'loading' ? undefined : beside} />}
        <header className="flex flex-wrap items-start justify-between gap-x-6 gap-y-2 max-md:contents">
          <div className="grid min-w-0 gap-1">
            <h2 id={heading} lang={title.language} className="text-lg leading-snug @md:text-title">
              <AppLink to={paths.offer(slug)} className="inline-block underline-offset-4 hover:underline">
                {title.text}
              </AppLink>
            </h2>
            <p className="flex flex-wrap gap-x-4 text-sm text-muted">
              <span>{t('count', { count: tickets.length })}</span>
              <span>
                {t.rich(status === 'inProgress' ? 'endDate' : 'endedDate', {
                  date: formatDateTime(endDate, timeZone),
                  when: (date) => <ZonedTime iso={endDate}>{date}</ZonedTime>,
                })}
              </span>
              <AppLink
                to={outcome?.proof_link ?? paths.draw(slug)}
                className="prose-link -my-1 inline-block py-1"
              >
                {t(outcome ? 'verify' : 'draw')}
              </AppLink>
            </p>
          </div>
          <div className="flex flex-wrap items-center gap-2 max-md:col-span-full">
            <Badge tone={phase === 'running' ? 'success' : 'neutral'}>
              {t(`status.${voided ?? status}`)}
            </Badge>
            {phase === 'waiting' && <Badge tone="warning">{t('outcome.waiting')}</Badge>}
            {outcome && <Badge>{t('outcome.drawn')}</Badge>}
            {(phase === 'notWon' || phase === 'forfeited') && <Badge>{t(`outcome.${phase}`)}</Badge>}
          </div>
        </header>
        <div className={classes(beside && 'col-span-2 @md:col-span-1 @md:col-start-2')}>
          <TicketPlates tickets={tickets} title={title.text} />
        </div>
      </div>
    </article>
  )
}

/** The number that was drawn, and what there is to do. */
function Won({ ticket, picture }: { ticket: Ticket; picture: ParticipationCardProps['picture'] }): ReactNode {
  const t = useTranslations('tickets')
  const { timeZone } = useSettings()
  const { ticket_number: number, offer_slug: slug, prize = 'toClaim', claim_until: until } = ticket
  return (
    <div className="grid grid-cols-1 items-center gap-x-8 gap-y-5 @2xl:grid-cols-2">
      {picture && (
        <div className="aspect-[8/5] overflow-hidden rounded-md bg-sunken @2xl:order-2">
          {picture !== 'loading' && (
            <OfferPicture picture={picture} sizes="(min-width: 64rem) 32rem, 100vw" loading="soon" alt="" />
          )}
        </div>
      )}
      <div className="grid grid-cols-1 justify-items-start gap-4">
        <p className="font-wide text-headline text-gold">{t('won.title')}</p>
        <Plate size="large" flips label={t('outcome.won', { number })}>
          {number}
        </Plate>
        {prize === 'toClaim' && until !== undefined && (
          <p>
            {t.rich('won.toClaim', {
              date: formatDateTime(until, timeZone),
              when: (date) => (
                <strong>
                  <ZonedTime iso={until}>{date}</ZonedTime>
                </strong>
              ),
            })}
          </p>
        )}
        {(prize === 'claimed' || prize === 'awarded') && <p>{t(`won.${prize}`)}</p>}
        {prize !== 'awarded' && (
          <AppLink
            to={paths.claim({ contest: slug })}
            className={buttonClasses(prize === 'toClaim' ? 'primary' : 'secondary')}
          >
            {t(prize === 'toClaim' ? 'claim' : 'won.see')}
          </AppLink>
        )}
      </div>
    </div>
  )
}

/** The first picture of each contest by its id; undefined until loaded, empty after a failure. */
function useContestPictures(wanted: boolean): ReadonlyMap<number, ShownPicture> | undefined {
  const [pictures, setPictures] = useState<ReadonlyMap<number, ShownPicture>>()

  useEffect(() => {
    if (!wanted) return undefined
    const leaving = new AbortController()
    async function read(): Promise<void> {
      const offers = await offersApi(browserCall())
        .offers(leaving.signal)
        .catch(() => [])
      if (leaving.signal.aborted) return
      const firsts = offers.flatMap((offer) => {
        const [first] = shownPictures(offer)
        return first ? [[offer.id, first] as const] : []
      })
      setPictures(new Map(firsts))
    }
    void read()
    return () => leaving.abort()
  }, [wanted])

  return pictures
}
