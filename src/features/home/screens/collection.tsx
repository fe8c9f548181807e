import type { ReactNode } from 'react'
import { useTranslations } from '#i18n/translations.tsx'
import { Section } from './section.tsx'

const CATEGORIES = ['sport', 'electric', 'everyday'] as const

/** 'Our Car Collection': three display-only cards (spec section 1). */
export function Collection(): ReactNode {
  const t = useTranslations('home')
  return (
    <Section title={t('collection.title')} lead={t('collection.lead')} ground="raised">
      <ul className="grid grid-cols-1 gap-5 md:grid-cols-2 lg:grid-cols-3">
        {CATEGORIES.map((category) => (
          <li key={category} className="grid content-start overflow-hidden rounded-lg bg-asphalt text-paper">
            <picture className="contents">
              <source
                type="image/avif"
                srcSet={`/media/category-${category}-480.avif 480w, /media/category-${category}-828.avif 828w`}
                sizes="(min-width: 1024px) 30vw, (min-width: 768px) 45vw, 92vw"
              />
              <img
                src={`/media/category-${category}-828.webp`}
                srcSet={`/media/category-${category}-480.webp 480w, /media/category-${category}-828.webp 828w`}
                sizes="(min-width: 1024px) 30vw, (min-width: 768px) 45vw, 92vw"
                alt=""
                loading="lazy"
                decoding="async"
                className="aspect-[16/10] w-full object-cover"
              />
            </picture>
            <div className="p-6 pt-2">
              <h3 className="text-title">{t(`collection.${category}.title`)}</h3>
              <p className="mt-1.5 text-paper/85">{t(`collection.${category}.text`)}</p>
            </div>
          </li>
        ))}
      </ul>
    </Section>
  )
}
