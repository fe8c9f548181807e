import type { ReactNode } from 'react'
import { useTranslations } from '#i18n/translations.tsx'
import { Picture } from '#ui/picture.tsx'
import { Section } from './section.tsx'

const CATEGORIES = ['sport', 'electric', 'everyday'] as const
const WIDTHS = [480, 828]

/** 'Our Car Collection': three display-only cards (spec section 1). */
export function Collection(): ReactNode {
  const t = useTranslations('home')
  return (
    <Section title={t('collection.title')} lead={t('collection.lead')} ground="raised">
      <ul className="grid grid-cols-1 gap-5 md:grid-cols-2 lg:grid-cols-3">
        {CATEGORIES.map((category) => (
          <li key={category} className="grid content-start overflow-hidden rounded-lg bg-asphalt text-paper">
            <Picture
              stem={`/media/category-${category}`}
              widths={WIDTHS}
              sizes="(min-width: 1024px) 30vw, (min-width: 768px) 45vw, 92vw"
              width={828}
              height={552}
              className="aspect-[16/10] w-full object-cover"
            />
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
