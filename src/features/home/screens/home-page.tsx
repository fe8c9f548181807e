import type { ReactNode } from 'react'
import type { ListedOffer } from '#features/offers/offers.contract.ts'
import { useSettings } from '#client/shell.ts'
import { useTranslations } from '#i18n/translations.tsx'
import { buttonClasses } from '#ui/button.tsx'
import { Collection } from './collection.tsx'
import { Fairness } from './fairness.tsx'
import { Hero } from './hero.tsx'
import { OpenContests } from './open-contests.tsx'
import { StepTabs } from './step-tabs.tsx'

/** The home page (spec section 2). @param offers the list as the API gives it; the first open ones are shown */
export function HomePage({ offers }: { offers: readonly ListedOffer[] }): ReactNode {
  return (
    <>
      <Hero />
      <OpenContests offers={offers} />
      <StepTabs />
      <Fairness />
      <Collection />
      <Partners />
    </>
  )
}

/** Invites brands and garages to become partners (spec section 1). */
function Partners(): ReactNode {
  const t = useTranslations('home')
  const { partnerEmail } = useSettings()
  return (
    <section className="page-width py-14 sm:py-20">
      <div className="flex flex-wrap items-center justify-between gap-x-10 gap-y-6 rounded-lg border border-line bg-asphalt p-[min(2rem,7vw)] text-paper sm:p-12">
        <div className="grid max-w-2xl gap-3">
          <h2 className="text-headline">{t('partners.title')}</h2>
          <p className="text-balance text-paper/85">{t('partners.text')}</p>
        </div>
        <a href={`mailto:${partnerEmail}`} className={buttonClasses('inverse', 'large')}>
          {t('partners.action')}
        </a>
      </div>
    </section>
  )
}
