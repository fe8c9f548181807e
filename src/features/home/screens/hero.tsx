import { ArrowRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { AppLink } from '#client/app-link.tsx'
import { paths } from '#client/paths.ts'
import { useTranslations } from '#i18n/translations.tsx'
import { buttonClasses } from '#ui/button.tsx'
import { Plate } from '#ui/plate.tsx'

const WIDE = [828, 1280, 1600, 2400]
const TALL = [720, 1080]
const sources = (stem: string, widths: readonly number[], type: string): string =>
  widths.map((width) => `/media/${stem}-${width}.${type} ${width}w`).join(', ')

/** The first screen: a car, what can be won, and the way there (spec section 2, "Hero"). */
export function Hero(): ReactNode {
  const t = useTranslations('home')
  return (
    <section className="relative isolate grid overflow-hidden bg-asphalt text-paper sm:min-h-[min(44rem,calc(100dvh-6rem))]">
      <picture className="contents">
        <source
          media="(max-width: 639px)"
          type="image/avif"
          srcSet={sources('hero-dark-tall', TALL, 'avif')}
          sizes="100vw"
        />
        <source
          media="(max-width: 639px)"
          type="image/webp"
          srcSet={sources('hero-dark-tall', TALL, 'webp')}
          sizes="100vw"
        />
        <source type="image/avif" srcSet={sources('hero-dark', WIDE, 'avif')} sizes="100vw" />
        <img
          src="/media/hero-dark-1280.webp"
          srcSet={sources('hero-dark', WIDE, 'webp')}
          sizes="100vw"
          alt={t('hero.alt')}
          width="2400"
          height="1200"
          fetchPriority="high"
          className="col-start-1 row-start-1 size-full min-h-[36rem] animate-drive-in object-cover object-bottom sm:object-right"
        />
      </picture>
      <div className="page-width z-10 col-start-1 row-start-1 grid content-start gap-6 pt-12 pb-10 sm:content-center sm:py-16">
        <h1 tabIndex={-1} className="max-w-[11ch] text-hero">
          {t('hero.title')}
        </h1>
        <p className="max-w-sm text-lg text-paper/85">{t('hero.subtitle')}</p>
        <div className="flex flex-wrap items-center gap-4">
          <AppLink
            to={paths.offers()}
            className={buttonClasses('inverse', 'large')}
          >
            {t('hero.action')}
            <ArrowRight aria-hidden="true" className="size-5" />
          </AppLink>
          <Plate size="large" className="max-sm:hidden" label={t('hero.plateLabel')}>
            004 211
          </Plate>
        </div>
      </div>
    </section>
  )
}
