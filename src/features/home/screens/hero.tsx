import { ArrowDown, ArrowRight, Hash, Radio, Trophy } from 'lucide-react'
import type { ReactNode } from 'react'
import { AppLink } from '#client/app-link.tsx'
import { paths } from '#client/paths.ts'
import { useSettings } from '#client/shell.ts'
import { useTranslations } from '#i18n/translations.tsx'
import { buttonClasses } from '#ui/button.tsx'
import { pictureSources } from '#ui/picture.tsx'
import { HOW } from './places.ts'

/** From this width the car is beside the text. */
const BESIDE = '(min-width: 80rem)'
const WIDE = [828, 1280, 1600, 2400]
const TALL = [780, 1080]
const STEM = '/media/hero-dark'

const FACTS = [
  { name: 'winner', icon: Trophy },
  { name: 'numbers', icon: Hash },
  { name: 'draw', icon: Radio },
] as const

/** The first screen (spec section 2, "Hero"). */
export function Hero(): ReactNode {
  const t = useTranslations('home')
  return (
    <section className="@container bg-asphalt text-paper">
      <div className="relative isolate grid overflow-hidden">
        <HeroPicture />
        {/* The padding leaves room for the car. */}
        <div className="page-width z-10 col-start-1 row-start-1 grid grid-cols-1 content-start gap-4 pt-8 pb-[43cqi] sm:gap-5 sm:pt-16 sm:pb-[58cqi] xl:pt-[clamp(3rem,5.5cqi,6rem)] xl:pb-12">
          <h1
            tabIndex={-1}
            className="max-w-[11ch] text-[clamp(2.35rem,9cqi,4.25rem)] leading-none xl:text-[clamp(3.5rem,6cqi,4.75rem)]"
          >
            {t('hero.title')}
          </h1>
          <p className="text-paper/85 sm:text-lg">{t('hero.subtitle')}</p>
          <AppLink
            to={paths.offers()}
            className={buttonClasses('inverse', 'large', {
              className: 'mt-1 justify-self-start wrap-anywhere sm:mt-3',
            })}
          >
            {t('hero.action')}
            <ArrowRight aria-hidden="true" className="size-5" />
          </AppLink>
        </div>
      </div>
      <div className="hidden md:block">
        <ul className="page-width flex flex-wrap gap-x-10 gap-y-3 py-5 text-sm">
          {FACTS.map(({ name, icon: Icon }) => (
            <li key={name} className="flex items-center gap-3">
              <Icon aria-hidden="true" className="size-5 shrink-0 text-paper/70" />
              {t(`hero.facts.${name}`)}
            </li>
          ))}
          <li className="lg:ml-auto">
            <a
              href={`#${HOW}`}
              className="inline-flex items-center gap-3 py-0.5 underline underline-offset-4 hover:decoration-2"
            >
              <ArrowDown aria-hidden="true" className="size-5 shrink-0 text-paper/70 lg:order-1" />
              {t('hero.how')}
            </a>
          </li>
        </ul>
      </div>
    </section>
  )
}

/** Animated after 400 ms, and never lazy (spec section 2; storefront.md). */
function HeroPicture(): ReactNode {
  const t = useTranslations('home')
  const { hero } = useSettings().pictures
  return (
    <picture className="contents">
      {hero === null && (
        <>
          <source
            media={BESIDE}
            type="image/avif"
            srcSet={pictureSources(STEM, WIDE, 'avif')}
            sizes="100vw"
          />
          <source
            media={BESIDE}
            type="image/webp"
            srcSet={pictureSources(STEM, WIDE, 'webp')}
            sizes="100vw"
          />
          <source type="image/avif" srcSet={pictureSources(`${STEM}-tall`, TALL, 'avif')} sizes="100vw" />
        </>
      )}
      <img
        src={hero ?? `${STEM}-tall-780.webp`}
        srcSet={hero === null ? pictureSources(`${STEM}-tall`, TALL, 'webp') : undefined}
        sizes="100vw"
        alt={t('hero.alt')}
        width="1080"
        height="1350"
        fetchPriority="high"
        className="col-start-1 row-start-1 aspect-[4/5] max-h-[44rem] w-full animate-drive-in self-end max-sm:-mb-[11cqi] hero-faded object-cover object-bottom"
      />
    </picture>
  )
}
