import type { ReactNode } from 'react'
import { AppLink } from '#client/app-link.tsx'
import { paths } from '#client/paths.ts'
import { useTranslations } from '#i18n/translations.tsx'
import { buttonClasses } from '#ui/button.tsx'
import { EmptyState } from '#ui/empty-state.tsx'
import { EmptyBay } from '#ui/illustrations.tsx'

export function DrawNotFound(): ReactNode {
  const t = useTranslations('draws')
  return (
    <EmptyState
      as="h1"
      className="page-width"
      illustration={<EmptyBay />}
      title={t('notFound')}
      action={
        <AppLink to={paths.draws()} className={buttonClasses()}>
          {t('all')}
        </AppLink>
      }
    />
  )
}
