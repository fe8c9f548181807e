import homeBelowMessages from 'virtual:messages/homeBelow'
import winnersMessages from 'virtual:messages/winners'
import type { ReactNode } from 'react'
import { needMessages } from '#client/browser.ts'
import { useSettings } from '#client/shell.ts'
import type { Winner } from '#features/draws/winners.contract.ts'
import type { ListedOffer } from '#features/offers/offers.contract.ts'
import type { LastCheck } from '#features/system/last-check.contract.ts'
import { useTranslations } from '#i18n/translations.tsx'
import { buttonClasses } from '#ui/button.tsx'
import { Picture } from '#ui/picture.tsx'
import { Fairness } from './fairness.tsx'
import { OpenContests } from './open-contests.tsx'
import { Section } from './section.tsx'
import { StepTabs } from './step-tabs.tsx'
import { WinnersWall } from './winners-wall.tsx'

await needMessages(homeBelowMessages, winnersMessages)

export interface BelowProps {
  /** The open contests beside the one in front. */
  offers: readonly ListedOffer[]
  /** Slug of the contest that is drawn next, or was drawn last. */
  draw: string | undefined
  /** The latest first. */
  winners: readonly Winner[]
  check: LastCheck['last']
}

/** What is below the first screens. */
export const Below = ({ offers, draw, winners, check }: BelowProps): ReactNode => (
  <>
    <OpenContests offers={offers} />
    <WinnersWall winners={winners} />
    <StepTabs draw={draw} />
    <Fairness won={winners[0]} check={check} />
    <Collection />
    <Partners />
  </>
)

function Partners(): ReactNode {
  const t = useTranslations('homeBelow')
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

const CATEGORIES = ['sport', 'electric', 'everyday'] as const
const WIDTHS = [480, 828]

function Collection(): ReactNode {
  const t = useTranslations('homeBelow')
  return (
    <Section name="collection" title={t('collection.title')} lead={t('collection.lead')}>
      <ul className="grid grid-cols-1 gap-5 md:grid-cols-2 lg:grid-cols-3">
        {CATEGORIES.map((category) => (
          <li
            key={category}
            className="grid grid-cols-1 content-start overflow-hidden rounded-lg bg-asphalt text-paper md:max-lg:last:col-span-2 md:max-lg:last:grid-cols-2 md:max-lg:last:items-center"
          >
            <div>
              <CategoryPicture category={category} />
            </div>
            <div className="p-6 pt-2 md:p-4 lg:p-6 lg:pt-2">
              <h3 className="text-title md:text-lg lg:text-title">{t(`collection.${category}.title`)}</h3>
              <p className="mt-1.5 wrap-anywhere text-paper/85">{t(`collection.${category}.text`)}</p>
            </div>
          </li>
        ))}
      </ul>
    </Section>
  )
}

function CategoryPicture({ category }: { category: (typeof CATEGORIES)[number] }): ReactNode {
  const address = useSettings().pictures[category]
  const size = { width: 828, height: 552, className: 'aspect-[16/10] w-full object-cover fades-below' }
  if (address !== null) return <img {...size} src={address} alt="" loading="lazy" decoding="async" />
  return (
    <Picture
      {...size}
      stem={`/media/category-${category}`}
      widths={WIDTHS}
      sizes="(min-width: 1024px) 30vw, (min-width: 768px) 45vw, 92vw"
    />
  )
}
