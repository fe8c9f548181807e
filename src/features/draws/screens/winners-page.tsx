import { ArrowRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { AppLink } from '#client/app-link.tsx'
import { paths } from '#client/paths.ts'
import { LoadError } from '#features/offers/screens/load-error.tsx'
import { useTranslations } from '#i18n/translations.tsx'
import { BlankPlate } from '#ui/blank-plate.tsx'
import { buttonClasses } from '#ui/button.tsx'
import { EmptyState } from '#ui/empty-state.tsx'
import { PageHeader } from '#ui/page-header.tsx'
import type { WinnerPage } from '../winners.contract.ts'
import { WinnerCard } from './winner-card.tsx'

/** Every drawn contest with the number that won, the latest first. */
export function WinnersPage({ page, error }: { page: WinnerPage; error?: string }): ReactNode {
  const t = useTranslations('winners')
  const { items, next } = page
  return (
    <div className="page-width @container grid grid-cols-1 gap-8 py-8 sm:gap-10 sm:py-12">
      <PageHeader title={t('title')} lead={t('lead')} />
      {error !== undefined && <LoadError title={t('error')} text={error} />}
      {error === undefined && items.length === 0 && (
        <EmptyState
          illustration={<BlankPlate />}
          title={t('empty')}
          text={t('emptyText')}
          action={
            <AppLink to={paths.offers()} className={buttonClasses()}>
              {t('contests')}
            </AppLink>
          }
        />
      )}
      {items.length > 0 && (
        <ul className="grid grid-cols-1 gap-5 md:grid-cols-2 lg:grid-cols-3" aria-label={t('title')}>
          {items.map((won) => (
            <li key={won.contest.id}>
              <WinnerCard won={won} level="h2" />
            </li>
          ))}
        </ul>
      )}
      {next !== null && (
        <AppLink
          to={paths.winners({ after: next })}
          className={buttonClasses('secondary', 'medium', { className: 'justify-self-start' })}
        >
          {t('more')}
          <ArrowRight aria-hidden="true" className="size-5" />
        </AppLink>
      )}
    </div>
  )
}
