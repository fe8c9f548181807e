import { type ReactNode, useEffect, useId, useState } from 'react'
import { failureOf } from '#client/api-error.ts'
import { AppLink } from '#client/app-link.tsx'
import { failureTexts } from '#client/browser.ts'
import { paths } from '#client/paths.ts'
import { useSettings } from '#client/shell.ts'
import { toast } from '#client/toast.ts'
import { whyNotBuyable } from '#features/offers/offers.rules.ts'
import { LinkedPicture } from '#features/offers/screens/offer-picture.tsx'
import { shownPictures } from '#features/offers/screens/pictures.ts'
import { ZonedTime } from '#features/offers/screens/zoned-time.tsx'
import { formatDateTime } from '#i18n/format.ts'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { localized } from '#shared/localized-text.ts'
import { Button, buttonClasses } from '#ui/button.tsx'
import { Card } from '#ui/card.tsx'
import { EmptyState } from '#ui/empty-state.tsx'
import { EmptyBay } from '#ui/illustrations.tsx'
import { PageHeader } from '#ui/page-header.tsx'
import { ListSkeleton } from '#ui/skeleton.tsx'
import type { Favourite } from '../favourites.contract.ts'
import { Heart } from './heart.tsx'
import { ReminderAddress, ReminderChoices } from './reminder-choices.tsx'
import { kept, useKeptPart } from './use-kept.ts'

/** The contests that somebody marked or is reminded of. What is taken away stays in sight until the page is left. */
export function FavouritesPage(): ReactNode {
  const t = useTranslations('favourites.list')
  const favourites = useKeptPart((all) => all.list())
  const hasReminders = useKeptPart((all) => all.hasReminders())
  const [failure, setFailure] = useState<string>()
  const [isStopping, setStopping] = useState(false)

  const read = (): Promise<void> =>
    kept()
      .askAgain()
      .then(
        () => setFailure(undefined),
        (error: unknown) => setFailure(failureOf(error, failureTexts()).message),
      )
  useEffect(() => void read(), [])

  async function stop(): Promise<void> {
    setStopping(true)
    const stopped = await kept().stopReminders()
    setStopping(false)
    if (!stopped) return
    toast.success(t('stopped'))
    // The pressed button is gone.
    document.querySelector<HTMLElement>('main h1')?.focus()
  }

  if (!favourites && failure === undefined) return <FavouritesSkeleton />
  return (
    <div className="page-width @container grid grid-cols-1 gap-8 py-8 sm:py-12">
      <PageHeader title={t('title')} lead={!!favourites?.length && <ReminderAddress />} />
      {failure !== undefined && (
        <div role="alert">
          <EmptyState
            illustration={<EmptyBay />}
            title={t('errorTitle')}
            text={failure}
            action={<Button onClick={() => void read()}>{t('retry')}</Button>}
          />
        </div>
      )}
      {favourites?.length === 0 && (
        <EmptyState
          illustration={<EmptyBay />}
          title={t('empty')}
          text={t('emptyText')}
          action={
            <AppLink to={paths.offers()} className={buttonClasses()}>
              {t('contests')}
            </AppLink>
          }
        />
      )}
      {!!favourites?.length && (
        <ul className="grid max-w-4xl grid-cols-1 gap-4">
          {favourites.map((favourite) => (
            <li key={favourite.offer.id}>
              <FavouriteCard offer={favourite.offer} />
            </li>
          ))}
        </ul>
      )}
      {hasReminders && (
        <section className="grid max-w-4xl justify-items-start gap-3 border-t border-line pt-6">
          <p className="text-muted">{t('stopText')}</p>
          <Button variant="secondary" busy={isStopping} onClick={() => void stop()}>
            {t('stop')}
          </Button>
        </section>
      )}
    </div>
  )
}

function FavouriteCard({ offer }: Pick<Favourite, 'offer'>): ReactNode {
  const t = useTranslations('favourites.list')
  const tCard = useTranslations('offers.card')
  const language = useLanguage()
  const { timeZone } = useSettings()
  const heading = useId()
  const title = localized(offer, 'title', language)
  const closed = whyNotBuyable(offer)
  return (
    <Card
      role="article"
      aria-labelledby={heading}
      className="grid grid-cols-1 gap-4 p-4 @md:grid-cols-[11rem_minmax(0,1fr)] sm:p-5"
    >
      <LinkedPicture slug={offer.slug} picture={shownPictures(offer)[0]} />
      <div className="grid min-w-0 grid-cols-1 gap-3">
        <div className="flex items-start justify-between gap-3">
          <div className="grid min-w-0 gap-1">
            <h2 id={heading} lang={title.language} className="text-lg leading-snug wrap-anywhere">
              <AppLink
                to={closed === 'ended' ? paths.draw(offer.slug) : paths.offer(offer.slug)}
                className="underline-offset-4 hover:underline"
              >
                {title.text}
              </AppLink>
            </h2>
            <p className="text-sm text-muted">
              {closed
                ? tCard(offer.stopped_as ?? closed)
                : tCard.rich('validUntil', {
                    date: formatDateTime(offer.end_date, timeZone),
                    when: (date) => <ZonedTime iso={offer.end_date}>{date}</ZonedTime>,
                  })}
            </p>
          </div>
          <Heart offer={offer} />
        </div>
        <ReminderChoices offer={offer} legend={<p className="text-sm font-semibold">{t('reminders')}</p>} />
      </div>
    </Card>
  )
}

export function FavouritesSkeleton(): ReactNode {
  const t = useTranslations('favourites.list')
  return <ListSkeleton text={t('loading')} item="h-28" />
}
