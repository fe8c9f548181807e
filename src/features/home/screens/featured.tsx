import { ArrowRight, Timer } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { AppLink } from '#client/app-link.tsx'
import { paths } from '#client/paths.ts'
import { useShell } from '#client/shell.ts'
import { whyNotBuyable } from '#features/offers/offers.rules.ts'
import { keepLook } from '#features/offers/screens/first-look.ts'
import { useEnding, useTimeLeft } from '#features/offers/screens/live-offers.ts'
import { SoldMeter, DateLine } from '#features/offers/screens/offer-card.tsx'
import { OfferPicture } from '#features/offers/screens/offer-picture.tsx'
import { shownPictures } from '#features/offers/screens/pictures.ts'
import { PricePair } from '#features/offers/screens/price-pair.tsx'
import { formatEur } from '#i18n/format.ts'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { localized } from '#shared/localized-text.ts'
import { buttonClasses } from '#ui/button.tsx'
import type { ListedOffer } from '#features/offers/offers.contract.ts'

/** At most 2.25 device pixels for a CSS pixel, as cards have it. */
const SIZES = '(min-width: 64rem) 62vw, (min-resolution: 2.5dppx) 75vw, 100vw'

/** The contest in front of all others: what it is worth, until when, how full it is, and the way in. */
export function Featured({ offer: loaded }: { offer: ListedOffer }): ReactNode {
  const t = useTranslations('home.featured')
  const tCard = useTranslations('offers.card')
  const language = useLanguage()
  const offer = useEnding(loaded)
  const title = localized(offer, 'title', language)
  const [picture] = shownPictures(offer)
  const closed = whyNotBuyable(offer)
  const value = offer.prize.value
  return (
    <section aria-labelledby="featured-title" className="@container border-b border-line bg-surface">
      <div className="grid grid-cols-1 @4xl:grid-cols-[minmax(0,1fr)_23rem] @7xl:page-width">
        <div>
          <p className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 p-4 text-sm font-semibold @7xl:px-0">
            <span className="text-signal">{t('label')}</span>
            {closed === undefined && <ClosesIn iso={offer.end_date} />}
          </p>
          <AppLink
            to={paths.draw(offer.slug)}
            onClick={({ currentTarget }) => keepLook(offer, currentTarget)}
            tabIndex={-1}
            aria-hidden="true"
            className="block aspect-[8/5] overflow-hidden bg-sunken"
          >
            {picture && <OfferPicture picture={picture} sizes={SIZES} loading="soon" alt="" />}
          </AppLink>
        </div>
        <div className="@container grid grid-cols-1 content-center gap-4 p-4 sm:p-6">
          <h2 id="featured-title" lang={title.language} className="text-headline">
            <AppLink
              to={paths.draw(offer.slug)}
              onClick={({ currentTarget }) => keepLook(offer, currentTarget)}
              className="underline-offset-4 hover:underline"
            >
              {title.text}
            </AppLink>
          </h2>
          {value !== null && (
            <p className="grid grid-cols-1 gap-0.5">
              <span className="text-sm text-muted">{t('value')}</span>
              <span className="font-wide text-title wrap-anywhere" translate="no">
                {formatEur(value, language)}
              </span>
            </p>
          )}
          <PricePair ticketPrice={offer.ticket_price} />
          <SoldMeter offer={offer} />
          <div className="grid gap-0.5 text-xs text-muted">
            <p>{tCard('odds', { total: offer.total_tickets })}</p>
            <p>
              {offer.stopped_as ? tCard(offer.stopped_as) : <DateLine of="validUntil" iso={offer.end_date} />}
            </p>
          </div>
          {closed === undefined ? (
            <WayIn offer={offer} />
          ) : (
            <div className="grid gap-2">
              <p className="font-semibold">{tCard(closed)}</p>
              <AppLink
                to={paths.draw(offer.slug)}
                className={buttonClasses('secondary', 'large', { wide: true })}
              >
                {tCard('draw')}
              </AppLink>
            </div>
          )}
        </div>
      </div>
    </section>
  )
}

const MINUTE_MS = 60_000

/** In whole minutes by the server's clock. Screen readers have the instant below it. */
function ClosesIn({ iso }: { iso: string }): ReactNode {
  const t = useTranslations('home.featured')
  const tLeft = useTranslations('offers.countdown')
  const { renderedAt } = useShell()
  const [left, setLeft] = useState(Date.parse(iso) - renderedAt)
  useTimeLeft(iso, (now) => {
    setLeft(now)
    return now > 0 ? (now % MINUTE_MS) + 1 : undefined
  })
  const all = Math.max(0, Math.floor(left / MINUTE_MS))
  const [days, hours, minutes] = [Math.floor(all / 1440), Math.floor(all / 60) % 24, all % 60]
  const time =
    days > 0
      ? tLeft('days', { days, hours })
      : hours > 0
        ? tLeft('hours', { hours, minutes })
        : tLeft(minutes > 0 ? 'minutes' : 'lastMinute', { minutes })
  return (
    <span aria-hidden="true" className="inline-flex items-center gap-2 tabular-nums">
      <Timer className="size-5 shrink-0 text-signal" />
      {t('left', { time })}
    </span>
  )
}

/** Strangers see the contest's public page. CSS shows one of both links, so that nothing moves during hydration. */
function WayIn({ offer }: { offer: ListedOffer }): ReactNode {
  const t = useTranslations('home.featured')
  const link = (to: string, audience: string): ReactNode => (
    <AppLink
      to={to}
      onClick={({ currentTarget }) => keepLook(offer, currentTarget)}
      className={buttonClasses('primary', 'large', { wide: true, className: audience })}
    >
      {t('action')}
      <ArrowRight aria-hidden="true" className="size-5" />
    </AppLink>
  )
  return (
    <>
      {link(paths.draw(offer.slug), 'visitors-only')}
      {link(paths.offer(offer.slug), 'members-only')}
    </>
  )
}
