import type { ReactNode } from 'react'
import { paths } from '#client/paths.ts'
import { useTranslations } from '#i18n/translations.tsx'
import { BlankPlate } from '#ui/blank-plate.tsx'
import type { WinnerPage } from '../winners.contract.ts'
import { ListFrame } from './list-frame.tsx'
import { WinnerCard } from './winner-card.tsx'

/** Every drawn contest with the number that won, the latest first. */
export function WinnersPage({ page, error }: { page: WinnerPage; error?: string }): ReactNode {
  const t = useTranslations('winners')
  const { items, next } = page
  return (
    <ListFrame
      title={t('title')}
      lead={t('lead')}
      failed={error === undefined ? undefined : { title: t('error'), text: error }}
      empty={{
        illustration: <BlankPlate />,
        title: t('empty'),
        text: t('emptyText'),
        action: t('contests'),
      }}
      isEmpty={items.length === 0}
      more={next === null ? undefined : { to: paths.winners({ after: next }), text: t('more') }}
    >
      {items.length > 0 && (
        <ul className="grid grid-cols-1 gap-5 md:grid-cols-2 lg:grid-cols-3" aria-label={t('title')}>
          {items.map((won) => (
            <li key={won.contest.id}>
              <WinnerCard won={won} level="h2" />
            </li>
          ))}
        </ul>
      )}
    </ListFrame>
  )
}
