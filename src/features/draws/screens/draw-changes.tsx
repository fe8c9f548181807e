import type { ReactNode } from 'react'
import { languageName } from '#i18n/language-name.ts'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { ChangeView } from '#ui/change-view.tsx'
import type { PublicDraw } from '../public-draws.contract.ts'
import { DrawInstant } from './draw-parts.tsx'

/** What people have entered for, as it was before each change. */
export function DrawChanges({ draw: { changes } }: { draw: PublicDraw }): ReactNode {
  const t = useTranslations('draws.changes')
  const language = useLanguage()
  return (
    <section aria-labelledby="changes-title" className="grid grid-cols-1 gap-5">
      <h2 id="changes-title" className="text-title">
        {t('title')}
      </h2>
      <p className="max-w-prose">{t('intro')}</p>
      <ol className="grid grid-cols-1 gap-8">
        {changes.map((change) => (
          <li key={change.at} className="grid grid-cols-1 gap-3">
            <h3 className="font-semibold">
              {t('at')} <DrawInstant iso={change.at} />
            </h3>
            <ChangeView
              change={change}
              language={language}
              t={t}
              nameOf={(field, of) =>
                t('named', { field: t(`fields.${field}`), language: languageName(of, language) })
              }
              factOf={(fact) => t(`facts.${fact}`)}
              noFigure={t('noFigure')}
            />
          </li>
        ))}
      </ol>
    </section>
  )
}
