import type { ReactNode } from 'react'
import { useSettings } from '#client/shell.ts'
import type { ListedOffer } from '#features/offers/offers.contract.ts'
import { whyNotBuyable } from '#features/offers/offers.rules.ts'
import { OfferPicture } from '#features/offers/screens/offer-picture.tsx'
import { shownPictures } from '#features/offers/screens/pictures.ts'
import { PricePair } from '#features/offers/screens/price-pair.tsx'
import { ZonedTime } from '#features/offers/screens/zoned-time.tsx'
import { formatDateTime } from '#i18n/format.ts'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { localized } from '#shared/localized-text.ts'
import { Skeleton } from '#ui/skeleton.tsx'

/** Above the form on a phone, the right half of a wide screen. */
const Frame = ({ picture, children }: { picture: ReactNode; children: ReactNode }): ReactNode => (
  <div className="bg-sunken @5xl:col-start-2">
    <div className="aspect-2/1 overflow-hidden">{picture}</div>
    <div className="mx-auto grid w-full max-w-xl gap-1 px-4 py-4 sm:px-10 @5xl:max-w-none">{children}</div>
  </div>
)

/** The contest to which the login leads back. */
export function WantedContest({ offer }: { offer: ListedOffer }): ReactNode {
  const t = useTranslations('accounts')
  const tCard = useTranslations('offers.card')
  const language = useLanguage()
  const { timeZone } = useSettings()
  const title = localized(offer, 'title', language)
  const [picture] = shownPictures(offer)
  const closed = whyNotBuyable(offer)
  return (
    <Frame
      picture={
        picture && (
          <OfferPicture picture={picture} sizes="(min-width: 67rem) 58vw, 100vw" loading="soon" alt="" />
        )
      }
    >
      <p className="text-sm text-muted">{t('wanted')}</p>
      <p lang={title.language} className="font-wide leading-tight text-lg wrap-anywhere">
        {title.text}
      </p>
      {closed ? (
        <p className="text-sm text-muted">{tCard(closed)}</p>
      ) : (
        <>
          <p className="text-sm text-muted">
            {tCard.rich('validUntil', {
              date: formatDateTime(offer.end_date, timeZone),
              when: (date) => <ZonedTime iso={offer.end_date}>{date}</ZonedTime>,
            })}
          </p>
          <div className="mt-3 hidden @5xl:block">
            <PricePair ticketPrice={offer.ticket_price} />
          </div>
        </>
      )}
    </Frame>
  )
}

/** Keeps its place while it is loaded. */
export const WantedSkeleton = (): ReactNode => (
  <Frame picture={<Skeleton className="h-full rounded-none" />}>
    <Skeleton className="h-4 w-1/2" />
    <Skeleton className="h-5 w-3/4" />
    <Skeleton className="h-4 w-full" />
  </Frame>
)
