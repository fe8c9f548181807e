import { type ReactNode, useEffect, useState } from 'react'
import { browserCall } from '#client/browser.ts'
import { useTranslations } from '#i18n/translations.tsx'
import { offersApi } from '../offers.api.ts'
import type { Offer } from '../offers.contract.ts'
import { relatedTo } from '../offer-page.rules.ts'
import { OfferCard } from './offer-card.tsx'

/** Other contests that run, below everything else: nothing moves when they arrive. A failure shows none. */
export function RelatedOffers({ offerId }: { offerId: number }): ReactNode {
  const t = useTranslations('contest')
  const [offers, setOffers] = useState<readonly Offer[]>([])
  useEffect(() => {
    const leaving = new AbortController()
    offersApi(browserCall())
      .offers(leaving.signal)
      .then((all) => setOffers(relatedTo(offerId, all)))
      .catch(() => undefined)
    return () => leaving.abort()
  }, [offerId])
  if (offers.length === 0) return null
  return (
    <section aria-labelledby="related" className="grid grid-cols-1 gap-4 pt-4 print:hidden">
      <h2 id="related" className="text-title">
        {t('related')}
      </h2>
      <ul className="grid grid-cols-1 gap-5 @md:grid-cols-2 @4xl:grid-cols-3">
        {offers.map((offer) => (
          <li key={offer.id} className="grid @md:row-span-4 @md:grid-rows-subgrid">
            <OfferCard offer={offer} />
          </li>
        ))}
      </ul>
    </section>
  )
}
