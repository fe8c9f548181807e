import { ArrowRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { AppLink } from '#client/app-link.tsx'
import { paths } from '#client/paths.ts'
import type { ListedOffer } from '#features/offers/offers.contract.ts'
import { OfferCard } from '#features/offers/screens/offer-card.tsx'
import { PriceCountry } from '#features/offers/screens/price-pair.tsx'
import { useTranslations } from '#i18n/translations.tsx'
import { buttonClasses } from '#ui/button.tsx'
import { Section } from './section.tsx'

export function OpenContests({ offers }: { offers: readonly ListedOffer[] }): ReactNode {
  const t = useTranslations('homeBelow')
  if (offers.length === 0) return null
  return (
    <Section
      name="open"
      title={t('open.title')}
      lead={t('open.lead')}
      action={
        <AppLink
          to={paths.offers()}
          className={buttonClasses('secondary', 'medium', { className: 'wrap-anywhere' })}
        >
          {t('open.all')}
          <ArrowRight aria-hidden="true" className="size-5" />
        </AppLink>
      }
    >
      <PriceCountry hangs />
      <ul className="grid grid-cols-1 gap-5 @md:grid-cols-2 @5xl:grid-cols-4" aria-label={t('open.title')}>
        {offers.map((offer) => (
          <li key={offer.id} className="min-w-0 @md:row-span-4 @md:grid @md:grid-rows-subgrid @md:gap-y-0">
            <OfferCard offer={offer} />
          </li>
        ))}
      </ul>
    </Section>
  )
}
