import type { ReactNode } from 'react'
import { AppLink } from '#client/app-link.tsx'
import { paths } from '#client/paths.ts'
import { useSettings } from '#client/shell.ts'
import { useIsAuthenticated } from '#client/state.ts'
import { Button, buttonClasses } from '#ui/button.tsx'
import { formatDateTime } from '#i18n/format.ts'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { localized } from '#shared/localized-text.ts'
import { Progress } from '#ui/progress.tsx'
import type { ListedOffer, Offer } from '../offers.contract.ts'
import { whyNotBuyable } from '../offers.rules.ts'
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
}

/** Spec section 2, "Offer list". */
export function OfferCard({ offer, picture: loading = 'late' }: OfferCardProps): ReactNode {
  const t = useTranslations('offers.card')
  const language = useLanguage()
  const heading = `offer-${offer.id}`
  const title = localized(offer, 'title', language)
  const [picture] = shownPictures(offer)
  const closed = whyNotBuyable(useEnding(offer))

  return (
    <article
      aria-labelledby={heading}
      className="flex flex-col overflow-hidden rounded-lg border border-line bg-surface @md:row-span-4 @md:grid @md:grid-rows-subgrid @md:gap-y-0"
    >
      <div className="aspect-[8/5] shrink-0 overflow-hidden bg-sunken">
        {picture && (
          <OfferPicture
            picture={picture}
            sizes={SIZES}
            loading={loading}
            className={`h-full w-full object-cover ${closed ? 'opacity-70 grayscale' : ''}`}
          />
        )}
      </div>
      <h2 id={heading} lang={title.language} className="px-4 pt-4 text-lg leading-tight">
        {title.text}
      </h2>
      <PricePair ticketPrice={offer.ticket_price} className="px-4 pt-3" />
      <div className="grid content-end gap-3 p-4">
        <SoldMeter offer={offer} />
        <div className="grid gap-0.5 text-xs text-muted">
          {closed !== 'ended' && <p>{t('odds', { total: offer.total_tickets })}</p>}
          <p>{offer.stopped_as ? t(offer.stopped_as) : <ValidUntil iso={offer.end_date} />}</p>
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

export function ValidUntil({ iso }: { iso: string }): ReactNode {
  const t = useTranslations('offers.card')
  const { timeZone } = useSettings()
  return t.rich('validUntil', {
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
