import { CircleCheck, Lock, Mail, Percent, Radio, Shuffle } from 'lucide-react'
import type { ReactNode } from 'react'
import { AppLink } from '#client/app-link.tsx'
import { paths } from '#client/paths.ts'
import type { ListedOffer } from '#features/offers/offers.contract.ts'
import { useSettings } from '#client/shell.ts'
import { useTranslations } from '#i18n/translations.tsx'
import { buttonClasses } from '#ui/button.tsx'
import { Picture } from '#ui/picture.tsx'
import { Plate } from '#ui/plate.tsx'
import { Hero } from './hero.tsx'
import { OpenContests } from './open-contests.tsx'
import { Section } from './section.tsx'
import { StepTabs } from './step-tabs.tsx'

/** The home page (spec section 2). */
export function HomePage({
  offers,
  draw,
}: {
  offers: readonly ListedOffer[]
  draw: string | undefined
}): ReactNode {
  return (
    <>
      <Hero />
      <OpenContests offers={offers} />
      <StepTabs draw={draw} />
      <Fairness />
      <Collection />
      <Partners />
    </>
  )
}

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

const POINTS = [
  { name: 'odds', icon: Percent },
  { name: 'once', icon: CircleCheck },
  { name: 'limit', icon: Lock },
  { name: 'shuffled', icon: Shuffle },
  { name: 'live', icon: Radio },
  { name: 'free', icon: Mail },
] as const

const freeEntry = (text: ReactNode): ReactNode => (
  <AppLink to={paths.freeEntry()} className="prose-link">
    {text}
  </AppLink>
)

function Fairness(): ReactNode {
  const t = useTranslations('home')
  return (
    <Section name="fair" title={t('fair.title')} lead={t('fair.lead')}>
      <div className="grid items-start gap-10 @4xl:grid-cols-[minmax(0,1fr)_auto]">
        <ul className="grid gap-x-10 gap-y-8 @xl:grid-cols-2">
          {POINTS.map(({ name, icon: Icon }) => (
            <li key={name} className="grid grid-cols-[auto_minmax(0,1fr)] content-start gap-x-4 gap-y-1">
              <Icon aria-hidden="true" className="mt-0.5 size-6 text-signal" />
              <h3 className="font-wide text-lg">{t(`fair.${name}.title`)}</h3>
              <p className="col-start-2 text-muted">{t.rich(`fair.${name}.text`, { rules: freeEntry })}</p>
            </li>
          ))}
        </ul>
        <div aria-hidden="true" className="hidden justify-items-center gap-3 @4xl:grid">
          <Plate size="large">031 907</Plate>
          <Plate size="large">114 250</Plate>
          <Plate size="large">207 613</Plate>
        </div>
      </div>
    </Section>
  )
}

const CATEGORIES = ['sport', 'electric', 'everyday'] as const
const WIDTHS = [480, 828]
const FADED = '[mask-image:linear-gradient(#000_65%,transparent)]'

function Collection(): ReactNode {
  const t = useTranslations('home')
  return (
    <Section name="collection" title={t('collection.title')} lead={t('collection.lead')} ground="raised">
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
  const size = { width: 828, height: 552, className: `aspect-[16/10] w-full object-cover ${FADED}` }
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
