import { CircleCheck } from 'lucide-react'
import { type ReactNode, useId } from 'react'
import { AppLink } from '#client/app-link.tsx'
import { paths } from '#client/paths.ts'
import { useSettings } from '#client/shell.ts'
import { padTicketNumber } from '#features/offers/offers.rules.ts'
import { OfferPicture } from '#features/offers/screens/offer-picture.tsx'
import { shownPictures } from '#features/offers/screens/pictures.ts'
import { ZonedTime } from '#features/offers/screens/zoned-time.tsx'
import { formatDateTime, formatEur } from '#i18n/format.ts'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { localized } from '#shared/localized-text.ts'
import { Badge } from '#ui/badge.tsx'
import { Card } from '#ui/card.tsx'
import { Plate } from '#ui/plate.tsx'
import type { Winner } from '../winners.contract.ts'

const SIZES = '(min-width: 64rem) 30vw, (min-width: 40rem) 46vw, 92vw'

/** A drawn contest: the plate of its number, its prize, who won it if they agreed, and the way to check it. */
export function WinnerCard({ won, level: Title = 'h3' }: { won: Winner; level?: 'h2' | 'h3' }): ReactNode {
  const t = useTranslations('winners')
  const language = useLanguage()
  const heading = useId()
  const { contest, prize_value: value, winner } = won
  const title = localized(contest, 'title', language)
  const [picture] = shownPictures(contest)
  return (
    <Card
      role="article"
      aria-labelledby={heading}
      className="flex h-full flex-col overflow-hidden"
      data-contest={contest.slug}
    >
      <div className="aspect-[8/5] shrink-0 overflow-hidden bg-sunken">
        {picture && <OfferPicture picture={picture} sizes={SIZES} alt="" />}
      </div>
      {/* The plate hangs over the edge of the picture. */}
      <p className="relative -mt-8 px-4">
        <WonPlate won={won} />
      </p>
      <div className="flex grow flex-col gap-3 p-4">
        <div className="flex flex-wrap items-center justify-between gap-2">
          <p className={winner ? 'font-wide text-lg leading-tight' : 'text-muted'}>
            {winner ? t('named', { name: winner.first_name, place: winner.place }) : t('unnamed')}
          </p>
          {won.is_awarded && (
            <Badge tone="success">
              <CircleCheck aria-hidden="true" className="size-4" />
              {t('awarded')}
            </Badge>
          )}
        </div>
        <Title id={heading} lang={title.language} className="text-lg leading-tight">
          {title.text}
        </Title>
        <p className="grid gap-0.5 text-sm text-muted">
          {value !== null && <span>{t('value', { value: formatEur(value, language) })}</span>}
          <DrawnOn iso={won.drawn_at} />
        </p>
        <p className="mt-auto">
          <AppLink
            to={paths.draw(contest.slug)}
            className="prose-link inline-flex min-h-11 items-center"
            aria-label={t('checkOf', { title: title.text })}
          >
            {t('check')}
          </AppLink>
        </p>
      </div>
    </Card>
  )
}

/** The number that has the prize. */
export function WonPlate({ won: { number, contest } }: { won: Winner }): ReactNode {
  const t = useTranslations('winners')
  const padded = padTicketNumber(number, contest.total_tickets)
  return (
    <Plate size="large" label={t('plate', { number: padded })}>
      {padded}
    </Plate>
  )
}

function DrawnOn({ iso }: { iso: string }): ReactNode {
  const t = useTranslations('winners')
  const { timeZone } = useSettings()
  return (
    <span>
      {t.rich('drawn', {
        date: formatDateTime(iso, timeZone),
        when: (date) => <ZonedTime iso={iso}>{date}</ZonedTime>,
      })}
    </span>
  )
}
