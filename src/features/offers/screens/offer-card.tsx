import type { ReactNode } from 'react'
import { AppLink } from '#client/app-link.tsx'
import { paths } from '#client/paths.ts'
import { useSettings, useShell } from '#client/shell.ts'
import { useIsAuthenticated } from '#client/state.ts'
import { Badge } from '#ui/badge.tsx'
import { Button, buttonClasses } from '#ui/button.tsx'
import { formatDateTime, formatEur } from '#i18n/format.ts'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { localized } from '#shared/localized-text.ts'
import { Progress } from '#ui/progress.tsx'
import type { ListedOffer, Offer } from '../offers.contract.ts'
import { endsSoon, whyNotBuyable } from '../offers.rules.ts'
import { ContestPart } from './contest-parts.tsx'
import { keepLook } from './first-look.ts'
import { useEnding } from './live-offers.ts'
import { OfferPicture } from './offer-picture.tsx'
import { shownPictures } from './pictures.ts'
import { PricePair } from './price-pair.tsx'
import { ZonedTime } from './zoned-time.tsx'

const LINK = buttonClasses('primary', 'medium', { wide: true })

/** For 1, 2 or 4 columns; at most 2.25 device pixels for a CSS pixel, which saves bytes. */
const SIZES = '(min-width: 80rem) 22rem, (min-width: 40rem) 46vw, (min-resolution: 2.5dppx) 69vw, 92vw'

interface OfferCardProps {
  offer: ListedOffer
  picture?: 'first' | 'soon' | 'late'
  /** Level of the title: below the title of the page, or of a section. */
  as?: 'h2' | 'h3'
}

/** Spec section 2, "Offer list". */
export function OfferCard({
  offer: listed,
  picture: loading = 'late',
  as: Heading = 'h2',
}: OfferCardProps): ReactNode {
  const t = useTranslations('offers.card')
  const language = useLanguage()
  const { renderedAt } = useShell()
  const isSignedIn = useIsAuthenticated()
  const offer = useEnding(listed)
  const heading = `offer-${offer.id}`
  const title = localized(offer, 'title', language)
  const [picture] = shownPictures(offer)
  const closed = whyNotBuyable(offer)
  // Whoever is logged in buys on the page of the offer; of a contest that is over everybody sees the outcome.
  const page = isSignedIn && closed !== 'ended' ? paths.offer(offer.slug) : paths.draw(offer.slug)

  return (
    <article
      aria-labelledby={heading}
      className="relative flex flex-col overflow-hidden rounded-lg border border-line bg-surface @md:row-span-4 @md:grid @md:grid-rows-subgrid @md:gap-y-0"
    >
      {/* Hidden from screen readers: the title is the same link. */}
      <AppLink
        to={page}
        onClick={({ currentTarget }) => keepLook(offer, currentTarget)}
        tabIndex={-1}
        aria-hidden="true"
        className="relative block aspect-[8/5] shrink-0 overflow-hidden bg-sunken"
      >
        {picture && (
          <OfferPicture
            picture={picture}
            sizes={SIZES}
            loading={loading}
            className={`h-full w-full object-cover ${closed ? 'opacity-70 grayscale' : ''}`}
          />
        )}
      </AppLink>
      <div className="grid content-start gap-2 px-4 pt-4">
        <div className="grid justify-items-start gap-2">
          {endsSoon(offer, renderedAt) && <Badge tone="signal">{t('endsSoon')}</Badge>}
          <Heading id={heading} className="text-lg leading-tight">
            <AppLink
              to={page}
              onClick={({ currentTarget }) => keepLook(offer, currentTarget)}
              lang={title.language}
              className="underline-offset-4 hover:underline"
            >
              {title.text}
            </AppLink>
          </Heading>
        </div>
        {offer.prize.value !== null && (
          <p className="text-sm text-muted">
            {t.rich('value', {
              amount: formatEur(offer.prize.value, language),
              figure: (amount) => (
                <span className="font-semibold text-ink tabular-nums" translate="no">
                  {amount}
                </span>
              ),
            })}
          </p>
        )}
      </div>
      <div className="absolute top-0 right-0 p-2 print:hidden">
        <ContestPart name="Heart" offer={offer} />
      </div>
      <PricePair ticketPrice={offer.ticket_price} className="px-4 pt-3" />
      <div className="grid content-end gap-3 p-4">
        <SoldMeter offer={offer} />
        <div className="grid gap-0.5 text-xs text-muted">
          {closed !== 'ended' && <p>{t('odds', { total: offer.total_tickets })}</p>}
          <p>{offer.stopped_as ? t(offer.stopped_as) : <DateLine of="validUntil" iso={offer.end_date} />}</p>
          {offer.draw_at !== null && offer.stopped_as === null && (
            <p>
              <DateLine of="drawAt" iso={offer.draw_at} />
            </p>
          )}
          {closed === 'ended' && (
            <AppLink to={paths.draw(offer.slug)} className="prose-link w-fit py-1">
              {t('draw')}
            </AppLink>
          )}
        </div>
        {closed ? (
          <Button wide disabled aria-describedby={heading}>
            {t(closed)}
          </Button>
        ) : (
          <DetailsLink offer={offer} title={title.text} />
        )}
      </div>
    </article>
  )
}

/** A time of the contest, with its label. */
export function DateLine({ of, iso }: { of: 'validUntil' | 'drawAt'; iso: string }): ReactNode {
  const t = useTranslations('offers.card')
  const { timeZone } = useSettings()
  return t.rich(of, {
    date: formatDateTime(iso, timeZone),
    when: (date) => <ZonedTime iso={iso}>{date}</ZonedTime>,
  })
}

/** Visitors reach the offer through the login (spec section 2). */
function DetailsLink({ offer, title }: { offer: ListedOffer; title: string }): ReactNode {
  const t = useTranslations('offers.card')
  const signedIn = useIsAuthenticated()
  const details = paths.offer(offer.slug)
  return (
    <AppLink
      to={signedIn ? details : paths.login({ next: details })}
      onClick={({ currentTarget }) => keepLook(offer, currentTarget)}
      className={LINK}
      aria-label={t('viewDetailsOf', { title })}
    >
      {t('viewDetails')}
    </AppLink>
  )
}

export function SoldMeter({ offer }: { offer: Pick<Offer, 'tickets_sold' | 'total_tickets'> }): ReactNode {
  const t = useTranslations('offers.card')
  const { tickets_sold: sold, total_tickets: total } = offer
  const words = t('sold', { sold, total })
  return (
    <div className="grid gap-1.5 text-sm">
      <span aria-hidden="true">{words}</span>
      <Progress value={sold} total={total} label={words} />
    </div>
  )
}
