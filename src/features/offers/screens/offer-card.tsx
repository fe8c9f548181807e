import { type ReactNode, useId } from 'react'
import { AppLink } from '#client/app-link.tsx'
import { paths } from '#client/paths.ts'
import { useSettings } from '#client/shell.ts'
import { useIsAuthenticated } from '#client/state.ts'
import { Button, buttonClasses } from '#ui/button.tsx'
import type { Offer } from '#features/offers/offers.contract.ts'
import { whyNotBuyable } from '#features/offers/offers.rules.ts'
import { formatDateTime, formatEur } from '#i18n/format.ts'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { localized } from '#shared/languages.ts'
import { OfferPicture } from './offer-picture.tsx'
import { shownPictures } from './pictures.ts'
import { SoldMeter } from './sold-meter.tsx'
import { useAllIn } from './use-all-in.ts'
import { ZonedTime } from './zoned-time.tsx'

/** Width of a card's picture: 1, 2 or 4 columns. */
const SIZES = '(min-width: 80rem) 22rem, (min-width: 40rem) 46vw, 92vw'

/** One offer of the list (spec section 2, "Offer list"). */
export function OfferCard({ offer, eager }: { offer: Offer; eager: boolean }): ReactNode {
  const t = useTranslations('offers.card')
  const language = useLanguage()
  const heading = useId()
  const title = localized(offer, 'title', language)
  const allIn = useAllIn(offer.ticket_price)
  const [picture] = shownPictures(offer)
  const closed = whyNotBuyable(offer)

  return (
    <article
      aria-labelledby={heading}
      className="flex flex-col overflow-hidden rounded-lg border border-line bg-surface"
    >
      <div className="aspect-[8/5] overflow-hidden bg-sunken">
        {picture && (
          <OfferPicture
            picture={picture}
            sizes={SIZES}
            eager={eager}
            className={`h-full w-full object-cover ${closed ? 'opacity-70 grayscale' : ''}`}
          />
        )}
      </div>
      <div className="flex flex-1 flex-col gap-4 p-4">
        <h2 id={heading} lang={title.language} className="text-lg leading-tight">
          {title.text}
        </h2>
        <p className="grid text-sm text-muted">
          <span className="flex flex-wrap items-baseline gap-x-1.5">
            <span className="font-wide text-title text-ink">{formatEur(offer.ticket_price, language)}</span>
            {t('perTicket')}
          </span>
          {allIn}
        </p>
        <div className="mt-auto grid gap-3">
          <SoldMeter offer={offer} />
          <p className="text-sm text-muted">
            <ValidUntil iso={offer.end_date} />
          </p>
          {closed ? (
            <Button wide disabled aria-describedby={heading}>
              {t(closed)}
            </Button>
          ) : (
            <DetailsLink offer={offer} title={title.text} />
          )}
        </div>
      </div>
    </article>
  )
}

function ValidUntil({ iso }: { iso: string }): ReactNode {
  const t = useTranslations('offers.card')
  const { timeZone } = useSettings()
  return t.rich('validUntil', {
    date: formatDateTime(iso, timeZone),
    when: (date) => <ZonedTime iso={iso}>{date}</ZonedTime>,
  })
}

/** Leads to the offer, or through the login for who is not signed in (spec section 2). */
function DetailsLink({ offer, title }: { offer: Offer; title: string }): ReactNode {
  const t = useTranslations('offers.card')
  const signedIn = useIsAuthenticated()
  const details = paths.offer(offer.slug)
  return (
    <AppLink
      to={signedIn ? details : paths.login({ next: details })}
      className={buttonClasses('primary', 'medium', { wide: true })}
      aria-label={t('viewDetailsOf', { title })}
    >
      {t('viewDetails')}
    </AppLink>
  )
}
