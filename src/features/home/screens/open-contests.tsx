import { ArrowRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { AppLink } from '#client/app-link.tsx'
import { paths } from '#client/paths.ts'
import { OfferCard } from '#features/offers/screens/offer-card.tsx'
import type { Offer } from '#features/offers/offers.contract.ts'
import { whyNotBuyable } from '#features/offers/offers.rules.ts'
import { useTranslations } from '#i18n/translations.tsx'
import { buttonClasses } from '#ui/button.tsx'
import { Section } from './section.tsx'

const SHOWN = 4

/** The contests that end next. Nothing is shown when none is open. */
export function OpenContests({ offers }: { offers: readonly Offer[] }): ReactNode {
  const t = useTranslations('home')
  const open = offers.filter((offer) => whyNotBuyable(offer) === undefined).slice(0, SHOWN)
  if (open.length === 0) return null
  return (
    <Section
      title={t('open.title')}
      lead={t('open.lead')}
      action={
        <AppLink to={paths.offers()} className={buttonClasses('secondary')}>
          {t('open.all')}
          <ArrowRight aria-hidden="true" className="size-5" />
        </AppLink>
      }
    >
      <ul className="grid grid-cols-1 gap-5 @md:grid-cols-2 @5xl:grid-cols-4" aria-label={t('open.title')}>
        {open.map((offer) => (
          <li key={offer.id} className="grid min-w-0">
            <OfferCard offer={offer} eager={false} />
          </li>
        ))}
      </ul>
    </Section>
  )
}
