import type { ReactNode } from 'react'
import { useSettings } from '#client/shell.ts'
import { useTranslations } from '#i18n/translations.tsx'
import { Picture } from '#ui/picture.tsx'
import { Section } from './section.tsx'

const CATEGORIES = ['sport', 'electric', 'everyday'] as const
const WIDTHS = [480, 828]
/** The studio's floor runs out into the card's ground. */
const FADED = '[mask-image:linear-gradient(#000_65%,transparent)]'

/** 'Our Car Collection': three display-only cards (spec section 1). */
export function Collection(): ReactNode {
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

/** The card's picture: the shop's own in sizes, or the one that a setting names. */
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
