import { type ReactNode, useId } from 'react'
import { AppLink } from '#client/app-link.tsx'
import { paths } from '#client/paths.ts'
import { useSettings } from '#client/shell.ts'
import { Badge } from '#ui/badge.tsx'
import { Card } from '#ui/card.tsx'
import { classes } from '#ui/classes.ts'
import { OfferPicture } from '#features/offers/screens/offer-picture.tsx'
import type { ShownPicture } from '#features/offers/screens/pictures.ts'
import { ZonedTime } from '#features/offers/screens/zoned-time.tsx'
import { formatDateTime } from '#i18n/format.ts'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { localized } from '#shared/languages.ts'
import type { Participation } from './participations.ts'
import { TicketPlates } from './ticket-plates.tsx'

/** As the lines of the cart: a small picture beside the title, on wide cards beside everything. */
const BESIDE_PICTURE =
  'grid-cols-[min(6rem,28%)_minmax(0,1fr)] @md:grid-rows-[auto_1fr] @md:grid-cols-[11rem_minmax(0,1fr)] @md:gap-x-6'

interface ParticipationCardProps {
  participation: Participation
  /** Room is kept for one that is still on the way; a contest without one gets none. */
  picture: ShownPicture | 'loading' | undefined
}

/** One contest the caller takes part in: its picture, status, count, end date and numbers. */
export function ParticipationCard({ participation, picture }: ParticipationCardProps): ReactNode {
  const t = useTranslations('tickets')
  const { timeZone } = useSettings()
  const heading = useId()
  const { status, tickets, endDate, slug } = participation
  const title = localized(participation.titles, 'title', useLanguage())
  const running = status === 'inProgress'

  return (
    <Card role="article" aria-labelledby={heading} className="@container p-5 sm:p-6">
      <div className={classes('grid gap-x-4 gap-y-5', picture ? BESIDE_PICTURE : 'grid-cols-1')}>
        {picture && (
          <AppLink
            to={paths.offer(slug)}
            tabIndex={-1}
            aria-hidden="true"
            className="aspect-[8/5] self-start overflow-hidden rounded-md bg-sunken @md:row-span-2"
          >
            {picture !== 'loading' && (
              <OfferPicture picture={picture} sizes="11rem" alt="" className="h-full w-full object-cover" />
            )}
          </AppLink>
        )}
        <header className="flex flex-wrap items-start justify-between gap-x-6 gap-y-2">
          <div className="grid min-w-0 gap-1">
            <h2 id={heading} lang={title.language} className="text-lg leading-snug @md:text-title">
              <AppLink to={paths.offer(slug)} className="inline-block underline-offset-4 hover:underline">
                {title.text}
              </AppLink>
            </h2>
            <p className="flex flex-wrap gap-x-4 text-sm text-muted">
              <span>{t('count', { count: tickets.length })}</span>
              <span>
                {t.rich(running ? 'endDate' : 'endedDate', {
                  date: formatDateTime(endDate, timeZone),
                  when: (date) => <ZonedTime iso={endDate}>{date}</ZonedTime>,
                })}
              </span>
            </p>
          </div>
          <Badge tone={running ? 'success' : 'neutral'}>{t(`status.${status}`)}</Badge>
        </header>
        <div className={classes(picture && 'col-span-2 @md:col-span-1 @md:col-start-2')}>
          <TicketPlates tickets={tickets} title={title.text} />
        </div>
      </div>
    </Card>
  )
}
