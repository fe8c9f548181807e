import { type ReactNode, useId } from 'react'
import { AppLink } from '#client/app-link.tsx'
import { paths } from '#client/paths.ts'
import { useSettings } from '#client/shell.ts'
import { Badge } from '#ui/badge.tsx'
import { Card } from '#ui/card.tsx'
import { ZonedTime } from '#features/offers/screens/zoned-time.tsx'
import { formatDateTime } from '#i18n/format.ts'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { localized } from '#shared/languages.ts'
import type { Participation } from './participations.ts'
import { TicketPlates } from './ticket-plates.tsx'

/** One contest the caller takes part in: status, count, end date and numbers. */
export function ParticipationCard({ participation }: { participation: Participation }): ReactNode {
  const t = useTranslations('tickets')
  const { timeZone } = useSettings()
  const heading = useId()
  const { status, tickets, endDate, slug } = participation
  const title = localized(participation.titles, 'title', useLanguage())
  const running = status === 'inProgress'

  return (
    <Card role="article" aria-labelledby={heading} className="grid grid-cols-1 gap-5 p-5 sm:p-6">
      <header className="flex flex-wrap items-start justify-between gap-x-6 gap-y-2">
        <div className="grid min-w-0 gap-1">
          <h2 id={heading} lang={title.language} className="text-title">
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
      <TicketPlates tickets={tickets} title={title.text} />
    </Card>
  )
}
